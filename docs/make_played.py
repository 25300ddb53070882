"""Measure the model of play at the table, write its card's tables and draw its calibration.

Run from the root of the repository, on the folder that ``docs/played_files.py`` wrote:

    python docs/make_played.py FOLDER

Each deal is estimated by the members of the ensemble that had not seen it in training, so all
figures are for new deals; a single member sees a fifth of them. Intervals are 95 %, by deal. The
figure of all members together on deals that are new to all follows from those of one and of two.
``--transfer`` also trains two ensembles, one without the club's results and one without the
championships', and tests each on what it has not seen. ``--little`` trains small networks on little
data, which shows how hard the deals are. ``--later FOLDER`` measures on a folder of other boards,
which no network has seen: all members estimate each deal.
"""

import argparse
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trickcast.cards import DealSet
from trickcast.estimator import Estimator
from trickcast.evaluation.clusters import ClusterSums, Interval
from trickcast.played import PlayedEstimator
from trickcast.played.files import load_played_model
from trickcast.played.measures import calibration, error, losses, making
from trickcast.played.network_inputs import Tables, part
from trickcast.training.played_results import (
    FOLDS,
    PlayedConfig,
    Results,
    fit,
    inputs_of,
    read_results,
    unseen,
)

CARD, PICTURE = Path("docs/models/played.md"), Path("docs/played.svg")
_LOSSES = ("squared", "brier", "log_loss")
_KNOWN = {"cards and contract": (), "and the lead": ("lead",), "and the auction": ("auction",),
          "and both": ("lead", "auction")}  # fmt: skip
_DOUBLE_DUMMY = "`accurate`, read as double dummy"
_AT_ONCE = 4096
Chances = NDArray[np.float32]


@dataclass(frozen=True)
class Measured:
    """Results of one kind of player."""

    results: Results
    deals: NDArray[np.int64]
    """(n,) the number of the deal of each result."""

    @classmethod
    def of(cls, results: Results) -> "Measured":
        """Number the deals of results."""
        _, deals = np.unique(results.tables.owners, axis=0, return_inverse=True)
        return cls(results, deals.ravel())

    def interval(self, rows: NDArray[Any], every: NDArray[np.float64]) -> Interval:
        """Return the mean over tables of (n,) numbers, for some ``rows``, and its interval."""
        count = self.results.times[rows].astype(float)
        sums = ClusterSums(2)
        deals = self.deals[rows]
        sums.add(
            np.stack([np.bincount(deals, count * every[rows]), np.bincount(deals, count)], axis=1)
        )
        return sums.mean(np.array([1.0, 0.0]))


def main() -> None:
    """Measure, write the card's tables, draw the picture."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--model", default="played")
    options.add_argument("--transfer", action="store_true")
    options.add_argument("--little", action="store_true")
    options.add_argument("--later", type=Path)
    given = options.parse_args()
    results = read_results(given.folder)
    rows = inputs_of(results.tables, Estimator("accurate"))
    members = {name: by_file(given.model, results, rows, known) for name, known in _KNOWN.items()}
    stated = {name: chances.mean(0) for name, chances in members.items()}
    measured = Measured.of(results)
    tables = {
        "figures": figures(measured, {_DOUBLE_DUMMY: double_dummy(rows)} | stated),
        "number": by_number(measured, members["cards and contract"]),
        "gains": gains(measured, stated),
        "kinds": kinds(measured, stated["cards and contract"]),
    }
    if given.transfer:
        tables["transfer"] = transfer(measured, rows, stated["cards and contract"])
    if given.little:
        small = {"fourteen chances and both hands": on_little(results, rows)}
        tables["little"] = figures(measured, small)
    if given.later is not None:
        tables["later"] = later(given.later)
    for name, table in tables.items():
        print(f"\n{name}\n{table}")
        write_table(name, table)
    draw(measured, stated["cards and contract"])


def by_file(
    model: str, results: Results, rows: NDArray[np.float32], known: tuple[str, ...]
) -> Chances:
    """Return (k, n, 14) chances by the k members of a model file that had not seen a deal."""
    session, _ = load_played_model(model, threads=1)
    folds = results.folds
    parts = []
    for start in range(0, len(rows), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        told = rows[some].copy()
        for name in {"lead", "auction"} - set(known):
            told[:, part(name)] = 0
        (members,) = session.run(["members"], {"tables": told})
        of_fold = members.reshape(-1, FOLDS, *members.shape[1:])  # member k left out k % FOLDS
        parts.append(of_fold[:, folds[some], np.arange(len(told))])
    return np.concatenate(parts, axis=1)


def by_number(measured: Measured, members: Chances) -> str:
    """Return the error of tricks by one member, by all that had not seen a deal, and by the file.

    The squared error of a mean of k members is a + b/k, because members differ only by their seeds.
    """
    results, number = measured.results, len(members) * FOLDS
    alone = np.mean([losses(each, results.tricks, results.needed)["squared"] for each in members],
                    axis=0)  # fmt: skip
    mean = losses(members.mean(0), results.tricks, results.needed)["squared"]
    gain = (alone - mean) / (1 - 1 / len(members))
    lines = [
        f"| players | 1 network | {len(members)} networks | all {number} |",
        "|---|---|---|---|",
    ]
    for players, rows in by_players(results).items():
        roots = [
            float(np.average(squared[rows], weights=results.times[rows])) ** 0.5
            for squared in (alone, mean, alone - gain * (1 - 1 / number))
        ]
        lines.append(f"| {players} | {' | '.join(f'{root:.4f}' for root in roots)} |")
    return "\n".join(lines)


def double_dummy(rows: NDArray[np.float32]) -> Chances:
    """Return the probabilities of ``accurate`` for n tables, (n, 14)."""
    return rows[:, part("double dummy")][:, :14]


def later(folder: Path) -> str:
    """Return the figures of the shipped file on boards of other files."""
    results = read_results(folder)
    tables = results.tables
    rows = inputs_of(tables, Estimator("accurate"))
    asked = PlayedEstimator(threads=1)
    contracts = [
        f"{level}{'SHDCN'[strain]}{'X' * doubling}"
        for level, strain, doubling, _ in tables.contracts
    ]
    estimates = asked(DealSet(tables.owners), contracts, tables.contracts[:, 3].tolist())
    stated = {
        _DOUBLE_DUMMY: double_dummy(rows),
        "cards and contract": np.asarray(estimates.probabilities),
    }
    return figures(Measured.of(results), stated)


def figures(measured: Measured, predictors: dict[str, Chances]) -> str:
    """Return the table of figures by players and predictor."""
    lines = ["| players, predictor | RMSE of tricks | bias | Brier | log-loss | calibration |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    results = measured.results
    for players, rows in by_players(results).items():
        for name, chances in predictors.items():
            if players == "club" and name.startswith("and "):
                continue  # its leads and auctions are not known
            lost = losses(chances, results.tricks, results.needed)
            squared, brier, log_loss = (measured.interval(rows, lost[key]) for key in _LOSSES)
            root = Interval(*(max(end, 0.0) ** 0.5 for end in squared))
            off = error(chances, results.tricks)
            stated, made = making(chances, results.needed), results.tricks >= results.needed
            apart = calibration(stated[rows], made[rows], results.times[rows])
            shown = (ranged(root), ranged(measured.interval(rows, off)), ranged(brier))
            lines.append(
                f"| {players}: {name} | {' | '.join(shown)} | {ranged(log_loss)} | {apart:.3f} |"
            )
    return "\n".join(lines)


def gains(measured: Measured, stated: dict[str, Chances]) -> str:
    """Return what lead and auction gain, on the tables where both are known."""
    results = measured.results
    tables = results.tables
    assert tables.leads is not None and tables.auctions is not None
    known = (tables.leads >= 0) & np.array([bool(calls) for calls in tables.auctions])
    rows = np.flatnonzero(known & ~tables.club)
    plain, *others = (losses(c, results.tricks, results.needed) for c in stated.values())
    lines = ["| told besides | squared error of tricks | Brier | log-loss |", "|---|---|---|---|"]
    for name, lost in zip([*stated][1:], others, strict=True):
        shown = [ranged(measured.interval(rows, lost[key] - plain[key]), 4) for key in _LOSSES]
        lines.append(f"| {name.removeprefix('and ')} | {' | '.join(shown)} |")
    return "\n".join(lines)


def kinds(measured: Measured, chances: Chances) -> str:
    """Return stated and true shares of contracts made, by players, level and strain."""
    results = measured.results
    stated, made = making(chances, results.needed), results.tricks >= results.needed
    lines = ["| players | contracts | tables | stated | made | tricks: estimate less truth |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for players, of_players in by_players(results).items():
        for name, chosen in by_contract(results.tables).items():
            rows = np.intersect1d(of_players, np.flatnonzero(chosen))
            if len(np.unique(measured.deals[rows])) < 30:
                continue
            count = results.times[rows]
            off = measured.interval(rows, error(chances, results.tricks))
            mean = np.average(stated[rows], weights=count)
            lines.append(
                f"| {players} | {name} | {count.sum():,} | {mean:.1%} "
                f"| {percent(measured.interval(rows, made.astype(float)))} | {ranged(off, 2)} |"
            )
    return "\n".join(lines)


def transfer(measured: Measured, rows: NDArray[np.float32], joint: Chances) -> str:
    """Return figures of ensembles that were trained only on the other players."""
    results = measured.results
    lines = ["| trained on | tested on | RMSE of tricks | Brier | log-loss | calibration |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    trained = {"both": joint}
    for players, taught in by_players(results).items():
        tables = subset(results.tables, taught)
        some = Results(tables, results.tricks[taught], results.times[taught])
        flags = part("contract").stop - 1  # the last number of the part: whether the club plays
        told = rows[taught].copy()
        told[:, flags] = 0
        config = replace(PlayedConfig(), members=FOLDS)
        ensemble = fit(some, told, config, lambda line: None)
        asked = rows.copy()
        asked[:, flags] = 0
        trained[players] = unseen(results, asked, ensemble)
    for players, tested in by_players(results).items():
        for name, chances in trained.items():
            lost = losses(chances, results.tricks, results.needed)
            squared, brier, log_loss = (measured.interval(tested, lost[key]) for key in _LOSSES)
            root = Interval(*(max(end, 0.0) ** 0.5 for end in squared))
            stated, made = making(chances, results.needed), results.tricks >= results.needed
            apart = calibration(stated[tested], made[tested], results.times[tested])
            lines.append(
                f"| {name} | {players} | {ranged(root)} | {ranged(brier)} | {ranged(log_loss)} "
                f"| {apart:.3f} |"
            )
    return "\n".join(lines)


def on_little(results: Results, rows: NDArray[np.float32]) -> Chances:
    """Return chances by networks of two layers of 96, one for each fifth of the deals.

    They see the contract, declarer's chances of 0 to 13 tricks, and the lengths and points of each
    suit in the hands of declarer and dummy.
    """
    told = np.zeros_like(rows)
    told[:, :14] = rows[:, :14]
    told[:, part("contract")] = rows[:, part("contract")]
    seats = np.zeros((2, 4, 4), dtype=bool)  # lengths and points by seat and suit
    seats[:, ::2] = True
    at = part("hands").start + np.flatnonzero(np.append(seats.ravel(), [True, False] * 2))
    told[:, at] = rows[:, at]
    config = PlayedConfig(members=FOLDS, width=96, dropout=0.1, input_dropout=0, squared=0)
    return unseen(results, told, fit(results, told, config, lambda line: None))


def subset(tables: Tables, rows: NDArray[np.intp]) -> Tables:
    """Return some tables, without leads and auctions."""
    return Tables(tables.owners[rows], tables.contracts[rows], tables.club[rows])


def by_players(results: Results) -> dict[str, NDArray[np.intp]]:
    """Return the rows of each kind of player that has results."""
    club = results.tables.club
    kinds = {"experts": np.flatnonzero(~club), "club": np.flatnonzero(club)}
    return {players: rows for players, rows in kinds.items() if len(rows)}


def by_contract(tables: Tables) -> dict[str, NDArray[np.bool_]]:
    """Return the results of each level, of each strain, and of doubled contracts."""
    level, strain, doubling, _ = tables.contracts.T
    levels = {f"level {k}": level == k for k in range(1, 7)} | {"level 7": level == 7}
    names = ("spades", "hearts", "diamonds", "clubs", "notrump")
    return levels | {name: strain == k for k, name in enumerate(names)} | {"doubled": doubling > 0}


def ranged(value: Interval, digits: int = 3) -> str:
    """Return a figure with the ends of its interval."""
    return f"{value.value:.{digits}f} ({value.low:.{digits}f} to {value.high:.{digits}f})"


def percent(value: Interval) -> str:
    """Return a share with the ends of its interval."""
    return f"{value.value:.1%} ({value.low:.1%} to {value.high:.1%})"


def write_table(name: str, table: str) -> None:
    """Put a table into the model's card, between the comments with its name."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = CARD.read_text("utf-8")
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{CARD} has no place for {name} (expected {begin} and {end})")
    CARD.write_text(pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text), "utf-8")


def draw(measured: Measured, chances: Chances) -> None:
    """Draw stated against true shares of contracts made, by players, level and strain."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.hashsalt": "trickcast", "font.size": 8}
    from matplotlib import pyplot as plt

    results = measured.results
    stated, made = making(chances, results.needed), results.tricks >= results.needed
    level, strain, _, _ = results.tables.contracts.T
    players, everything = by_players(results), np.ones(len(level), dtype=bool)
    panels = [
        ("experts", players["experts"], everything),
        ("club", players["club"], everything),
        *((f"experts, {name}", players["experts"], chosen) for name, chosen in (
            ("part scores", level < np.array([4, 4, 5, 5, 3])[strain]),
            ("games", (level >= np.array([4, 4, 5, 5, 3])[strain]) & (level < 6)),
            ("slams", level >= 6), ("notrump", strain == 4), ("majors", strain < 2),
            ("minors", (strain == 2) | (strain == 3)),
        )),
    ]  # fmt: skip
    figure, axes = plt.subplots(2, 4, figsize=(8.4, 4.4), sharex=True, sharey=True)
    for (title, of_players, chosen), axis in zip(panels, axes.flat, strict=True):
        rows = of_players[chosen[of_players]]
        axis.plot([0, 1], [0, 1], color="#999999", linewidth=0.7)
        for low in np.arange(0, 1, 0.1):
            some = rows[(stated[rows] >= low) & (stated[rows] < low + 0.1)]
            if len(np.unique(measured.deals[some])) < 10:
                continue
            true = measured.interval(some, made.astype(float))
            x = np.average(stated[some], weights=results.times[some])
            axis.plot([x, x], [max(true.low, 0), min(true.high, 1)], color="#1f5f8b", linewidth=1)
            axis.plot(x, true.value, "o", color="#1f5f8b", markersize=2.5)
        axis.set_title(title, fontsize=8)
    figure.supxlabel("stated chance that the contract makes", fontsize=8)
    figure.supylabel("share that made", fontsize=8)
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
