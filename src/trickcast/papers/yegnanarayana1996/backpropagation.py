"""Back-propagation for networks that open the bidding, as in 1996: logistic units, squared error.

The networks are so small (a few thousand weights) that NumPy trains them several times faster
than torch does, and anyone can teach one a rule file of their own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from time import perf_counter

import numpy as np

from ...bidding.cells import Bools
from ...bidding.rules import RuleSystem
from ...bidding.system import Floats
from ...cards import shorten
from ...dealing.language.calls import UNKNOWN
from ...dealing.shuffling import checked_seed
from ..opening_networks import CODINGS, OpeningNetwork

_SIZES = re.compile("[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})+")


@dataclass(frozen=True, slots=True, kw_only=True)
class BackPropagation:
    """How a network is trained.

    Raises ValueError for a bad value, TypeError for a seed that is not a whole number.

    The paper states 5,000 epochs and nothing else. Rate, momentum, batch and first weights are our
    choice.
    """

    epochs: int = 5_000
    rate: float = 0.04
    """Learning rate for the gradient of half the squared error, summed over a batch."""
    final_rate: float | None = None
    """The rate at the end, reached in equal steps; None keeps the rate constant."""
    momentum: float = 0.5
    batch: int = 64
    """Hands between two changes of the weights."""
    seed: int = 1
    """Decides the first weights and the order of the hands."""

    def __post_init__(self) -> None:
        for name, number in (("epochs", self.epochs), ("batch", self.batch)):
            if not isinstance(number, int | np.integer) or number < 1:
                raise ValueError(f"{name} is {shorten(number)} (expected a whole number from 1 on)")
        if not 0 < self.rate < inf:
            raise ValueError(f"rate is {self.rate} (expected a number above 0)")
        if self.final_rate is not None and not 0 <= self.final_rate < inf:
            raise ValueError(f"final_rate is {self.final_rate} (expected 0 or more, or None)")
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum is {self.momentum} (expected 0 to less than 1)")
        checked_seed(self.seed)


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network."""

    network: OpeningNetwork
    tss: float
    """Squared error summed over outputs and training hands, the paper's measure."""
    hands: int
    seconds: float
    settings: BackPropagation


def train_network(
    name: str,
    outputs: Sequence[str],
    hands: Bools,
    targets: Floats,
    settings: BackPropagation | None = None,
) -> Trained:
    """Train the network of a printed name, such as ``52-60-7``, on (n, 52) hands.

    ``targets`` are (n, outputs): 1 for what is right, else 0. Raises ValueError for any other kind
    of name, and if name, outputs, hands and targets do not match.
    """
    given = settings or BackPropagation()
    if not _SIZES.fullmatch(name):
        raise ValueError(f"network {shorten(name)} (expected sizes of layers, such as 52-60-7)")
    sizes = [int(size) for size in name.split("-")]
    if sizes[0] not in CODINGS or sizes[-1] != len(outputs):
        raise ValueError(
            f"network {name}: expected {' or '.join(map(str, CODINGS))} inputs and as many outputs "
            f"as there are names ({len(outputs)})"
        )
    if targets.shape != (len(hands), len(outputs)):
        raise ValueError(
            f"targets of shape {targets.shape} (expected {(len(hands), len(outputs))}: a row for "
            "each hand, a column for each output)"
        )
    started = perf_counter()
    layers = _first_layers(sizes, given.seed)
    _descend(layers, CODINGS[sizes[0]](hands), targets.astype(np.float32), given)
    network = OpeningNetwork(tuple(layers), tuple(outputs))
    tss = float(((network.run(hands) - targets) ** 2).sum())
    return Trained(network, tss, len(hands), perf_counter() - started, given)


def call_targets(teacher: RuleSystem, hands: Bools, outputs: Sequence[str]) -> Floats:
    """Return (n, outputs): 1 for the teacher's call, or for UNKNOWN if it is not an output."""
    unknown = outputs.index(UNKNOWN) if UNKNOWN in outputs else -1
    places = [outputs.index(call) if call in outputs else unknown for call in teacher.calls]
    chosen = np.array(places)[teacher.choose(hands)]
    if (chosen < 0).any():
        raise ValueError("the teacher makes a call that is no output, and there is no UNKNOWN")
    targets: Floats = np.eye(len(outputs), dtype=np.float32)[chosen]
    return targets


def _first_layers(sizes: Sequence[int], seed: int) -> list[tuple[Floats, Floats]]:
    """Return first weights, uniform on ±1/√(inputs)."""
    generator = np.random.default_rng(seed)
    layers = []
    for inputs, outputs in pairwise(sizes):
        bound = inputs**-0.5
        weights = generator.uniform(-bound, bound, (inputs, outputs)).astype(np.float32)
        biases = generator.uniform(-bound, bound, outputs).astype(np.float32)
        layers.append((weights, biases))
    return layers


def _descend(
    layers: list[tuple[Floats, Floats]],
    inputs: Floats,
    targets: Floats,
    settings: BackPropagation,
) -> None:
    """Change the weights in place, batch after batch, epoch after epoch."""
    generator = np.random.default_rng([settings.seed, 1])
    velocities = [(np.zeros_like(weights), np.zeros_like(biases)) for weights, biases in layers]
    last = settings.rate if settings.final_rate is None else settings.final_rate
    for rate in np.linspace(settings.rate, last, settings.epochs, dtype=np.float32):
        order = generator.permutation(len(inputs))
        for start in range(0, len(inputs), settings.batch):
            rows = order[start : start + settings.batch]
            values = _forward(layers, inputs[rows])
            delta = values[-1] - targets[rows]
            for i in reversed(range(len(layers))):
                delta *= values[i + 1] * (1 - values[i + 1])  # (batch, width of layer i)
                weights, biases = layers[i]
                steps = values[i].T @ delta, delta.sum(axis=0)
                delta = delta @ weights.T
                for parameter, velocity, step in zip(
                    (weights, biases), velocities[i], steps, strict=True
                ):
                    velocity *= settings.momentum
                    velocity -= rate * step
                    parameter += velocity


def _forward(layers: Sequence[tuple[Floats, Floats]], inputs: Floats) -> list[Floats]:
    """Return the values of all layers, inputs first."""
    values = [inputs]
    for weights, biases in layers:
        sums = values[-1] @ weights
        sums += biases
        np.negative(sums, out=sums)
        with np.errstate(over="ignore"):  # to infinity, whose inverse is correctly 0
            np.exp(sums, out=sums)
        sums += 1
        values.append(np.reciprocal(sums, out=sums))
    return values
