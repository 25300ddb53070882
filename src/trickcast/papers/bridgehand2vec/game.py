"""The one-hand contract game of BridgeHand2Vec 2023 (section 3.2), learned by cross-entropy.

An agent sees one hand and names the contract; partner's hand is hidden. Its reward is the score of
that contract minus that of the best one, so it is never above zero. Contracts are undoubled, not
vulnerable, and declared by the agent. Scores are means over ten solved layouts of the opponents'
cards, and the best contract is the one with the best mean. The paper does not define it, but prints
rewards of 0 for contracts whose mean no single result can give.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...cards import Strain
from ...dealing import random_deals
from ...pairs import HandEmbedding
from ...scoring import score
from .game_layouts import PARTNERS, SEED
from .studies import difference

CALLS = ("PASS", *(f"{level}{strain}" for level, strain in product(range(1, 8), "CDHSN")))
HIDDEN = (128, 128, 128)
ELITE = 0.3
"""Share of a step's hands that the agent learns from; not stated in the paper."""
RATE = 2e-4
"""Adam's learning rate; not stated in the paper. At 0.001 the agent that sees cards passes every
hand within fifty steps, and then draws no bids from which it could learn better."""
PRINTED_STEPS = 200
"""Steps after which the calls of Table 11 are recorded."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Hands with the reward of every call."""

    hands: NDArray[np.bool_]
    """(n, 52) bool"""
    rewards: NDArray[np.float32]
    """(n, 36) float32 points, 0 for the best call, in the order of ``CALLS``."""


def make_pool(layouts: NDArray[np.uint8], seed: int = SEED) -> Pool:
    """Return the rewards of every call for both hands of each pair, in every order of the suits.

    ``layouts`` are (pairs, 10, 5, 2) tricks, as ``read_layouts`` returns them. Each pair gives 48
    hands. Renaming the suits changes the score of a contract, but not its tricks.
    """
    owners = random_deals(len(layouts), seed).owners.reshape(-1, 4, 13)
    hands, tricks = [], []
    for order in map(list, permutations(range(4))):
        for declarer, seat in enumerate(PARTNERS):
            hands.append((owners[:, order] == seat).reshape(-1, 52))
            tricks.append(layouts[:, :, [*order, Strain.NOTRUMP], declarer])
    taken = np.concatenate(tricks)  # (n, layouts, strains)
    scores = np.zeros((len(taken), len(CALLS)), np.float32)
    for i, call in enumerate(CALLS[1:], start=1):
        points = score(call, np.arange(14, dtype=np.uint8), False)
        scores[:, i] = points[taken[:, :, Strain.parse(call[1])]].mean(axis=1)
    return Pool(np.concatenate(hands), scores - scores.max(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True)
class Learned:
    """An agent, and its rewards while it learned."""

    network: nn.Module
    mean_rewards: list[float]
    """Mean reward of each step's hands, played by the agent at that step."""

    def bids(self, inputs: NDArray[np.float32]) -> list[str]:
        """Return the likeliest call for (n, k) inputs."""
        with torch.no_grad():
            return [CALLS[i] for i in self.network(torch.from_numpy(inputs)).argmax(1)]


def inputs_of(kind: str, hands: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return an agent's inputs for (n, 52) hands: ``cards`` (n, 52), or ``vectors`` (n, 8)."""
    if kind == "cards":
        return hands.astype(np.float32)
    if kind == "vectors":
        return HandEmbedding().encode(hands)
    raise ValueError(f"kind is {kind!r} (expected cards or vectors)")


def learn(
    pool: Pool, inputs: NDArray[np.float32], steps: int, seed: int, batch: int = 1_000
) -> Learned:
    """Train an agent by the cross-entropy method.

    Each step plays ``batch`` hands with calls drawn from the agent's distribution, keeps the
    ``ELITE`` share with the best rewards, and takes one step of Adam on the cross-entropy of these
    calls. Hands on which every call does badly teach nothing.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    sizes = (inputs.shape[1], *HIDDEN)
    layers = [part for a, b in pairwise(sizes) for part in (nn.Linear(a, b), nn.ReLU())]
    network = nn.Sequential(*layers, nn.Linear(HIDDEN[-1], len(CALLS)))
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    seen, rewards = torch.from_numpy(inputs), torch.from_numpy(pool.rewards)
    means = []
    for _ in range(steps):
        rows = torch.from_numpy(rng.integers(len(inputs), size=batch))
        logits = network(seen[rows])
        calls = torch.multinomial(logits.softmax(1), 1)[:, 0]
        gained = rewards[rows, calls]
        means.append(float(gained.mean()))
        best = gained.topk(round(ELITE * batch)).indices
        loss: Tensor = nn.functional.cross_entropy(logits[best], calls[best])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return Learned(network, means)


def lead(
    of: Mapping[str, Sequence[float]], over: Mapping[str, Sequence[float]], runs: int
) -> dict[str, list[float]]:
    """Return for each step the curves' difference and half its 95 % interval; {} for one run."""
    if runs == 1:
        return {}
    return {step: difference(of[step], over[step], runs) for step in of}
