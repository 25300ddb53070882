"""The printed names of the papers' networks: ``"(52x4)-(26x4)-26-13-1"``, ``"52-25-1"``."""

import re
from dataclasses import dataclass
from functools import cached_property

_LAYER = re.compile(r"\((\d+)x(\d+)\)|(\d+)")
_CARDS_OF_A_HAND = 13


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of neurons: ``width`` in each of ``groups`` equal groups (``(26x4)``: 26 in 4)."""

    width: int
    groups: int = 1

    @property
    def neurons(self) -> int:
        """Neurons in all."""
        return self.width * self.groups


@dataclass(frozen=True, slots=True)
class Join:
    """How a layer is joined to the one before it: fully inside each of ``blocks`` blocks."""

    blocks: int
    inputs: int
    outputs: int

    @property
    def connections(self) -> int:
        """Weights, without biases."""
        return self.blocks * self.inputs * self.outputs


@dataclass(frozen=True)
class NetworkName:
    """A network's printed name, read: its layers from input to output and how they are joined.

    Groups are joined to the groups of the layer before, hand by hand; a layer without groups is
    joined to everything. In a network of 26×4 inputs the first hidden neurons see one card each,
    its rank and suit. Raises ValueError when the name cannot be read or built.
    """

    name: str

    def __post_init__(self) -> None:
        _ = self.joins

    def __str__(self) -> str:
        return self.name

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers from input to output."""
        layers = list[Layer]()
        for part in self.name.split("-"):
            match = _LAYER.fullmatch(part.strip())
            if match is None:
                raise ValueError(
                    f"network {self.name!r}: {part!r} is not a layer "
                    "(expected a number as 26, or groups as (26x4))"
                )
            width, groups, plain = match.groups()
            layers.append(Layer(int(plain)) if plain else Layer(int(width), int(groups)))
        if len(layers) < 2 or min(layer.neurons for layer in layers) == 0:
            raise ValueError(
                f"network {self.name!r}: expected at least inputs and outputs, as 52-1, none empty"
            )
        return tuple(layers)

    @cached_property
    def joins(self) -> tuple[Join, ...]:
        """How each layer but the first is joined to the one before it."""
        joins = []
        for before, layer in zip(self.layers, self.layers[1:], strict=False):
            if layer.groups == 1:
                joins.append(Join(1, before.neurons, layer.neurons))
            elif before.groups != layer.groups:
                raise ValueError(
                    f"network {self.name!r}: {layer.groups} groups cannot be joined to "
                    f"{before.groups} (expected as many groups in both layers)"
                )
            elif before is self.layers[0] and before.width == 2 * _CARDS_OF_A_HAND:
                cards = _CARDS_OF_A_HAND * before.groups
                if layer.neurons % cards:
                    raise ValueError(
                        f"network {self.name!r}: {layer.width} neurons a hand cannot see one of "
                        f"its {_CARDS_OF_A_HAND} cards each"
                    )
                joins.append(Join(cards, 2, layer.neurons // cards))
            else:
                joins.append(Join(layer.groups, before.width, layer.width))
        return tuple(joins)

    @property
    def neurons(self) -> int:
        """Neurons in all, the inputs counted, as in Table III of the 2009 paper."""
        return sum(layer.neurons for layer in self.layers)

    @property
    def connections(self) -> int:
        """Weights in all, without biases, as in Table III of the 2009 paper."""
        return sum(join.connections for join in self.joins)
