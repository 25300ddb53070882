"""Hundredths: what Dealer counts in them, and decimals, which it reads as a hundred times as much.

``cccc(north)`` is 1525 for a hand worth 15.25, and ``cccc(north) > 15.2`` compares with 1520.
"""

from typing import TypeVar

from .tree import Arithmetic, Node, Number

_Node = TypeVar("_Node", bound=Node)


class Units:
    """Which numbers of a script are in hundredths, and which are made with a decimal point."""

    def __init__(self) -> None:
        self._hundredths: set[Node] = set()
        self._decimals: set[Node] = set()

    def hundredths(self, node: _Node) -> _Node:
        """Take a number to be in hundredths."""
        self._hundredths.add(node)
        return node

    def decimal(self, node: _Node) -> _Node:
        """Take a number to be written with a decimal point."""
        self._decimals.add(node)
        return node

    def in_hundredths(self, node: Node) -> bool:
        """Tell whether a number is in hundredths."""
        return node in self._hundredths

    def has_point(self, node: Node) -> bool:
        """Tell whether a number is made with a decimal point."""
        return node in self._decimals

    def like(self, node: _Node, *parts: Node) -> _Node:
        """Take a number to be in the unit of those that it is made of."""
        if any(part in self._hundredths for part in parts):
            return self.hundredths(node)
        if any(part in self._decimals for part in parts):
            return self.decimal(node)
        return node

    def aligned(self, left: Node, right: Node) -> tuple[Node, Node]:
        """Return two numbers in the same unit: a decimal beside hundredths is multiplied."""
        if left in self._hundredths and right in self._decimals:
            return left, _times_hundred(right)
        if right in self._hundredths and left in self._decimals:
            return _times_hundred(left), right
        return left, right


def _times_hundred(node: Node) -> Node:
    if isinstance(node, Number):
        return Number(round(100 * node.value, 6))
    return Arithmetic("*", node, Number(100))
