"""The networks of ``suit_networks`` as ONNX graphs, in float32, float16 or int8.

Written by hand rather than traced: what depends on weights alone is computed here, the mean of
suits is taken before products where that saves some, and every row is a token, so that each linear
layer is one large matrix product.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
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
    """A method for each part of the network; a subclass adds those of its own kind."""

    asked: str | None = None
    """The strains to compute, (k,); all five where it is None."""
    inner: str
    """The last inner layer, (k n, width), once there are ``logits``."""

    def __init__(self, network: Network, *, half: bool):
        super().__init__()
        self.network: Network = network
        self._half = half
        self.width, self.hidden = network.config.width, network.config.ratio * network.config.width

    @abstractmethod
    def product(
        self, x: str, weight: Array, bias: Array, layer: nn.Module, order: Order = slice(None)
    ) -> str:
        """A linear layer on (rows, groups × inputs).

        ``weight`` is (outputs, groups, inputs), ``bias`` (outputs); ``layer`` is the layer of the
        network whose input x is, but that x has the inputs of a group in this ``order``.
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
        self.inner = self.normalized(strains)
        return self.linear(self.inner, self.network.head)

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
        return self.product(x, *arrays(layer), layer)

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
        weight, bias = arrays(enter)
        order = np.arange(weight.shape[2]).reshape(RANKS, -1).T.ravel()
        x = self.shaped(rows, -1, weight.shape[1] * weight.shape[2])
        return self.linear(self.activated(self.product(x, weight, bias, enter, order)), leave)

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


class SuitGraph(TokenGraph[SuitNetwork]):
    """The graph of a network: input ``owners``, (n, 52), and ``strains``, (k,), all by default.

    Its outputs are ``probabilities``, (n, k, 4, 14), and ``inner``, (n, k, width): the last inner
    layer, from which other networks learn.
    ``half`` stores weights in 16 bits.
    """

    def __init__(self, network: SuitNetwork, *, half: bool):
        super().__init__(network, half=half)
        # an initializer that is an input too is that input's default
        self.asked = self.constant(np.arange(STRAINS), name="strains")

    def to_onnx(self, calibration: Calibration | None) -> Any:
        """Return the onnx model, calibrated where a ``calibration`` is given."""
        logits = self._by_strain(self.logits(self.tokens("owners")), SEATS, COUNTS)
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

    def _by_strain(self, rows: str, *sizes: int, name: str = "") -> str:
        """(k n, product of sizes) → (n, k, sizes), of the strains asked for."""
        leading = self.constant(np.array([-1])), self.op("Shape", "strains")
        shape = self.op("Concat", *leading, self.constant(np.array(sizes)), axis=0)
        return self.op("Reshape", rows, shape, name=name)

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

    def product(
        self, x: str, weight: Array, bias: Array, layer: nn.Module, order: Order = slice(None)
    ) -> str:
        """A linear layer in float32."""
        bias_name = self.constant(np.tile(bias.astype(np.float32), SEATS))
        weight = weight[:, :, order].transpose(1, 2, 0)  # (distance, inputs, outputs)
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
            weight, bias = arrays(parts[name])
            scale = size**-0.5 if name == "query" else 1.0
            rows = self.product(before, weight * scale, bias * scale, parts[name])
            split = self.shaped(rows, -1, SUITS, heads, size)
            by_head[name] = self.op("Transpose", split, perm=order)
        shares = self.op("Softmax", self.op("MatMul", by_head["query"], by_head["key"]), axis=-1)
        looked_at = self.op("MatMul", shares, by_head["value"])
        values = self.op("Transpose", looked_at, perm=(0, 2, 1, 3))
        return self.op("Add", x, self.linear(self.shaped(values, -1, width), parts["leave"]))


_STEPS = 63  # of an int8 weight: more than six bits overflow on processors without VNNI
_LEVELS = 255  # of a uint8 feature
_ROWS = 8192  # of a sample, for the products of features
_DAMPING = 0.01  # of their mean square


class Int8Graph(SuitGraph):
    """The graph of a network in whole numbers.

    ``sample`` (m, 52) are deals whose features show the ranges to be told apart.
    """

    def __init__(self, network: SuitNetwork, sample: torch.Tensor):
        super().__init__(network, half=False)
        self._seen = _seen(network, sample)
        self._quantized: dict[tuple[str, float, float], tuple[str, str, str]] = {}

    def product(
        self, x: str, weight: Array, bias: Array, layer: nn.Module, order: Order = slice(None)
    ) -> str:
        """A linear layer in whole numbers.

        Rounded weights would shift what comes out on average; the bias makes up for that (Nagel et
        al., "Data-free quantization through weight equalization and bias correction", 2019).
        """
        seen, by_distance = self._seen[layer], weight.transpose(1, 2, 0)
        integers, steps = rounded(by_distance, seen.products)
        bias = bias + seen.mean @ (by_distance - integers * steps).sum(0)
        bias_name = self.constant(np.tile(bias.astype(np.float32), SEATS))
        quantized, scale, zero = self._input(x, seen.low, seen.high)
        inputs = [
            quantized,
            self.expanded(self.constant(integers[:, order].astype(np.int8)), by_distance.shape),
            scale,
            self.constant(np.tile(steps.astype(np.float32), SEATS)),
            zero,
            self.constant(np.zeros(SEATS * len(steps), np.int8)),
            bias_name,
        ]
        return self.op("MatMulIntegerToFloat", *inputs, domain="com.microsoft")

    def _input(self, x: str, low: float, high: float) -> tuple[str, str, str]:
        """Return x in uint8, the size of a step, and the step of zero; made once for all uses."""
        if (x, low, high) not in self._quantized:
            step = np.float32(max(high - low, 1e-6) / _LEVELS)
            scale = self.constant(np.asarray(step))
            zero = self.constant(np.array(round(-low / float(step)), np.uint8))
            whole = self.op("QuantizeLinear", x, scale, zero)
            self._quantized[x, low, high] = whole, scale, zero
        return self._quantized[x, low, high]


class Seen(NamedTuple):
    """The inputs of a linear layer on a sample of deals."""

    low: float
    high: float
    mean: Array
    """(inputs,) of a seat: they are the same for all four."""
    products: Array
    """(4 × inputs, 4 × inputs) mean products of what a seat has: its own, then by distance."""


def _seen(network: SuitNetwork, sample: torch.Tensor) -> dict[nn.Module, Seen]:
    """Return what every linear layer sees of the sample."""
    seen: dict[nn.Module, Seen] = {}

    def note(module: nn.Module, inputs: tuple[torch.Tensor]) -> None:
        (x,) = inputs
        seats = x.reshape(-1, SEATS, x.shape[-1] // SEATS)
        some = seats[:: max(1, len(seats) // _ROWS)]
        around = torch.cat([some.roll(-distance, 1) for distance in range(SEATS)], -1).flatten(0, 1)
        seen[module] = Seen(
            min(float(x.min()), 0.0),
            max(float(x.max()), 0.0),
            seats.mean((0, 1)).numpy(),
            (around.T @ around / len(around)).double().numpy(),
        )

    layers = [module for module in network.modules() if isinstance(module, SeatLinear)]
    hooks = [layer.register_forward_pre_hook(note) for layer in layers]
    with torch.inference_mode():
        network.eval()(sample)
    for hook in hooks:
        hook.remove()
    return seen


def rounded(weight: Array, products: Array) -> tuple[Array, Array]:
    """Return (distance, inputs, outputs) weights as whole numbers of steps, and (outputs,) steps.

    Input by input: what rounding one changes in the outputs, the weights of inputs that go along
    with it make up for, by the ``products`` of all (Frantar and others, "GPTQ: Accurate
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

    def product(
        self, x: str, weight: Array, bias: Array, layer: nn.Module, order: Order = slice(None)
    ) -> str:
        """A linear layer on (rows, 2 × inputs), its weight (outputs, 2, inputs), bias (outputs)."""
        # (itself or the other hand, inputs, outputs)
        by_group = weight[:, :, order].transpose(1, 2, 0)
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
