"""Seats by strains, drawn as in PBN: one row per declarer, one column per strain."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .enums import Seat, Strain

PRINTED_SEATS = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
"""Row order of printed tables, as in PBN."""
PRINTED_STRAINS = (Strain.NOTRUMP, Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS)
"""Column order of printed tables, as in PBN."""


_CERTAIN = 1e-6  # float32 cannot tell values this close to 0 or 1 apart


def whole_percent(share: float) -> str:
    """Return a chance in whole percent; 0 % and 100 % are only for certainties.

    Args:
        share: The chance, 0 to 1.

    Returns:
        Text of the percentage.

    Example:
        >>> whole_percent(0.427), whole_percent(0.997), whole_percent(0.002), whole_percent(1.0)
        ('43%', '>99%', '<1%', '100%')
    """
    if 0.995 <= share < 1 - _CERTAIN:
        return ">99%"
    return "<1%" if _CERTAIN < share < 0.005 else f"{share:.0%}"


@dataclass(frozen=True, slots=True)
class Grid:
    """A cell for each strain and declarer, as lines of text or as HTML."""

    cell: Callable[[Strain, Seat], str]
    """Content of a cell: plain text for ``text``, HTML for ``html``."""
    seats: Sequence[Seat] = PRINTED_SEATS
    """The declarers that have a row, in this order."""

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row for each declarer: the seat's letter, and its cell in every strain."""
        return [
            (seat.letter, *(self.cell(strain, seat) for strain in PRINTED_STRAINS))
            for seat in self.seats
        ]

    def text(self, margin: int, width: int) -> str:
        """Draw the grid as lines: ``margin`` characters for the seat, ``width`` for every cell."""
        head = ("", *(strain.symbol for strain in PRINTED_STRAINS))
        return "\n".join(
            f"{seat:<{margin}}" + "".join(f"{cell:>{width}}" for cell in cells)
            for seat, *cells in (head, *self.rows())
        )

    def html(self, caption: str) -> str:
        """Draw the grid as an HTML table; the caption is plain text, read out by screen readers."""
        return html_table(caption, [strain.symbol for strain in PRINTED_STRAINS], self.rows())


def html_table(caption: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table; the first cell of each row is its heading.

    Args:
        caption: Caption, as HTML.
        columns: Headings of the columns, as HTML.
        rows: Rows, each a heading and its cells, as HTML.

    Returns:
        HTML.

    Example:
        >>> html_table("Tricks", ["♠"], [["North", "9"]]).count("<th")
        3
    """
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{name}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        for name, *cells in rows
    )
    return (
        f"<table><caption>{caption}</caption><thead><tr><td></td>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
