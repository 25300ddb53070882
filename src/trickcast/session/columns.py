"""Lay out rows as text columns, as wide as there is room."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap

WIDTH = 80
_LONGEST_WORD = 12
"""Words shorter than this are never broken to make room."""


def columns(
    rows: Sequence[Sequence[str]],
    right: Iterable[int] = (),
    *,
    width: int,
    wraps: Sequence[int] = (),
    sheds: Sequence[int] = (),
) -> str:
    """Lay rows out in columns; columns with nothing but a heading are left out.

    If they are too wide, the space between them is halved. Then columns of ``sheds`` are dropped
    in order, and finally the texts of the columns ``wraps`` continue on the next line.
    """
    if not rows:
        return ""
    size = max(map(len, rows))
    filled = [[*row, *[""] * (size - len(row))] for row in rows]
    kept = [i for i in range(size) if any(row[i] for row in (filled[1:] or filled))]
    widths = {i: max(len(row[i]) for row in filled) for i in kept}
    least = {
        i: min(widths[i], max(_longest_word(row[i] for row in filled), 1)) if i in wraps else wide
        for i, wide in widths.items()
    }
    gap = 2 if _fits(widths, 2, width) else 1
    for shed in sheds:
        if not _fits(least, gap, width):
            widths.pop(shed, None)
            least.pop(shed, None)
    while not _fits(widths, gap, width):
        widest = max(widths, key=lambda i: widths[i] - least[i] and widths[i])
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    return "\n".join(line for row in filled for line in _lines(row, widths, {*right}, gap))


def _fits(widths: dict[int, int], gap: int, width: int) -> bool:
    return sum(widths.values()) + gap * (len(widths) - 1) <= width


def _longest_word(texts: Iterable[str]) -> int:
    longest = max((len(word) for text in texts for word in text.split()), default=0)
    return min(longest, _LONGEST_WORD)


def _lines(row: Sequence[str], widths: dict[int, int], right: set[int], gap: int) -> Iterable[str]:
    """Yield the lines of a row."""
    cells = {
        i: [row[i]] if len(row[i]) <= wide else wrap(row[i], wide) for i, wide in widths.items()
    }
    for texts in zip_longest(*cells.values(), fillvalue=""):
        shown = (
            text.rjust(widths[i]) if i in right else text.ljust(widths[i])
            for i, text in zip(cells, texts, strict=True)
        )
        yield (" " * gap).join(shown).rstrip()


def paragraph(text: str, width: int) -> str:
    """Break a text into lines."""
    return "\n".join(wrap(text, width))
