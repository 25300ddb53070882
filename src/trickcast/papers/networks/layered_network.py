"""The feed-forward networks of the 2004, 2009 and 2018 papers, built from their printed names."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ...cards import shorten
from .network_name import Join, NetworkName

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "linear": lambda x: x,
}
"""Activations of neurons, by name."""


class BlockLinear(nn.Module):
    """A layer that is fully connected inside each of its blocks; with one block, a linear layer.

    Examples are on the last axis, so the output of one layer is the next one's input without being
    moved in memory, whatever the blocks. ``copies`` is the number of such layers with different
    weights, one after the other. First weights are uniform on ± ``first`` / √(inputs), or, if
    ``flat``, on ± ``first``.
    """

    def __init__(
        self,
        join: Join,
        generator: torch.Generator,
        copies: int = 1,
        first: float = 1.0,
        flat: bool = False,
    ):
        super().__init__()
        self.blocks = join.blocks * copies
        # 1/√(inputs) is torch's own default; the papers do not state theirs
        bound = first if flat else first * join.inputs**-0.5
        weight = torch.empty(self.blocks, join.outputs, join.inputs)
        bias = torch.empty(self.blocks, join.outputs, 1)
        self.weight = nn.Parameter(weight.uniform_(-bound, bound, generator=generator))
        self.bias = nn.Parameter(bias.uniform_(-bound, bound, generator=generator))

    def forward(self, x: Tensor) -> Tensor:
        """Turn (inputs of all blocks, n) into (outputs of all blocks, n)."""
        x = x.reshape(self.blocks, -1, x.shape[-1])  # (blocks, inputs, n)
        return torch.baddbmm(self.bias, self.weight, x).flatten(0, 1)


class SideBySide(nn.Module):
    """A layer of several parts, each connected to its own part of the layer before it."""

    def __init__(
        self,
        joins: tuple[Join, ...],
        generator: torch.Generator,
        first: float = 1.0,
        flat: bool = False,
    ):
        super().__init__()
        self.sizes = [join.blocks * join.inputs for join in joins]
        self.parts = nn.ModuleList(
            BlockLinear(join, generator, first=first, flat=flat) for join in joins
        )

    def forward(self, x: Tensor) -> Tensor:
        """Turn (inputs of all parts, n) into (outputs of all parts, n)."""
        pieces = torch.split(x, self.sizes)
        return torch.cat([part(piece) for part, piece in zip(self.parts, pieces, strict=True)])


class LayeredNetwork(nn.Module):
    """A network of the papers: logistic units everywhere, or tanh (for inputs below zero).

    ``output`` is the activation of the last layer if it is another one. ``seed`` alone decides
    the first weights, which are uniform on ± ``first`` / √(inputs), or, if ``flat``, on ± ``first``
    in all layers. ``copies`` networks of one shape and different weights are computed together
    on the same inputs; their outputs follow one after the other.
    Raises ValueError for a name that cannot be built, or an unknown activation.
    """

    def __init__(
        self,
        name: str | NetworkName,
        *,
        seed: int,
        activation: str = "logistic",
        output: str | None = None,
        copies: int = 1,
        first: float = 1.0,
        flat: bool = False,
    ):
        super().__init__()
        for chosen in (activation, output or activation):
            if chosen not in ACTIVATIONS:
                raise ValueError(
                    f"activation is {shorten(chosen)} (expected one of {', '.join(ACTIVATIONS)})"
                )
        self.name = name if isinstance(name, NetworkName) else NetworkName(name)
        if copies > 1 and any(len(parts) > 1 for parts in self.name.joins):
            raise ValueError(f"network {self.name}: one with extra inputs has no copies")
        self.activation, self.output, self.copies = activation, output or activation, copies
        generator = torch.Generator().manual_seed(seed)
        self.layers = nn.ModuleList(
            SideBySide(parts, generator, first, flat)
            if len(parts) > 1
            else BlockLinear(parts[0], generator, copies, first, flat)
            for parts in self.name.joins
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """Turn (n, inputs) of any numeric type into (n, copies × outputs) float32."""
        x = inputs.float().t()
        if self.copies > 1:
            x = x.expand(self.copies, *x.shape)
        squash = ACTIVATIONS[self.activation]
        for layer in self.layers[:-1]:
            x = squash(layer(x))
        return ACTIVATIONS[self.output](self.layers[-1](x)).t()
