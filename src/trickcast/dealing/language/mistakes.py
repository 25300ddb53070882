"""Errors in a text of the language, and how their position is shown."""

from dataclasses import dataclass

from ...cards import NoteWarning, cut

QUOTED = 60
"""About how many characters of a user's text an error quotes."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong in a text, and where."""

    message: str
    line: int
    column: int
    """Both count from 1."""
    excerpt: str
    """The line in question, and a line with carets under the position."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a text, for errors that appear only when hands are evaluated."""

    text: str
    start: int
    end: int
    source: str
    """The name of the text."""

    def error(self, message: str) -> "ConstraintError":
        """Return the error that points at this position."""
        return pointed(self.text, self.start, self.end, message, self.source)


BY_PARAMETERS = "parameters={…}"
"""What is expected for a ``$1`` without a value; commands, which have no such argument, replace
this by other words."""


class ConstraintError(ValueError):
    """A constraint that cannot be read, or that contradicts itself or the known cards.

    For text, the message gives line and column, what was expected, the line itself, and a caret
    under the position; ``mistake`` has the same as separate fields.
    """

    def __init__(self, message: str, mistake: Mistake | None = None):
        super().__init__(message)
        self.mistake = mistake


class OutsideError(ConstraintError):
    """A number that other programs can compute, and this one cannot."""


class ConstraintWarning(NoteWarning):
    """Something in a constraint that was read and has no effect."""


def clip(text: str) -> str:
    """Return a user's text for a message: on one line, cut if it is long."""
    return cut(" ".join(text.split()), QUOTED)


def pointed(text: str, start: int, end: int, message: str, source: str = "") -> ConstraintError:
    """Return the error for ``text[start:end]``, with the line and a caret under that position."""
    line = text.count("\n", 0, start) + 1
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    shown = text[begin : len(text) if stop < 0 else stop]
    column = start - begin
    width = max(1, min(end, begin + len(shown)) - start)
    offset = column
    if len(shown) > QUOTED:  # keep the position in view
        cut = max(0, min(column - QUOTED // 2, len(shown) - QUOTED))
        shown, offset = shown[cut : cut + QUOTED], column - cut
        width = max(1, min(width, len(shown) - offset))
    shown = "".join(" " if c.isspace() or not c.isprintable() else c for c in shown)
    mistake = Mistake(message, line, column + 1, f"  {shown}\n  {' ' * offset}{'^' * width}")
    where = f"{source}, " if source else ""
    return ConstraintError(
        f"{where}line {line}, column {mistake.column}: {message}\n{mistake.excerpt}", mistake
    )
