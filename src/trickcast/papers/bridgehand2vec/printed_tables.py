"""BridgeHand2Vec 2023 as an experiment: the rows of its tables and studies."""

from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache, partial
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...cards import Deal
from ...cards.hand import as_hands
from ...formats.hand2vec import PairSet
from ...pairs import HandEmbedding, PairEstimate, PairEstimator
from ...solver import solve
from ..experiments.rows import BEYOND, FunctionRow, Line, Material, Needs
from ..experiments.scales import Scale
from . import studies as study
from .shown import NAME
from .studies import PRINTED

if TYPE_CHECKING:  # torch is needed to train, not to ask which models ship
    from .trainings import Study

MODELS = ("hand2vec", "accurate")
_SMOKE_PAIRS = 1_000
_SHOWN_STEPS = (25, 50, 100, 200, 400, 800, 1_200, 1_600)
_DRAWN = 10
"""Steps averaged into a point of Figure 8."""
_AGENTS = 10
"""Agents of each kind; with three, the final difference has an interval of 17 points."""
_ONE_PASS, _ALL_ORDERS = "one pass", "all orders"


@cache
def _embedding() -> HandEmbedding:
    """Return the embedding, with the index that its rows share."""
    return HandEmbedding()


def _pairs(scale: Scale, material: Material) -> PairSet:
    pairs = material.pairs
    assert pairs is not None, "rows that need pairs are left out without them"
    if scale.name != "smoke":
        return pairs
    return study.some_pairs(pairs, slice(_SMOKE_PAIRS))


@lru_cache(maxsize=len(MODELS))
def _estimated(model: str, pairs: PairSet) -> PairEstimate:
    """Return a model's estimates of the rows, which several tables use."""
    return PairEstimator(model)(pairs.norths, pairs.souths)


@lru_cache(maxsize=1)
def _one_pass(pairs: PairSet) -> NDArray[np.float32]:
    """Return the one-pass estimates of the paper's network, as the paper measured it."""
    return _embedding().tricks(pairs.norths, pairs.souths)


def _expected(pairs: PairSet) -> dict[str, NDArray[np.float32]]:
    """Return the (n, 5) expected tricks of each way of estimating."""
    return {
        _ONE_PASS: _one_pass(pairs),
        _ALL_ORDERS: _estimated("hand2vec", pairs).expected,
        "accurate": _estimated("accurate", pairs).expected,
    }


def _accuracy(
    table: Callable[..., dict[str, tuple[float, float, float]]],
    contracts: str,
    scale: Scale,
    material: Material,
) -> Line:
    pairs, started = _pairs(scale, material), perf_counter()
    by_way = {way: table(expected, pairs)[contracts] for way, expected in _expected(pairs).items()}
    within_2, within_1, exact = by_way.pop(_ONE_PASS)
    better = "; ".join(
        f"{way}: {' | '.join(f'{share:.2f}' for share in shares)}" for way, shares in by_way.items()
    )
    return {
        "network": "hand2vec",
        "within_2": within_2,
        "within_1": within_1,
        "exact": exact,
        "n": len(pairs) * (4 if contracts == "all_suits" else 1),
        "on": f"{len(pairs):,} of the authors' validation rows (their 200,000 boards are unknown)",
        "seconds": round(perf_counter() - started, 1),
        "note": f"{_ONE_PASS}; {better}",
        "better": by_way,
    }


def _errors(scale: Scale, material: Material) -> Line:
    """Return mean squared errors, and how much of them is the labels' own noise."""
    pairs = _pairs(scale, material)
    names = {_ONE_PASS: "hand2vec, one pass", _ALL_ORDERS: "hand2vec, all orders of the suits"}
    rows = [
        {"model": names.get(way, way), "mse": study.squared_error(expected, pairs)}
        for way, expected in _expected(pairs).items()
    ]
    floor = float(study.variances(_estimated("accurate", pairs)).mean() / study.LAYOUTS)
    return {"rows": rows, "floor": floor, "n": len(pairs)}


def _table_1(scale: Scale, material: Material) -> Line:
    printed = PRINTED["table_1"]
    deal = Deal(printed["board"])
    solved = solve(deal).tricks[:, [0, 2, 1, 3]]
    estimate = PairEstimator()(deal.north, deal.south)
    return {
        "equal": int((solved == printed["tricks"]).sum()),
        "expected": [round(float(tricks), 2) for tricks in estimate.expected],
    }


def _table_2(scale: Scale, material: Material) -> Line:
    rows = []
    for model in MODELS:
        pair = PairEstimator(model)(*PRINTED["table_2"]["hands"])
        for by, declared in (("North", pair), ("South", pair.by_partner)):
            tricks = [round(float(tricks), 2) for tricks in declared.expected]
            rows.append({"model": model, "by": by, "tricks": tricks})
    return {"rows": rows}


def _table_5(scale: Scale, material: Material) -> Line:
    of_components = study.table_5(_embedding())
    return {
        name: [round(float(value), 4) for value in values] for name, values in of_components.items()
    }


def _table_8(scale: Scale, material: Material) -> Line:
    labelled = material.labelled
    assert labelled is not None, "rows that need labelled hands are left out without them"
    return {"calls": dict(Counter(labelled.calls)), "hands": len(labelled)}


def _rows(measure: Callable[[HandEmbedding], list[Line]], scale: Scale, material: Material) -> Line:
    return {"rows": measure(_embedding())}


def _table_7(scale: Scale, material: Material) -> Line:
    """Return ten hands, and how many near each y have the ace."""
    rows = study.table_7(_embedding())
    aces = {row["y"]: 0 for row in rows}
    for row in rows:
        aces[row["y"]] += "A" in row["ours"]
    return {"rows": rows, "aces": list(aces.values())}


def _known(scale: Scale, material: Material) -> Line:
    correlations = study.components_known(_embedding())
    return {"rows": [{"value": name, "correlation": value} for name, value in correlations.items()]}


def _of_trained(study_of: str, scale: Scale, material: Material) -> Line:
    """Measure networks trained on labelled pairs, on the validation rows.

    ``study_of`` is a function of ``trainings``, which needs torch; other rows do not.
    """
    from . import trainings

    pairs, plan = _pairs(scale, material), trainings.STUDIES[scale.name]
    rows = getattr(trainings, study_of)(plan, pairs)
    return {"rows": rows, **_how_trained(plan), "n": len(pairs)}


def _how_trained(plan: "Study") -> Line:
    return {"steps": plan.steps, "optimizer": plan.optimizer, "labelled": plan.labelled}


def _ten_models(scale: Scale, material: Material) -> Line:
    from . import trainings

    line = _of_trained("ten_models", scale, material)
    models = trainings.STUDIES[scale.name].models
    return line | {"short": study.short_of_printed(line["rows"], models), "models": models}


def _authors(scale: Scale, material: Material) -> Line:
    """Measure the authors' own network on their validation rows, beside the printed figures."""
    from .trainings import one_pass

    network, pairs = material.authors, _pairs(scale, material)
    assert network is not None, "rows that need the authors' weights are left out without them"
    expected = one_pass(network, pairs)
    shares = {"Table 3": study.table_3(expected, pairs), "Table 4": study.table_4(expected, pairs)}
    figures = {
        f"{table}, {contracts}, {within}": share
        for table, by_contracts in shares.items()
        for contracts, three in by_contracts.items()
        for within, share in zip(study.WITHIN, three, strict=True)
    }
    short = {
        name: (float(printed) - figures[name]) / deviation
        for name, (printed, deviation) in study.printed_shares().items()
    }
    mse = study.squared_error(expected, pairs)
    return {"figures": figures, "short": short, "mse": mse, "n": len(pairs)}


def _views(scale: Scale, material: Material) -> Line:
    """Measure what rotating the suits gains, against networks trained without it."""
    from . import trainings

    pairs, plan = _pairs(scale, material), trainings.STUDIES[scale.name]
    rows, gone = trainings.rotation_of_labelled(plan, pairs)
    return {"rows": rows, "gone": gone, **_how_trained(plan), "runs": plan.rotated, "n": len(pairs)}


def _views_of_rows(scale: Scale, material: Material) -> Line:
    """Measure the same with networks that learn from the authors' rows."""
    from . import trainings

    training, plan = material.training_pairs, trainings.STUDIES[scale.name]
    assert training is not None, "rows that need pairs are left out without them"
    rows, gone = trainings.rotation_of_rows(plan, training)
    how = {"steps": plan.steps, "optimizer": plan.optimizer, "runs": plan.rotated}
    learned = len(training) - trainings.HELD_OUT
    return {"rows": rows, "gone": gone, **how, "pairs": learned, "n": trainings.HELD_OUT}


def _sources(scale: Scale, material: Material) -> Line:
    from . import trainings

    training, plan = material.training_pairs, trainings.STUDIES[scale.name]
    assert training is not None, "rows that need pairs are left out without them"
    rows = trainings.sources_compared(plan, training)
    return {"rows": rows, "steps": plan.steps, "n": trainings.HELD_OUT}


def _mean_and_deviation(runs: NDArray[np.float64]) -> list[float]:
    return [float(runs.mean()), float(runs.std(ddof=1)) if len(runs) > 1 else 0.0]


def _game(scale: Scale, material: Material) -> Line:
    """Measure Figure 8 and Table 11: agents that see cards against agents that see vectors."""
    from . import game

    smoke = scale.name == "smoke"
    steps, seeds = (3, (1,)) if smoke else (1_600, range(1, _AGENTS + 1))
    early, layouts = min(game.PRINTED_STEPS, steps), material.layouts
    assert layouts is not None, "rows that need layouts are left out without them"
    layouts = layouts[:4] if smoke else layouts
    pool = game.make_pool(layouts)
    printed = as_hands([row[0] for row in PRINTED["table_11"]["bids"]])[0]
    curves, learning, bids = {}, {}, {}
    for kind in ("cards", "vectors"):
        seen, asked = game.inputs_of(kind, pool.hands), game.inputs_of(kind, printed)
        agents = [game.learn(pool, seen, steps, seed) for seed in seeds]
        means = np.array([agent.mean_rewards for agent in agents])
        curves[kind] = {
            str(step): _mean_and_deviation(means[:, max(0, step - 10) : step].mean(axis=1))
            for step in sorted({min(step, steps) for step in _SHOWN_STEPS})
        }
        every = min(_DRAWN, steps)
        drawn = means[:, : steps // every * every].reshape(len(seeds), -1, every).mean(axis=2)
        learning[kind] = [[round(x, 1) for x in _mean_and_deviation(at)] for at in drawn.T]
        young = game.learn(pool, seen, early, seeds[0])
        bids[kind] = {str(early): young.bids(asked), str(steps): agents[0].bids(asked)}
    hands = {"pairs": len(layouts), "hands": len(pool.hands)}
    lead = game.lead(curves["vectors"], curves["cards"], len(seeds))
    shown = {"curves": curves, "lead": lead, "learning": learning, "every": every, "bids": bids}
    return {**shown, **hands, "models": len(seeds)}


def _finding(
    name: str, measure: Callable[[Scale, Material], Line], needs: Needs = "", *, torch: bool = False
) -> FunctionRow:
    return FunctionRow(id=f"{NAME}: {name}", measure=measure, needs=needs, torch=torch)


def _figure(name: str, table: str, contracts: str) -> FunctionRow:
    measure = partial(_accuracy, getattr(study, table), contracts)
    return FunctionRow(id=name, measure=measure, needs="pairs")


_sizes = partial(_of_trained, "sizes_against_error")
TABLES = {
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
    "Table 7": (_finding("Table 7", _table_7),),
    "Table 8": (_finding("Table 8", _table_8, "labelled"),),
    "Figure 4": (_finding("Figure 4", _sizes, "pairs", torch=True),),
    "Table 11": (_finding("Table 11", _game, "layouts", torch=True),),
    BEYOND: (
        _finding("errors", _errors, "pairs"),
        _finding("authors", _authors, "authors", torch=True),
        _finding("models", _ten_models, "pairs", torch=True),
        _finding("sources", _sources, "training_pairs", torch=True),
        _finding("zero", partial(_rows, study.nearest_to_zero)),
        _finding("rotation", partial(_rows, study.rotation_example)),
        _finding("views", _views, "pairs", torch=True),
        _finding("views of their rows", _views_of_rows, "training_pairs", torch=True),
        _finding("known", _known),
    ),
}
"""Its tables by name, and what is measured for each row."""
