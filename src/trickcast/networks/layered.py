"""The feed-forward networks of the 2004 and 2009 papers, built from their printed names."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .names import Join, NetworkName


class BlockLinear(nn.Module):
    """A layer joined fully inside each of its blocks; with one block, a plain linear layer.

    Examples stand in the last axis: the result of one layer is then the next one's input without
    being moved in memory, whatever their blocks.
    """

    def __init__(self, join: Join, generator: torch.Generator):
        super().__init__()
        self.blocks = join.blocks
        # uniform on ±1/√(inputs), torch's own habit; the papers do not state theirs
        bound = join.inputs**-0.5
        weight = torch.empty(join.blocks, join.outputs, join.inputs)
        bias = torch.empty(join.blocks, join.outputs, 1)
        self.weight = nn.Parameter(weight.uniform_(-bound, bound, generator=generator))
        self.bias = nn.Parameter(bias.uniform_(-bound, bound, generator=generator))

    def forward(self, x: Tensor) -> Tensor:
        """Turn (inputs of all blocks, n) into (outputs of all blocks, n)."""
        x = x.view(self.blocks, -1, x.shape[-1])  # (blocks, inputs, n)
        return torch.baddbmm(self.bias, self.weight, x).flatten(0, 1)


class LayeredNetwork(nn.Module):
    """A network of the papers: logistic units everywhere, or tanh (for inputs below zero).

    ``seed`` alone decides the first weights. Raises ValueError for a name that cannot be built.
    """

    def __init__(self, name: str | NetworkName, *, seed: int, activation: str = "logistic"):
        super().__init__()
        if activation not in ("logistic", "tanh"):
            raise ValueError(f"activation is {activation!r} (expected 'logistic' or 'tanh')")
        self.name = name if isinstance(name, NetworkName) else NetworkName(name)
        self.activation = activation
        generator = torch.Generator().manual_seed(seed)
        self.layers = nn.ModuleList(BlockLinear(join, generator) for join in self.name.joins)

    def forward(self, inputs: Tensor) -> Tensor:
        """Turn (n, inputs) of any numeric type into (n, outputs) float32."""
        x = inputs.float().t()
        for layer in self.layers:
            x = layer(x).sigmoid() if self.activation == "logistic" else layer(x).tanh()
        return x.t()


def run(network: nn.Module, inputs: NDArray[np.uint8], chunk: int = 4096) -> NDArray[np.float32]:
    """Return the first output of a network for each of (n, inputs), a chunk at a time."""
    outputs = np.empty(len(inputs), dtype=np.float32)
    with torch.inference_mode():
        for start in range(0, len(inputs), chunk):
            rows = slice(start, start + chunk)
            outputs[rows] = network(torch.from_numpy(inputs[rows]))[:, 0].numpy()
    return outputs
