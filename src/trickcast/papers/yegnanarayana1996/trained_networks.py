"""Yegnanarayana, Khemani & Sarkar, "Neural Networks for Contract Bridge Bidding".

Sadhana 21(3), 1996. Our teacher is ``standard-american``; the paper's hands were bid by its
authors. This module has the paper's networks, their training sets, and the cascade of specialists
that the paper only proposes; ``agreement`` measures what its tables print.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._files import note_checksum
from ...bidding import PASS, UNKNOWN, RuleSystem, hands_meeting, hands_opened, load, random_hands
from ...bidding.system import Floats
from ...dealing.language.calls import level
from ..opening_networks import CascadeSystem, NetworkSystem, OpeningNetwork, save
from .backpropagation import BackPropagation, Trained, call_targets, train_network

Bools = NDArray[np.bool_]

ONE_LEVEL = (PASS, "1C", "1D", "1H", "1S", "1N", UNKNOWN)
"""Outputs of the one-level networks."""
TWO_NOTRUMP = (*ONE_LEVEL[:-1], "2C", "2D", "2H", "2S", "2N", UNKNOWN)
"""Outputs of the 2-NT networks."""
HIDDEN = (40, 45, 50, 55, 60)
"""Hidden units of the five networks of Tables 4 and 6."""
LEVEL_AND_STRAIN = (PASS, *(f"level {n}" for n in range(1, 8)), *"CDHSN")
"""Outputs of experiment 1: pass, seven levels, five denominations."""
PAPER_HANDS, EXPERIMENT_1_HANDS = 1_600, 900
_TWO_LEVEL_HANDS = 250  # about; of the 1,600 that taught the 2-NT networks

TWO_LEVEL_CONSTRAINTS: Mapping[str, str] = {
    "2C": "hcp 20+",
    "2D": "diamonds 6+, hcp 6+",
    "2H": "hearts 6+, hcp 6+",
    "2S": "spades 6+, hcp 6+",
    "2N": "hcp 21+, balanced",
}
"""Conditions by which hands for two-level bids are made; the one for 2H is the paper's."""

SHIPPED = BackPropagation(epochs=45, rate=0.1, final_rate=0.002, batch=32)
SPECIALIST = BackPropagation(epochs=30, rate=0.03, final_rate=0.002, batch=32)
SHIPPED_HANDS = 200_000


@cache
def teacher() -> RuleSystem:
    """Return the rules that stand in for the paper's experts."""
    rules = load("standard-american")
    assert isinstance(rules, RuleSystem)
    return rules


def one_level_hands(n: int = PAPER_HANDS, seed: int = 1) -> Bools:
    """Return hands as dealt, which taught the one-level networks."""
    return random_hands(n, seed)


def two_notrump_hands(n: int = PAPER_HANDS, seed: int = 1) -> Bools:
    """Return the mixture that taught the 2-NT networks: 1,350 hands as dealt to 250 constrained.

    The constrained ones are divided equally among the five two-level bids.
    """
    each = n * _TWO_LEVEL_HANDS // PAPER_HANDS // len(TWO_LEVEL_CONSTRAINTS)
    made = [
        hands_meeting(conditions, each, seed=1_000 * seed + i)
        for i, conditions in enumerate(TWO_LEVEL_CONSTRAINTS.values())
    ]
    return np.concatenate([random_hands(n - each * len(made), seed), *made])


def train_flat(
    outputs: Sequence[str],
    hands: Bools,
    hidden: int = 60,
    inputs: int = 52,
    settings: BackPropagation | None = None,
) -> Trained:
    """Train a network of the paper on hands that the teacher bids.

    ``inputs`` is 52 for the cards, 16 for the feature coding that the paper dropped.
    """
    name = f"{inputs}-{hidden}-{len(outputs)}"
    return train_network(name, outputs, hands, call_targets(teacher(), hands, outputs), settings)


# ---- experiment 1: level and denomination -------------------------------------------------------


def level_and_strain_targets(rules: RuleSystem, hands: Bools) -> Floats:
    """Return (n, 13): 1 for pass, or for the level and the denomination of the bid."""
    targets = np.zeros((len(hands), len(LEVEL_AND_STRAIN)), dtype=np.float32)
    for row, call in zip(targets, rules.bid(hands), strict=True):
        if call == PASS:
            row[0] = 1
        else:
            row[[level(call), LEVEL_AND_STRAIN.index(call[1])]] = 1
    return targets


def read_level_and_strain(activations: Floats) -> list[str]:
    """Return the calls that (n, 13) activations mean.

    It is PASS if its output is above every level's, else the highest level and denomination.
    """
    levels, strains = activations[:, 1:8], activations[:, 8:]
    passes = activations[:, 0] > levels.max(axis=1)
    return [
        PASS if passed else f"{n + 1}{LEVEL_AND_STRAIN[8 + strain]}"
        for passed, n, strain in zip(
            passes, levels.argmax(axis=1), strains.argmax(axis=1), strict=True
        )
    ]


def train_experiment_1(
    name: str = "52-30-20-13", seed: int = 1, settings: BackPropagation | None = None
) -> Trained:
    """Train a 13-output network (``52-30-20-13`` or ``52-30-6-13``) on 900 hands as dealt."""
    hands = random_hands(EXPERIMENT_1_HANDS, seed)
    targets = level_and_strain_targets(teacher(), hands)
    return train_network(name, LEVEL_AND_STRAIN, hands, targets, settings)


# ---- the cascade --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Negatives:
    """Hands just short of a level's bids, which show its specialist where they begin."""

    shortest: int
    """Cards in the long suit."""
    hcp: str


_NEAR = {5: _Negatives(8, "3+"), 4: _Negatives(7, "3+"), 3: _Negatives(6, "5-13"),
         2: _Negatives(5, "5-12")}  # fmt: skip


def specialist_hands(rules: RuleSystem, at: int, each: int, seed: int) -> Bools:
    """Return the training set of the specialist for one level (2 to 5).

    It has ``each`` hands for every bid of the level, and as many for each suit with hands almost
    long enough. For level 2 it also has strong ones. To all these come as many hands as dealt.
    Hands that the teacher opens at a higher level are left out: earlier specialists take them.
    """
    calls = [call for call in rules.calls if level(call) == at]
    near = _NEAR[at]
    made = [hands_opened(rules, call, each, seed=1_000 * seed + i) for i, call in enumerate(calls)]
    conditions = [
        f"{suit} {near.shortest}+, hcp {near.hcp}"
        for suit in ("spades", "hearts", "diamonds", "clubs")
    ]
    if at == 2:
        conditions += ["hcp 18+", "hcp 20+, balanced"]
    made += [
        hands_meeting(condition, each, seed=1_000 * seed + 100 + i)
        for i, condition in enumerate(conditions)
    ]
    hands = np.concatenate([*made, random_hands(each * len(made), seed)])
    levels = np.array([level(call) for call in rules.calls])[rules.choose(hands)]
    return hands[levels <= at]


def train_cascade(
    each: int = 4_000,
    one_level: int = SHIPPED_HANDS,
    seed: int = 1,
    settings: BackPropagation = SPECIALIST,
) -> list[Trained]:
    """Train the specialists separately, from the highest level to the lowest.

    ``each`` is the number of hands for every rare bid, ``one_level`` the number of hands as dealt
    for the last specialist, which knows pass and so always answers.
    """
    rules = teacher()
    specialists = []
    for at, hands in cascade_hands(rules, each, one_level, seed).items():
        taught = [call for call in rules.calls if level(call) == at]
        calls = (*taught, UNKNOWN) if at > 1 else ONE_LEVEL[:-1]
        targets = call_targets(rules, hands, calls)
        own = replace(settings, seed=settings.seed + at) if at > 1 else settings
        specialists.append(train_network(f"52-60-{len(calls)}", calls, hands, targets, own))
    return specialists


def cascade_hands(rules: RuleSystem, each: int, one_level: int, seed: int) -> dict[int, Bools]:
    """Return the training hands of each level's specialist, the highest level first."""
    levels = sorted({level(call) for call in rules.calls} - {0, 1}, reverse=True)
    of_levels = {at: specialist_hands(rules, at, each, seed=10 * seed + at) for at in levels}
    hands = random_hands(one_level, seed=10 * seed + 1)
    low = np.array([level(call) <= 1 for call in rules.calls])[rules.choose(hands)]
    return of_levels | {1: hands[low]}


def train_whole(each: int, one_level: int, seed: int, settings: BackPropagation) -> Trained:
    """Train one flat network for all calls on all specialists' hands: the cascade's rival."""
    rules = teacher()
    hands = np.concatenate(list(cascade_hands(rules, each, one_level, seed).values()))
    targets = call_targets(rules, hands, rules.calls)
    return train_network(f"52-60-{len(rules.calls)}", rules.calls, hands, targets, settings)


# ---- what ships ---------------------------------------------------------------------------------


def train_shipped() -> dict[str, NetworkSystem | CascadeSystem]:
    """Train the shipped networks, by file name, on more hands than the paper could bid."""
    one_level = train_flat(ONE_LEVEL, one_level_hands(SHIPPED_HANDS, seed=11), settings=SHIPPED)
    two_notrump = train_flat(
        TWO_NOTRUMP, two_notrump_hands(SHIPPED_HANDS, seed=12), settings=SHIPPED
    )
    cascade = train_cascade(seed=13)
    flat = {
        "52-60-7": ("One-level network of 1996", one_level),
        "52-60-12": ("2-NT network of 1996", two_notrump),
    }
    systems: dict[str, NetworkSystem | CascadeSystem] = {
        name: NetworkSystem(trained.network, _about(name, title, [trained]), "highest")
        for name, (title, trained) in flat.items()
    }
    about = _about("cascade-1996", "Cascade of specialists proposed in 1996", cascade)
    return systems | {"cascade-1996": CascadeSystem([part.network for part in cascade], about)}


def write_shipped(systems: Mapping[str, NetworkSystem | CascadeSystem], folder: Path) -> None:
    """Write trained systems and their checksums into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, system in systems.items():
        networks: Sequence[OpeningNetwork] = (
            system.networks if isinstance(system, CascadeSystem) else [system.network]
        )
        save(folder / f"{name}.npz", networks, system.about)
        note_checksum(folder / f"{name}.npz")


def _about(name: str, title: str, trained: Sequence[Trained]) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "teacher": "standard-american",
        "hands": [network.hands for network in trained],
        "tss": [round(network.tss, 2) for network in trained],
        "settings": [asdict(network.settings) for network in trained],
    }
