"""A suit network as an ONNX graph: owners in, probabilities out, in float32."""

from typing import Any

import numpy as np
from torch import nn

from ...cards.sizes import COUNTS, RANKS, SEATS, STRAINS, SUITS
from ..suits import Layer, Mixing, SuitNetwork
from .calibration import FAR, Calibration
from .graph import Array
from .token_graph import TokenGraph


class SuitGraph(TokenGraph[SuitNetwork]):
    """The graph of a network: input ``owners``, (n, 52), and ``strains``, (k,), all by default.

    ``half`` stores weights in 16 bits.
    """

    def __init__(self, network: SuitNetwork, *, half: bool):
        super().__init__(network, half=half)
        # an initializer that is an input too is that input's default
        self.asked = self.constant(np.arange(STRAINS), name="strains")

    def to_onnx(self, calibration: Calibration | None) -> Any:
        """Return the onnx model, calibrated where a ``calibration`` is given."""
        logits = self._by_declarer(self.logits(self.tokens("owners")))
        if calibration is not None:
            logits = self.calibrated(logits, calibration)
        self.op("Softmax", logits, name="probabilities", axis=-1)
        return self.model(
            {"owners": (np.uint8, ["n", SUITS * RANKS]), "strains": (np.int64, ["k"])},
            {"probabilities": (np.float32, ["n", "k", SEATS, COUNTS])},
            domains=["com.microsoft"],
        )

    def _by_declarer(self, logits: str) -> str:
        """(k n, 4 × 14) → (n, k, 4, 14), of the strains asked for."""
        sizes = self.constant(np.array([-1])), self.op("Shape", "strains")
        shape = self.op("Concat", *sizes, self.constant(np.array([SEATS, COUNTS])), axis=0)
        return self.op("Reshape", logits, shape)

    def calibrated(self, logits: str, calibration: Calibration) -> str:
        """What the softmax of `Calibration.apply` is taken of."""
        slope, curve, doubt = (
            self.of_strains(np.asarray(numbers, np.float32).reshape(-1, 1, 1))
            for numbers in calibration[:3]
        )
        logs = self.op("LogSoftmax", logits, axis=-1)
        near = self.op("Max", logs, self.constant(np.array(-FAR, np.float32)))
        bend = self.op("Mul", self.op("Mul", near, near), curve)
        largest = self.op("ReduceMax", logs, self.constant(np.array([-1])))
        steep = self.op("Add", self.op("Mul", largest, doubt), slope)
        bent = self.op("Sub", self.op("Mul", logs, steep), bend)
        if not any(calibration.tilt):
            return bent
        counts = np.arange(COUNTS, dtype=np.float32)
        tilts = np.asarray(calibration.tilt, np.float32).reshape(-1, 1, 1) * counts
        return self.op("Add", bent, self.of_strains(tilts))

    def product(self, x: str, weight: Array, bias: Array, layer: nn.Module) -> str:
        """A linear layer in float32."""
        bias_name = self.constant(np.tile(bias.astype(np.float32), SEATS))
        weight = weight.transpose(1, 2, 0)  # (distance, inputs, outputs)
        return self.op("Gemm", x, self.expanded(self.weight(weight), weight.shape), bias_name)

    def expanded(self, weight: str, shape: tuple[int, ...]) -> str:
        """(distance, inputs, outputs) → (4 × inputs, 4 × outputs), as ``SeatLinear.matrix``.

        Done once, when ONNX Runtime loads the file and computes what depends on constants alone;
        so the file has a quarter of the size.
        """
        seats, inputs = np.arange(SEATS, dtype=np.int32), shape[1]
        starts = (seats[:, None, None] - seats) % SEATS * inputs  # (from, 1, to)
        within = np.arange(inputs, dtype=np.int32)[:, None]
        rows = self.op("Add", self.constant(starts), self.constant(within))  # (from, inputs, to)
        blocks = self.op("Gather", self.shaped(weight, -1, shape[2]), rows, axis=0)
        return self.shaped(blocks, SEATS * inputs, SEATS * shape[2])

    def tokens(self, owners: str) -> str:
        """The first layer: (n, 52) → (4 n, width)."""
        suits = self.shaped(self.cast(owners), -1, RANKS)
        one_by_one = self.shaped(suits, -1, 1, RANKS)
        seats = self.constant(np.arange(SEATS, dtype=np.float32)[:, None])
        held = self.cast(self.op("Equal", one_by_one, seats))
        kinds = self.relations(held) if self.network.config.inputs == "relations" else [held]
        rows = kinds[0] if len(kinds) == 1 else self.op("Concat", *kinds, axis=2)
        return self.entered(rows, self.network.first.enter, self.network.first.leave)

    def relations(self, held: str) -> list[str]:
        """(4 n, seat, rank) zeros and ones → the kinds of ``suits.relations``, (…, kinds, rank)."""
        above = self.constant(np.triu(np.ones((RANKS, RANKS), np.float32), 1))
        higher = self.op("MatMul", held, above)  # cards of each seat above each rank
        seats = np.arange(SEATS)
        around = self.op("Gather", higher, self.constant((seats[:, None] + seats) % SEATS), axis=1)
        held = self.shaped(held, -1, SEATS, 1, RANKS)
        # of the four distances: all but oneself; the opponents
        masks = np.array([[0, 1, 1, 1], [0, 1, 0, 1]], np.float32)
        others = self.op("MatMul", self.constant(masks), around)  # (4 n, seat, 2, rank)
        top = self.below(others, 0.5)
        quarters = self.op("Mul", around, self.constant(np.array(1 / SEATS, np.float32)))
        return [held, self.op("Mul", quarters, held), self.op("Mul", top, held)]

    def layer(self, x: str, layer: nn.Module, *, pooled: bool = False, mean: bool = False) -> str:
        """A residual layer on (rows, width); of its result only the ``mean`` of every four rows."""
        assert isinstance(layer, Layer)
        if layer.mixing is not None:
            x = self.mixed(x, layer.mixing)
        hidden = self.activated(self.linear(self.normalized(x), layer.feed.enter))
        return self.added(x, hidden, layer.feed.leave, mean=mean)

    def mixed(self, x: str, mixing: Mixing) -> str:
        """Attention over every four rows, or a function of their mean, added to them."""
        parts, width, heads = mixing.parts, self.width, mixing.heads
        if not heads:
            value = self.linear(self.normalized(self.token_mean(x, width)), parts["value"])
            change = self.linear(self.activated(value), parts["leave"])
            by_deal, changes = self.shaped(x, -1, SUITS, width), self.shaped(change, -1, 1, width)
            return self.shaped(self.op("Add", by_deal, changes), -1, width)
        before = self.normalized(x)
        size = width // heads
        by_head = {}
        for name, order in (
            ("query", (0, 2, 1, 3)),
            ("key", (0, 2, 3, 1)),
            ("value", (0, 2, 1, 3)),
        ):
            weight, bias = self.arrays(parts[name])
            scale = size**-0.5 if name == "query" else 1.0
            rows = self.product(before, weight * scale, bias * scale, parts[name])
            split = self.shaped(rows, -1, SUITS, heads, size)
            by_head[name] = self.op("Transpose", split, perm=order)
        shares = self.op("Softmax", self.op("MatMul", by_head["query"], by_head["key"]), axis=-1)
        looked_at = self.op("MatMul", shares, by_head["value"])
        values = self.op("Transpose", looked_at, perm=(0, 2, 1, 3))
        return self.op("Add", x, self.linear(self.shaped(values, -1, width), parts["leave"]))
