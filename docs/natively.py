"""trickcast, with the trainings of the papers' networks computed by our own C++ programs.

    python docs/natively.py reproduce mossakowski2009 --row m09-TV-01 --scale full

Any command of trickcast may follow. The difference is in the networks of 2004 and 2009 at scale
full, except several copies of one (VI-F), and in those of 2018. Networks of a few thousand weights
leave torch's operations little to compute and much to move. full_batches.cpp, small_batches.cpp and
four_hands.cpp compute the same sums, gradients and steps, except for rounding.

    FIRST_PHASE_EVERY=10 python docs/natively.py reproduce mandziuk2018 --scale authors …

The first phase of 2018 by its authors' program takes 5,000 to 42,000 steps on a quarter of all
examples. So it can see only every tenth of them (or 1 for all); the second phase sees all. Such a
first phase is kept in trained/first-phases, for rows that differ only in the second.
Needs g++. On a cluster, whose machines lack these programs, torch would do the trainings.
"""

import ctypes
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from trickcast.cli import main
from trickcast.papers.experiments import trained
from trickcast.papers.networks.authors_autoencoder import AuthorsTask
from trickcast.papers.networks.autoencoder import AutoencoderTask
from trickcast.papers.networks.examples import Examples
from trickcast.papers.networks.full_batch import FullBatch
from trickcast.papers.networks.layered_network import BlockLinear, LayeredNetwork
from trickcast.training import TrainingError

TILE = 128
"""Examples that go through all layers together: T in the programs."""
ACTIVATIONS = ("logistic", "tanh", "linear")
WIDTH, WIDEST = 16, 256
"""Floats in a vector, and at most in a row of weights: WIDTH and WIDTH × MOST in the program."""
FIRST_PHASES = Path("trained/first-phases")
WIDEST_OF_HANDS = 160
"""Most neurons in a layer of four_hands.cpp: WIDTH × MOST there."""


@cache
def compiled(name: str) -> Any:
    """Return the program of a file beside this one, compiled for this CPU.

    Raises TrainingError if that fails.
    """
    source = Path(__file__).with_name(f"{name}.cpp")
    wide = ["-mprefer-vector-width=512"] if platform.machine() == "x86_64" else []
    with tempfile.TemporaryDirectory() as folder:
        part, whole = (str(Path(folder, f"{name}.{kind}")) for kind in ("o", "so"))
        # linked without -ffast-math, which would flush small numbers to zero in all of Python
        calls = (
            ["-O3", "-march=native", *wide, "-ffast-math", "-fPIC", "-c", str(source), "-o", part],
            ["-shared", part, "-o", whole],
        )
        try:
            for options in calls:
                subprocess.run(["g++", *options], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise TrainingError(f"{source.name} cannot be compiled: {error}") from None
        return ctypes.CDLL(whole)


# ---- full batches: 2004 and 2009 -----------------------------------------------------------------


class Layer(ctypes.Structure):
    """The position and shape of what a layer reads and writes."""

    _fields_ = tuple(
        (name, ctypes.c_int)
        for name in ("level", "begin", "to", "blocks", "outputs", "inputs", "activation")
    )


def tiled(inputs: Tensor) -> Tensor:
    """Turn (n, inputs) into (tiles, inputs, TILE), the last tile padded with zeros."""
    n, size = inputs.shape
    tiles = -(-n // TILE)
    whole = torch.zeros(tiles * TILE, size)
    whole[:n] = inputs
    return whole.view(tiles, TILE, size).transpose(1, 2).contiguous()


def descend(network: LayeredNetwork, inputs: Tensor, targets: Tensor) -> float:
    """Set the gradients of a network without copies, and return the sum of squared errors.

    ``inputs`` are (tiles, inputs, TILE), ``targets`` (outputs, n). The sum is NaN if a weight is
    NaN: the program, compiled for speed, would not notice.
    """
    parts, layers, sizes = list[BlockLinear](), list[Layer](), list[int]()
    begin = to = 0
    for level, modules in enumerate(network.layers):
        last = level + 1 == len(network.layers)
        activation = ACTIVATIONS.index(network.output if last else network.activation)
        begin = to = 0
        for part in getattr(modules, "parts", [modules]):
            blocks, outputs, size = part.weight.shape
            parts.append(part)
            layers.append(Layer(level, begin, to, blocks, outputs, size, activation))
            begin, to = begin + blocks * size, to + blocks * outputs
        sizes.append(begin)
    sizes.append(to)
    weights, biases = ([getattr(part, of) for part in parts] for of in ("weight", "bias"))
    slopes = [[torch.zeros_like(x, dtype=torch.float64) for x in of] for of in (weights, biases)]

    def places(tensors: list[Tensor]) -> Any:
        return (ctypes.c_void_p * len(tensors))(*[x.data_ptr() for x in tensors])

    program = compiled("full_batches").full_batch
    program.restype = ctypes.c_double
    error: float = program(
        (Layer * len(layers))(*layers),
        len(layers),
        (ctypes.c_int * len(sizes))(*sizes),
        len(sizes) - 1,
        ctypes.c_void_p(inputs.data_ptr()),
        ctypes.c_void_p(targets.data_ptr()),
        ctypes.c_long(targets.shape[1]),
        *(places(of) for of in (weights, biases, *slopes)),
    )
    for moved, gradients in zip((weights, biases), slopes, strict=True):
        for parameter, gradient in zip(moved, gradients, strict=True):
            parameter.grad = gradient.float()
    numbers = all(bool(torch.isfinite(x).all()) for x in (*weights, *biases))
    return error if numbers else float("nan")


class NativeBatch(FullBatch[Any, Any]):
    """A training by full batches whose passes are run by full_batches.cpp.

    Copies of a network, and examples in portions, are left to torch.
    """

    @property
    def native(self) -> bool:
        """Whether this training can be computed here."""
        return bool(self.network.copies == 1 and self.config.portions == 1)

    def _chunks(self, examples: Examples) -> list[tuple[Tensor, Tensor]]:
        if not self.native:
            return super()._chunks(examples)
        targets = torch.from_numpy(self.head.targets(examples.tricks))
        return [(tiled(torch.from_numpy(examples.inputs)), targets.t().contiguous())]

    def _descend(self, portions: Any) -> tuple[float, int]:
        if not self.native:
            return super()._descend(portions)
        (((inputs, targets),),) = portions
        network: Any = self.network
        return descend(network, inputs, targets), targets.numel()


# ---- small batches: 2018 -------------------------------------------------------------------------


class Learner(ctypes.Structure):
    """A layer of small_batches.cpp: its shape, weights, and RMSProp's means of squares."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("blocks", "inputs", "outputs", "frozen")),
        *(
            (name, ctypes.c_void_p)
            for name in ("weights", "biases", "weight_squares", "bias_squares")
        ),
    )


def in_rows(tensor: Tensor) -> Tensor:
    """Turn (blocks, outputs, inputs) into (blocks, inputs, outputs), padded with zeros.

    Rows are whole vectors of the program, and aligned as it needs.
    """
    blocks, outputs, inputs = tensor.shape
    size = -(-outputs // WIDTH) * WIDTH
    whole = torch.zeros(blocks * inputs * size + WIDTH)
    begin = -whole.data_ptr() % (4 * WIDTH) // 4
    rows = whole[begin : begin + blocks * inputs * size].view(blocks, inputs, size)
    rows[..., :outputs] = tensor.transpose(1, 2)
    return rows


class NativeAutoencoder(AutoencoderTask):
    """A training of 2018 whose epochs are run by small_batches.cpp.

    Inputs that are not 0 to 255, and layers with blocks that are too wide for it, are left to
    torch.
    """

    def pass_once(
        self, examples: int, loss: Callable[[Tensor], Tensor], key: Sequence[int], where: str
    ) -> float:
        """Pass over the examples as ``EpochTask`` does; ``loss`` is the program's own."""
        config = self.config
        inputs, tricks = self.examples(self.progress.step // config.redraw)
        parts: Any = self.network.layers
        if inputs.dtype != torch.uint8 or max(part.weight.shape[1] for part in parts) > WIDEST:
            return super().pass_once(examples, loss, key, where)
        order = np.random.default_rng([config.seed, *key]).permutation(examples)
        layers = list[Learner]()
        rows = list[tuple[Tensor, Tensor]]()  # the program's rows, and torch's
        for part in parts:
            blocks, outputs, size = part.weight.shape
            tensors = [part.weight.data, part.bias.data, *map(self._squares, part.parameters())]
            turned = [in_rows(tensor) for tensor in tensors]
            rows += zip(turned, tensors, strict=True)
            frozen = not part.weight.requires_grad
            layers.append(Learner(blocks, size, outputs, frozen, *(x.data_ptr() for x in turned)))
        kind = 0 if self.phase.number == 1 else 1 if config.loss == "cross-entropy" else 2
        program = compiled("small_batches").epoch
        program.restype = ctypes.c_double
        total: float = program(
            (Learner * len(layers))(*layers),
            len(layers),
            *(ctypes.c_void_p(x.data_ptr()) for x in (inputs, tricks, torch.from_numpy(order))),
            ctypes.c_long(examples),
            *(config.batch, kind),
            *(ctypes.c_float(x) for x in (self.optimizer.param_groups[0]["lr"], config.decay)),
        )
        for changed, tensor in rows:
            tensor.copy_(changed[..., : tensor.shape[1]].transpose(1, 2))
        # compiled for speed, the program would not notice NaN
        if not all(bool(torch.isfinite(x).all()) for x in self.network.parameters()):
            raise TrainingError(f"{where}: the weights are no numbers any more")
        return total / examples

    def _squares(self, parameter: Tensor) -> Tensor:
        """Return RMSProp's means of squares of a parameter, where torch keeps them."""
        if not parameter.requires_grad:
            return torch.zeros_like(parameter)
        state = self.optimizer.state[parameter]
        if not state:
            state |= {"step": torch.tensor(0.0), "square_avg": torch.zeros_like(parameter)}
        squares: Tensor = state["square_avg"]
        return squares


# ---- quarters of all examples: 2018 by the authors' program --------------------------------------


class Joined(ctypes.Structure):
    """A fully connected layer of four_hands.cpp: its shape, weights and gradients."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("inputs", "outputs")),
        *(
            (name, ctypes.c_void_p)
            for name in ("weights", "biases", "weight_slopes", "bias_slopes")
        ),
    )


def in_threes(inputs: Tensor) -> Tensor:
    """Turn (n, 4 × 52), the cards of each hand, into (n, 18) bytes for three cards each.

    Raises TrainingError if a card is not in one of four hands.
    """
    hands = inputs.reshape(-1, 4, 52).bool()
    if not bool((hands.sum(1) == 1).all()):
        raise TrainingError("four_hands.cpp needs every card in one of four hands")
    owners = torch.zeros(len(hands), 54, dtype=torch.uint8)
    owners[:, :52] = hands.to(torch.uint8).argmax(1)
    powers = torch.tensor([1, 4, 16], dtype=torch.uint8)
    return (owners.view(-1, 18, 3) * powers).sum(2, dtype=torch.uint8)


class Given:
    """A layer as the program takes it: (outputs, inputs), and where its gradients go."""

    def __init__(self, weights: Tensor, biases: Tensor, frozen: bool = False):
        self.held = weights.contiguous(), biases.contiguous()  # while the program reads them
        self.weights, self.biases = (torch.zeros_like(x, dtype=torch.float64) for x in self.held)
        moved = () if frozen else (self.weights.data_ptr(), self.biases.data_ptr())
        self.layer = Joined(*reversed(weights.shape), *(x.data_ptr() for x in self.held), *moved)


class NativeAuthors(AuthorsTask):
    """A training by the authors' program whose steps are computed by four_hands.cpp.

    Deep autoencoders, and layers that are too wide for it, are left to torch.
    """

    every: ClassVar[int] = int(os.environ.get("FIRST_PHASE_EVERY", "0"))
    """The first phase sees every such example, and is kept for other rows; 0 for all, not kept."""

    def __init__(self, *given: Any):
        super().__init__(*given)
        self.read: dict[int, tuple[Tensor, Tensor]] = {}
        """By the batch's identity: the holders of the cards, in threes, and the tricks."""
        config, examples = self.config, f"{self.lessons.sha256[:8]}-{self.config.batch}"
        name = f"{config.network}-{config.seed}-{examples}-every-{self.every}.pt"
        self.kept = FIRST_PHASES / name
        if self.every and self.phase.number == 1 and self.kept.exists():
            state = torch.load(self.kept, weights_only=True)
            self.network.load_state_dict(state["network"])
            super()._tune(state["compression_error"])

    def _cut(self) -> list[list[tuple[Tensor, Tensor]]]:
        batches = super()._cut()
        if self.phase.number == 1:
            some = slice(None, None, self.every or 1)
            batches[:] = [[(x[some], y[some]) for x, y in batch] for batch in batches]
        return batches

    def _tune(self, compression_error: float) -> None:
        super()._tune(compression_error)
        if self.every:
            self._batches.clear()
            self.read.clear()
            state = {"network": self.network.state_dict(), "compression_error": compression_error}
            FIRST_PHASES.mkdir(parents=True, exist_ok=True)
            torch.save(state, self.kept)

    def _descend(self, batch: list[tuple[Tensor, Tensor]]) -> Tensor:
        parts: Any = self.network.layers
        widest = max(part.bias.numel() for part in parts)
        if self.config.encoders > 1 or widest > WIDEST_OF_HANDS:
            return super()._descend(batch)
        if id(batch) not in self.read:
            hands = torch.cat([in_threes(inputs) for inputs, _ in batch])
            self.read[id(batch)] = hands, torch.cat([tricks for _, tricks in batch]).long()
        hands, tricks = self.read[id(batch)]
        of_phase = self._decoded_slopes if self.phase.number == 1 else self._estimated_slopes
        error = of_phase(hands, tricks) / len(tricks)
        # compiled for speed, the program would not notice NaN
        finite = all(bool(torch.isfinite(x).all()) for x in self.network.parameters())
        self.optimizer.step()
        return torch.tensor(error if finite else float("nan"))

    def _estimated_slopes(self, hands: Tensor, tricks: Tensor) -> float:
        """Set the gradients of the second phase, and return the sum of the errors."""
        parts: Any = self.network.layers
        given = [joined(part, frozen=not part.weight.requires_grad) for part in parts]
        targets = self.targets.t().contiguous()
        program = compiled("four_hands").four_hands
        program.restype = ctypes.c_double
        total: float = program(
            (Joined * len(given))(*(layer.layer for layer in given)),
            len(given),
            *(ctypes.c_void_p(x.data_ptr()) for x in (hands, tricks, targets)),
            ctypes.c_long(len(tricks)),
        )
        for part, layer in zip(parts, given, strict=True):
            if part.weight.requires_grad:
                part.weight.grad = (own_blocks(layer, part) / len(tricks)).float()
                part.bias.grad = (layer.biases / len(tricks)).float()
        return total

    def _decoded_slopes(self, hands: Tensor, tricks: Tensor) -> float:
        """Set the gradients of the first phase, and return the sum of the errors in nats."""
        encoder: Any = self.network.layers[0]
        (decoding,) = self.decoding
        given = joined(encoder)
        pairs = zip(encoder.weight.data, decoding.data, strict=True)
        blocks = [Given(weights.t(), biases) for weights, biases in pairs]
        program = compiled("four_hands").decoded_hands
        program.restype = ctypes.c_double
        total: float = program(
            ctypes.byref(given.layer),
            (Joined * len(blocks))(*(block.layer for block in blocks)),
            len(blocks),
            ctypes.c_void_p(hands.data_ptr()),
            ctypes.c_long(len(hands)),
        )
        # the decoder's weights are the encoder's
        both = own_blocks(given, encoder) + torch.stack([block.weights.t() for block in blocks])
        encoder.weight.grad = (both / len(hands)).float()
        encoder.bias.grad = (given.biases / len(hands)).float()
        decoding.grad = (torch.stack([block.biases for block in blocks]) / len(hands)).float()
        return total


def joined(part: BlockLinear, frozen: bool = False) -> Given:
    """Return a layer without its blocks: weights from one to another are zero."""
    whole: Any = torch.block_diag
    return Given(whole(*part.weight.data), part.bias.data, frozen)


def own_blocks(layer: Given, part: BlockLinear) -> Tensor:
    """Return the gradients of a joined layer's weights inside its blocks."""
    blocks, outputs, size = part.weight.shape
    own = layer.weights.view(blocks, outputs, blocks, size)
    return own.diagonal(dim1=0, dim2=2).permute(2, 0, 1)


def install() -> None:
    """Make the trainings of experiments native in this process."""
    vars(trained).update(
        FullBatch=NativeBatch, AutoencoderTask=NativeAutoencoder, AuthorsTask=NativeAuthors
    )


if __name__ in ("__main__", "__mp_main__"):  # the latter is the name in a worker
    install()
if __name__ == "__main__":
    if any(word.startswith("--cluster") for word in sys.argv):
        sys.exit("docs/natively.py: --cluster is for trickcast itself (expected --workers)")
    main()
