"""From the trained networks of pairs of hands to the ONNX files that ship."""

import hashlib
import json
import os
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..cards import DealSet
from ..dealing import random_deals
from ..formats.files import atomic_writer
from ..networks.hand2vec import Hand2Vec, symmetric_tricks
from ..networks.pairs import CARD_INPUTS, HANDS, PairLayer, PairNetwork
from ..networks.suit_config import COUNTS, RANKS, STRAINS, SUITS
from .calibrating import fit_sharpness
from .checkpoints import TrainingError
from .export import _note_checksum
from .pairs.data import solved_rows
from .solved import known_tricks
from .suit_export import TOLERANCE
from .suit_graph import Array, _arrays, _Graph

FORMAT = "trickcast pair model 1"
"""What a model file of this kind says of its format."""
_OPSET, _IR_VERSION = 20, 9  # the first opset with Gelu; ONNX Runtime 1.17 and later
_PARITY_PAIRS = 64


@dataclass(frozen=True, slots=True)
class About:
    """What a model file is told to say of itself."""

    name: str
    scores: dict[str, float]
    """``pairs``, the held-out rows, and the mean squared errors on these."""
    training: dict[str, Any]
    """Configuration and progress."""


def export_pairs(
    network: PairNetwork, about: About, solved: DealSet, path: str | os.PathLike[str]
) -> None:
    """Write a network of distributions: ``hands`` (n, 2, 52) in, ``probabilities`` out.

    These are (n, 5, 2, 14): strains S H D C N, declared by the first hand and by the second. The
    ``solved`` deals, none that was trained on, fit how sure the answers are. Raises TrainingError
    when the file does not answer as torch.
    """
    from onnx import TensorProto, helper

    net = deepcopy(network).eval().half().float()  # torch shall answer with the file's weights
    rows = solved_rows(solved)
    tricks = np.concatenate([known_tricks(solved)[:, :, side] for side in ([0, 2], [1, 3])])
    sharpness = fit_sharpness(_logits(net, rows.hands), tricks)
    graph = _PairGraph(net)
    scale = graph.constant(np.asarray(sharpness, np.float32).reshape(STRAINS, 1, 1))
    logits = graph.op("Mul", graph.network("hands"), scale)
    graph.op("Softmax", logits, name="probabilities", axis=-1)
    model = _model(
        graph,
        [helper.make_tensor_value_info("hands", TensorProto.UINT8, ["n", HANDS, SUITS * RANKS])],
        [
            helper.make_tensor_value_info(
                "probabilities", TensorProto.FLOAT, ["n", STRAINS, HANDS, COUNTS]
            )
        ],
    )
    parity = _parity_hands()
    factor = torch.tensor(sharpness)[:, None, None]
    expected = (_logits(net, parity) * factor).softmax(-1).numpy()
    _finish(
        model,
        {"hands": parity.numpy()},
        {"probabilities": expected},
        about,
        {"kind": "distributions", "sharpness": json.dumps(sharpness)},
        Path(path),
    )


def export_hand2vec(
    network: Hand2Vec, about: About, solved: DealSet, path: str | os.PathLike[str]
) -> None:
    """Write the paper's network in two halves: ``hands`` to ``vectors``, ``pairs`` to ``tricks``.

    ``hands`` are (n, 52) bool, ``vectors`` (n, size), ``pairs`` (m, 2 × size), ``tricks`` (m, 5);
    the halves do not touch, and either may be given no rows. The ``solved`` deals, none that was
    trained on, tell how far real tricks scatter around the answer. Raises TrainingError when the
    file does not answer as torch.
    """
    from onnx import TensorProto, helper

    net = deepcopy(network).eval()
    graph = _Hand2VecGraph(net)
    graph.both()
    model = _model(
        graph,
        [
            helper.make_tensor_value_info("hands", TensorProto.BOOL, ["n", SUITS * RANKS]),
            helper.make_tensor_value_info("pairs", TensorProto.FLOAT, ["m", 2 * net.size]),
        ],
        [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", net.size]),
            helper.make_tensor_value_info("tricks", TensorProto.FLOAT, ["m", STRAINS]),
        ],
    )
    parity = _parity_hands()
    with torch.no_grad():
        vectors = net.embed(parity.flatten(0, 1))
        pairs = vectors.view(-1, 2 * net.size)
        expected = {"vectors": vectors.numpy(), "tricks": net.tricks(pairs).numpy()}
    inputs = {"hands": parity.flatten(0, 1).bool().numpy(), "pairs": pairs.numpy()}
    kind = {"kind": "vectors", "spread": json.dumps(spread(net, solved))}
    _finish(model, inputs, expected, about, kind, Path(path))


@torch.no_grad()
def spread(network: Hand2Vec, solved: DealSet) -> dict[str, float]:
    """Return how far real tricks scatter around the expected: standard deviations, in tricks."""
    rows = solved_rows(solved)
    off = symmetric_tricks(network, rows.hands) - rows.tricks[:, :, 0]
    return {
        "suits": float(off[:, :SUITS].square().mean().sqrt()),
        "notrump": float(off[:, SUITS].square().mean().sqrt()),
    }


def _parity_hands() -> Tensor:
    """(64, 2, 52) hands of random deals."""
    owners = random_deals(_PARITY_PAIRS, seed=2009).owners
    return torch.from_numpy(np.stack([owners == 0, owners == 2], axis=1).astype(np.uint8))


@torch.inference_mode()
def _logits(network: PairNetwork, hands: Tensor, chunk: int = 1024) -> Tensor:
    return torch.cat([network(hands[i : i + chunk]) for i in range(0, len(hands), chunk)])


def _model(graph: _Graph, inputs: list[Any], outputs: list[Any]) -> Any:
    from onnx import helper

    made = helper.make_graph(graph.nodes, "trickcast", inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid("", _OPSET)]
    return helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION)


def _finish(
    model: Any,
    inputs: dict[str, NDArray[Any]],
    expected: dict[str, NDArray[np.float32]],
    about: About,
    kind: dict[str, str],
    path: Path,
) -> None:
    """Check a model against torch's answers and write it, its parity file and its checksum."""
    import onnx
    import onnxruntime as ort

    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for name, found in zip(expected, session.run(list(expected), inputs), strict=True):
        if not (apart := float(np.abs(found - expected[name]).max())) <= TOLERANCE:
            raise TrainingError(f"{path}: {name} of ONNX Runtime differ from torch by {apart:.2g}")
    metadata = kind | {
        "format": FORMAT,
        "name": about.name,
        "scores": json.dumps({key: round(value, 5) for key, value in about.scores.items()}),
        "training": json.dumps(about.training),
    }
    for key, value in sorted(metadata.items()):
        model.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    parity: dict[str, Any] = {**inputs, **expected}
    np.savez_compressed(path.with_suffix(".parity.npz"), **parity)
    data = model.SerializeToString()
    with atomic_writer(path) as stream:
        stream.write(data)
    _note_checksum(path, hashlib.sha256(data).hexdigest())


class _PairGraph(_Graph):
    """The graph of a PairNetwork: that of a suit network, but for two groups in place of four."""

    def __init__(self, network: PairNetwork):
        super().__init__(cast(Any, network), "float16", {})

    def product(self, x: str, weight: Array, bias: Array, seen: nn.Module) -> str:
        """A linear layer on (rows, 2 × inputs), its weight (outputs, 2, inputs), bias (outputs)."""
        by_group = weight.transpose(1, 2, 0)  # itself or the other hand, inputs, outputs
        blocks = self.op(
            "Gather", self.weight(by_group), self.constant(np.array([[0, 1], [1, 0]])), axis=0
        )
        rows = self.op("Transpose", blocks, perm=(0, 2, 1, 3))
        plain = self.shaped(rows, HANDS * by_group.shape[1], HANDS * by_group.shape[2])
        return self.op("Gemm", x, plain, self.constant(np.tile(bias.astype(np.float32), HANDS)))

    def network(self, hands: str) -> str:
        """The whole network: (n, 2, 52) hands → (n, 5, 2, 14) logits."""
        net = cast(PairNetwork, self.net)
        x = self.tokens(hands)  # (4 n, width)
        for layer in net.before:
            x = self.layer(x, layer)
        strains = self.strains(self.normalized(x))  # (5 n, width)
        for layer in net.pooled:
            strains = self.layer(strains, layer, tokens=STRAINS)
        logits = self.linear(self.normalized(strains), net.head)
        return self.shaped(logits, -1, STRAINS, HANDS, COUNTS)

    def tokens(self, hands: str) -> str:
        """The first layer: (n, 2, 52) → (4 n, width)."""
        from onnx import TensorProto

        net = cast(PairNetwork, self.net)
        cards = self.op("Cast", hands, to=TensorProto.FLOAT)
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
        top, alone = (self.none(kind) for kind in (theirs_above, partner_above))
        held_top = self.op("Mul", held, top)
        kinds = [
            held,
            *(self.op("Mul", held, kind) for kind in (own_above, partner_above, theirs_above)),
            held_top,
            self.op("Mul", held_top, alone),
            theirs,
            self.op("Mul", theirs, own_above),
        ]
        # the graph has a hand's inputs kind by kind, torch card by card
        weight, bias = _arrays(net.enter)
        order = np.arange(weight.shape[2]).reshape(RANKS, CARD_INPUTS).T.ravel()
        rows = self.shaped(self.op("Concat", *kinds, axis=3), -1, HANDS * weight.shape[2])
        hidden = self.activated(self.product(rows, weight[:, :, order], bias, net.enter))
        return self.linear(hidden, net.leave)

    def none(self, counts: str) -> str:
        """1 where a count in fours is zero, else 0."""
        from onnx import TensorProto

        none = self.op("Less", counts, self.constant(np.array(0.125, np.float32)))
        return self.op("Cast", none, to=TensorProto.FLOAT)

    def layer(self, x: str, layer: Any, *, mean: bool = False, tokens: int = SUITS) -> str:
        """A residual layer on (rows, width), so many rows a deal and strain, or their ``mean``."""
        assert isinstance(layer, PairLayer)
        width, inner = self.config.width, len(layer.enter.bias) * HANDS
        seen = self.normalized(x)
        groups = self.shaped(seen, -1, tokens, width)
        middle = self.op("ReduceMean", groups, self.constant(np.array([1])), keepdims=0)
        context = self.shaped(self.linear(middle, layer.context), -1, 1, inner)
        own = self.shaped(self.linear(seen, layer.enter), -1, tokens, inner)
        hidden = self.shaped(self.activated(self.op("Add", own, context)), -1, inner)
        if mean:
            x, hidden = self.suit_mean(x, width), self.suit_mean(hidden, inner)
        return self.op("Add", x, self.linear(hidden, layer.leave))


class _Hand2VecGraph(_Graph):
    """The graph of the paper's network, as two halves side by side."""

    def __init__(self, network: Hand2Vec):
        self.hand2vec = network
        self.storage = "float32"
        self.nodes, self.constants = [], []

    def both(self) -> None:
        """Add the nodes of both halves."""
        from onnx import TensorProto

        norm = self.hand2vec.norm
        assert norm.running_mean is not None and norm.running_var is not None
        scale = (norm.running_var + norm.eps).rsqrt()
        x = self.op("Cast", "hands", to=TensorProto.FLOAT)
        bare = self.stack(x, self.hand2vec.embedding)
        centred = self.op("Sub", bare, self.constant(norm.running_mean.numpy()))
        self.op("Mul", centred, self.constant(scale.numpy()), name="vectors")
        self.op("Identity", self.stack("pairs", self.hand2vec.head), name="tricks")

    def stack(self, x: str, layers: nn.ModuleList) -> str:
        """Linear layers with an ELU behind all but the last."""
        for number, layer in enumerate(layers):
            assert isinstance(layer, nn.Linear)
            if number:
                x = self.op("Elu", x)
            weight, bias = (part.detach().numpy() for part in (layer.weight, layer.bias))
            x = self.op("Gemm", x, self.constant(weight.T), self.constant(bias))
        return x
