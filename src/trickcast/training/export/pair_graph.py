"""A pair network as an ONNX graph: two hands in, probabilities of all results out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import nn

from ...cards.sizes import COUNTS, RANKS, STRAINS, SUITS
from ..pair_network import HANDS, PairLayer, PairNetwork
from .graph import Array
from .token_graph import TokenGraph


class PairGraph(TokenGraph[PairNetwork]):
    """The graph of a network: that of a suit network, but for two groups in place of four."""

    def __init__(self, network: PairNetwork):
        super().__init__(network, half=True)

    def to_onnx(self, sharpness: Sequence[float]) -> Any:
        """Return the onnx model; the logits of every strain are multiplied by its ``sharpness``."""
        scale = self.constant(np.asarray(sharpness, np.float32).reshape(STRAINS, 1, 1))
        rows = self.logits(self.tokens("hands"))
        logits = self.op("Mul", self.shaped(rows, -1, STRAINS, HANDS, COUNTS), scale)
        self.op("Softmax", logits, name="probabilities", axis=-1)
        return self.model(
            {"hands": (np.uint8, ["n", HANDS, SUITS * RANKS])},
            {"probabilities": (np.float32, ["n", STRAINS, HANDS, COUNTS])},
        )

    def product(self, x: str, weight: Array, bias: Array, layer: nn.Module) -> str:
        """A linear layer on (rows, 2 × inputs), its weight (outputs, 2, inputs), bias (outputs)."""
        by_group = weight.transpose(1, 2, 0)  # itself or the other hand, inputs, outputs
        blocks = self.op(
            "Gather", self.weight(by_group), self.constant(np.array([[0, 1], [1, 0]])), axis=0
        )
        rows = self.op("Transpose", blocks, perm=(0, 2, 1, 3))
        plain = self.shaped(rows, HANDS * by_group.shape[1], HANDS * by_group.shape[2])
        return self.op("Gemm", x, plain, self.constant(np.tile(bias.astype(np.float32), HANDS)))

    def tokens(self, hands: str) -> str:
        """The first layer: (n, 2, 52) → (4 n, width)."""
        cards = self.cast(hands)
        held = self.op(
            "Transpose", self.shaped(cards, -1, HANDS, SUITS, RANKS), perm=(0, 2, 1, 3)
        )  # (n, suit, hand, rank)
        partner = self.op("Gather", held, self.constant(np.array([1, 0])), axis=2)
        one = self.constant(np.array(1, np.float32))
        theirs = self.op("Sub", self.op("Sub", one, held), partner)
        above = self.constant(np.triu(np.ones((RANKS, RANKS), np.float32), 1) / SUITS)
        own_above, partner_above, theirs_above = (
            self.op("MatMul", kind, above) for kind in (held, partner, theirs)
        )
        top, alone = (self.below(kind, 0.125) for kind in (theirs_above, partner_above))
        held_top = self.op("Mul", held, top)
        kinds = [
            held,
            *(self.op("Mul", held, kind) for kind in (own_above, partner_above, theirs_above)),
            held_top,
            self.op("Mul", held_top, alone),
            theirs,
            self.op("Mul", theirs, own_above),
        ]
        rows = self.op("Concat", *kinds, axis=3)
        return self.entered(rows, self.network.enter, self.network.leave)

    def layer(self, x: str, layer: nn.Module, *, pooled: bool = False, mean: bool = False) -> str:
        """A residual layer on (rows, width), so many rows a deal and strain, or their ``mean``."""
        assert isinstance(layer, PairLayer)
        tokens = STRAINS if pooled else SUITS
        seen = self.normalized(x)
        middle = self.token_mean(seen, self.width, tokens)
        context = self.shaped(self.linear(middle, layer.context), -1, 1, self.hidden)
        own = self.shaped(self.linear(seen, layer.enter), -1, tokens, self.hidden)
        hidden = self.shaped(self.activated(self.op("Add", own, context)), -1, self.hidden)
        return self.added(x, hidden, layer.leave, mean=mean)
