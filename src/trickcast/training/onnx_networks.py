"""The networks of ``suit_networks`` as ONNX graphs, in float32, float16 or int8.

They are written by hand rather than traced. Anything that depends only on weights is computed here,
means over suits are taken before products where that saves work, and every row is a token, so that
each linear layer is one large matrix product.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from torch import nn

from ..cards.sizes import COUNTS, RANKS, SEATS, STRAINS, SUITS
from .exports import FAR, Array, Calibration, Graph
from .suit_networks import HANDS, Layer, Mixing, PairLayer, PairNetwork, SeatLinear, SuitNetwork

Network = TypeVar("Network", SuitNetwork, PairNetwork)
Order = slice | Array


class TokenGraph(Graph, ABC, Generic[Network]):
    """A method for each part of the network; subclasses add parts of their own."""

    axis: int = 1
    """Axis of the suits: 1 for rows as (n, 4, width), 0 for (4, n, width)."""
    asked: str | None = None
    """The strains to compute, (k,); all five if None."""
    inner: str
    """The last inner layer, (n k, width), after ``logits``."""

    def __init__(self, network: Network, *, half: bool):
        super().__init__()
        self.network: Network = network
        self._half = half
        self.width, self.hidden = network.config.width, network.config.ratio * network.config.width

    @abstractmethod
    def product(
        self, x: str, weight: Array, bias: Array, layer: nn.Module, order: Order = slice(None)
    ) -> str:
        """Add a linear layer on (rows, groups × inputs).

        ``weight`` is (outputs, groups, inputs), ``bias`` (outputs). ``layer`` is the network layer
        with input x, except that x has the inputs of a group in this ``order``.
        """

    @abstractmethod
    def layer(self, x: str, layer: nn.Module, *, pooled: bool = False, mean: bool = False) -> str:
        """Add a residual layer on (rows, width): four rows a deal and strain, one if ``pooled``."""

    def logits(self, x: str) -> str:
        """Add everything after the tokens: (4 n, width) → (n k, groups × 14)."""
        for layer in self.network.before:
            x = self.layer(x, layer)
        strains = self.strains(self.normalized(x))
        for layer in self.network.pooled:
            strains = self.layer(strains, layer, pooled=True)
        self.inner = self.by_deal(self.normalized(strains))
        return self.linear(self.inner, self.network.head)

    def by_deal(self, strains: str) -> str:
        """Put the strains of a deal side by side: (n k, width) or (k n, width) → (n k, width)."""
        if self.axis == 1:
            return strains
        count = self.op("Shape", self.of_strains(np.arange(STRAINS)))
        shape = self.op("Concat", count, self.constant(np.array([-1, self.width])), axis=0)
        by_strain = self.op("Reshape", strains, shape)
        return self.shaped(self.op("Transpose", by_strain, perm=(1, 0, 2)), -1, self.width)

    def weight(self, values: Array) -> str:
        """Add float weights, stored in 16 bits or 32; they are float32 once loaded."""
        if not self._half:
            return self.constant(values.astype(np.float32))
        return self.cast(self.constant(values.astype(np.float16)))

    def of_strains(self, values: Array) -> str:
        """Add a constant with a row for every strain: the rows of the strains to compute."""
        rows = self.constant(values)
        return rows if self.asked is None else self.op("Gather", rows, self.asked, axis=0)

    def linear(self, x: str, layer: nn.Module) -> str:
        """Add a linear layer on (rows, inputs)."""
        return self.product(x, *arrays(layer), layer)

    def kept(self, x: str, layer: nn.Module) -> str:
        """Add the same for rows that are normalised later."""
        return self.product(x, *self.of_kept(layer), layer)

    def of_kept(self, layer: nn.Module) -> tuple[Array, Array]:
        """Return weight and bias of a layer for such rows."""
        return arrays(layer)

    def normalized(self, x: str) -> str:
        """Add layer normalisation of (rows, width)."""
        ones = self.constant(np.ones(self.width, np.float32))
        return self.op("LayerNormalization", x, ones, axis=-1, epsilon=1e-5)

    def activated(self, x: str) -> str:
        """Add the configured activation."""
        return self.op("Gelu" if self.network.config.activation == "gelu" else "Relu", x)

    def by_suit(self, x: str, features: int, tokens: int = SUITS) -> str:
        """Split rows by suit, or token: (4 m, features) → (m, 4, features), (4, m, …)."""
        leading = (-1, tokens) if self.axis == 1 else (tokens, -1)
        return self.shaped(x, *leading, features)

    def token_mean(self, x: str, features: int, tokens: int = SUITS) -> str:
        """Add the mean over all suits, or tokens: (4 m, features) → (m, features)."""
        if self.axis == 0:  # a product is faster
            shares = self.constant(np.full((1, tokens), 1 / tokens, np.float32))
            return self.shaped(self.op("MatMul", shares, self.shaped(x, tokens, -1)), -1, features)
        rows = self.by_suit(x, features, tokens)
        return self.op("ReduceMean", rows, self.constant(np.array([self.axis])), keepdims=0)

    def of_all(self, means: str, features: int) -> str:
        """Shape what is added to all suits' rows: (m, features) → (m, 1, features), (1, m, …)."""
        return self.by_suit(means, features, 1)

    def entered(self, rows: str, enter: nn.Module, leave: nn.Module) -> str:
        """Add the two layers from the inputs of a token, (…, groups, kinds of inputs, rank)."""
        return self.kept(self.entering(rows, enter), leave)

    def entering(self, rows: str, enter: nn.Module) -> str:
        """Add the first of them, up to its hidden units."""
        # the graph has a group's inputs kind by kind, torch card by card
        weight, bias = arrays(enter)
        order = np.arange(weight.shape[2]).reshape(RANKS, -1).T.ravel()
        x = self.shaped(rows, -1, weight.shape[1] * weight.shape[2])
        return self.activated(self.product(x, weight, bias, enter, order))

    def added(self, x: str, hidden: str, leave: nn.Module, *, mean: bool) -> str:
        """Add a layer's last product to x; with ``mean``, keep only the mean of every four rows.

        That mean is taken before the product, which then has a quarter of the rows.
        """
        if mean:
            x, hidden = self.token_mean(x, self.width), self.token_mean(hidden, self.hidden)
        return self.op("Add", x, self.kept(hidden, leave))

    def strains(self, suits: str) -> str:
        """Copy the deal for each strain: (4 n, width) → (n k, width), or (k n, width)."""
        roles = self.network.roles
        if not len(self.network.after):
            return self._pooled_strains(suits)
        marked = [self.kept(suits, roles[name]) for name in ("trump", "side", "notrump")]
        x = self.chosen(marked, self.width)
        *inner, last = self.network.after
        for layer in inner:
            x = self.layer(x, layer)
        return self.layer(x, last, mean=True)

    def chosen(self, marked: Sequence[str], width: int) -> str:
        """Select each suit in its role in each strain: 3 times (4 n, width) → (4 k n, width)."""
        rows = self.op("Concat", *(self.by_suit(rows, width) for rows in marked), axis=self.axis)
        where = self.of_strains(in_roles())  # index into role and suit
        if self.axis == 0:
            where = self.op("Transpose", where, perm=(1, 0))  # suit by suit
        return self.shaped(self.op("Gather", rows, where, axis=self.axis), -1, width)

    def _pooled_strains(self, suits: str) -> str:
        """Do the same without layers on the suits of a strain: the mean precedes the products."""
        roles, width = self.network.roles, self.width
        (trump, trump_bias), (side, side_bias), (notrump, notrump_bias) = (
            self.of_kept(roles[name]) for name in ("trump", "side", "notrump")
        )
        mean = self.token_mean(suits, width)
        difference = self.product(
            suits, (trump - side) / SUITS, (trump_bias - side_bias) / SUITS, roles["trump"]
        )
        all_side, all_notrump = (
            self.of_all(self.product(mean, weight, bias, roles["trump"]), width)
            for weight, bias in ((side, side_bias), (notrump, notrump_bias))
        )
        in_suits = self.op("Add", self.by_suit(difference, width), all_side)
        strains = self.op("Concat", in_suits, all_notrump, axis=self.axis)
        if self.asked is not None:
            strains = self.op("Gather", strains, self.asked, axis=self.axis)
        return self.shaped(strains, -1, width)


def in_roles() -> Array:
    """Return the index of every suit of every strain in roles and suits, (strains, suits)."""
    role = np.ones((STRAINS, SUITS), np.int64)  # a side suit,
    np.fill_diagonal(role, 0)  # but trumps in its own strain,
    role[SUITS] = 2  # and neither in notrump
    return role * SUITS + np.arange(SUITS)


def arrays(layer: nn.Module) -> tuple[Array, Array]:
    """Return weight (outputs, groups, inputs) and bias (outputs) of a seat layer."""
    assert isinstance(layer, SeatLinear)
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()


class SuitGraph(TokenGraph[SuitNetwork]):
    """The graph of a network: input ``owners``, (n, 52), and ``strains``, (k,), all by default.

    Its outputs are ``probabilities``, (n, k, 4, 14), and ``inner``, (n, k, width): the last inner
    layer, on which other networks are trained.
    ``half`` stores weights in 16 bits.
    """

    def __init__(self, network: SuitNetwork, *, half: bool):
        super().__init__(network, half=half)
        # attention needs the suits of a deal side by side; others use means over suits
        self.axis = 1 if network.config.heads else 0
        # an initializer that is also an input is that input's default
        self.asked = self.constant(np.arange(STRAINS), name="strains")

    def to_onnx(self, calibration: Calibration | None) -> Any:
        """Return the onnx model, calibrated if a ``calibration`` is given."""
        logits = self._by_strain(self.answers("owners"), SEATS, COUNTS)
        if calibration is not None:
            logits = self.calibrated(logits, calibration)
        self.op("Softmax", logits, name="probabilities", axis=-1)
        self._by_strain(self.inner, self.width, name="inner")
        return self.model(
            {"owners": (np.uint8, ["n", SUITS * RANKS]), "strains": (np.int64, ["k"])},
            {
                "probabilities": (np.float32, ["n", "k", SEATS, COUNTS]),
                "inner": (np.float32, ["n", "k", self.width]),
            },
            domains=["com.microsoft"],
        )

    def answers(self, owners: str) -> str:
        """Add all logits of (n, 52) owners: (n k, 4 × 14)."""
        return self.logits(self.tokens(owners))

    def _by_strain(self, rows: str, *sizes: int, name: str = "") -> str:
        """Reshape (n k, product of sizes) → (n, k, sizes), for the requested strains."""
        leading = self.constant(np.array([-1])), self.op("Shape", "strains")
        shape = self.op("Concat", *leading, self.constant(np.array(sizes)), axis=0)
        return self.op("Reshape", rows, shape, name=name)

    def calibrated(self, logits: str, calibration: Calibration) -> str:
        """Add the input of the softmax in `Calibration.apply`."""
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

    def product(
        self, x: str, weight: Array, bias: Array, layer: nn.Module, order: Order = slice(None)
    ) -> str:
        """Add a linear layer in float32."""
        bias_name = self.constant(np.tile(bias.astype(np.float32), SEATS))
        weight = weight[:, :, order].transpose(1, 2, 0)  # (distance, inputs, outputs)
        return self.op("Gemm", x, self.expanded(self.weight(weight), weight.shape), bias_name)

    def expanded(self, weight: str, shape: tuple[int, ...], sign: int = 1) -> str:
        """Expand (distance, inputs, outputs) → (seats × inputs, seats × outputs): ``SeatLinear``.

        ``sign`` applies to weights that wrap around the last seat. ONNX Runtime computes this once,
        when it loads the file, because it depends only on constants. So the file is a quarter the
        size, or half with two seats.
        """
        groups, inputs, outputs = shape
        seats = np.arange(groups, dtype=np.int32)
        starts = (seats[:, None, None] - seats) % groups * inputs  # (from, 1, to)
        if sign < 0:
            weight = self.op("Concat", weight, self.op("Neg", weight), axis=0)
            starts += (seats[:, None, None] < seats) * np.int32(groups * inputs)
        within = np.arange(inputs, dtype=np.int32)[:, None]
        rows = self.op("Add", self.constant(starts), self.constant(within))  # (from, inputs, to)
        blocks = self.op("Gather", self.shaped(weight, -1, outputs), rows, axis=0)
        return self.shaped(blocks, groups * inputs, groups * outputs)

    def tokens(self, owners: str) -> str:
        """Add the first layer: (n, 52) → (4 n, width)."""
        first = self.network.first
        return self.entered(self.features(owners), first.enter, first.leave)

    def features(self, owners: str) -> str:
        """Add the first layer's inputs for every suit, seat by seat."""
        suits = self.cast(owners)
        if self.axis == 0:
            suits = self.op("Transpose", self.shaped(suits, -1, SUITS, RANKS), perm=(1, 0, 2))
        one_by_one = self.shaped(suits, -1, 1, RANKS)
        seats = self.constant(np.arange(SEATS, dtype=np.float32)[:, None])
        held = self.cast(self.op("Equal", one_by_one, seats))
        kinds = self.relations(held) if self.network.config.inputs == "relations" else [held]
        return kinds[0] if len(kinds) == 1 else self.op("Concat", *kinds, axis=2)

    def relations(self, held: str) -> list[str]:
        """Turn (4 n, seat, rank) zeros and ones into ``relations`` (…, kinds, rank)."""
        above = self.constant(np.triu(np.ones((RANKS, RANKS), np.float32), 1))
        higher = self.op("MatMul", held, above)  # cards of each seat above each rank
        seats = np.arange(SEATS)
        around = self.op("Gather", higher, self.constant((seats[:, None] + seats) % SEATS), axis=1)
        held = self.shaped(held, -1, SEATS, 1, RANKS)
        # of the four distances: all but the seat itself; the opponents
        masks = np.array([[0, 1, 1, 1], [0, 1, 0, 1]], np.float32)
        others = self.op("MatMul", self.constant(masks), around)  # (4 n, seat, 2, rank)
        top = self.below(others, 0.5)
        quarters = self.op("Mul", around, self.constant(np.array(1 / SEATS, np.float32)))
        return [held, self.op("Mul", quarters, held), self.op("Mul", top, held)]

    def layer(self, x: str, layer: nn.Module, *, pooled: bool = False, mean: bool = False) -> str:
        """Add a residual layer on (rows, width); with ``mean``, only the mean of each four rows."""
        assert isinstance(layer, Layer)
        if layer.mixing is not None:
            x = self.mixed(x, layer.mixing)
        hidden = self.activated(self.linear(self.normalized(x), layer.feed.enter))
        return self.added(x, hidden, layer.feed.leave, mean=mean)

    def mixed(self, x: str, mixing: Mixing) -> str:
        """Add attention over every four rows, or a function of their mean."""
        parts, width, heads = mixing.parts, self.width, mixing.heads
        if not heads:
            value = self.linear(self.normalized(self.token_mean(x, width)), parts["value"])
            change = self.kept(self.activated(value), parts["leave"])
            both = self.op("Add", self.by_suit(x, width), self.of_all(change, width))
            return self.shaped(both, -1, width)
        before = self.normalized(x)
        size = width // heads
        by_head = {}
        for name, order in (
            ("query", (0, 2, 1, 3)),
            ("key", (0, 2, 3, 1)),
            ("value", (0, 2, 1, 3)),
        ):
            rows = self.product(before, *self.scaled(mixing, name), parts[name])
            split = self.shaped(rows, -1, SUITS, heads, size)
            by_head[name] = self.op("Transpose", split, perm=order)
        shares = self.op("Softmax", self.op("MatMul", by_head["query"], by_head["key"]), axis=-1)
        looked_at = self.op("MatMul", shares, by_head["value"])
        values = self.op("Transpose", looked_at, perm=(0, 2, 1, 3))
        return self.op("Add", x, self.kept(self.shaped(values, -1, width), parts["leave"]))

    def scaled(self, mixing: Mixing, name: str) -> tuple[Array, Array]:
        """Return weight and bias of a part of attention, with scaled queries."""
        weight, bias = arrays(mixing.parts[name])
        scale = (self.width // mixing.heads) ** -0.5 if name == "query" else 1.0
        return weight * scale, bias * scale


_STEPS = 63  # of an int8 weight: more than six bits overflow on processors without VNNI
_LEVELS = 255  # of a uint8 feature
_ROWS = 8192  # of a sample, for the products of features
_DAMPING = 0.01  # share of their mean square
_UNHEARD = -1e30  # score that gets no attention
_BINS = 4096  # of a histogram of features
_ROOM = 1.15  # margin for differences, relative to the largest in a sample


class Int8Graph(SuitGraph):
    """The graph of a network in integers.

    Normalised rows have a mean of zero: it is removed in the weights that produce them,
    so that normalisation needs only a row's length.
    ``sample`` (m, 52) are deals whose features determine the quantization ranges.
    """

    def __init__(self, network: SuitNetwork, sample: torch.Tensor):
        super().__init__(network, half=False)
        self._seen: dict[nn.Module, Seen] = _inputs(network, sample, _whole)
        self._quantized: dict[tuple[str, float, float], Whole] = {}

    def of_kept(self, layer: nn.Module) -> tuple[Array, Array]:
        """Return weight and bias for rows whose mean is zero."""
        weight, bias = arrays(layer)
        return weight - weight.mean((0, 1)), bias - bias.mean()

    def normalized(self, x: str) -> str:
        """Add layer normalisation of zero-mean (rows, width): one operation in ONNX Runtime."""
        squares = self.op("Pow", x, self.constant(np.array(2, np.float32)))
        mean = self.op("ReduceMean", squares, self.constant(np.array([-1])))
        more = self.op("Add", mean, self.constant(np.array(1e-5, np.float32)))
        of_length_one = self.op("Div", x, self.op("Sqrt", more))
        return self.op("Mul", of_length_one, self.constant(np.ones(self.width, np.float32)))

    def product(
        self, x: str, weight: Array, bias: Array, layer: nn.Module, order: Order = slice(None)
    ) -> str:
        """Add a linear layer in integers."""
        seen = self._seen[layer]
        return self.of_whole(self.whole(x, seen.low, seen.high), weight, bias, seen, order)

    def of_whole(
        self,
        x: "Whole",
        weight: Array,
        bias: Array | None,
        seen: "Seen",
        order: Order = slice(None),
        sign: int = 1,
    ) -> str:
        """Add a product with (outputs, groups, inputs) weights, given what is ``seen`` of x.

        Rounded weights would shift the output on average; the bias corrects that (Nagel et
        al., "Data-free quantization through weight equalization and bias correction", 2019).
        ``sign`` applies to weights that wrap around the last seat.
        """
        by_distance = weight.transpose(1, 2, 0)
        groups = len(by_distance)
        integers, steps = rounded(by_distance, seen.products)
        stored = self.constant(integers[:, order].astype(np.int8))
        inputs = [
            x.rows,
            self.expanded(stored, by_distance.shape, sign),
            x.step,
            self.constant(np.tile(steps.astype(np.float32), groups)),
            x.zero,
            self.constant(np.zeros(groups * len(steps), np.int8)),
        ]
        if bias is not None:
            bias = bias + seen.mean @ (by_distance - integers * steps).sum(0)
            inputs.append(self.constant(np.tile(bias.astype(np.float32), groups)))
        return self.op("MatMulIntegerToFloat", *inputs, domain="com.microsoft")

    def whole(self, x: str, low: float, high: float, unit: float = 1.0) -> "Whole":
        """Return ``unit`` times x, which is between ``low`` and ``high``, in integers.

        Computed once for all uses.
        """
        if (x, low, high) not in self._quantized:
            step = np.float32(max(high - low, 1e-6) / _LEVELS)
            scale = self.constant(np.asarray(step / np.float32(unit)))
            zero = self.constant(np.array(round(-low / float(step)), np.uint8))
            rows = self.op("QuantizeLinear", x, scale, zero)
            of_unit = scale if unit == 1 else self.constant(np.asarray(step))
            self._quantized[x, low, high] = Whole(rows, of_unit, zero)
        return self._quantized[x, low, high]


class HalvesGraph(Int8Graph):
    """The same with half the products, for a network with attention and layers on every strain.

    Rows are stored as sums and differences of opposite seats, (rows, width / 2) each: a
    layer that commutes with rotating the table does not mix them. They are converted back to seats
    for functions of single features, and for attention. Additions to a row are deferred until
    its length is needed.
    """

    def __init__(self, network: SuitNetwork, sample: torch.Tensor):
        super().__init__(network, sample)
        self._apart: dict[nn.Module, tuple[Seen, Seen]] = _inputs(network, sample, _apart)
        # sums and differences are longer than their seats, by the root of two
        self._factor = (2 * self.width) ** 0.5
        self._tiny = np.array([self.width * 1e-5], np.float32)  # half of its least square

    @staticmethod
    def fits(network: SuitNetwork) -> bool:
        """Return whether this graph supports the network."""
        return bool(network.config.heads and len(network.after) and not len(network.pooled))

    def answers(self, owners: str) -> str:
        """Add all logits of (n, 52) owners: (n k, 4 × 14)."""
        first, roles, after = self.network.first, self.network.roles, self.network.after
        entering = self.entering(self.features(owners), first.enter)
        seats = self.split(entering, self.constant(np.full(2, self.hidden // 2)), 2)
        x = self._kept(self._met(seats, first.leave), first.leave, 1)
        rows = Rows(x, x)
        for layer in self.network.before:
            rows = self._layer(rows, layer)
        normal, _ = self._settled(rows)
        marked = [
            self._kept(self._parts(normal, roles[name]), roles[name], 1)
            for name in ("trump", "side", "notrump")
        ]
        x = Halves(*(self.chosen(half, self.width // 2) for half in zip(*marked, strict=True)))
        rows = Rows(x, x)
        for number, layer in enumerate(after, start=1):
            rows = self._layer(rows, layer, mean=number == len(after))
        joined = self.op("Concat", *self._across(*self._settled(rows)[0]), axis=1)
        half = self.constant(np.array(self._factor / 2, np.float32))
        self.inner = self.op("Mul", joined, half)
        return self.linear(self.inner, self.network.head)

    def activated(self, x: str) -> str:
        """Add the configured activation, with GELU by a formula whose error is below rounding."""
        if self.network.config.activation == "gelu":
            return self.op("FastGelu", x, domain="com.microsoft")
        return super().activated(x)

    def _layer(self, rows: "Rows", layer: nn.Module, *, mean: bool = False) -> "Rows":
        """Add a residual layer, on the rows or, with ``mean``, on the mean of the four suits."""
        assert isinstance(layer, Layer) and layer.mixing is not None
        normal, x = self._settled(rows)
        rows = Rows(x, self._attention(normal, layer.mixing))
        normal, x = self._settled(rows)
        enter, leave = layer.feed.enter, layer.feed.leave
        seats = self._across(*self._halves(self._parts(normal, enter), enter, *arrays(enter)))
        hidden = [self.activated(half) for half in seats]
        if mean:
            x = Halves(*(self.token_mean(half, self.width // 2) for half in x))
            hidden = [self.token_mean(half, self.hidden // 2) for half in hidden]
        return Rows(x, self._kept(self._met(hidden, leave), leave))

    def _attention(self, normal: "Halves", mixing: Mixing) -> "Halves":
        """Add attention's change, separately for two opposite seats and the other two.

        All suits and heads of a deal query all of them at once, and other heads are masked out:
        four products of four rows cost more than one of sixteen.
        """
        size, asked = self.network.config.seat_width // self.network.config.heads, []
        for name in ("query", "key", "value"):
            part = mixing.parts[name]
            halves = self._halves(self._parts(normal, part), part, *self.scaled(mixing, name))
            seats = self._across(*halves)
            asked.append([self.shaped(half, -1, SUITS * mixing.heads // 2, size) for half in seats])
        own = np.tile(np.eye(mixing.heads // 2, dtype=np.float32), (SUITS, SUITS))
        unheard = self.constant(_UNHEARD * (1 - own))
        looked = []
        for query, key, value in zip(*asked, strict=True):  # (deals and strains, suit and head, …)
            scores = self.op("FusedMatMul", query, key, domain="com.microsoft", transB=1)
            shares = self.op("Softmax", self.op("Add", scores, unheard), axis=-1)
            seen = self.op("MatMul", shares, value)
            looked.append(self.shaped(seen, -1, self.width // 2))
        leave = mixing.parts["leave"]
        return self._kept(self._met(looked, leave), leave)

    def _settled(self, rows: "Rows") -> tuple["Halves", "Halves"]:
        """Return the normalised rows, except for a common factor, and the rows."""
        x = Halves(*(self.op("Add", *halves) for halves in zip(*rows, strict=True)))
        squares = self.op("Add", *(self.op("Mul", half, half) for half in x))
        # seat by seat, so that rotated rows have the same length to the last bit
        seat = self.width // SEATS
        ones = self.constant(np.ones((seat, 1), np.float32))
        # a product sums faster than a reduction
        by_seat = self.op("Gemm", self.shaped(squares, -1, seat), ones, self.constant(self._tiny))
        sums = self.op("ReduceSum", self.shaped(by_seat, -1, 2), self.constant(np.array([1])))
        length = self.op("Sqrt", sums)
        return Halves(*(self.op("Div", half, length) for half in x)), x

    def _across(self, one: str, other: str) -> tuple[str, str]:
        """Return sums and differences of seats; of sums and differences, twice the seats."""
        return self.op("Add", one, other), self.op("Sub", one, other)

    def _parts(self, normal: "Halves", layer: nn.Module) -> "Parts":
        """Return sums and differences of normalised rows, for a layer."""
        sums, differences = self._apart[layer]
        return (
            self.whole(normal.sums, sums.low, sums.high, self._factor),
            self.whole(normal.differences, differences.low, differences.high, self._factor),
        )

    def _met(self, seats: Sequence[str], layer: nn.Module) -> "Parts":
        """Return the same for two seats and those opposite."""
        one, other = (
            self.whole(half, seen.low, seen.high)
            for half, seen in zip(self._across(*seats), self._apart[layer], strict=True)
        )
        return one, other

    def _halves(self, parts: "Parts", layer: nn.Module, weight: Array, bias: Array) -> "Halves":
        """Add a linear layer: half of the sums and differences of its output."""
        near, far = np.split(weight, 2, axis=1)
        (sums, differences), (of_sums, of_differences) = parts, self._apart[layer]
        return Halves(
            self.of_whole(sums, (near + far) / 2, bias, of_sums),
            self.of_whole(differences, (near - far) / 2, None, of_differences, sign=-1),
        )

    def _kept(self, parts: "Parts", layer: nn.Module, length: float = 2) -> "Halves":
        """Add a linear layer for rows whose mean is zero, times half a ``length``."""
        weight, bias = self.of_kept(layer)
        return self._halves(parts, layer, length * weight, length * bias)


class Whole(NamedTuple):
    """Rows in uint8, the size of a step, and the step of zero."""

    rows: str
    step: str
    zero: str


Parts = tuple[Whole, Whole]
"""Sums of opposite seats, and their differences."""


class Halves(NamedTuple):
    """Sums of opposite seats, and their differences."""

    sums: str
    differences: str


class Rows(NamedTuple):
    """Rows with an addition that is not carried out yet."""

    x: Halves
    change: Halves


class Seen(NamedTuple):
    """Statistics of a linear layer's inputs on a sample of deals."""

    low: float
    high: float
    mean: Array
    """(inputs,) of a seat: they are the same for all seats."""
    products: Array
    """(seats × inputs, seats × inputs) mean products of a seat's inputs: its own, by distance."""


S = TypeVar("S")


def _inputs(
    network: SuitNetwork, sample: torch.Tensor, note: Callable[[torch.Tensor], S]
) -> dict[nn.Module, S]:
    """Return statistics of every linear layer's (m, 4, inputs) inputs on the sample."""
    noted: dict[nn.Module, S] = {}

    def hook(module: nn.Module, inputs: tuple[torch.Tensor]) -> None:
        (x,) = inputs
        noted[module] = note(x.reshape(-1, SEATS, x.shape[-1] // SEATS))

    layers = [module for module in network.modules() if isinstance(module, SeatLinear)]
    hooks = [layer.register_forward_pre_hook(hook) for layer in layers]
    with torch.inference_mode():
        network.eval()(sample)
    for each in hooks:
        each.remove()
    return noted


def _whole(seats: torch.Tensor, sign: int = 1) -> Seen:
    """Return statistics of (m, seats, inputs); ``sign`` applies beyond the last seat."""
    groups = seats.shape[1]
    some = seats[:: max(1, len(seats) // _ROWS)]
    twice = torch.cat([some, sign * some], 1)
    around = torch.cat([twice[:, d : d + groups] for d in range(groups)], -1).flatten(0, 1)
    return Seen(
        *best_range(seats),
        seats.mean((0, 1)).numpy(),
        (around.T @ around / len(around)).double().numpy(),
    )


def _apart(seats: torch.Tensor) -> tuple[Seen, Seen]:
    """Return the same for the sums of opposite seats and for their differences.

    When rotated, a difference changes its sign. So its mean is zero and its range symmetric,
    and longer than observed, because anything beyond is clipped at -128 and 127.
    """
    one, other = seats.chunk(2, dim=1)
    differences = _whole(one - other, -1)
    most = _ROOM * float((one - other).abs().max())
    zero = np.zeros_like(differences.mean)
    return _whole(one + other), differences._replace(low=-most, high=most, mean=zero)


def best_range(features: torch.Tensor) -> tuple[float, float]:
    """Return the range in which integers have the least mean square error on features.

    A shorter one has smaller steps but clips more (Nagel and others, "A white paper on neural
    network quantization", 2021, section 3.1).
    """
    low, high = min(float(features.min()), 0.0), max(float(features.max()), 1e-6)
    counts, edges = torch.histogram(features.flatten(), _BINS, range=(low, high))
    middles, shares = (edges[1:] + edges[:-1]) / 2, counts / counts.sum()
    parts = torch.arange(100, 30, -1)[:, None] / 100
    below = shares @ (parts * low - middles).clamp_min(0).square().T
    above = shares @ (middles - parts * high).clamp_min(0).square().T
    rounding = (parts * high - parts.T * low).square() / (12 * _LEVELS**2)
    missed = rounding + above[:, None] + below
    most, least = divmod(int(missed.argmin()), len(parts))
    return float(parts[least]) * low, float(parts[most]) * high


def rounded(weight: Array, products: Array) -> tuple[Array, Array]:
    """Return (distance, inputs, outputs) weights as integer steps, and (outputs,) step sizes.

    Works input by input: the change in the outputs from rounding one weight is compensated by the
    weights of correlated inputs, given the ``products`` of all (Frantar and others, "GPTQ: Accurate
    post-training quantization for generative pre-trained transformers", ICLR 2023).
    """
    steps = np.maximum(np.abs(weight).max((0, 1)), 1e-12) / _STEPS
    left = (weight / steps).reshape(-1, len(steps)).astype(np.float64)
    mean = max(float(products.diagonal().mean()), 1e-12)
    inverse = np.linalg.inv(products + _DAMPING * mean * np.eye(len(products)))
    factors = np.linalg.cholesky(inverse).T
    whole = np.empty_like(left)
    for row, factor in enumerate(factors):
        whole[row] = np.rint(left[row]).clip(-_STEPS, _STEPS)
        off = (left[row] - whole[row]) / factor[row]
        left[row + 1 :] -= np.outer(factor[row + 1 :], off)
    return whole.reshape(weight.shape), steps


class PairGraph(TokenGraph[PairNetwork]):
    """The graph of a network: like a suit network's, but for two groups instead of four."""

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

    def product(
        self, x: str, weight: Array, bias: Array, layer: nn.Module, order: Order = slice(None)
    ) -> str:
        """Add a linear layer on (rows, 2 × inputs): weight (outputs, 2, inputs), bias (outputs)."""
        # (itself or the other hand, inputs, outputs)
        by_group = weight[:, :, order].transpose(1, 2, 0)
        blocks = self.op(
            "Gather", self.weight(by_group), self.constant(np.array([[0, 1], [1, 0]])), axis=0
        )
        rows = self.op("Transpose", blocks, perm=(0, 2, 1, 3))
        plain = self.shaped(rows, HANDS * by_group.shape[1], HANDS * by_group.shape[2])
        return self.op("Gemm", x, plain, self.constant(np.tile(bias.astype(np.float32), HANDS)))

    def tokens(self, hands: str) -> str:
        """Add the first layer: (n, 2, 52) → (4 n, width)."""
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
        """Add a residual layer on (rows, width), all rows of a deal and strain or the ``mean``."""
        assert isinstance(layer, PairLayer)
        tokens = STRAINS if pooled else SUITS
        seen = self.normalized(x)
        middle = self.token_mean(seen, self.width, tokens)
        context = self.of_all(self.linear(middle, layer.context), self.hidden)
        own = self.by_suit(self.linear(seen, layer.enter), self.hidden, tokens)
        hidden = self.shaped(self.activated(self.op("Add", own, context)), -1, self.hidden)
        return self.added(x, hidden, layer.leave, mean=mean)
