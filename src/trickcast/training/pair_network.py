"""The network of two-hand estimation: two hands of a side are known, the other two are not.

Suits are tokens, as in ``suits``, so exchanging suits exchanges results exactly. A token's features
stand in two groups, one for each known hand, and every linear layer treats the two alike: what a
hand gets depends on itself and on its partner only. So exchanging the hands exchanges the
declarers. Nothing is sampled: that the other cards lie anywhere is what the network has learned.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..cards.sizes import COUNTS, RANKS, SUITS
from .fields import at_least, check_settings, one_of, setting
from .tokens import SeatLinear, TokenNetwork, draw_weights, normalized

HANDS = 2
"""Hands that are known: declarer's and dummy's."""
CARD_INPUTS = 8
"""Inputs a card and hand; ``relations`` says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairNetworkConfig:
    """Everything that decides a network besides its weights. Raises ValueError for a bad value."""

    width: int = setting(192, "features of a token, of both hands")
    before: int = setting(2, "layers before the strain is known", at_least(0))
    after: int = setting(2, "layers on the four suits of each strain", at_least(0))
    pooled: int = setting(1, "layers on the suits' mean of each strain", at_least(0))
    ratio: int = setting(3, "hidden units of a layer over its width", at_least(1))
    activation: str = setting("gelu", "gelu", one_of("gelu"))

    def __post_init__(self) -> None:
        check_settings(self)
        if self.width < HANDS or self.width % HANDS:
            raise ValueError(f"width is {self.width} (expected an even number, 2 or more)")
        if self.after + self.pooled == 0:
            raise ValueError("after and pooled are 0 (expected a layer that knows the strain)")

    @property
    def hand_width(self) -> int:
        """Features of a token for one hand."""
        return self.width // HANDS

    @property
    def depth(self) -> int:
        """Layers in all."""
        return self.before + self.after + self.pooled


def _linear(inputs: int, outputs: int) -> SeatLinear:
    """Return a layer that commutes with exchanging the hands, to ``outputs`` features of each."""
    return SeatLinear(inputs, outputs, seats=HANDS)


class PairLayer(nn.Module):
    """A residual layer: every token sees itself and the mean of the tokens."""

    def __init__(self, config: PairNetworkConfig):
        super().__init__()
        inner = config.ratio * config.hand_width
        self.enter = _linear(config.hand_width, inner)
        self.context = _linear(config.hand_width, inner)
        self.leave = _linear(inner, config.hand_width)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (n, tokens, width) into the same."""
        seen = normalized(x)
        hidden = self.enter(seen) + self.context(seen.mean(1, keepdim=True))
        change: Tensor = self.leave(functional.gelu(hidden))
        return x + change


def relations(hands: Tensor) -> Tensor:
    """Return (n, 4, 2, 13, 8) inputs of (n, 2, 52) zeros and ones: suit, hand, rank, input.

    For each card that the hand holds: 1; how many higher cards the hand itself, its partner and
    the opponents hold (in fours); whether the opponents hold none, and nobody else does. For each
    card of the opponents: 1, and how many higher cards the hand holds (in fours).
    """
    held = hands.view(-1, HANDS, SUITS, RANKS).transpose(1, 2).to(torch.float32)
    partner = held.flip(2)
    theirs = 1 - held - partner
    own_above, partner_above, theirs_above = (
        (cards.cumsum(-1) - cards) / SUITS for cards in (held, partner, theirs)
    )
    top = (theirs_above == 0).to(held.dtype)
    features = [
        held,
        held * own_above,
        held * partner_above,
        held * theirs_above,
        held * top,
        held * top * (partner_above == 0).to(held.dtype),
        theirs,
        theirs * own_above,
    ]
    return torch.stack(features, dim=-1)


class PairNetwork(TokenNetwork):
    """From two hands to logits of every result they can have. ``seed`` decides first weights.

    Turns (n, 2, 52) hands into (n, 5, 2, 14); the declarers are the two hands, in their order.
    """

    groups = HANDS

    def __init__(self, config: PairNetworkConfig, *, seed: int):
        super().__init__()
        self.config = config
        width, inner = config.hand_width, config.ratio * config.hand_width

        def layers(count: int) -> nn.Sequential:
            return nn.Sequential(*(PairLayer(config) for _ in range(count)))

        self.enter = _linear(RANKS * CARD_INPUTS, inner)
        self.leave = _linear(inner, width)
        self.before = layers(config.before)
        self.roles = nn.ModuleDict(
            {role: _linear(width, width) for role in ("trump", "side", "notrump")}
        )
        self.after = layers(config.after)
        self.pooled = layers(config.pooled)
        self.head = _linear(width, COUNTS)
        draw_weights(self, config.depth, seed)

    def tokens(self, cards: Tensor) -> Tensor:
        """Turn (n, 2, 52) hands into (n, 4, width)."""
        inputs = relations(cards).flatten(2)  # (n, suit, 2 × 13 × 8)
        tokens: Tensor = self.leave(functional.gelu(self.enter(inputs)))
        return tokens


def expected_tricks(logits: Tensor) -> Tensor:
    """Return the mean tricks, (…), of (…, 14) logits."""
    counts = torch.arange(COUNTS, device=logits.device, dtype=torch.float32)
    return logits.softmax(-1) @ counts
