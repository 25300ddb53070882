"""A suit network as an ONNX graph of whole numbers: products of int8 weights and uint8 inputs."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ...cards.sizes import SEATS
from ..suits import SuitNetwork
from ..tokens import SeatLinear
from .graph import Array
from .suit_graph import SuitGraph

_STEPS = 63  # of an int8 weight: more than six bits overflow on processors without VNNI
_LEVELS = 255  # of a uint8 feature


class Int8Graph(SuitGraph):
    """The graph of a network in whole numbers.

    ``sample`` (m, 52) are deals whose features show the ranges to be told apart.
    """

    def __init__(self, network: SuitNetwork, sample: torch.Tensor):
        super().__init__(network, half=False)
        self._seen = _seen(network, sample)
        self._quantized: dict[tuple[str, float, float], tuple[str, str, str]] = {}

    def arrays(self, layer: nn.Module) -> tuple[Array, Array]:
        """Weight (outputs, 4, inputs) and bias (outputs) of a layer.

        Rounded weights would shift what comes out on average; the bias makes up for that (Nagel et
        al., "Data-free quantization through weight equalization and bias correction", 2019).
        """
        weight, bias = super().arrays(layer)
        by_distance = weight.transpose(1, 2, 0)  # (distance, inputs, outputs)
        rounded, steps = _rounded(by_distance)
        lost = by_distance - rounded * steps
        return weight, bias + self._seen[layer].mean @ lost.sum(0)

    def product(self, x: str, weight: Array, bias: Array, layer: nn.Module) -> str:
        """A linear layer in whole numbers."""
        bias_name = self.constant(np.tile(bias.astype(np.float32), SEATS))
        weight = weight.transpose(1, 2, 0)  # (distance, inputs, outputs)
        quantized, scale, zero = self._input(x, self._seen[layer].low, self._seen[layer].high)
        rounded, steps = _rounded(weight)
        inputs = [
            quantized,
            self.expanded(self.constant(rounded.astype(np.int8)), weight.shape),
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


def _seen(network: SuitNetwork, sample: torch.Tensor) -> dict[nn.Module, Seen]:
    """Return what every linear layer sees of the sample."""
    seen: dict[nn.Module, Seen] = {}

    def note(module: nn.Module, inputs: tuple[torch.Tensor]) -> None:
        (x,) = inputs
        mean = x.reshape(-1, SEATS, x.shape[-1] // SEATS).mean((0, 1)).numpy()
        seen[module] = Seen(min(float(x.min()), 0.0), max(float(x.max()), 0.0), mean)

    layers = [module for module in network.modules() if isinstance(module, SeatLinear)]
    hooks = [layer.register_forward_pre_hook(note) for layer in layers]
    with torch.inference_mode():
        network.eval()(sample)
    for hook in hooks:
        hook.remove()
    return seen


def _rounded(weight: Array) -> tuple[Array, Array]:
    """Return (…, …, outputs) weights as whole numbers of steps, and the (outputs,) steps."""
    steps = np.maximum(np.abs(weight).max((0, 1)), 1e-12) / _STEPS
    return np.rint(weight / steps), steps
