"""trickcast, whose trainings by full batches are computed by a program of their own, in C++.

    python docs/natively.py reproduce mossakowski2009 --row m09-TV-01 --scale full

Any command of trickcast may follow; it differs for the networks of 2004 and 2009 at scale full, but
for several copies of one (VI-F). Networks of a few thousand weights leave torch's operations little
to do and much to move: full_batches.cpp computes the same sums and gradients, but for rounding.
Needs g++; on a cluster, whose machines have no such program, trainings would be torch's.
"""

import ctypes
import platform
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from trickcast.cli import main
from trickcast.experiments import trained
from trickcast.networks import BlockLinear, LayeredNetwork
from trickcast.training import TrainingError
from trickcast.training.papers.examples import Examples
from trickcast.training.papers.fullbatch import FullBatch

SOURCE = Path(__file__).with_name("full_batches.cpp")
TILE = 128
"""Examples that go through all layers together: T there."""
ACTIVATIONS = ("logistic", "tanh", "linear")


class Layer(ctypes.Structure):
    """Where a layer reads and writes, and its shape."""

    _fields_ = tuple(
        (name, ctypes.c_int)
        for name in ("level", "begin", "to", "blocks", "outputs", "inputs", "activation")
    )


@cache
def compiled() -> Any:
    """Return the program of SOURCE, compiled for this processor.

    Raises TrainingError where that cannot be done.
    """
    wide = ["-mprefer-vector-width=512"] if platform.machine() == "x86_64" else []
    with tempfile.TemporaryDirectory() as folder:
        part, whole = (str(Path(folder, f"full_batches.{kind}")) for kind in ("o", "so"))
        # linked without -ffast-math, which would round small numbers to nought in all of Python
        calls = (
            ["-O3", "-march=native", *wide, "-ffast-math", "-fPIC", "-c", str(SOURCE), "-o", part],
            ["-shared", part, "-o", whole],
        )
        try:
            for options in calls:
                subprocess.run(["g++", *options], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise TrainingError(f"{SOURCE.name} cannot be compiled: {error}") from None
        program = ctypes.CDLL(whole).full_batch
    program.restype = ctypes.c_double
    return program


def tiled(inputs: Tensor) -> Tensor:
    """Turn (n, inputs) into (tiles, inputs, TILE), the last tile filled up with noughts."""
    n, size = inputs.shape
    tiles = -(-n // TILE)
    whole = torch.zeros(tiles * TILE, size)
    whole[:n] = inputs
    return whole.view(tiles, TILE, size).transpose(1, 2).contiguous()


def descend(network: LayeredNetwork, inputs: Tensor, targets: Tensor) -> float:
    """Set the gradients of a network without copies, and return the sum of squared errors.

    ``inputs`` are (tiles, inputs, TILE), ``targets`` (outputs, n). The sum is NaN where a weight
    is no number: the program, compiled for speed, would not notice.
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

    error: float = compiled()(
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
    """A training by full batches whose passes are full_batches.cpp's.

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


def install() -> None:
    """Let the trainings of experiments be native, in this process."""
    vars(trained)["FullBatch"] = NativeBatch


if __name__ in ("__main__", "__mp_main__"):  # the latter is a worker's name for it
    install()
if __name__ == "__main__":
    if any(word.startswith("--cluster") for word in sys.argv):
        sys.exit("docs/natively.py: --cluster is for trickcast itself (expected --workers)")
    main()
