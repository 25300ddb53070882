"""The network of calls: what a hand would call in an auction.

It has three parts that meet late, so that many hands in one auction cost little. A recurrent layer
turns a seat's turns (``cards.turns``) into a *context*, which is independent of the hand. A
hand gives its features, and a narrow head joins the two. An auction of eleven calls is read once,
whatever the number of hands tried in it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...cards.auction import CALLS
from ...cards.hand import CARD_HCP
from ...cards.turns import WIDTH
from ..settings import SHARE, at_least, check_settings, setting

_HONOURS = 6
"""The cards of a suit that are told apart; of the others only the number counts."""
_LONGEST, _POINTS = 9, 26
FEATURES = 4 * _HONOURS + 4 * _LONGEST + _LONGEST + _POINTS + 14


@dataclass(frozen=True, slots=True, kw_only=True)
class BiddingNetworkConfig:
    """Widths. Raises ValueError for an invalid value."""

    context: int = setting(256, "numbers of a turn, and of the recurrent layer", at_least(1))
    hand: int = setting(256, "numbers of a hand's hidden layers", at_least(1))
    joined: int = setting(256, "numbers where context and hand meet", at_least(1))
    last: int = setting(128, "numbers of the last hidden layer", at_least(1))
    dropout: float = setting(0.25, "share of hidden numbers dropped", SHARE)

    def __post_init__(self) -> None:
        check_settings(self)


class Heads(NamedTuple):
    """A context's input to the head: everything linear in it, ready to be joined with hands."""

    joined: Tensor
    gate: Tensor
    last: Tensor
    calls: Tensor


class BiddingNetwork(nn.Module):
    """The network; first weights depend only on ``seed``."""

    def __init__(self, config: BiddingNetworkConfig, *, seed: int):
        super().__init__()
        self.config = config
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.turn = nn.Linear(WIDTH, config.context)
            self.into = nn.Linear(config.context, 3 * config.context)
            self.onward = nn.Linear(config.context, 3 * config.context)
            self.hand = nn.Linear(FEATURES, config.hand)
            self.hand_again = nn.Linear(config.hand, config.hand)
            self.hand_joined = nn.Linear(config.hand, config.joined)
            sizes = (config.joined, config.joined, config.last, len(CALLS))
            self.heads = nn.Linear(config.context, sum(sizes))
            self.last = nn.Linear(config.joined, config.last, bias=False)
            self.calls = nn.Linear(config.last, len(CALLS), bias=False)
        for name, values in linear_features().items():
            self.register_buffer(name, torch.from_numpy(values), persistent=False)

    sums: Tensor
    limits: Tensor

    def drop(self, x: Tensor) -> Tensor:
        """Drop hidden units in training; the rates are multiples of 1/256.

        Draws eight random bytes at a time: torch's own dropout takes a tenth of a step.
        """
        parts = round(256 * self.config.dropout)
        if not self.training or not parts:
            return x
        words = torch.randint(-(1 << 63), (1 << 63) - 1, (-(-x.numel() // 8),))
        kept = words.view(torch.uint8)[: x.numel()].view(x.shape) >= parts
        return x * (kept.to(x.dtype) * (256 / (256 - parts)))

    def features(self, hands: Tensor) -> Tensor:
        """Return (n, FEATURES) of (n, 52) hands."""
        return hand_features(hands.to(torch.float32), self.sums, self.limits)

    def hands(self, hands: Tensor) -> Tensor:
        """Return the input of (n, 52) hands to the head: (n, joined)."""
        x = self.drop(torch.relu(self.hand(self.features(hands))))
        x = self.drop(torch.relu(x + self.hand_again(x)))
        ready: Tensor = self.hand_joined(x)
        return ready

    def contexts(self, rows: Tensor, lengths: Tensor) -> Tensor:
        """Return the contexts of seats' turns: (sum of lengths, context).

        ``rows`` are (sum of lengths, WIDTH), the first turns of all seats, then their second turns,
        and so on; ``lengths`` are descending.
        """
        turns = torch.relu(self.turn(rows.to(torch.float32)))
        into = self.into(self.drop(turns))
        going = [int((lengths > step).sum()) for step in range(int(lengths[0]))]
        state, states = into.new_zeros(len(lengths), self.config.context), []
        for part in torch.split_with_sizes(into, going):
            state = self._next(part, state[: len(part)])
            states.append(state)
        return self.drop(turns + torch.cat(states))

    def _next(self, into: Tensor, state: Tensor) -> Tensor:
        """Return the state after a turn: a gated recurrent unit."""
        size = self.config.context
        onward = self.onward(state)
        gates_in, fresh_in = torch.split_with_sizes(into, [2 * size, size], dim=1)
        gates_on, fresh_on = torch.split_with_sizes(onward, [2 * size, size], dim=1)
        reset, kept = torch.sigmoid(gates_in + gates_on).chunk(2, dim=1)
        fresh = torch.tanh(fresh_in + reset * fresh_on)
        return fresh + kept * (state - fresh)

    def ready(self, contexts: Tensor) -> Heads:
        """Return the input of contexts to the head."""
        config = self.config
        sizes = [config.joined, config.joined, config.last, len(CALLS)]
        joined, gate, last, calls = torch.split_with_sizes(self.heads(contexts), sizes, dim=-1)
        return Heads(joined, torch.sigmoid(gate), last, calls)

    def join(self, heads: Heads, hands: Tensor) -> Tensor:
        """Return (…, 38) logits; contexts and hands are broadcast."""
        x = self.drop(torch.relu(heads.joined + hands) * heads.gate)
        x = self.drop(torch.relu(self.last(x) + heads.last))
        logits: Tensor = self.calls(x) + heads.calls
        return logits

    def forward(self, rows: Tensor, lengths: Tensor, hands: Tensor, seats: Tensor) -> Tensor:
        """Return the logits of all turns: (sum of lengths, 38).

        ``hands`` are (k, 52), those of the k seats, and ``seats`` (sum of lengths) give the seat of
        each row.
        """
        return self.join(self.ready(self.contexts(rows, lengths)), self.hands(hands)[seats])


def linear_features() -> dict[str, NDArray[np.float32]]:
    """Return ``sums`` and ``limits`` of ``hand_features``."""
    suits = np.repeat(np.eye(4), 13, axis=0)
    points = CARD_HCP
    controls = np.tile(np.array([2, 1] + [0] * 11), 4)
    ranks = np.tile(np.eye(13)[:, :_HONOURS], (4, 1))
    honours = (suits[:, :, None] * ranks[:, None]).reshape(52, -1)
    sums = np.concatenate(
        [honours, suits, suits * points[:, None], points[:, None], controls[:, None]], axis=1
    )
    limits = np.concatenate([np.arange(1, _LONGEST + 1), np.arange(1, _POINTS + 1)])
    return {"sums": sums.astype(np.float32), "limits": limits.astype(np.float32)}


def hand_features(hands: Tensor, sums: Tensor, limits: Tensor) -> Tensor:
    """Return honours, and lengths and points both as steps and as numbers."""
    found = hands @ sums
    honours, lengths = found[:, : 4 * _HONOURS], found[:, 4 * _HONOURS : 4 * _HONOURS + 4]
    points, whole = found[:, -6:-2], found[:, -2:-1]
    long = (lengths[:, :, None] >= limits[:_LONGEST]).to(hands.dtype)
    strong = (whole >= limits[_LONGEST:]).to(hands.dtype)
    return torch.cat(
        [
            honours,
            long.flatten(1),
            long.sum(1),
            strong,
            lengths / 4,
            points / 4,
            lengths * points / 16,
            whole / 10,
            found[:, -1:] / 4,
        ],
        dim=1,
    )
