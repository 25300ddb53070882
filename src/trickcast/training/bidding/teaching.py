"""Auctions that trained networks bid on random deals, and their chances for any auctions.

A network that learns from several others on unlimited deals is nearly as good as their mean.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from ...cards import Vulnerability
from ...cards.styles import STYLES
from ...cards.turns import WIDTH, Seen, with_sides
from ...dealing import random_deals
from .auction_files import Auctions
from .network import BiddingNetwork
from .task import batch_of, log_chances

_CHUNK = 2_048
_NO_METHODS = np.zeros((2, len(STYLES)), dtype=np.uint8)


def bid_deals(teachers: Sequence[BiddingNetwork], n: int, seed: int) -> Auctions:
    """Return auctions of ``n`` random deals, each call drawn by the teachers' mean chances."""
    parts = [
        _bid(teachers, random_deals(min(_CHUNK, n - start), seed, start).owners, seed, start)
        for start in range(0, n, _CHUNK)
    ]
    return joined([told_by(teachers, part) for part in parts])


@torch.no_grad()
def told_by(teachers: Sequence[BiddingNetwork], auctions: Auctions) -> Auctions:
    """Return the auctions with the teachers' mean chances for every turn."""
    told = np.empty((len(auctions.calls), auctions.allowed.shape[1]), dtype=np.float16)
    for start in range(0, len(auctions), _CHUNK):
        batch = batch_of(auctions, np.arange(start, min(start + _CHUNK, len(auctions))))
        said = [log_chances(each.eval(), batch, auctions.allowed).exp() for each in teachers]
        told[batch.turns] = torch.stack(said).mean(0).numpy()
    return replace(auctions, told=told)


def joined(parts: Sequence[Auctions]) -> Auctions:
    """Return the auctions of several sets in order."""
    ends = np.cumsum([0, *(len(part.calls) for part in parts)])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return Auctions(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.allowed for part in parts]),
        np.concatenate([part.calls for part in parts]),
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([part.hands for part in parts]),
        np.concatenate([part.told for part in parts if part.told is not None]),
    )


@torch.no_grad()
def _bid(
    teachers: Sequence[BiddingNetwork], owners: NDArray[np.uint8], seed: int, start: int
) -> Auctions:
    """Return auctions of deals; the first seat deals, and vulnerabilities alternate."""
    n = len(owners)
    rng = np.random.default_rng([seed, start])
    hands = np.stack([owners == seat for seat in range(4)], axis=1)
    seen = [Seen() for _ in range(n)]
    rows: list[list[NDArray[np.uint8]]] = [[] for _ in range(n)]
    allowed: list[list[NDArray[np.bool_]]] = [[] for _ in range(n)]
    going, turn = list(range(n)), 0
    while going:
        for i in going:
            own = np.array([turn % 2])
            row = with_sides(seen[i].row()[None], own, Vulnerability(i % 4), _NO_METHODS)
            rows[i].append(row[0])
            allowed[i].append(seen[i].state.allowed)
        chances = _next_chances(teachers, rows, allowed, hands, going)
        drawn = (chances.cumsum(axis=1) < rng.random((len(going), 1))).sum(axis=1)
        drawn = np.minimum(drawn, chances.shape[1] - 1)
        for place, i in enumerate(going):
            call = int(drawn[place])
            seen[i].hear(call if allowed[i][-1][call] else int(chances[place].argmax()))
        going, turn = [i for i in going if not seen[i].state.over], turn + 1
    return Auctions(
        np.concatenate([np.stack(part) for part in rows]),
        np.concatenate([np.stack(part) for part in allowed]),
        np.concatenate([each.calls for each in seen]).astype(np.int64),
        np.cumsum([0, *(len(each.calls) for each in seen)]),
        hands,
    )


def _next_chances(
    teachers: Sequence[BiddingNetwork],
    rows: Sequence[Sequence[NDArray[np.uint8]]],
    allowed: Sequence[Sequence[NDArray[np.bool_]]],
    hands: NDArray[np.bool_],
    going: Sequence[int],
) -> NDArray[np.float64]:
    """Return the mean chances of the next call in unfinished auctions, all of one length."""
    turn = len(rows[going[0]]) - 1
    steps = turn // 4 + 1
    own = np.stack([rows[i][turn % 4 :: 4] for i in going], axis=1)
    may = torch.from_numpy(np.stack([allowed[i][-1] for i in going]))
    held = torch.from_numpy(hands[list(going), turn % 4])
    said = []
    for each in teachers:
        each.eval()
        lengths = torch.full((len(going),), steps)
        contexts = each.contexts(torch.from_numpy(own.reshape(-1, WIDTH)), lengths)
        logits = each.join(each.ready(contexts[-len(going) :]), each.hands(held))
        said.append(logits.masked_fill(~may, -1e9).softmax(1))
    mean: NDArray[np.float64] = torch.stack(said).mean(0).double().numpy()
    return mean
