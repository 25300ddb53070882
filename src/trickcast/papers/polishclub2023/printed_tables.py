"""The openings of BridgeHand2Vec 2023 as an experiment: Tables 9 and 10, and an honest estimate."""

import tomllib
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ...bidding import LabelledHands, NearestSystem, code_counts, load
from ...bidding.nearest import Coding
from ...pairs import HandEmbedding
from ..experiments.markdown import fields_table, markdown_table
from ..experiments.measured_rows import recorded
from ..experiments.rows import BEYOND, FunctionRow, Line, Material
from ..experiments.scales import Scale
from ..opening_networks import code_cards
from ..published import published_results
from .held_out import (
    BOOK,
    FOLDS,
    RULES,
    HeldOut,
    as_bid,
    cross_validate,
    cross_validate_nearest,
    cross_validate_pooled,
    rules_system,
    twins,
)

NAME = "polishclub2023"
_PRINTED = Path(__file__).with_name("printed.toml")
_SEED = 1
_SMOKE_FOLDS = 2
_SEEDS = range(1, 6)
"""Seeds of the networks' first weights; the first seed also mixes the hands."""


# ---- what is measured ----------------------------------------------------------------------------


def _labelled(material: Material) -> LabelledHands:
    assert material.labelled is not None, "rows that need labelled hands are left out without them"
    return material.labelled


def _folds(scale: Scale) -> int:
    return FOLDS if scale.published or scale.name == "standard" else _SMOKE_FOLDS


def _line(
    network: str, labelled: LabelledHands, hits: NDArray[np.bool_], started: float, note: str
) -> Line:
    return {
        "network": network,
        "exact": round(100 * float(hits.mean()), 2),
        **recorded(hits, len(labelled)),
        "n": len(labelled),
        "on": f"{len(labelled):,} labelled hands (the published 213 are others)",
        "seed": _SEED,
        "seconds": round(perf_counter() - started, 1),
        "note": note,
    }


def _expert(scale: Scale, material: Material) -> Line:
    labelled, started = _labelled(material), perf_counter()
    book = as_bid(rules_system(BOOK), labelled).hits()
    tuned = as_bid(rules_system(), labelled).figures()["percent"]
    note = f"{RULES}, which was written with these hands read: {tuned:.1f}, in-sample"
    return _line(BOOK, labelled, book, started, note)


def _network(model: str, scale: Scale, material: Material) -> Line:
    from .opening_classifiers import NetworkTraining, cross_validated_bids  # these need torch

    labelled, started, folds = _labelled(material), perf_counter(), _folds(scale)
    epochs = max(NetworkTraining().epochs * folds // FOLDS, 1)
    hits = list[NDArray[np.bool_]]()
    for seed in _SEEDS:
        training = NetworkTraining(epochs=epochs, seed=seed)
        bids = cross_validated_bids(model, labelled, folds, seed=_SEED, training=training)
        hits.append(np.array(bids) == np.array(labelled.calls))
    note = f"{_validation(folds)}; mean of {len(hits)} seeds"
    line = _line(f"{model}, two perceptrons", labelled, np.array(hits), started, note)
    of_seeds = {
        str(seed): [round(100 * float(right.mean()), 2)]
        for seed, right in zip(_SEEDS, hits, strict=True)
    }
    return line | {"of_seeds": of_seeds}


def _validation(folds: int) -> str:
    return f"{folds}-fold cross-validation"


def _nearest(scale: Scale, material: Material) -> Line:
    labelled, started, folds = _labelled(material), perf_counter(), _folds(scale)
    by_coding = {
        name: cross_validate_nearest(labelled, code, folds=folds).hits()
        for name, code in _codings().items()
    }
    best = next(iter(by_coding))
    others = ", ".join(
        f"{name} {100 * hits.mean():.1f}" for name, hits in by_coding.items() if name != best
    )
    note = f"{_validation(folds)}; by {others}"
    return _line(f"nearest hand by {best}", labelled, by_coding[best], started, note)


@cache
def _codings() -> dict[str, Coding]:
    """Return ways to measure how near hands are, the paper's first."""
    return {
        "hand vectors": HandEmbedding(threads=1).encode,
        "points, lengths and honours": code_counts,
        "the 52 cards": code_cards,
    }


def _table_10(scale: Scale, material: Material) -> Line:
    polish, rules, book = (load(name) for name in ("polish-club", RULES, BOOK))
    nearest = NearestSystem(_labelled(material), next(iter(_codings().values())))
    rows = []
    for printed in tomllib.loads(_PRINTED.read_text("utf-8"))["table_10"]:
        hand = printed["hand"]
        answer = polish.explain(hand)
        rows.append(
            {
                **printed,
                "ours": ", ".join(f"{call} {p:.0%}" for call, p in answer.probabilities.items()),
                "sure": "yes" if answer.sure else "no",
                "rules": rules.bid(hand),
                "book": book.bid(hand),
                "nearest": ", ".join(
                    f"{near.call} {near.distance:.3f}" for near in nearest.nearest(hand, 5)
                ),
            }
        )
    return {"rows": rows, "by": next(iter(_codings()))}


def _parts(scale: Scale, material: Material) -> Line:
    """Measure the gain of rules, labels and near hands, alone and together."""
    labelled, folds = _labelled(material), _folds(scale)
    by, code = next(iter(_codings().items()))
    made: dict[str, HeldOut] = {
        "rules of the book": as_bid(rules_system(BOOK), labelled),
        "rules of the book + labels": cross_validate(labelled, folds, rules=BOOK),
        f"rules of the book + labels + near hands ({by})": cross_validate_pooled(
            labelled, code, BOOK, folds
        ),
        f"labels alone, 1 near hand ({by})": cross_validate_nearest(labelled, code, 1, folds),
        f"labels alone, 15 near hands ({by})": cross_validate_nearest(labelled, code, 15, folds),
        "rules written with the hands (in-sample)": as_bid(rules_system(), labelled),
        "these rules + labels (polish-club; rules in-sample)": cross_validate(labelled, folds),
        "these rules + labels + near hands (rules in-sample)": cross_validate_pooled(
            labelled, code, RULES, folds
        ),
    }
    rows = [
        {"model": name} | {figure: round(value, 3) for figure, value in held.figures().items()}
        for name, held in made.items()
    ]
    return {"folds": folds, "rows": rows}


def _ceiling(scale: Scale, material: Material) -> Line:
    """Measure, in two ways, how much of the labels is a matter of taste."""
    labelled, folds = _labelled(material), _folds(scale)
    held = cross_validate(labelled, folds)
    stated = 100 * float(held.probabilities.max(axis=1).mean())
    rows = [{"figure": name, "value": round(value, 1)} for name, value in twins(labelled).items()]
    rows.append({"figure": "stated_percent", "value": round(stated, 1)})
    return {"rows": rows, "calibration": held.calibration(), "sure": held.when_sure()}


# ---- how it is shown -----------------------------------------------------------------------------


def show(table: str, lines: Sequence[Line]) -> str:
    """Return the finished lines of a table, or of the studies beyond the tables, as Markdown."""
    if table == "Table 9":
        return _show_table_9(lines)
    if table == "Table 10":
        (line,) = lines
        nearest = f"nearest labelled hands by {line['by']}"
        head = ("hand", "the paper's options", "polish-club", "sure", RULES, BOOK,
                nearest, "published, by hand vectors")  # fmt: skip
        columns = ("hand", "options", "ours", "sure", "rules", "book", "nearest", "published")
        return markdown_table(head, [[row[c] for c in columns] for row in line["rows"]])
    return "\n".join(_BEYOND[line["finding"].removeprefix(f"{NAME}: ")](line) for line in lines)


def _show_table_9(lines: Sequence[Line]) -> str:
    printed = published_results()
    rows = [
        (printed[line["row"]]["network"], printed[line["row"]]["exact"], line["network"],
         f"{line['exact']:.1f}", line["note"])
        for line in lines
    ]  # fmt: skip
    head = ("the paper's model", "published, 213 hands", "ours", f"{lines[0]['n']:,} other hands",
            "how ours was measured")  # fmt: skip
    return markdown_table(head, rows)


def _show_parts(line: Line) -> str:
    return f"What each part gains, {_validation(line['folds'])}:\n\n" + fields_table(
        line["rows"],
        ("model", "{model}"),
        ("percent right", "{percent:.1f}"),
        ("among its first two", "{percent_of_two:.1f}"),
        ("log loss", "{log_loss:.3f}"),
    )


def _show_ceiling(line: Line) -> str:
    value = {row["figure"]: row["value"] for row in line["rows"]}
    sure = line["sure"]
    calibration = fields_table(
        line["calibration"],
        ("probability of its call", "{from:.0%} to {to:.0%}"),
        ("hands", "{hands}"),
        ("stated", "{stated_percent:.1f} %"),
        ("right", "{right_percent:.1f} %"),
    )
    return (
        f"Of {value['pairs']:.0f} pairs of labelled hands with the same lengths and points, "
        f"players bid {value['differ_percent']} % differently; of the "
        f"{value['opened_pairs']:.0f} with an opening among them "
        f"{value['opened_differ_percent']} %. So a bidder who knows lengths and points can get "
        f"about {value['ceiling_percent']} %; `polish-club` "
        f"itself expects to be right on {value['stated_percent']} %.\n\n"
        + calibration
        + f"\nIt is sure of {sure['sure_percent']:.1f} % of the hands and right on "
        f"{sure['right_percent']:.1f} % of these, and on {sure['unsure_right_percent']:.1f} % of "
        "the others.\n"
    )


_BEYOND: dict[str, Callable[[Line], str]] = {"parts": _show_parts, "ceiling": _show_ceiling}


def _row(
    name: str, measure: Callable[[Scale, Material], Line], *, torch: bool = False
) -> FunctionRow:
    return FunctionRow(id=name, measure=measure, needs="labelled", torch=torch)


TABLES = {
    "Table 9": (
        _row("b23-T9-01", _nearest),
        _row("b23-T9-02", _expert),
        _row("b23-T9-03", partial(_network, "raw"), torch=True),
        _row("b23-T9-04", partial(_network, "heuristic"), torch=True),
        _row("b23-T9-05", partial(_network, "combined"), torch=True),
    ),
    "Table 10": (_row(f"{NAME}: Table 10", _table_10),),
    BEYOND: (_row(f"{NAME}: parts", _parts), _row(f"{NAME}: ceiling", _ceiling)),
}
"""Its tables by name, and what is measured for each row."""
