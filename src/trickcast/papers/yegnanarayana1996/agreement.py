"""Measurements for the tables of Yegnanarayana, Khemani & Sarkar 1996.

Functions return what the paper prints beside the answers of our teacher and networks. Which of
them makes which table is declared in ``printed_tables``.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...bidding import PASS, UNKNOWN, OpeningSystem, RuleSystem, hands_opened, load, random_hands
from ...cards import Hand, as_hands
from ...dealing.language.calls import level
from ..opening_networks import NetworkSystem
from ..published import read_table
from .backpropagation import BackPropagation, Trained
from .trained_networks import (
    ONE_LEVEL,
    PAPER_HANDS,
    TWO_NOTRUMP,
    one_level_hands,
    read_level_and_strain,
    teacher,
    train_experiment_1,
    train_flat,
    two_notrump_hands,
)

Bools = NDArray[np.bool_]
Figures = dict[str, Any]
Kind = Literal["one-level", "2-NT"]
TEST_SEED = 1996
"""Seed of the hands that networks are tested on; no training set uses it."""
TEST_HANDS = 200
"""Hands that the paper tested on."""
_SUITS = ("spades", "hearts", "diamonds", "clubs")
_PRINTED = Path(__file__).with_name("printed.toml")
_POINT = 0.5  # the margin of a hand that one point would put on the other side of a rule's edge


# ---- agreeing with the teacher ------------------------------------------------------------------


def accepted(rules: RuleSystem, held: Bools) -> Bools:
    """Return which calls a lenient teacher accepts with each of (n, 52) hands: (n, len(calls)).

    These are the calls that the rules make if each of their edges may move by up to one point. The
    paper counts a bid "that the expert also accepts" as correct and does not define it; this
    definition is ours.
    """
    margins = rules.margins(held)
    taken = margins > _POINT
    free = (taken.cumsum(axis=1) - taken) == 0  # no earlier rule is sure to take the hand
    within = free & (margins >= -_POINT)
    fine = np.zeros((len(held), len(rules.calls)), np.bool_)
    for column, rule in zip(within.T, rules.rules, strict=True):
        fine[:, rules.calls.index(rule.call)] |= column
    return fine


def agreement(system: OpeningSystem, hands: Bools) -> float:
    """Return the percent of hands on which a system answers as the teacher does.

    UNKNOWN is right if the teacher's call is not one of the system's.
    """
    return 100 * float(_same(system, hands).mean())


def lenient_agreement(system: OpeningSystem, hands: Bools) -> float:
    """Return the percent of hands on which a system's call is one that the teacher accepts."""
    rules = teacher()
    fine = accepted(rules, hands)
    beyond = [call not in system.calls for call in rules.calls]
    good = [
        fine[i, beyond].any() if bid == UNKNOWN else fine[i, rules.calls.index(bid)]
        for i, bid in enumerate(system.bid(hands))
    ]
    return 100 * float(np.mean(good))


def _same(system: OpeningSystem, hands: Bools) -> Bools:
    wanted = [call if call in system.calls else UNKNOWN for call in teacher().bid(hands)]
    same: Bools = np.array(system.bid(hands)) == np.array(wanted)
    return same


def test_hands(fresh: int) -> Bools:
    """Return hands that nothing was trained on: at least the paper's 200, which come first."""
    return random_hands(max(fresh, TEST_HANDS), TEST_SEED)


def measure_agreement(system: OpeningSystem, fresh: int) -> Figures:
    """Return how a system agrees with the teacher, strictly and leniently, in percent.

    It is measured on the first 200 test hands, as many as in the paper, and on ``fresh`` of them.
    """
    hands = test_hands(fresh)
    figures: Figures = {
        "exact": round(agreement(system, hands[:TEST_HANDS]), 2),
        "n": TEST_HANDS,
        "on": f"{TEST_HANDS} fresh hands, seed {TEST_SEED}",
        "lenient": round(lenient_agreement(system, hands[:TEST_HANDS]), 2),
        "fresh_hands": len(hands),
        "fresh": round(agreement(system, hands), 2),
        "fresh_lenient": round(lenient_agreement(system, hands), 2),
    }
    if isinstance(system, NetworkSystem):
        by_threshold = NetworkSystem(system.network, system.about, "threshold")
        clear = by_threshold.network.run(hands) > 0.5
        answered = clear.sum(axis=1) == 1
        figures |= {
            "threshold_answers": round(100 * float(answered.mean()), 2),
            "threshold_right": round(100 * float(_same(by_threshold, hands)[answered].mean()), 2),
        }
    return figures


# ---- networks of the paper's size ----------------------------------------------------------------


@cache
def flat_network(kind: Kind, hidden: int, hands: int, epochs: int, inputs: int = 52) -> Trained:
    """Train a network of Table 4 (``one-level``) or 6 (``2-NT``); cached for the process."""
    settings = BackPropagation(epochs=epochs)
    outputs = ONE_LEVEL if kind == "one-level" else TWO_NOTRUMP
    return train_flat(outputs, flat_hands(kind, hands), hidden, inputs, settings)


@cache
def flat_hands(kind: Kind, hands: int) -> Bools:
    """Return the training hands of a kind of network."""
    made = one_level_hands(hands) if kind == "one-level" else two_notrump_hands(hands)
    made.setflags(write=False)
    return made


def as_system(trained: Trained) -> NetworkSystem:
    """Return a trained network as an opening system, named with its training hands."""
    name = f"{trained.network.name}, {trained.hands:,} hands"
    return NetworkSystem(trained.network, {"name": name, "title": name}, "highest")


def training_figures(trained: Trained) -> Figures:
    """Return the stored figures of a network's training."""
    return {
        "network": trained.network.name,
        "training": f"{trained.hands:,} hands that the teacher bid",
        "epochs": trained.settings.epochs,
        "tss": round(trained.tss, 2),
        "seed": trained.settings.seed,
        "seconds": round(trained.seconds, 1),
    }


@cache
def measure_flat(
    kind: Kind, hidden: int, epochs: int, fresh: int, hands: int = PAPER_HANDS, inputs: int = 52
) -> Mapping[str, Any]:
    """Train and measure one network on as many hands as the paper had, or more."""
    trained = flat_network(kind, hidden, hands, epochs, inputs)
    system = as_system(trained)
    seen = round(agreement(system, flat_hands(kind, hands)), 2)
    figures = training_figures(trained) | measure_agreement(system, fresh) | {"seen": seen}
    return MappingProxyType(figures)  # every caller gets the same object


def measure_experiment_1(name: str, epochs: int, fresh: int) -> Figures:
    """Train and measure a 13-output network of experiment 1; the paper's did not converge."""
    trained = train_experiment_1(name, settings=BackPropagation(epochs=epochs))
    hands = test_hands(fresh)
    bids = np.array(read_level_and_strain(trained.network.run(hands)))
    same = bids == np.array(teacher().bid(hands))
    return training_figures(trained) | {"fresh": round(100 * float(same.mean()), 2)}


# ---- rare bids -----------------------------------------------------------------------------------


def two_level_bids(epochs: int, fresh: int, seeds: Iterable[int]) -> list[Figures]:
    """Return how well 2-NT networks know two-level bids, in percent.

    The figures are on ``fresh`` hands as dealt. They are the share of the teacher's two-level
    openings, and of all hands, on which a network of the paper's size bids the same; *passes* is
    the share of all on which the teacher passes. The networks are taught by 1,600 hands as dealt,
    and by 1,350 with 250 inserted.
    """
    hands, rows = test_hands(fresh), list[Figures]()
    calls = np.array(teacher().bid(hands))
    two_level = np.array([level(call) == 2 for call in calls])
    for name, made in (("as dealt", one_level_hands), ("250 inserted", two_notrump_hands)):
        right = []
        for seed in seeds:
            settings = BackPropagation(epochs=epochs, seed=seed)
            trained = train_flat(TWO_NOTRUMP, made(PAPER_HANDS, seed), settings=settings)
            right.append(np.array(as_system(trained).bid(hands)) == calls)
        recall, every = ([round(100 * float(hit[part].mean()), 1) for hit in right]
                         for part in (two_level, slice(None)))  # fmt: skip
        passes = round(100 * float((calls == PASS).mean()), 1)
        rows.append({"taught": name, "two_level": recall, "all": every, "n": int(two_level.sum()),
                     "passes": passes})  # fmt: skip
    return rows


def recalls(
    systems: Sequence[OpeningSystem], each: int = 500, seed: int = TEST_SEED
) -> dict[str, dict[str, float]]:
    """Return, for every system and call of the teacher, the percent of its hands opened with it.

    There are ``each`` hands a call, drawn as the teacher would meet them.
    """
    rules = teacher()
    by_system: dict[str, dict[str, float]] = {system.name: {} for system in systems}
    for i, call in enumerate(rules.calls):
        hands = hands_opened(rules, call, each, seed=seed + i)
        for system in systems:
            right = np.mean([bid == call for bid in system.bid(hands)])
            by_system[system.name][call] = 100 * float(right)
    return by_system


def macro_recall(recall: dict[str, float], calls: Iterable[str]) -> float:
    """Return the mean recall of some calls, each counted once however rare."""
    return float(np.mean([recall[call] for call in calls]))


def rare_calls(rules: RuleSystem, highest: int = 7) -> list[str]:
    """Return the teacher's bids from two clubs up to a level."""
    return [call for call in rules.calls if 2 <= level(call) <= highest]


# ---- the printed tables --------------------------------------------------------------------------


def table_1(hands: int = 1_000_000, seed: int = TEST_SEED) -> list[Figures]:
    """Return the frequency of hand patterns: printed, exact, and in random hands, in percent."""
    held = random_hands(hands, seed)
    lengths = np.sort(held.reshape(-1, 4, 13).sum(axis=2), axis=1)[:, ::-1]
    codes, counts = np.unique(lengths @ np.array([4096, 256, 16, 1]), return_counts=True)
    seen = dict(zip(codes.tolist(), counts.tolist(), strict=True))
    rows = []
    for row in read_table("hand_patterns.csv"):
        parts = [int(part) for part in row["pattern"].split("-")]
        code = sum(part * 16 ** (3 - i) for i, part in enumerate(parts))
        rows.append(
            {
                "pattern": row["pattern"],
                "published": float(row["total_percent_printed"]),
                "exact": float(row["total_percent_exact"]),
                "ours": 100 * seen.get(code, 0) / hands,
            }
        )
    return rows


def table_2(first: OpeningSystem, second: OpeningSystem, seed: int = TEST_SEED) -> list[Figures]:
    """Count the hands in sets of 80 that the paper's people, and our systems, bid differently."""
    printed = tomllib.loads(_PRINTED.read_text("utf-8"))["table_2"]["differently"]
    held = random_hands(80 * len(printed), seed)
    differ = np.array(first.bid(held)) != np.array(second.bid(held))
    return [
        {
            "set": i + 1,
            "published_percent": 100 * people / 80,
            "ours_percent": 100 * float(ours) / 80,
        }
        for i, (people, ours) in enumerate(
            zip(printed, differ.reshape(-1, 80).sum(axis=1), strict=True)
        )
    ]


def hand_table(table: str, systems: Sequence[OpeningSystem]) -> list[Figures]:
    """Return the printed hands of table 3, 5, 7 or B1 with the paper's bids and each system's.

    Raises ValueError if the paper has no such table of hands.
    """
    printed = [row for row in read_table("opening_bids_1996.csv") if row["source_table"] == table]
    if not printed:
        raise ValueError(f"table {table!r} has no hands (expected 3, 5, 7 or B1)")
    hands = [Hand(".".join(row[suit] for suit in _SUITS)) for row in printed]
    held = as_hands(hands)[0]
    bids = {system.name: system.bid(held) for system in systems}
    return [
        {
            "row": int(row["row"]),
            "hand": str(hand),
            "hcp": hand.hcp,
            "experts": [_call(text) for text in row["expert_bids"].split("|")],
            "published_one_level": _call(row["net_1level"]),
            "published_two_notrump": _call(row["net_2nt"]),
            "ours": {name: calls[i] for name, calls in bids.items()},
        }
        for i, (row, hand) in enumerate(zip(printed, hands, strict=True))
    ]


def experts_agree(rows: Iterable[Figures], column: str) -> tuple[int, int]:
    """Return how many hands of a table an expert bids as ``column`` does, and how many have a bid.

    ``column`` is that of a published network, or the name of a system of ours.
    """
    answers = [(row.get(column, row["ours"].get(column)), row["experts"]) for row in rows]
    bids = [(bid, experts) for bid, experts in answers if bid]
    return sum(bid in experts for bid, experts in bids), len(bids)


def shipped_systems() -> list[OpeningSystem]:
    """Return the teacher and the networks that ship."""
    return [teacher(), *(load(name) for name in ("52-60-7", "52-60-12", "cascade-1996"))]


def _call(printed: str) -> str:
    text = printed.strip()
    return {"P": PASS, "U": UNKNOWN}.get(text, text)
