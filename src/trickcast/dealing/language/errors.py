"""What can be wrong with a constraint: its text, or that nothing fits it."""

from typing import TYPE_CHECKING

from ..cards import DealSet

if TYPE_CHECKING:
    from .report import ConstraintReport


class ConstraintError(ValueError):
    """A constraint that cannot be read, or that contradicts itself or the known cards.

    For text, the message gives line and column, what was expected, the line itself, and a caret
    under the place.
    """


class NoDealsError(ConstraintError):
    """Too few layouts fit: fewer were found than were asked for."""

    def __init__(self, message: str, report: "ConstraintReport", deals: DealSet):
        super().__init__(message)
        self.report = report
        """How often each clause is passed."""
        self.deals = deals
        """Those that were found."""


class ConstraintWarning(UserWarning):
    """Something in a constraint that was read and has no effect."""


def pointed(text: str, start: int, end: int, message: str, source: str = "") -> ConstraintError:
    """Return the error for ``text[start:end]``, with the line and a caret under that place."""
    line = text.count("\n", 0, start) + 1
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    shown = text[begin : len(text) if stop < 0 else stop]
    column, width = start - begin, max(1, min(end, begin + len(shown)) - start)
    if len(shown) > 100:  # keep the place in view
        cut = max(0, column - 50)
        shown, column = shown[cut : cut + 100], column - cut
        width = max(1, min(width, len(shown) - column))
    shown = "".join(" " if c.isspace() else c for c in shown)
    where = f"{source}, " if source else ""
    return ConstraintError(
        f"{where}line {line}, column {start - text.rfind(chr(10), 0, start)}: {message}\n"
        f"  {shown}\n  {' ' * column}{'^' * width}"
    )
