"""trickcast reproduce, its full batches by a program of their own, some three times as fast.

    python docs/reproduce_natively.py mossakowski2009 --row m09-TV-01 --scale full

Takes the options of trickcast reproduce, and needs g++. Networks of a few thousand weights leave
torch's operations little to do and much to move; full_batches.cpp computes the same sums and
gradients, but for rounding (to 10⁻⁶ of the greatest). Everything else is trickcast's.
"""

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from trickcast.cli import main
from trickcast.experiments import trained
from trickcast.networks import BlockLinear, LayeredNetwork
from trickcast.training.papers.examples import Examples
from trickcast.training.papers.fullbatch import FullBatch

SOURCE = Path(__file__).with_name("full_batches.cpp")
TILE = 128
"""Examples that go through all layers together: T there."""
ACTIVATIONS = ("logistic", "tanh", "linear")
OPTIONS = ("-O3", "-march=native", "-mprefer-vector-width=512", "-ffast-math", "-shared", "-fPIC")


class Layer(ctypes.Structure):
    """Where a layer reads and writes, and its shape."""

    _fields_ = tuple(
        (name, ctypes.c_int)
        for name in ("level", "begin", "to", "blocks", "outputs", "inputs", "activation")
    )


def compiled() -> Any:
    """Return the program of SOURCE, compiled for this processor. Raises OSError without g++."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "full_batches.so")
        subprocess.run(["g++", *OPTIONS, str(SOURCE), "-o", str(path)], check=True)
        program = ctypes.CDLL(str(path)).full_batch
    program.restype = ctypes.c_double
    return program


def tiled(inputs: Tensor) -> Tensor:
    """Turn (n, inputs) into (tiles, inputs, TILE), the last tile filled up with noughts."""
    n, size = inputs.shape
    tiles = -(-n // TILE)
    whole = torch.zeros(tiles * TILE, size)
    whole[:n] = inputs
    return whole.view(tiles, TILE, size).transpose(1, 2).contiguous()


def descend(program: Any, network: LayeredNetwork, inputs: Tensor, targets: Tensor) -> float:
    """Set the gradients of a network without copies, and return the sum of squared errors.

    ``inputs`` are (tiles, inputs, TILE), ``targets`` (outputs, n).
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
    return error


class NativeBatch(FullBatch[Any, Any]):
    """A training by full batches whose passes are full_batches.cpp's.

    Copies of a network, and examples in portions, are left to torch: no training of the papers'
    own protocol has either.
    """

    program = compiled()

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
        return descend(self.program, network, inputs, targets), targets.numel()


if __name__ == "__main__":
    vars(trained)["FullBatch"] = NativeBatch
    sys.argv[1:1] = ["reproduce"]
    main()
