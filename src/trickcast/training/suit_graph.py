"""A suit network as an ONNX graph, node by node: owners in, probabilities out.

Written by hand rather than traced: what depends on weights alone is computed here, the mean of
suits is taken before products where that saves some, and every row is a token, so that each linear
layer is one large matrix product.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ..cards.sizes import COUNTS, RANKS, SEATS, STRAINS, SUITS
from ..networks.suits import Layer, Linear, Mixing, SuitNetwork
from .calibrating import FAR, Calibration

Storage = Literal["float32", "float16", "int8"]
"""How weights are stored. int8 is also how products are computed; the others compute in float32."""
Array = NDArray[Any]

_OPSET, _IR_VERSION = 20, 9  # the first opset with Gelu; ONNX Runtime 1.17 and later
_STEPS = 63  # of an int8 weight: more than six bits overflow on processors without VNNI
_LEVELS = 255  # of a uint8 feature


def to_onnx(
    network: SuitNetwork,
    storage: Storage,
    sample: torch.Tensor,
    calibration: Calibration | None = None,
) -> Any:
    """Return the onnx model of a network: ``owners`` (n, 52) uint8 → ``probabilities``.

    These are (n, k, 4, 14) float32 of the ``strains``, (k,) int64, a second input: all five in the
    order of ``Strain`` where it is not given. What is not asked for is not computed. They are
    calibrated where a ``calibration`` is given. For int8, ``sample`` (m, 52) are deals whose
    features show the ranges to be told apart. Raises ValueError for a network of learned rotation.
    """
    from onnx import TensorProto, helper

    if network.config.rotation != "exact":
        raise ValueError("rotation is 'learned' (expected 'exact': others are for studies only)")
    graph = _Graph(network, storage, _seen(network, sample) if storage == "int8" else {})
    # an initializer that is an input too is that input's default
    asked = graph.constant(np.arange(STRAINS), name="strains")
    logits = graph.suit_network("owners", asked)
    if calibration is not None:
        logits = graph.calibrated(logits, calibration)
    graph.op("Softmax", logits, name="probabilities", axis=-1)
    made = helper.make_graph(
        graph.nodes,
        "trickcast",
        [
            helper.make_tensor_value_info("owners", TensorProto.UINT8, ["n", SUITS * RANKS]),
            helper.make_tensor_value_info(asked, TensorProto.INT64, ["k"]),
        ],
        [
            helper.make_tensor_value_info(
                "probabilities", TensorProto.FLOAT, ["n", "k", SEATS, COUNTS]
            )
        ],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION)


class Seen(NamedTuple):
    """The inputs of a linear layer on a sample of deals."""

    low: float
    high: float
    mean: Array
    """(inputs,) of a seat: they are the same for all four."""


def _seen(network: SuitNetwork, sample: torch.Tensor) -> dict[nn.Module, Seen]:
    """Return what every linear layer sees of the sample."""
    seen: dict[nn.Module, Seen] = {}

    def note(module: nn.Module, inputs: tuple[torch.Tensor]) -> None:
        (x,) = inputs
        mean = x.reshape(-1, SEATS, x.shape[-1] // SEATS).mean((0, 1)).numpy()
        seen[module] = Seen(min(float(x.min()), 0.0), max(float(x.max()), 0.0), mean)

    layers = [module for module in network.modules() if isinstance(module, Linear)]
    hooks = [layer.register_forward_pre_hook(note) for layer in layers]
    with torch.inference_mode():
        network.eval()(sample)
    for hook in hooks:
        hook.remove()
    return seen


class _Graph:
    """Nodes and constants so far; a method for each part of the network adds its own."""

    def __init__(
        self,
        network: SuitNetwork,
        storage: Storage,
        seen: dict[nn.Module, Seen],
    ):
        self.net, self.config, self.storage, self.seen = network, network.config, storage, seen
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.whole: dict[tuple[str, float, float], tuple[str, str, str]] = {}
        self.asked: str | None = None  # the strains to compute, (k,); all five where it is None

    def op(
        self, kind: str, *inputs: str, name: str = "", domain: str = "", **attributes: Any
    ) -> str:
        """Add a node and return the name of its output."""
        from onnx import helper

        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(kind, list(inputs), [name], domain=domain or None, **attributes)
        )
        return name

    def constant(self, values: Array, name: str = "") -> str:
        """Add a constant and return its name."""
        from onnx import numpy_helper

        name = name or f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def weight(self, values: Array) -> str:
        """Add float weights in the storage chosen; they are float32 again when loaded."""
        if self.storage == "float32":
            return self.constant(values.astype(np.float32))
        from onnx import TensorProto

        return self.op("Cast", self.constant(values.astype(np.float16)), to=TensorProto.FLOAT)

    def calibrated(self, logits: str, calibration: Calibration) -> str:
        """What the softmax of `Calibration.apply` is taken of."""
        slope, curve, doubt = (
            self.of_strains(np.asarray(numbers, np.float32).reshape(-1, 1, 1))
            for numbers in calibration
        )
        logs = self.op("LogSoftmax", logits, axis=-1)
        near = self.op("Max", logs, self.constant(np.array(-FAR, np.float32)))
        bend = self.op("Mul", self.op("Mul", near, near), curve)
        largest = self.op("ReduceMax", logs, self.constant(np.array([-1])))
        steep = self.op("Add", self.op("Mul", largest, doubt), slope)
        return self.op("Sub", self.op("Mul", logs, steep), bend)

    def of_strains(self, values: Array) -> str:
        """A constant with a row for every strain: the rows of the strains to compute."""
        rows = self.constant(values)
        return rows if self.asked is None else self.op("Gather", rows, self.asked, axis=0)

    def shaped(self, x: str, *shape: int) -> str:
        """Reshape; one of the sizes may be -1."""
        return self.op("Reshape", x, self.constant(np.array(shape)))

    def product(self, x: str, weight: Array, bias: Array, seen: nn.Module) -> str:
        """A linear layer on (rows, 4 × inputs), its weight (outputs, 4, inputs), bias (outputs).

        ``seen`` is the layer of the network whose input x is.
        """
        bias_name = self.constant(np.tile(bias.astype(np.float32), SEATS))
        weight = weight.transpose(1, 2, 0)  # (distance, inputs, outputs)
        if self.storage != "int8":
            return self.op("Gemm", x, self.expanded(self.weight(weight), weight.shape), bias_name)
        quantized, scale, zero = self.quantized(x, self.seen[seen].low, self.seen[seen].high)
        whole, steps = _rounded(weight)
        inputs = [
            quantized,
            self.expanded(self.constant(whole.astype(np.int8)), weight.shape),
            scale,
            self.constant(np.tile(steps.astype(np.float32), SEATS)),
            zero,
            self.constant(np.zeros(SEATS * len(steps), np.int8)),
            bias_name,
        ]
        return self.op("MatMulIntegerToFloat", *inputs, domain="com.microsoft")

    def quantized(self, x: str, low: float, high: float) -> tuple[str, str, str]:
        """Return x in uint8, the size of a step, and the step of zero; made once for all uses."""
        if (x, low, high) not in self.whole:
            step = np.float32(max(high - low, 1e-6) / _LEVELS)
            scale = self.constant(np.asarray(step))
            zero = self.constant(np.array(round(-low / float(step)), np.uint8))
            self.whole[x, low, high] = self.op("QuantizeLinear", x, scale, zero), scale, zero
        return self.whole[x, low, high]

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

    def linear(self, x: str, layer: Any) -> str:
        """A linear layer on (rows, inputs)."""
        return self.product(x, *self.arrays(layer), layer)

    def arrays(self, layer: Any) -> tuple[Array, Array]:
        """Weight (outputs, 4, inputs) and bias (outputs) of a layer.

        Rounded weights would shift what comes out on average; the bias makes up for that (Nagel et
        al., "Data-free quantization through weight equalization and bias correction", 2019).
        """
        weight, bias = _arrays(layer)
        if self.storage == "int8":
            whole, steps = _rounded(weight.transpose(1, 2, 0))
            lost = weight.transpose(1, 2, 0) - whole * steps  # (distance, inputs, outputs)
            bias = bias + self.seen[layer].mean @ lost.sum(0)
        return weight, bias

    def normalized(self, x: str) -> str:
        """Layer normalisation of (rows, width)."""
        ones = self.constant(np.ones(self.config.width, np.float32))
        return self.op("LayerNormalization", x, ones, axis=-1, epsilon=1e-5)

    def activated(self, x: str) -> str:
        """The configured activation."""
        return self.op("Gelu" if self.config.activation == "gelu" else "Relu", x)

    def suit_mean(self, x: str, features: int) -> str:
        """The mean of every four rows: (4 m, features) → (m, features)."""
        rows = self.shaped(x, -1, SUITS, features)
        return self.op("ReduceMean", rows, self.constant(np.array([1])), keepdims=0)

    def suit_network(self, owners: str, asked: str) -> str:
        """The whole network: (n, 52) owners → (n, k, 4, 14) logits of the strains asked for."""
        self.asked = asked
        x = self.tokens(owners)  # (4 n, width)
        for layer in self.net.before:
            x = self.layer(x, layer)
        strains = self.strains(self.normalized(x))  # (k n, width)
        for layer in self.net.pooled:
            strains = self.layer(strains, layer)
        logits = self.linear(self.normalized(strains), self.net.head)  # (k n, 4 × 14)
        sizes = self.constant(np.array([-1])), self.op("Shape", asked)
        shape = self.op("Concat", *sizes, self.constant(np.array([SEATS, COUNTS])), axis=0)
        return self.op("Reshape", logits, shape)

    def tokens(self, owners: str) -> str:
        """The first layer: (n, 52) → (4 n, width)."""
        from onnx import TensorProto

        suits = self.shaped(self.op("Cast", owners, to=TensorProto.FLOAT), -1, RANKS)
        one_by_one = self.shaped(suits, -1, 1, RANKS)
        seats = self.constant(np.arange(SEATS, dtype=np.float32)[:, None])
        held = self.op("Cast", self.op("Equal", one_by_one, seats), to=TensorProto.FLOAT)
        kinds = self.relations(held) if self.config.inputs == "relations" else [held]
        features = len(kinds) if len(kinds) == 1 else self.config.card_inputs // SEATS // RANKS
        rows = kinds[0] if len(kinds) == 1 else self.op("Concat", *kinds, axis=2)
        first = self.net.first
        # the graph has a seat's inputs kind by kind, torch card by card
        weight, bias = self.arrays(first.enter)
        order = np.arange(weight.shape[2]).reshape(RANKS, features).T.ravel()
        x = self.shaped(rows, -1, SEATS * weight.shape[2])
        hidden = self.activated(self.product(x, weight[:, :, order], bias, first.enter))
        return self.linear(hidden, first.leave)

    def relations(self, held: str) -> list[str]:
        """(4 n, seat, rank) zeros and ones → the kinds of ``suits.relations``, (…, kinds, rank)."""
        from onnx import TensorProto

        above = self.constant(np.triu(np.ones((RANKS, RANKS), np.float32), 1))
        higher = self.op("MatMul", held, above)  # cards of each seat above each rank
        seats = np.arange(SEATS)
        around = self.op("Gather", higher, self.constant((seats[:, None] + seats) % SEATS), axis=1)
        held = self.shaped(held, -1, SEATS, 1, RANKS)
        # of the four distances: all but oneself; the opponents
        masks = np.array([[0, 1, 1, 1], [0, 1, 0, 1]], np.float32)
        others = self.op("MatMul", self.constant(masks), around)  # (4 n, seat, 2, rank)
        none = self.op("Less", others, self.constant(np.array(0.5, np.float32)))
        top = self.op("Cast", none, to=TensorProto.FLOAT)
        quarters = self.op("Mul", around, self.constant(np.array(1 / SEATS, np.float32)))
        return [held, self.op("Mul", quarters, held), self.op("Mul", top, held)]

    def layer(self, x: str, layer: Any, *, mean: bool = False) -> str:
        """A residual layer on (rows, width); of its result only the ``mean`` of every four rows.

        That mean is taken before the last product, which has a quarter of the rows then.
        """
        assert isinstance(layer, Layer)
        if layer.mixing is not None:
            x = self.mixed(x, layer.mixing)
        hidden = self.activated(self.linear(self.normalized(x), layer.feed.enter))
        if mean:
            width = self.config.width
            x, hidden = self.suit_mean(x, width), self.suit_mean(hidden, self.config.ratio * width)
        return self.op("Add", x, self.linear(hidden, layer.feed.leave))

    def mixed(self, x: str, mixing: Mixing) -> str:
        """Attention over every four rows, or a function of their mean, added to them."""
        parts, width, heads = mixing.parts, self.config.width, mixing.heads
        if not heads:
            seen = self.linear(self.normalized(self.suit_mean(x, width)), parts["value"])
            change = self.linear(self.activated(seen), parts["leave"])
            by_deal, changes = self.shaped(x, -1, SUITS, width), self.shaped(change, -1, 1, width)
            return self.shaped(self.op("Add", by_deal, changes), -1, width)
        before = self.normalized(x)
        size = width // heads
        found = {}
        for name, order in (
            ("query", (0, 2, 1, 3)),
            ("key", (0, 2, 3, 1)),
            ("value", (0, 2, 1, 3)),
        ):
            weight, bias = self.arrays(parts[name])
            scale = size**-0.5 if name == "query" else 1.0
            rows = self.product(before, weight * scale, bias * scale, parts[name])
            by_head = self.shaped(rows, -1, SUITS, heads, size)
            found[name] = self.op("Transpose", by_head, perm=order)
        seen = self.op("Softmax", self.op("MatMul", found["query"], found["key"]), axis=-1)
        values = self.op("Transpose", self.op("MatMul", seen, found["value"]), perm=(0, 2, 1, 3))
        return self.op("Add", x, self.linear(self.shaped(values, -1, width), parts["leave"]))

    def strains(self, suits: str) -> str:
        """A copy of the deal for each strain to compute: (4 n, width) → (k n, width)."""
        roles, width = self.net.roles, self.config.width
        if not len(self.net.after):
            return self.pooled_strains(suits)
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
        *inner, last = self.net.after
        for layer in inner:
            x = self.layer(x, layer)
        return self.layer(x, last, mean=True)

    def pooled_strains(self, suits: str) -> str:
        """The same without layers on the suits of a strain: the mean comes before the products."""
        roles, width = self.net.roles, self.config.width
        (trump, trump_bias), (side, side_bias), (notrump, notrump_bias) = (
            _arrays(roles[name]) for name in ("trump", "side", "notrump")
        )
        mean = self.suit_mean(suits, width)
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


def _rounded(weight: Array) -> tuple[Array, Array]:
    """Return (…, …, outputs) weights as whole numbers of steps, and the (outputs,) steps."""
    steps = np.maximum(np.abs(weight).max((0, 1)), 1e-12) / _STEPS
    return np.rint(weight / steps), steps


def _arrays(layer: Any) -> tuple[Array, Array]:
    """Return weight (outputs, 4, inputs) and bias (outputs) of a seat layer."""
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()
