"""What the networks of ``suits`` and ``pairs`` share: suits are tokens, marked by their role.

Suits have no order: tokens are treated alike and marked only as trumps, side suit or notrump suit,
so exchanging suits exchanges results. A token's features stand in groups, one for each seat (or for
each known hand), and every linear layer joins the groups by their distance around the table.
"""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..cards.sizes import COUNTS, SEATS, STRAINS, SUITS


class SeatLinear(nn.Module):
    """A linear layer that commutes with turning the table.

    Features stand seat by seat, ``inputs`` (``outputs``) of each. What seat p gets from seat q
    depends on (q - p) mod 4 alone: itself, left-hand opponent, partner, right-hand opponent.
    With ``seats=2`` these are the two of a side: itself and partner.
    """

    def __init__(self, inputs: int, outputs: int, seats: int = SEATS):
        super().__init__()
        self.seats = seats
        self.weight = nn.Parameter(torch.zeros(outputs, seats, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def matrix(self) -> tuple[Tensor, Tensor]:
        """Return the layer as a plain one: weight (4 × outputs, 4 × inputs), bias (4 × outputs)."""
        return _around(self.weight, 1), self.bias.repeat(self.seats)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (…, 4 × inputs) into (…, 4 × outputs).

        Compiled for a processor, sums are part of what comes before and after, and products dear.
        """
        if torch.compiler.is_compiling() and x.device.type == "cpu":
            return self.by_halves(x)
        return functional.linear(x, *self.matrix())

    def by_halves(self, x: Tensor) -> Tensor:
        """Return the same by half the products: sums of opposite seats, and differences, apart."""
        one, other = x.chunk(2, dim=-1)
        near, far = self.weight.chunk(2, dim=1)  # by distance: of a seat and of its opposite
        bias = self.bias.repeat(self.seats // 2)
        plus = functional.linear(one + other, _around(near + far, 1) / 2, bias)
        minus = functional.linear(one - other, _around(near - far, -1) / 2)
        return torch.cat([plus + minus, plus - minus], dim=-1)


def _around(weight: Tensor, sign: int) -> Tensor:
    """Return (outputs, seats, inputs) as a matrix, with ``sign`` where the last seat is passed."""
    seats = weight.shape[1]
    twice = torch.cat([sign * weight, weight], dim=1)
    rows = [twice[:, seats - seat : 2 * seats - seat] for seat in range(seats)]
    return torch.cat(rows).flatten(1)


def normalized(x: Tensor) -> Tensor:
    """Layer normalisation without weights of its own: the linear layer behind it has them."""
    return functional.layer_norm(x, x.shape[-1:])


def draw_weights(network: nn.Module, depth: int, seed: int) -> None:
    """Draw the first weights: normal, variance 1/inputs, less where ``depth`` layers add up.

    Biases and the layer ``head`` stay zero: the first answer is that all counts are equally likely.
    """
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in network.named_parameters():
        if name.endswith("bias") or name.startswith("head"):
            continue
        scale = float(parameter[0].numel()) ** -0.5
        if name.endswith("leave.weight") and name.startswith(("before", "after", "pooled")):
            scale *= (2 * depth) ** -0.5  # as in GPT-2
        nn.init.normal_(parameter, 0.0, scale, generator=generator)


def in_every_strain(trump: Tensor, side: Tensor, notrump: Tensor) -> Tensor:
    """Return (n, 5, 4, width) suits as they are in each strain, of (n, 4, width) in each role."""
    own = torch.eye(SUITS, dtype=torch.bool, device=trump.device)[..., None]
    marked = torch.where(own, trump[:, None], side[:, None])  # (n, trumps, suit, width)
    return torch.cat([marked, notrump[:, None]], dim=1)


class TokenNetwork(nn.Module, ABC):
    """From what is known of the cards to logits of every result: tokens, layers, strains, layers.

    A subclass makes the tokens and the parts: layers ``before`` the strain is known, ``roles`` that
    mark a suit, layers ``after`` on the four suits of each strain, ``pooled`` ones on their mean, a
    ``head``. ``groups`` are the seats, or known hands, that may declare.
    """

    groups: int
    before: nn.Sequential
    roles: nn.ModuleDict
    after: nn.Sequential
    pooled: nn.Sequential
    head: nn.Module

    @abstractmethod
    def tokens(self, cards: Tensor) -> Tensor:
        """Turn the cards into (n, 4, width)."""

    def forward(self, cards: Tensor) -> Tensor:
        """Turn the cards into (n, 5, groups, 14) float32 logits: strain, declarer, tricks."""
        # sums over layers stay in float32 where autocast makes products bfloat16
        suits = normalized(self.before(self.tokens(cards).float()))
        trump, side, notrump = (self.roles[name](suits) for name in ("trump", "side", "notrump"))
        if len(self.after):
            strains = in_every_strain(trump, side, notrump)
            strains = self.after(strains.flatten(0, 1).float()).mean(1)
            strains = strains.view(-1, STRAINS, suits.shape[-1])
        else:
            in_suits = side.mean(1, keepdim=True) + (trump - side) / SUITS
            strains = torch.cat([in_suits, notrump.mean(1, keepdim=True)], dim=1)
        logits: Tensor = self.head(normalized(self.pooled(strains.float())))
        return logits.float().view(-1, STRAINS, self.groups, COUNTS)

    @property
    def weights(self) -> int:
        """Number of weights, biases counted."""
        return sum(parameter.numel() for parameter in self.parameters())
