"""Seats by strains, drawn as PBN lays them out: a row a declarer, a column a strain."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .enums import Seat, Strain

PRINTED_SEATS = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
"""Row order of printed tables, as in PBN."""
PRINTED_STRAINS = (Strain.NOTRUMP, Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS)
"""Column order of printed tables, as in PBN."""


_CERTAIN = 1e-6  # from 0 or 1 on float32 cannot say otherwise


def whole_percent(share: float) -> str:
    """Return a chance in whole percent; only what is certain gets 0 % or 100 %.

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
    """What stands in a cell; text, or HTML where it is drawn as such."""
    seats: Sequence[Seat] = PRINTED_SEATS
    """Those that have a row, in this order."""

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row for each declarer: the seat's letter, and its cell in every strain."""
        return [
            (seat.letter, *(self.cell(strain, seat) for strain in PRINTED_STRAINS))
            for seat in self.seats
        ]

    def text(self, margin: int, width: int) -> str:
        """Draw it as lines: ``margin`` characters for the seat, ``width`` for every cell."""
        head = ("", *(strain.symbol for strain in PRINTED_STRAINS))
        return "\n".join(
            f"{seat:<{margin}}" + "".join(f"{cell:>{width}}" for cell in cells)
            for seat, *cells in (head, *self.rows())
        )

    def html(self, caption: str) -> str:
        """Draw it as an HTML table; the caption, which is text, is its name to screen readers."""
        return html_table(caption, [strain.symbol for strain in PRINTED_STRAINS], self.rows())


def html_table(caption: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table whose rows begin with their names.

    Args:
        caption: Caption, as HTML.
        columns: Headings of the columns, as HTML.
        rows: Rows, each a name and its cells, as HTML.

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
