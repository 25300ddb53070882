"""What the readers of both forms share: places, numbers, shapes, sums."""

from collections.abc import Callable, Sequence
from typing import Any

from . import shapes as shape_rules
from .errors import ConstraintError, Place, clip, pointed
from .shapes import Shapes
from .syntax import Start, parse
from .tree import Arithmetic, Choice, Converted, DealCount, HandCount, Node, Number
from .units import Units

Branch = Any
"""A lark Tree or Token; which one the grammar says, and no type can."""

COMPARISONS = {"=": "==", "≤": "<=", "≥": ">=", "≠": "!="}
"""Signs that are written otherwise in the tree."""
MAX_DEPTH = 100
"""How many levels of nots, brackets and choices may nest."""
_LONGEST_NUMBER = 15
_MOST = 2.0**53
"""Up to here whole numbers are exact, in whichever type."""


class Reader:
    """One text and its tree by the grammar."""

    def __init__(self, text: str, start: Start, source: str):
        self.text = text
        self.source = source
        self.tree: Branch = parse(text, start, source)
        self.units = Units()
        self._depth = 0
        self._largest: dict[Node, float] = {}

    def error(self, branch: Branch, message: str) -> ConstraintError:
        """Return the error that points at a branch."""
        return pointed(self.text, *self.span(branch), message, self.source)

    def span(self, branch: Branch) -> tuple[int, int]:
        """Return where a branch begins and ends in the text."""
        meta = branch.meta if hasattr(branch, "meta") else branch
        return meta.start_pos or 0, meta.end_pos or 0

    def line(self, branch: Branch) -> int:
        """Return the line in which a branch begins, counted from 1."""
        return self.text.count("\n", 0, self.span(branch)[0]) + 1

    def written(self, branch: Branch) -> str:
        """Return a branch as it was written, on one line."""
        start, end = self.span(branch)
        return " ".join(self.text[start:end].split())

    def checked(self, branch: Branch, make: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``make`` and point at ``branch`` when it objects."""
        try:
            return make(*arguments)
        except ConstraintError:
            raise
        except ValueError as error:
            raise self.error(branch, str(error)) from None

    def nested(self, branch: Branch, read: Callable[[Branch], Node]) -> Node:
        """Read a branch one level deeper; text that nests for ever is refused."""
        if self._depth >= MAX_DEPTH:
            raise self.error(
                branch,
                "nots, brackets or choices are nested too deep (expected at most "
                f"{MAX_DEPTH} levels)",
            )
        self._depth += 1
        try:
            return read(branch)
        finally:
            self._depth -= 1

    def number(self, token: Branch, text: str | None = None) -> int | float:
        """Read a number, whole where it is; ``text`` is what of the token says it."""
        digits = str(token) if text is None else text
        if len(digits) > _LONGEST_NUMBER:
            message = f"{clip(digits)} is too long (expected at most {_LONGEST_NUMBER} characters)"
            raise self.error(token, message)
        value = float(digits)
        return int(value) if value == int(value) else value

    def shapes(self, tree: Branch) -> Shapes:
        """Read ``any 4333 + any 4432 - 5xxx``."""
        shapes = ~shape_rules.all_shapes()
        sign = "+"
        for part in tree.children:
            if not hasattr(part, "children") and part.type == "ADD":
                sign = str(part)
                continue
            term = self.pattern(part)
            shapes = shapes & ~term if sign == "-" else shapes | term
            sign = "+"
        return shapes

    def pattern(self, part: Branch) -> Shapes:
        """Read ``5xx2``, or ``any 5332``."""
        free = hasattr(part, "children")
        text = str(part.children[-1]) if free else str(part)
        pattern: shape_rules.Pattern = self.checked(part, shape_rules.parse_pattern, text)
        return shape_rules.any_order(pattern) if free else shape_rules.exactly(pattern)

    def calculation(self, tree: Branch, first: Node, rest: Sequence[tuple[str, Node]]) -> Node:
        """Return ``first`` joined with the others, from left to right.

        Results that a number of 64 bits may not hold are refused.
        """
        result = first
        for operator, operand in rest:
            result = joined = self.join(tree, operator, result, operand)
            size = self._size(joined.left), self._size(joined.right)
            self._largest[result] = self._reach(operator, *size, joined.right)
            if self._largest[result] > _MOST:
                message = f"the result may exceed {_MOST:,.0f} (expected smaller numbers)"
                raise self.error(tree, message)
        return result

    def join(self, tree: Branch, operator: str, left: Node, right: Node) -> Arithmetic:
        """Return two numbers joined, in hundredths where one of them is."""
        if operator in "+-":
            left, right = self.units.aligned(left, right)
        place = Place(self.text, *self.span(tree), self.source) if operator in "/%" else None
        return self.units.like(Arithmetic(operator, left, right, place), left, right)

    def _reach(self, operator: str, left: float, right: float, divisor: Node) -> float:
        """Return what the result of an operation cannot exceed."""
        if operator in "+-":
            return left + right
        if operator == "*":
            return left * right
        if operator == "/" and isinstance(divisor, Number) and divisor.value:
            return left / abs(divisor.value)
        return left  # by fractions that come of the cards results are not whole, and may be large

    def _size(self, node: Node) -> float:
        """Return what a number cannot exceed; conditions count as 0 or 1."""
        if node in self._largest:
            return self._largest[node]
        match node:
            case Number(value):
                return abs(value)
            case Arithmetic("*", left, Number(value)):  # a decimal in hundredths
                return self._size(left) * abs(value)
            case HandCount(count):
                return max(map(abs, count.bounds))
            case DealCount(limits=limits) | Converted(limits=limits):
                return max(map(abs, limits))
            case Choice(_, yes, no):
                return max(self._size(yes), self._size(no))
        return 1.0
