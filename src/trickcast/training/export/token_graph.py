"""What the graphs of suit networks and of pair networks share: suits are tokens.

Written by hand rather than traced: what depends on weights alone is computed here, the mean of
suits is taken before products where that saves some, and every row is a token, so that each linear
layer is one large matrix product.
"""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np
from torch import nn

from ...cards.sizes import RANKS, STRAINS, SUITS
from ..pair_network import PairNetwork
from ..suits import SuitNetwork
from ..tokens import SeatLinear
from .graph import Array, Graph

Network = TypeVar("Network", SuitNetwork, PairNetwork)


class TokenGraph(Graph, ABC, Generic[Network]):
    """A method for each part of the network; a subclass adds those of its own kind."""

    asked: str | None = None
    """The strains to compute, (k,); all five where it is None."""

    def __init__(self, network: Network, *, half: bool):
        super().__init__()
        self.network: Network = network
        self._half = half
        self.width, self.hidden = network.config.width, network.config.ratio * network.config.width

    @abstractmethod
    def product(self, x: str, weight: Array, bias: Array, layer: nn.Module) -> str:
        """A linear layer on (rows, groups × inputs).

        ``weight`` is (outputs, groups, inputs), ``bias`` (outputs); ``layer`` is the layer of the
        network whose input x is.
        """

    @abstractmethod
    def layer(self, x: str, layer: nn.Module, *, pooled: bool = False, mean: bool = False) -> str:
        """A residual layer on (rows, width): four rows of a deal and strain, one if ``pooled``."""

    def logits(self, x: str) -> str:
        """All behind the tokens: (4 n, width) → (k n, groups × 14)."""
        for layer in self.network.before:
            x = self.layer(x, layer)
        strains = self.strains(self.normalized(x))  # (k n, width)
        for layer in self.network.pooled:
            strains = self.layer(strains, layer, pooled=True)
        return self.linear(self.normalized(strains), self.network.head)

    def weight(self, values: Array) -> str:
        """Add float weights, stored in 16 bits or 32; they are float32 when loaded."""
        if not self._half:
            return self.constant(values.astype(np.float32))
        return self.cast(self.constant(values.astype(np.float16)))

    def of_strains(self, values: Array) -> str:
        """A constant with a row for every strain: the rows of the strains to compute."""
        rows = self.constant(values)
        return rows if self.asked is None else self.op("Gather", rows, self.asked, axis=0)

    def linear(self, x: str, layer: nn.Module) -> str:
        """A linear layer on (rows, inputs)."""
        return self.product(x, *self.arrays(layer), layer)

    def arrays(self, layer: nn.Module) -> tuple[Array, Array]:
        """Weight (outputs, groups, inputs) and bias (outputs) of a layer."""
        return arrays(layer)

    def normalized(self, x: str) -> str:
        """Layer normalisation of (rows, width)."""
        ones = self.constant(np.ones(self.width, np.float32))
        return self.op("LayerNormalization", x, ones, axis=-1, epsilon=1e-5)

    def activated(self, x: str) -> str:
        """The configured activation."""
        return self.op("Gelu" if self.network.config.activation == "gelu" else "Relu", x)

    def token_mean(self, x: str, features: int, tokens: int = SUITS) -> str:
        """The mean of every four rows, or so many: (4 m, features) → (m, features)."""
        rows = self.shaped(x, -1, tokens, features)
        return self.op("ReduceMean", rows, self.constant(np.array([1])), keepdims=0)

    def entered(self, rows: str, enter: nn.Module, leave: nn.Module) -> str:
        """The two layers from the inputs of a token, (…, groups, kinds of inputs, rank)."""
        # the graph has a group's inputs kind by kind, torch card by card
        weight, bias = self.arrays(enter)
        order = np.arange(weight.shape[2]).reshape(RANKS, -1).T.ravel()
        x = self.shaped(rows, -1, weight.shape[1] * weight.shape[2])
        return self.linear(self.activated(self.product(x, weight[:, :, order], bias, enter)), leave)

    def added(self, x: str, hidden: str, leave: nn.Module, *, mean: bool) -> str:
        """A layer's last product, added to x; of the result only the ``mean`` of every four rows.

        That mean is taken before the product, which has a quarter of the rows then.
        """
        if mean:
            x, hidden = self.token_mean(x, self.width), self.token_mean(hidden, self.hidden)
        return self.op("Add", x, self.linear(hidden, leave))

    def strains(self, suits: str) -> str:
        """A copy of the deal for each strain to compute: (4 n, width) → (k n, width)."""
        roles, width = self.network.roles, self.width
        if not len(self.network.after):
            return self._pooled_strains(suits)
        marked = [
            self.shaped(self.linear(suits, roles[name]), -1, SUITS, width)
            for name in ("trump", "side", "notrump")
        ]
        rows = self.op("Concat", *marked, axis=1)  # (n, role and suit, width)
        role = np.ones((STRAINS, SUITS), np.int64)  # of every suit in every strain: a side suit,
        np.fill_diagonal(role, 0)  # but trumps in its own,
        role[SUITS] = 2  # and neither in notrump
        chosen = self.of_strains(role * SUITS + np.arange(SUITS))
        x = self.shaped(self.op("Gather", rows, chosen, axis=1), -1, width)
        *inner, last = self.network.after
        for layer in inner:
            x = self.layer(x, layer)
        return self.layer(x, last, mean=True)

    def _pooled_strains(self, suits: str) -> str:
        """The same without layers on the suits of a strain: the mean comes before the products."""
        roles, width = self.network.roles, self.width
        (trump, trump_bias), (side, side_bias), (notrump, notrump_bias) = (
            arrays(roles[name]) for name in ("trump", "side", "notrump")
        )
        mean = self.token_mean(suits, width)
        difference = self.product(
            suits, (trump - side) / SUITS, (trump_bias - side_bias) / SUITS, roles["trump"]
        )
        all_side, all_notrump = (
            self.shaped(self.product(mean, weight, bias, roles["trump"]), -1, 1, width)
            for weight, bias in ((side, side_bias), (notrump, notrump_bias))
        )
        in_suits = self.op("Add", self.shaped(difference, -1, SUITS, width), all_side)
        strains = self.op("Concat", in_suits, all_notrump, axis=1)
        if self.asked is not None:
            strains = self.op("Gather", strains, self.asked, axis=1)
        return self.shaped(strains, -1, width)


def arrays(layer: nn.Module) -> tuple[Array, Array]:
    """Return weight (outputs, groups, inputs) and bias (outputs) of a seat layer."""
    assert isinstance(layer, SeatLinear)
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()
