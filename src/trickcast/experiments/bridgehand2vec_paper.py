"""BridgeHand2Vec 2023 as an experiment: the rows of its tables and studies, and how they look."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..cards import Deal
from ..cards.hand import as_hands
from ..embedding import HandEmbedding, PairEstimate, PairEstimator
from ..formats.hand2vec import PairSet
from ..solver import solve
from . import bridgehand2vec as study
from . import bridgehand2vec_game as game
from .reference import published_results
from .scales import Scale
from .spec import FunctionRow, Line, Material, Paper, markdown_table

NAME = "bridgehand2vec"
MODELS = ("hand2vec", "accurate")
BOARD = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
TABLE_1 = ("7 7 6 6", "10 10 3 3", "6 6 7 7", "9 9 3 4", "8 8 3 3")
"""The printed tricks of Figure 2's board: strains S H D C NT, declarers N S E W."""
TABLE_2 = ("A72.K7.AQJ74.A94", "J.J852.T9.KQ6532", "5.0 7.3 10.5 11.1 10.6")
"""A pair and its printed mean tricks by North: S H D C NT."""
_SMOKE_PAIRS, _SMOKE_STEPS, _STEPS = 1_000, 20, 2_000
_SIZES = (2, 4, 6, 8, 12, 16)


# ---- what is measured ----------------------------------------------------------------------------


@cache
def _embedding() -> HandEmbedding:
    """The embedding, with the index that its rows share."""
    return HandEmbedding()


def _pairs(scale: Scale, material: Material) -> PairSet:
    pairs = material.pairs
    assert pairs is not None, "rows that need pairs are left out without them"
    if scale.name != "smoke":
        return pairs
    part = slice(0, _SMOKE_PAIRS)
    return PairSet(pairs.norths[part], pairs.souths[part], pairs.tricks[part])


@lru_cache(maxsize=len(MODELS))
def _estimated(model: str, pairs: PairSet) -> PairEstimate:
    """What a model says of the rows, which several tables ask for."""
    return PairEstimator(model)(pairs.norths, pairs.souths)


def _accuracy(
    table: Callable[..., dict[str, tuple[float, float, float]]],
    contracts: str,
    scale: Scale,
    material: Material,
) -> Line:
    pairs, started = _pairs(scale, material), perf_counter()
    found = {model: table(_estimated(model, pairs).expected, pairs)[contracts] for model in MODELS}
    within_2, within_1, exact = found["hand2vec"]
    better = " | ".join(f"{share:.2f}" for share in found["accurate"])
    return {
        "network": "hand2vec, mean over the orders of the suits",
        "within_2": within_2,
        "within_1": within_1,
        "exact": exact,
        "n": len(pairs) * (4 if contracts == "all_suits" else 1),
        "on": f"{len(pairs):,} of the authors' validation rows (their 200,000 boards are unknown)",
        "seconds": round(perf_counter() - started, 1),
        "note": f"accurate: {better}",
        "accurate": found["accurate"],
    }


def _errors(scale: Scale, material: Material) -> Line:
    """Mean squared errors, and how much of them is the labels' own noise."""
    pairs = _pairs(scale, material)
    rows = []
    for model in MODELS:
        expected = _estimated(model, pairs).expected
        rows.append({"model": model, "mse": study.squared_error(expected, pairs)})
    floor = float(study.variances(_estimated("accurate", pairs)).mean() / study.LAYOUTS)
    return {"rows": rows, "floor": floor, "n": len(pairs)}


def _table_1(scale: Scale, material: Material) -> Line:
    solved = solve(Deal(BOARD)).tricks[:, [0, 2, 1, 3]]
    printed = [[int(cell) for cell in row.split()] for row in TABLE_1]
    deal = Deal(BOARD)
    estimate = PairEstimator()(deal.north, deal.south)
    return {
        "equal": int((solved == printed).sum()),
        "expected": [round(float(tricks), 2) for tricks in estimate.expected],
    }


def _table_2(scale: Scale, material: Material) -> Line:
    north, south, printed = TABLE_2
    rows = [
        {"model": model, "tricks": [round(float(t), 2) for t in PairEstimator(model)(
            north, south).expected]}
        for model in MODELS
    ]  # fmt: skip
    return {"printed": printed, "rows": rows}


def _table_5(scale: Scale, material: Material) -> Line:
    found = study.table_5(_embedding())
    return {name: [round(float(value), 4) for value in values] for name, values in found.items()}


def _rows(measure: Callable[[HandEmbedding], list[Line]], scale: Scale, material: Material) -> Line:
    return {"rows": measure(_embedding())}


def _rotation(scale: Scale, material: Material) -> Line:
    return {"rows": [{"model": model} | study.rotation_example(model) for model in MODELS]}


def _known(scale: Scale, material: Material) -> Line:
    found = study.components_known(_embedding())
    return {"rows": [{"value": name, "correlation": value} for name, value in found.items()]}


def _figure_4(scale: Scale, material: Material) -> Line:
    training, smoke = material.training_pairs, scale.name == "smoke"
    assert training is not None, "rows that need pairs are left out without them"
    validation = PairSet(
        training.norths[-5_000:], training.souths[-5_000:], training.tricks[-5_000:]
    )
    rest = PairSet(training.norths[:-5_000], training.souths[:-5_000], training.tricks[:-5_000])
    with TemporaryDirectory() as folder:
        rows = study.sizes_against_error(
            rest,
            validation,
            Path(folder),
            sizes=_SIZES[:2] if smoke else _SIZES,
            seeds=(1,) if smoke else (1, 2, 3),
            steps=_SMOKE_STEPS if smoke else _STEPS,
        )
    return {"rows": rows, "steps": _SMOKE_STEPS if smoke else _STEPS, "training": len(rest)}


def _mean_and_deviation(runs: NDArray[np.float64]) -> list[float]:
    return [float(runs.mean()), float(runs.std(ddof=1)) if len(runs) > 1 else 0.0]


def _game(scale: Scale, material: Material) -> Line:
    """Figure 8 and Table 11: what agents learn that see cards, and that see vectors."""
    smoke = scale.name == "smoke"
    hands, steps, seeds = (200, 3, (1,)) if smoke else (20_000, 400, (1, 2, 3))
    pool = game.make_pool(hands, seed=11)
    printed = as_hands([row[0] for row in game.TABLE_11])[0]
    curves, bids = {}, {}
    for kind in ("cards", "vectors"):
        seen = game.inputs_of(kind, pool.hands)
        found = [game.learn(pool, seen, steps, seed) for seed in seeds]
        means = np.array([agent.mean_rewards for agent in found])
        curves[kind] = {
            str(step): _mean_and_deviation(means[:, max(0, step - 10) : step].mean(axis=1))
            for step in sorted({min(step, steps) for step in (10, 25, 50, 100, 200, 400)})
        }
        bids[kind] = found[0].bids(game.inputs_of(kind, printed))
    return {"curves": curves, "bids": bids, "hands": hands, "models": len(seeds)}


# ---- how it is shown -----------------------------------------------------------------------------


def _show(table: str, lines: Sequence[Line]) -> str:
    if table in ("Table 3", "Table 4"):
        return _show_accuracy(lines)
    return "\n".join(_SHOWN[line["finding"].removeprefix(f"{NAME}: ")](line) for line in lines)


def _show_accuracy(lines: Sequence[Line]) -> str:
    printed = published_results()
    head = ("contracts", "published", "hand2vec", "accurate", "pairs")
    rows = []
    for line in lines:
        row = printed[line["row"]]
        ours = tuple(f"{line[name]:.2f}" for name in ("within_2", "within_1", "exact"))
        better = tuple(f"{share:.2f}" for share in line["accurate"])
        published = (row["within_2"], row["within_1"], row["exact"])
        texts = (" \\| ".join(three) for three in (published, ours, better))
        rows.append([row["contracts"], *texts, f"{line['n']:,}"])
    return markdown_table(head, rows)


def _show_errors(line: Line) -> str:
    rows = [[row["model"], f"{row['mse']:.4f}"] for row in line["rows"]]
    rows.append(["the labels' own noise, as accurate states it", f"{line['floor']:.4f}"])
    return f"Mean squared error on {line['n']:,} pairs:\n\n" + markdown_table(("", "MSE"), rows)


def _show_table_1(line: Line) -> str:
    strains = zip(("S", "H", "D", "C", "NT"), line["expected"], strict=True)
    means = ", ".join(f"{strain} {tricks:.1f}" for strain, tricks in strains)
    return (
        f"The solver gives {line['equal']} of the 20 printed results. Of North and South alone "
        f"`accurate` expects, by North: {means}.\n"
    )


def _show_table_2(line: Line) -> str:
    head = ("by North", "S", "H", "D", "C", "NT")
    rows = [["printed, mean of ten layouts", *line["printed"].split()]]
    rows += [[row["model"], *(f"{tricks:.1f}" for tricks in row["tricks"])] for row in line["rows"]]
    return markdown_table(head, rows)


def _show_table_5(line: Line) -> str:
    head = ("", *(f"v{i}" for i in range(len(line["mean"]))))
    return markdown_table(head, [[name, *line[name]] for name in ("mean", "std")])


def _show_table_6(line: Line) -> str:
    head = ("published", "distance", "in our vectors", "ours", "lengths, points", "distance")
    rows = [
        [row["published"], row["published_distance"], f"{row['our_distance_of_it']:.3f}",
         row["ours"], study.printed_shape(row["ours"]), f"{row['distance']:.3f}"]
        for row in line["rows"]
    ]  # fmt: skip
    return f"Nearest to {study.QUERY}, among 200,000 hands:\n\n" + markdown_table(head, rows)


def _show_zero(line: Line) -> str:
    head = ("published", "ours", "lengths, points", "distance")
    rows = [
        [row["published"], row["ours"], study.printed_shape(row["ours"]), f"{row['distance']:.3f}"]
        for row in line["rows"]
    ]
    return "Nearest to the zero vector:\n\n" + markdown_table(head, rows)


def _show_table_7(line: Line) -> str:
    head = ("y", "published", "ours", "lengths, points", "distance")
    rows = [
        [row["y"], row["published"], row["ours"], study.printed_shape(row["ours"]),
         f"{row['distance']:.3f}"]
        for row in line["rows"]
    ]  # fmt: skip
    return markdown_table(head, rows)


def _show_rotation(line: Line) -> str:
    rows = [
        ["published, before rotation", 8.25, 8.83],
        ["published, with rotation", 8.1499, 8.1407],
    ]
    rows += [[row["model"], f"{row['hearts']:.4f}", f"{row['spades']:.4f}"] for row in line["rows"]]
    return f"{' and '.join(study.ROTATED)}:\n\n" + markdown_table(("", "hearts", "spades"), rows)


def _show_known(line: Line) -> str:
    head = ("", *(row["value"] for row in line["rows"]))
    told = ["multiple correlation", *(f"{row['correlation']:.3f}" for row in line["rows"])]
    return "What a straight line through the vector tells of a hand:\n\n" + markdown_table(
        head, [told]
    )


def _show_figure_4(line: Line) -> str:
    rows = [
        [row["size"], f"{row['mse']:.4f}", f"{row['std']:.4f}", row["runs"]] for row in line["rows"]
    ]
    return (
        f"Size of the vector against error: {line['steps']:,} steps on {line['training']:,} of the "
        "authors' training rows, measured on 5,000 others of them:\n\n"
        + markdown_table(("size", "MSE", "std", "runs"), rows)
    )


def _show_game(line: Line) -> str:
    steps = list(line["curves"]["cards"])
    curves = [
        [kind, *(f"{mean:.0f} ± {std:.0f}" for mean, std in line["curves"][kind].values())]
        for kind in ("cards", "vectors")
    ]
    bids = [
        [hand, cards, mine, vectors, ours]
        for (hand, cards, vectors), mine, ours in zip(
            game.TABLE_11, line["bids"]["cards"], line["bids"]["vectors"], strict=True
        )
    ]
    return (
        f"Mean reward up to a step, {line['models']} agents each, on {line['hands']:,} hands:\n\n"
        + markdown_table(("sees", *(f"step {step}" for step in steps)), curves)
        + "\nTheir likeliest calls at the end:\n\n"
        + markdown_table(("hand", "cards, published", "ours", "vectors, published", "ours"), bids)
    )


_SHOWN: dict[str, Callable[[Line], str]] = {
    "Table 1": _show_table_1,
    "Table 2": _show_table_2,
    "Table 5": _show_table_5,
    "Table 6": _show_table_6,
    "Table 7": _show_table_7,
    "zero": _show_zero,
    "rotation": _show_rotation,
    "errors": _show_errors,
    "known": _show_known,
    "Figure 4": _show_figure_4,
    "Table 11": _show_game,
}


def _finding(name: str, measure: Callable[[Scale, Material], Line], needs: str = "") -> FunctionRow:
    return FunctionRow(id=f"{NAME}: {name}", measure=measure, needs=needs)  # type: ignore[arg-type]


def _figure(name: str, table: str, contracts: str) -> FunctionRow:
    measure = partial(_accuracy, getattr(study, table), contracts)
    return FunctionRow(id=name, measure=measure, needs="pairs")


PAPER = Paper(
    name=NAME,
    title="BridgeHand2Vec 2023",
    tables={
        "Table 1": (_finding("Table 1", _table_1),),
        "Table 2": (_finding("Table 2", _table_2),),
        "Table 3": (
            _figure("b23-T3-01", "table_3", "all_suits"),
            _figure("b23-T3-02", "table_3", "notrump"),
        ),
        "Table 4": (
            _figure("b23-T4-01", "table_4", "all_suits"),
            _figure("b23-T4-09", "table_4", "notrump"),
        ),
        "Table 5": (_finding("Table 5", _table_5),),
        "Table 6": (_finding("Table 6", partial(_rows, study.table_6)),),
        "Table 7": (_finding("Table 7", partial(_rows, study.table_7)),),
        "Figure 4": (_finding("Figure 4", _figure_4, "training_pairs"),),
        "Table 11": (_finding("Table 11", _game),),
    },
    beyond=(
        _finding("errors", _errors, "pairs"),
        _finding("zero", partial(_rows, study.nearest_to_zero)),
        _finding("rotation", _rotation),
        _finding("known", _known),
    ),
    show=_show,
)
