"""The tables of Yegnanarayana, Khemani & Sarkar 1996, ours beside the published.

Every function returns rows: what the paper prints, and what our teacher and networks say.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand, as_hands
from ..openings import (
    PASS,
    UNKNOWN,
    BackPropagation,
    OpeningSystem,
    RuleSystem,
    Trained,
    call_targets,
    hands_opened,
    random_hands,
)
from ..openings.calls import level
from .reference import published_results, read_table
from .yegnanarayana1996 import (
    HIDDEN,
    ONE_LEVEL,
    TWO_NOTRUMP,
    one_level_hands,
    read_level_and_strain,
    teacher,
    train_experiment_1,
    train_flat,
    two_notrump_hands,
)

Row = dict[str, Any]
TEST_SEED = 1996
"""Of the hands that networks are tested on; no training set uses it."""
_SUITS = ("spades", "hearts", "diamonds", "clubs")
_TABLE_OF = {"one-level": "y96-T4", "2-NT": "y96-T6"}
_TSS = re.compile(r"tss=(\d+\.\d+)")
_TABLE_2 = (14, 17, 26, 24, 14, 13, 17, 29)
"""Hands of 80 that the paper's bidders bid differently, set by set."""


def table_1(hands: int = 1_000_000, seed: int = TEST_SEED) -> list[Row]:
    """The frequency of hand patterns: printed, exact, and in random hands of ours, in percent."""
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


def table_2(first: OpeningSystem, second: OpeningSystem, seed: int = TEST_SEED) -> list[Row]:
    """How many hands of sets of 80 two bidders bid differently: the paper's people, our systems."""
    held = random_hands(80 * len(_TABLE_2), seed)
    differ = np.array(first.bid(held)) != np.array(second.bid(held))
    return [
        {
            "set": i + 1,
            "published_hands": people,
            "published_percent": 100 * people / 80,
            "ours_hands": int(ours),
            "ours_percent": 100 * float(ours) / 80,
        }
        for i, (people, ours) in enumerate(
            zip(_TABLE_2, differ.reshape(-1, 80).sum(axis=1), strict=True)
        )
    ]


def hand_table(table: str, systems: Sequence[OpeningSystem]) -> list[Row]:
    """The printed hands of table 3, 5, 7 or B1: the paper's bids, and that of each system.

    Raises ValueError when the paper has no such table of hands.
    """
    printed = [row for row in read_table("opening_bids_1996.csv") if row["source_table"] == table]
    if not printed:
        raise ValueError(f"table {table!r} has no hands (expected 3, 5, 7 or B1)")
    hands = [Hand(".".join(row[suit] for suit in _SUITS)) for row in printed]
    bids = [system.bid(hands) for system in systems]
    return [
        {
            "row": int(row["row"]),
            "hand": str(hand),
            "hcp": hand.hcp,
            "experts": [_call(text) for text in row["expert_bids"].split("|")],
            "published_one_level": _call(row["net_1level"]),
            "published_two_notrump": _call(row["net_2nt"]),
            **{system.name: bid[i] for system, bid in zip(systems, bids, strict=True)},
        }
        for i, (row, hand) in enumerate(zip(printed, hands, strict=True))
    ]


def experts_agree(rows: Iterable[Row], column: str) -> tuple[int, int]:
    """Of the hands of a table where ``column`` has a bid: how many an expert bids so, how many."""
    bid = [row for row in rows if row[column]]
    return sum(row[column] in row["experts"] for row in bid), len(bid)


def network_tables(
    kind: str, settings: BackPropagation | None = None, hidden: Sequence[int] = HIDDEN
) -> list[Row]:
    """Table 4 (``one-level``) or 6 (``2-NT``): the five networks trained as the paper says.

    Our agreement with the teacher is on 200 fresh hands, as in the paper, and on 20,000. Raises
    ValueError for another kind.
    """
    if kind not in _TABLE_OF:
        raise ValueError(f"{kind!r} is no kind of network (expected one-level or 2-NT)")
    outputs = ONE_LEVEL if kind == "one-level" else TWO_NOTRUMP
    hands = one_level_hands() if kind == "one-level" else two_notrump_hands()
    printed = published_results()
    rows = []
    for size in hidden:
        name = f"{_TABLE_OF[kind]}-{HIDDEN.index(size) + 1:02d}"
        tss = _TSS.search(printed[name]["notes"])
        assert tss is not None, f"{name}: no tss in the published results"
        trained = train_flat(outputs, hands, size, settings=settings)
        rows.append({"id": name, "published_tss": float(tss[1]), **_trained_row(trained)})
    return rows


def feature_row(settings: BackPropagation | None = None) -> Row:
    """The 16-number feature coding, 16-60-7, on the hands of Table 4."""
    return _trained_row(train_flat(ONE_LEVEL, one_level_hands(), inputs=16, settings=settings))


def experiment_1_rows(settings: BackPropagation | None = None) -> list[Row]:
    """Experiment 1: both networks with 13 outputs, which did not converge in the paper."""
    fresh = random_hands(20_000, TEST_SEED)
    wanted = teacher().bid(fresh)
    rows = []
    for name in ("52-30-20-13", "52-30-6-13"):
        trained = train_experiment_1(name, settings=settings)
        bids = read_level_and_strain(trained.network.run(fresh))
        agreement = 100 * float(np.mean([a == b for a, b in zip(bids, wanted, strict=True)]))
        rows.append(_record(trained) | {"agreement_20000": agreement})
    return rows


def agreement(system: OpeningSystem, hands: NDArray[np.bool_]) -> float:
    """Percent of hands on which a system answers as the teacher does.

    UNKNOWN is right for a call that is not the system's.
    """
    wanted = [call if call in system.calls else UNKNOWN for call in teacher().bid(hands)]
    return 100 * float(np.mean([a == b for a, b in zip(system.bid(hands), wanted, strict=True)]))


def recalls(system: OpeningSystem, each: int = 500, seed: int = TEST_SEED) -> dict[str, float]:
    """For every call of the teacher, the percent of its hands that a system opens so.

    ``each`` hands a call, drawn as the teacher would meet them.
    """
    rules = teacher()
    found = {}
    for i, call in enumerate(rules.calls):
        hands = hands_opened(rules, call, each, seed=seed + i)
        found[call] = 100 * float(np.mean([bid == call for bid in system.bid(hands)]))
    return found


def macro_recall(recall: dict[str, float], calls: Iterable[str]) -> float:
    """The mean recall of some calls, each counted once however rare."""
    return float(np.mean([recall[call] for call in calls]))


def rare_calls(rules: RuleSystem, highest: int = 7) -> list[str]:
    """The teacher's bids from two clubs up to a level."""
    return [call for call in rules.calls if 2 <= level(call) <= highest]


def _call(printed: str) -> str:
    text = printed.strip()
    return {"P": PASS, "U": UNKNOWN}.get(text, text)


def _record(trained: Trained) -> Row:
    return {
        "network": trained.network.name,
        "hands": trained.hands,
        "epochs": trained.settings.epochs,
        "tss": trained.tss,
        "seed": trained.settings.seed,
        "seconds": trained.seconds,
    }


def _trained_row(trained: Trained) -> Row:
    """What is measured of a network with one output a call, by both readings."""
    network, outputs = trained.network, trained.network.outputs
    row = _record(trained)
    for n in (200, 20_000):
        hands = as_hands(random_hands(n, TEST_SEED))[0]
        wanted = call_targets(teacher(), hands, outputs).argmax(axis=1)
        activations = network.run(hands)
        row[f"agreement_{n}"] = 100 * float((network.read(activations) == wanted).mean())
        clear = (activations > 0.5).sum(axis=1) == 1
        right = network.read(activations, "threshold") == wanted
        row[f"threshold_agreement_{n}"] = 100 * float(right[clear].mean())
        row[f"threshold_answered_{n}"] = 100 * float(clear.mean())
    return row
