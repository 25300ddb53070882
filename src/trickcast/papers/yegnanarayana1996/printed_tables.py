"""Yegnanarayana, Khemani & Sarkar 1996 as an experiment: its rows, and how its tables are shown."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...bidding import load
from ..experiments.markdown import markdown_table
from ..experiments.rows import BEYOND, FunctionRow, Line, Material
from ..experiments.scales import Scale
from ..opening_networks import CascadeSystem, NetworkSystem
from .agreement import (
    TEST_HANDS,
    Kind,
    as_system,
    experts_agree,
    flat_network,
    hand_table,
    macro_recall,
    measure_agreement,
    measure_experiment_1,
    measure_flat,
    rare_calls,
    recalls,
    shipped_systems,
    table_1,
    table_2,
    two_level_bids,
)
from .backpropagation import BackPropagation
from .trained_networks import HIDDEN, PAPER_HANDS, teacher, train_cascade, train_whole

NAME = "yegnanarayana1996"
MORE_HANDS = (1_600, 6_400, 25_600)
"""Training hands of the same networks, beside the 200,000 of the shipped ones."""
_PAPER_EACH, _PAPER_ONE_LEVEL = 10, 920  # these numbers give a cascade 1,600 hands in all
_LARGEST: dict[Kind, str] = {"one-level": "52-60-7", "2-NT": "52-60-12"}


# ---- what is measured ----------------------------------------------------------------------------


def _network(kind: Kind, hidden: int, tss: float, scale: Scale, material: Material) -> Line:
    """Measure one network of Table 4 or 6, whose sum of squares the paper prints.

    The largest is also measured as shipped, trained on 200,000 hands.
    """
    line = dict(measure_flat(kind, hidden, scale.bidding_epochs, scale.fresh_hands))
    note = f"tss {line['tss']} (published {tss:.2f}); {_agreement_note(line)}"
    if hidden == HIDDEN[-1]:
        note += f"; {_shipped_note(kind)}"
    return line | {"published_tss": tss, "note": note}


def _agreement_note(line: Line) -> str:
    return (
        f"{line['fresh']} on {line['fresh_hands']:,} fresh hands, {line['seen']} on its training "
        "hands; counting what the teacher would bid with every edge up to a point elsewhere "
        f"{line['lenient']}"
    )


def _shipped_note(kind: Kind) -> str:
    ours = measure_agreement(load(_LARGEST[kind]), TEST_HANDS)
    return f"trained on 200,000 hands {ours['exact']}, leniently {ours['lenient']}"


def _two_notrump(scale: Scale, material: Material) -> Line:
    """Measure the test of section 5.3, whose network is not named: here the largest."""
    line = dict(measure_flat("2-NT", HIDDEN[-1], scale.bidding_epochs, scale.fresh_hands))
    return line | {"note": f"{_agreement_note(line)}; {_shipped_note('2-NT')}"}


def _seen_hands(scale: Scale, material: Material) -> Line:
    """Measure how well the 2-NT networks know the hands that taught them."""
    lines = [
        measure_flat("2-NT", hidden, scale.bidding_epochs, scale.fresh_hands) for hidden in HIDDEN
    ]
    seen = [line["seen"] for line in lines]
    return {
        "network": f"52-{HIDDEN[0]}-12 to 52-{HIDDEN[-1]}-12",
        "n": PAPER_HANDS,
        "on": "their training hands",
        "seed": lines[0]["seed"],
        "seconds": round(sum(line["seconds"] for line in lines), 1),
        "note": f"between {min(seen)} and {max(seen)}",
    }


def _hands_of(table: str, scale: Scale, material: Material) -> Line:
    small = [
        as_system(flat_network(kind, HIDDEN[-1], PAPER_HANDS, scale.bidding_epochs))
        for kind in _LARGEST
    ]
    return {"rows": hand_table(table, [*shipped_systems(), *small])}


def _patterns(scale: Scale, material: Material) -> Line:
    hands = 50 * scale.fresh_hands
    return {"hands": hands, "rows": table_1(hands)}


def _bidders(scale: Scale, material: Material) -> Line:
    rules, network, polish = teacher(), load("52-60-12"), load("polish-club-rules")
    pairs = {
        f"{a.name} and {b.name}": table_2(a, b) for a, b in ((network, rules), (polish, rules))
    }
    return {"rows": pairs}


def _experiment_1(name: str, scale: Scale, material: Material) -> Line:
    return measure_experiment_1(name, scale.bidding_epochs, scale.fresh_hands)


def _features(scale: Scale, material: Material) -> Line:
    return dict(measure_flat("one-level", 60, scale.bidding_epochs, scale.fresh_hands, inputs=16))


def _more_hands(scale: Scale, material: Material) -> Line:
    """Measure the largest networks on more and more hands, each hand shown less often."""
    rows: list[Line] = []
    for kind, name in _LARGEST.items():
        for hands in MORE_HANDS:
            epochs = max(scale.bidding_epochs * PAPER_HANDS // hands, 1)
            figures = measure_flat(kind, HIDDEN[-1], epochs, scale.fresh_hands, hands)
            rows.append(dict(figures))
        shipped = load(name)
        assert isinstance(shipped, NetworkSystem)
        training = f"{shipped.about['hands'][0]:,} hands that the teacher bid (as it ships)"
        line = {"network": name, "training": training}
        rows.append(line | measure_agreement(shipped, scale.fresh_hands))
    return {"rows": rows}


def _two_level_bids(scale: Scale, material: Material) -> Line:
    seeds = (1,) if scale.name == "smoke" else (1, 2, 3)
    rows = two_level_bids(scale.bidding_epochs, scale.fresh_hands, seeds)
    gain = [round(b - a, 1) for a, b in zip(*(row["two_level"] for row in rows), strict=True)]
    return {"rows": rows, "gain": gain, "hands": scale.fresh_hands}


def _rare_bids(scale: Scale, material: Material) -> Line:
    """Measure macro-averaged recall: shipped, of the paper's size, and one flat network for all."""
    settings = BackPropagation(epochs=scale.bidding_epochs)
    small = train_cascade(_PAPER_EACH, _PAPER_ONE_LEVEL, seed=2, settings=settings)
    name = f"cascade, {sum(specialist.hands for specialist in small):,} hands"
    cascade = CascadeSystem(
        [specialist.network for specialist in small], {"name": name, "title": name}
    )
    flat = flat_network("2-NT", HIDDEN[-1], PAPER_HANDS, scale.bidding_epochs)
    whole = train_whole(
        each=scale.fresh_hands // 5,  # as many as taught the shipped cascade
        one_level=10 * scale.fresh_hands,
        seed=13,
        settings=replace(settings, epochs=max(scale.bidding_epochs // 170, 1), final_rate=0.002),
    )
    systems = [*shipped_systems()[1:], as_system(whole), as_system(flat), cascade]
    rules, by_system = teacher(), recalls(systems, each=max(scale.fresh_hands // 40, 50))
    return {
        "rows": [
            {
                "system": name,
                "two_level": round(macro_recall(recall, rare_calls(rules, 2)), 1),
                "rare": round(macro_recall(recall, rare_calls(rules)), 1),
                "all": round(macro_recall(recall, recall), 1),
            }
            for name, recall in by_system.items()
        ]
    }


def _paper_size(scale: Scale, material: Material) -> Line:
    """Measure recall of rare bids by a cascade and by one flat network, on the paper's hands."""
    rules, settings = teacher(), BackPropagation(epochs=scale.bidding_epochs)
    found: dict[str, list[float]] = {"cascade": [], "flat": []}
    hands = 0
    for seed in (2,) if scale.name == "smoke" else (2, 3, 4):
        parts = train_cascade(_PAPER_EACH, _PAPER_ONE_LEVEL, seed=seed, settings=settings)
        hands = sum(part.hands for part in parts)
        about = {"name": "cascade", "title": "cascade"}
        cascade = CascadeSystem([part.network for part in parts], about)
        flat = as_system(train_whole(_PAPER_EACH, _PAPER_ONE_LEVEL, seed, settings))
        recall = recalls([cascade, flat], each=max(scale.fresh_hands // 40, 50))
        for kind, of in zip(found, recall.values(), strict=True):
            found[kind].append(round(macro_recall(of, rare_calls(rules)), 1))
    lead = [round(a - b, 1) for a, b in zip(*found.values(), strict=True)]
    return {"rare": found, "lead": lead, "hands": hands}


# ---- how it is shown -----------------------------------------------------------------------------


def show(table: str, lines: Sequence[Line]) -> str:
    """Return the finished lines of a table, or of the studies beyond the tables, as Markdown."""
    if table in _NETWORKS:
        return _show_networks(lines)
    if table == "section 5.3":
        return "\n".join(f"- {line['network']}: {line['note']}" for line in lines) + "\n"
    if table == BEYOND:
        return "\n".join(_BEYOND[line["finding"].removeprefix(f"{NAME}: ")](line) for line in lines)
    (line,) = lines
    if table == "Table 1":
        worst = max(abs(row["ours"] - row["exact"]) for row in line["rows"])
        return (
            f"Hand patterns: in {line['hands']:,} random hands none of the {len(line['rows'])} "
            f"patterns is more than {worst:.3f} points off its exact share.\n"
        )
    return _show_bidders(line) if table == "Table 2" else show_hands(line["rows"])


def _show_networks(lines: Sequence[Line]) -> str:
    head = ("network", "published tss", "our tss", f"agrees, {TEST_HANDS} hands", "leniently",
            f"agrees, {lines[0]['fresh_hands']:,} hands", "leniently",
            "threshold reading answers", "… and is right")  # fmt: skip
    columns = ("network", "published_tss", "tss", "exact", "lenient", "fresh", "fresh_lenient",
               "threshold_answers", "threshold_right")  # fmt: skip
    return markdown_table(head, [[line[column] for column in columns] for line in lines])


def _show_bidders(line: Line) -> str:
    first = next(iter(line["rows"].values()))
    rows = [["people (published)", *(row["published_percent"] for row in first)]]
    rows += [[name, *(row["ours_percent"] for row in pair)] for name, pair in line["rows"].items()]
    head = ["percent of 80 hands bid differently", *(f"set {row['set']}" for row in first)]
    return markdown_table(head, rows)


def show_hands(rows: Sequence[Line]) -> str:
    """Return printed hands as a Markdown table, with how often experts bid as each column does."""
    columns = {"printed 1-level": "published_one_level", "printed 2-NT": "published_two_notrump"}
    columns = {head: column for head, column in columns.items() if any(r[column] for r in rows)}
    ours = {name: name for name in rows[0]["ours"]}
    counts = [experts_agree(rows, column) for column in (columns | ours).values()]
    agree = [
        "",
        "an expert bids so",
        "",
        "",
        *(f"{agreeing} of {bids}" for agreeing, bids in counts),
    ]
    body = [
        [row["row"], row["hand"], row["hcp"], " or ".join(row["experts"]),
         *(row[column] for column in columns.values()), *row["ours"].values()]
        for row in rows
    ]  # fmt: skip
    return markdown_table(["row", "hand", "HCP", "experts", *columns, *ours], [*body, agree])


def _show_figures(line: Line) -> str:
    name = line["finding"].removeprefix(f"{NAME}: ")
    figures = f"tss {line['tss']}, agrees on {line['fresh']} % of fresh hands"
    return f"{name} ({line['network']}): {figures}.\n"


def _show_more(line: Line) -> str:
    head = ("network", "taught by", f"agrees, {TEST_HANDS} hands", "leniently",
            f"agrees, {line['rows'][0]['fresh_hands']:,} hands", "leniently")  # fmt: skip
    columns = ("network", "training", "exact", "lenient", "fresh", "fresh_lenient")
    return markdown_table(head, [[row[column] for column in columns] for row in line["rows"]])


def _show_rare(line: Line) -> str:
    head = ("mean recall, percent", "two-level bids", "all bids from 2C up", "all calls")
    return markdown_table(head, [list(row.values()) for row in line["rows"]])


def _show_two_level(line: Line) -> str:
    first = line["rows"][0]
    words = (
        f"Two-level bids by 52-60-12, one network for each seed, taught by {PAPER_HANDS:,} hands. "
        f"The teacher opens {first['n']:,} of {line['hands']:,} random hands at the two level. The "
        f"table has the percent right of these, and of all; {first['passes']} % of all are "
        "passes.\n\n"
    )
    cells = [
        [row["taught"], *(", ".join(map(str, row[of])) for of in ("two_level", "all"))]
        for row in line["rows"]
    ]
    return words + markdown_table(("taught by hands", "two-level bids", "all"), cells)


def _show_paper_size(line: Line) -> str:
    words = (
        f"The same for networks of the paper's size, one for each seed, taught by "
        f"{line['hands']:,} hands, in percent of bids from 2C up:\n\n"
    )
    cells = [[kind, ", ".join(map(str, shares))] for kind, shares in line["rare"].items()]
    return words + markdown_table(("", "mean recall"), cells)


_EXPERIMENT_1 = ("52-30-20-13", "52-30-6-13")
_BEYOND: dict[str, Callable[[Line], str]] = {
    **{f"experiment 1, {name}": _show_figures for name in _EXPERIMENT_1},
    "feature coding": _show_figures,
    "more hands": _show_more,
    "rare bids": _show_rare,
    "rare bids, the paper's size": _show_paper_size,
    "two-level bids": _show_two_level,
}


def _own(name: str, measure: Callable[[Scale, Material], Line]) -> FunctionRow:
    return FunctionRow(id=f"{NAME}: {name}", measure=measure)


def _read_networks() -> dict[str, tuple[FunctionRow, ...]]:
    """Return the tables that networks.csv lists: each network, with its printed tss."""
    tables: dict[str, list[FunctionRow]] = {}
    kinds: dict[str, Kind] = {kind: kind for kind in _LARGEST}
    with Path(__file__).with_name("networks.csv").open(encoding="utf-8", newline="") as stream:
        for cells in csv.DictReader(stream):
            tss = float(cells["published_tss"])
            measure = partial(_network, kinds[cells["kind"]], int(cells["hidden"]), tss)
            row = FunctionRow(id=cells["id"], measure=measure)
            tables.setdefault(cells["table"], []).append(row)
    return {name: tuple(rows) for name, rows in tables.items()}


_NETWORKS = _read_networks()
TABLES = {
    "Table 1": (_own("Table 1", _patterns),),
    "Table 2": (_own("Table 2", _bidders),),
    "Table 3": (_own("Table 3", partial(_hands_of, "3")),),
    "Table 4": _NETWORKS["Table 4"],
    "Table 5": (_own("Table 5", partial(_hands_of, "5")),),
    "Table 6": _NETWORKS["Table 6"],
    "section 5.3": (
        FunctionRow(id="y96-S5.3-01", measure=_two_notrump),
        FunctionRow(id="y96-S5.3-02", measure=_seen_hands),
    ),
    "Table 7": (_own("Table 7", partial(_hands_of, "7")),),
    "Table B1": (_own("Table B1", partial(_hands_of, "B1")),),
    BEYOND: (
        *(_own(f"experiment 1, {name}", partial(_experiment_1, name)) for name in _EXPERIMENT_1),
        _own("feature coding", _features),
        _own("more hands", _more_hands),
        _own("rare bids", _rare_bids),
        _own("rare bids, the paper's size", _paper_size),
        _own("two-level bids", _two_level_bids),
    ),
}
"""Its tables by name, and what is measured for each row."""
