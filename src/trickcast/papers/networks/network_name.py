"""The printed names of the papers' networks: ``"(52x4)-(26x4)-26-13-1"``, ``"(52+36)-25-1"``."""

import re
from dataclasses import dataclass
from functools import cached_property

from ...cards import shorten

_LAYER = re.compile(r"\((\d{1,6})(?:x(\d{1,6}))?(?:\+(\d{1,6}))?\)|(\d{1,6})", re.ASCII)
_LONGEST = 100
_CARDS_OF_A_HAND = 13


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of neurons: ``width`` in each of ``groups`` equal groups, and ``extra`` beside them.

    ``(26x4)`` is 26 in 4 groups, ``(52x4+84)`` 52 in 4 groups and 84 extra, ``(52+36)`` 52 and 36.
    """

    width: int
    groups: int = 1
    extra: int = 0

    @property
    def neurons(self) -> int:
        """Neurons in all."""
        return self.width * self.groups + self.extra


@dataclass(frozen=True, slots=True)
class Join:
    """How a part of a layer is connected to the one before: fully inside each of ``blocks``."""

    blocks: int
    inputs: int
    outputs: int

    @property
    def connections(self) -> int:
        """Weights, without biases."""
        return self.blocks * self.inputs * self.outputs


@dataclass(frozen=True)
class NetworkName:
    """A parsed printed name: the layers from input to output, and how they are connected.

    Groups are connected to the groups of the layer before, hand by hand, and extra neurons to extra
    neurons. A layer without groups is connected to everything. In a network of 26×4 inputs each of
    the first hidden neurons sees one card, its rank and suit. Raises ValueError for a name that
    cannot be read or built.

    >>> NetworkName("(52x4)-(26x4)-26-13-1").connections
    8463
    """

    name: str

    def __post_init__(self) -> None:
        _ = self.joins

    def __str__(self) -> str:
        return self.name

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers from input to output."""
        if len(self.name) > _LONGEST:
            raise ValueError(
                f"network {shorten(self.name)}: expected at most {_LONGEST} characters"
            )
        layers = tuple(self._read_layer(part.strip()) for part in self.name.split("-"))
        # a group without neurons is also a part from which nothing can be computed
        if len(layers) < 2 or min(min(layer.width, layer.groups) for layer in layers) == 0:
            raise ValueError(
                f"network {shorten(self.name)}: expected at least inputs and outputs, as 52-1, "
                "no layer or group of them empty"
            )
        return layers

    def _read_layer(self, part: str) -> Layer:
        match = _LAYER.fullmatch(part)
        if match is None:
            raise ValueError(
                f"network {shorten(self.name)}: {shorten(part)} is not a layer "
                "(expected a number such as 26, or groups such as (26x4), (52+36) or (52x4+84))"
            )
        width, groups, extra, plain = match.groups()
        if plain is not None:
            return Layer(int(plain))
        return Layer(int(width), int(groups or 1), int(extra or 0))

    @cached_property
    def joins(self) -> tuple[tuple[Join, ...], ...]:
        """How the parts of each layer but the first are connected to those of the one before it."""
        pairs = zip(self.layers, self.layers[1:], strict=False)
        return tuple(self._join(before, layer) for before, layer in pairs)

    def _join(self, before: Layer, layer: Layer) -> tuple[Join, ...]:
        if layer.groups == 1:
            if layer.extra and before is not self.layers[0]:
                raise ValueError(
                    f"network {shorten(self.name)}: {layer.extra} extra neurons stand beside "
                    "no groups"
                )
            return (Join(1, before.neurons, layer.neurons),)
        if before.groups != layer.groups:
            raise ValueError(
                f"network {shorten(self.name)}: {layer.groups} groups cannot be joined to "
                f"{before.groups} (expected as many groups in both layers)"
            )
        if (before.extra == 0) != (layer.extra == 0):
            raise ValueError(
                f"network {shorten(self.name)}: {layer.extra} extra neurons cannot be joined to "
                f"{before.extra} (expected some in both layers or in neither)"
            )
        extra = (Join(1, before.extra, layer.extra),) if layer.extra else ()
        if before is self.layers[0] and before.width == 2 * _CARDS_OF_A_HAND:
            cards = _CARDS_OF_A_HAND * before.groups
            if layer.width % _CARDS_OF_A_HAND:
                raise ValueError(
                    f"network {shorten(self.name)}: {layer.width} neurons a hand cannot see one of "
                    f"its {_CARDS_OF_A_HAND} cards each"
                )
            return (Join(cards, 2, layer.width * layer.groups // cards), *extra)
        return (Join(layer.groups, before.width, layer.width), *extra)

    @property
    def neurons(self) -> int:
        """Neurons in all, the inputs counted, as in Table III of the 2009 paper."""
        return sum(layer.neurons for layer in self.layers)

    @property
    def connections(self) -> int:
        """Weights in all, without biases, as in Table III of the 2009 paper."""
        return sum(join.connections for parts in self.joins for join in parts)
