"""A suit network as an ONNX graph, node by node: owners in, probabilities out.

Written by hand rather than traced: what depends on weights alone is computed here, the mean of
suits is taken before products where that saves some, and every row is a token, so that each linear
layer is one large matrix product.
"""

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ..networks.suit_config import COUNTS, RANKS, SEATS, STRAINS, SUITS, WINDOWS
from ..networks.suits import Feed, Layer, Linear, Mixing, SuitNetwork
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

    These are (n, 5, 4, 14) float32, calibrated where a ``calibration`` is given. For int8,
    ``sample`` (m, 52) are deals whose features show the ranges to be told apart. Raises ValueError
    for a network of learned rotation.
    """
    from onnx import TensorProto, helper

    if network.config.rotation != "exact":
        raise ValueError("rotation is 'learned' (expected 'exact': others are for studies only)")
    spans = _spans(network, sample) if storage == "int8" else {}
    graph = _Graph(network, storage, spans)
    logits = graph.network("owners")
    if calibration is not None:
        logits = graph.calibrated(logits, calibration)
    graph.op("Softmax", logits, name="probabilities", axis=-1)
    made = helper.make_graph(
        graph.nodes,
        "trickcast",
        [helper.make_tensor_value_info("owners", TensorProto.UINT8, ["n", SUITS * RANKS])],
        [
            helper.make_tensor_value_info(
                "probabilities", TensorProto.FLOAT, ["n", STRAINS, SEATS, COUNTS]
            )
        ],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION)


def _spans(network: SuitNetwork, sample: torch.Tensor) -> dict[nn.Module, tuple[float, float]]:
    """Return the lowest and highest input of every linear layer on the sample."""
    spans: dict[nn.Module, tuple[float, float]] = {}

    def note(module: nn.Module, inputs: tuple[torch.Tensor]) -> None:
        spans[module] = min(float(inputs[0].min()), 0.0), max(float(inputs[0].max()), 0.0)

    layers = [module for module in network.modules() if isinstance(module, Linear)]
    hooks = [layer.register_forward_pre_hook(note) for layer in layers]
    with torch.inference_mode():
        network.eval()(sample)
    for hook in hooks:
        hook.remove()
    return spans


class _Graph:
    """Nodes and constants so far; a method for each part of the network adds its own."""

    def __init__(
        self,
        network: SuitNetwork,
        storage: Storage,
        spans: dict[nn.Module, tuple[float, float]],
    ):
        self.net, self.config, self.storage, self.spans = network, network.config, storage, spans
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

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

    def constant(self, values: Array) -> str:
        """Add a constant and return its name."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
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
        slope, curve = (
            self.constant(np.asarray(numbers, np.float32).reshape(-1, 1, 1))
            for numbers in calibration
        )
        logs = self.op("LogSoftmax", logits, axis=-1)
        near = self.op("Max", logs, self.constant(np.array(-FAR, np.float32)))
        bend = self.op("Mul", self.op("Mul", near, near), curve)
        return self.op("Sub", self.op("Mul", logs, slope), bend)

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
        low, high = self.spans[seen]
        step = np.float32(max(high - low, 1e-6) / _LEVELS)
        zero = self.constant(np.array(round(-low / float(step)), np.uint8))
        scale = self.constant(np.asarray(step))
        steps = np.maximum(np.abs(weight).max((0, 1)), 1e-12) / _STEPS
        whole = self.constant(np.rint(weight / steps).astype(np.int8))
        inputs = [
            self.op("QuantizeLinear", x, scale, zero),
            self.expanded(whole, weight.shape),
            scale,
            self.constant(np.tile(steps.astype(np.float32), SEATS)),
            zero,
            self.constant(np.zeros(SEATS * len(steps), np.int8)),
            bias_name,
        ]
        return self.op("MatMulIntegerToFloat", *inputs, domain="com.microsoft")

    def expanded(self, weight: str, shape: tuple[int, ...]) -> str:
        """(distance, inputs, outputs) → (4 × inputs, 4 × outputs), as ``SeatLinear.matrix``.

        Done once, when ONNX Runtime loads the file and computes what depends on constants alone;
        so the file has a quarter of the size.
        """
        seats = np.arange(SEATS)
        distance = self.constant((seats[:, None] - seats) % SEATS)
        blocks = self.op("Gather", weight, distance, axis=0)  # (from, to, inputs, outputs)
        rows = self.op("Transpose", blocks, perm=(0, 2, 1, 3))
        return self.shaped(rows, SEATS * shape[1], SEATS * shape[2])

    def linear(self, x: str, layer: Any) -> str:
        """A linear layer on (rows, inputs)."""
        return self.product(x, *_arrays(layer), layer)

    def normalized(self, x: str) -> str:
        """Layer normalisation of (rows, width)."""
        ones = self.constant(np.ones(self.config.width, np.float32))
        return self.op("LayerNormalization", x, ones, axis=-1, epsilon=1e-5)

    def activated(self, x: str) -> str:
        """The configured activation."""
        return self.op("Gelu" if self.config.activation == "gelu" else "Relu", x)

    def suit_mean(self, x: str) -> str:
        """The mean of every four rows: (4 m, width) → (m, width)."""
        rows = self.shaped(x, -1, SUITS, self.config.width)
        return self.op("ReduceMean", rows, self.constant(np.array([1])), keepdims=0)

    def network(self, owners: str) -> str:
        """The whole network: (n, 52) owners → (n, 5, 4, 14) logits."""
        x = self.tokens(owners)  # (4 n, width)
        for layer in self.net.before:
            x = self.layer(x, layer)
        strains = self.strains(self.normalized(x))  # (5 n, width)
        for layer in self.net.pooled:
            strains = self.layer(strains, layer)
        logits = self.linear(self.normalized(strains), self.net.head)  # (5 n, 4 × 14)
        return self.shaped(logits, -1, STRAINS, SEATS, COUNTS)

    def tokens(self, owners: str) -> str:
        """The first layer: (n, 52) → (4 n, width)."""
        from onnx import TensorProto

        suits = self.shaped(self.op("Cast", owners, to=TensorProto.FLOAT), -1, RANKS)
        if self.net.tables is not None:
            return self.linear(self.activated(self.looked_up(suits)), self.net.first)
        one_by_one = self.shaped(suits, -1, 1, RANKS)
        seats = self.constant(np.arange(SEATS, dtype=np.float32)[:, None])
        held = self.op("Cast", self.op("Equal", one_by_one, seats), to=TensorProto.FLOAT)
        kinds = self.relations(held) if self.config.inputs == "relations" else [held]
        features = len(kinds) if len(kinds) == 1 else self.config.card_inputs // SEATS // RANKS
        rows = kinds[0] if len(kinds) == 1 else self.op("Concat", *kinds, axis=2)
        first = self.net.first
        assert isinstance(first, Feed)
        # the graph has a seat's inputs kind by kind, torch card by card
        weight, bias = _arrays(first.enter)
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

    def looked_up(self, suits: str) -> str:
        """(4 n, 13) owners → (4 n, 4 × features): the sum of both tables' rows."""
        from onnx import TensorProto

        tables = self.net.tables
        assert tables is not None
        bias = tables.bias.detach().numpy()
        found, start = [], 0
        for ranks, table in zip(WINDOWS, tables.tables, strict=True):
            powers = np.zeros((RANKS, 1), np.float32)
            powers[start : start + ranks, 0] = SEATS ** np.arange(ranks)  # exact: below 2**24
            index = self.shaped(self.op("MatMul", suits, self.constant(powers)), -1)
            index = self.op("Cast", index, to=TensorProto.INT64)
            values = table.detach().numpy()
            stored = self.weight(values + bias if start == 0 else values)
            # every table once for each seat, side by side: done when the file is loaded
            seats = [
                self.op("Gather", stored, self.constant(turned_rows(ranks, seat)), axis=0)
                for seat in range(SEATS)
            ]
            found.append(self.op("Gather", self.op("Concat", *seats, axis=1), index, axis=0))
            start += ranks
        return self.op("Add", *found)

    def layer(self, x: str, layer: Any) -> str:
        """A residual layer on (rows, width)."""
        assert isinstance(layer, Layer)
        if layer.mixing is not None:
            x = self.mixed(x, layer.mixing)
        hidden = self.activated(self.linear(self.normalized(x), layer.feed.enter))
        return self.op("Add", x, self.linear(hidden, layer.feed.leave))

    def mixed(self, x: str, mixing: Mixing) -> str:
        """Attention over every four rows, or their mean, added to them."""
        parts, width, heads = mixing.parts, self.config.width, mixing.heads
        before = self.normalized(x)
        if not heads:
            seen = self.linear(self.suit_mean(before), parts["value"])
            change = self.shaped(self.linear(seen, parts["leave"]), -1, 1, width)
            return self.shaped(self.op("Add", self.shaped(x, -1, SUITS, width), change), -1, width)
        size = width // heads
        found = {}
        for name, order in (
            ("query", (0, 2, 1, 3)),
            ("key", (0, 2, 3, 1)),
            ("value", (0, 2, 1, 3)),
        ):
            weight, bias = _arrays(parts[name])
            scale = size**-0.5 if name == "query" else 1.0
            rows = self.product(before, weight * scale, bias * scale, parts[name])
            by_head = self.shaped(rows, -1, SUITS, heads, size)
            found[name] = self.op("Transpose", by_head, perm=order)
        seen = self.op("Softmax", self.op("MatMul", found["query"], found["key"]), axis=-1)
        values = self.op("Transpose", self.op("MatMul", seen, found["value"]), perm=(0, 2, 1, 3))
        return self.op("Add", x, self.linear(self.shaped(values, -1, width), parts["leave"]))

    def strains(self, suits: str) -> str:
        """Five copies of the deal, each of its strain: (4 n, width) → (5 n, width)."""
        roles, width = self.net.roles, self.config.width
        if not len(self.net.after):
            return self.pooled_strains(suits)
        trump, side, notrump = (
            self.linear(suits, roles[name]) for name in ("trump", "side", "notrump")
        )
        own = self.constant(np.eye(SUITS, dtype=bool)[:, :, None])
        marked = self.op(
            "Where", own, *(self.shaped(rows, -1, 1, SUITS, width) for rows in (trump, side))
        )  # (n, trump suit, suit, width)
        joined = self.op("Concat", marked, self.shaped(notrump, -1, 1, SUITS, width), axis=1)
        x = self.shaped(joined, -1, width)
        for layer in self.net.after:
            x = self.layer(x, layer)
        return self.suit_mean(x)

    def pooled_strains(self, suits: str) -> str:
        """The same without layers on the suits of a strain: the mean comes before the products."""
        roles, width = self.net.roles, self.config.width
        (trump, trump_bias), (side, side_bias), (notrump, notrump_bias) = (
            _arrays(roles[name]) for name in ("trump", "side", "notrump")
        )
        mean = self.suit_mean(suits)
        difference = self.product(
            suits, (trump - side) / SUITS, (trump_bias - side_bias) / SUITS, roles["trump"]
        )
        all_side, all_notrump = (
            self.shaped(self.product(mean, weight, bias, roles["trump"]), -1, 1, width)
            for weight, bias in ((side, side_bias), (notrump, notrump_bias))
        )
        in_suits = self.op("Add", self.shaped(difference, -1, SUITS, width), all_side)
        return self.shaped(self.op("Concat", in_suits, all_notrump, axis=1), -1, width)


def turned_rows(ranks: int, seat: int) -> NDArray[np.int32]:
    """Return, for each row of a table of so many ranks, the row as the seat sees it."""
    powers = SEATS ** np.arange(ranks)
    owners = np.arange(SEATS**ranks)[:, None] // powers % SEATS
    return ((owners - seat) % SEATS @ powers).astype(np.int32)


def _arrays(layer: Any) -> tuple[Array, Array]:
    """Return weight (outputs, 4, inputs) and bias (outputs) of a seat layer."""
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()
