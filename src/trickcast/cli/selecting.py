"""Choose and renumber the boards of files, and report missing and duplicate numbers."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, TypeVar, cast

import click

from ..cards import Board, DealSet, PartialDeals, board_dealer, board_vulnerability, counted
from .command import Option
from .inputs import CHUNK, CommandError, read_deals

Boards = Annotated[
    str | None,
    Option(
        "--boards", "--board", metavar="5-12,15", help="Only these board numbers (default: all)."
    ),
]
Renumber = Annotated[
    int | None, Option(min=1, max=99_999, help="Renumber the boards from this number on.")
]
Some = TypeVar("Some", bound=DealSet | PartialDeals)
_SHOWN = 8
_MOST = 999_999_999


def chosen(
    sources: Sequence[str],
    boards: str | None = None,
    format: str | None = None,
    chunk: int = CHUNK,
    strict: bool = False,
) -> Iterator[DealSet]:
    """Yield only the deals with these numbers, from several files or deals, like ``read_deals``.

    Raises CommandError if there is no such board.
    """
    deals = chain.from_iterable(
        read_deals(source, format, chunk=chunk, strict=strict) for source in sources
    )
    yield from chosen_of(deals, boards)


def chosen_of(deals: Iterable[Some], boards: str | None) -> Iterator[Some]:
    """Yield only the deals with these numbers. Raises CommandError if there is no such board."""
    yield from deals if boards is None else selected(iter(deals), boards, None, tell=False)


def selected(
    chunks: Iterator[Some], boards: str | None, renumber: int | None, *, tell: bool = True
) -> Iterator[Some]:
    """Yield the boards of these numbers, numbered anew if ``renumber`` is given.

    A board without a number gets the one after its predecessor. When renumbering, the tables of one
    deal keep a common number; a board without any play gets the dealer and the vulnerability
    of its number. Numbers of ``boards`` that no board has are reported at the end, and, if
    ``tell``, numbers used for several deals. Raises click.BadParameter for invalid numbers,
    CommandError if no board has any of them.
    """
    ranges = None if boards is None else ranges_of(boards)
    deals_of: dict[int, set[bytes]] = defaultdict(set)
    new_number: dict[tuple[int, bytes], int] = {}
    last = 0
    for chunk in chunks:
        rows, said = list[int](), list[Board]()
        for row, board in enumerate(chunk.boards or [Board()] * len(chunk)):
            last = number = last + 1 if board.number is None else board.number
            if ranges is not None and not is_within(ranges, number):
                continue
            key = number, chunk.owners[row].tobytes()
            deals_of[number].add(key[1])
            board = replace(board, number=number).completed()
            if renumber is not None:
                place = new_number.setdefault(key, renumber + len(new_number))
                board = _renumbered(board, place)
            rows.append(row)
            said.append(board)
        if not rows:
            continue
        kept: DealSet | PartialDeals
        owners = chunk.owners[rows]
        if isinstance(chunk, PartialDeals):
            kept = PartialDeals(owners, said)
        else:
            kept = DealSet(owners, None if chunk.tricks is None else chunk.tricks[rows], said)
        yield cast(Some, kept)
    if ranges is not None:
        if not deals_of:
            raise CommandError(f"there is no board {boards}")
        tell_missing(ranges, sorted(deals_of))
    if tell:
        _tell_doubled(deals_of)


def _renumbered(board: Board, number: int) -> Board:
    """Return a board with another number, and its dealer and vulnerability unless it was played."""
    board = replace(board, number=number)
    if board.auction or board.play or board.contract is not None or board.result is not None:
        return board
    return replace(board, dealer=board_dealer(number), vulnerability=board_vulnerability(number))


def ranges_of(text: str) -> list[tuple[int, int]]:
    """Read ``5-12,15``. Raises click.BadParameter for anything else."""
    found = []
    for part in text.split(","):
        low, dash, high = (piece.strip() for piece in part.partition("-"))
        ends = (low, high) if dash else (low, low)
        if not all(end.isascii() and end.isdecimal() and int(end) <= _MOST for end in ends):
            raise click.BadParameter(f"--boards {text!r} (expected numbers, such as 5-12,15)")
        first, last = map(int, ends)
        if first > last:
            raise click.BadParameter(f"--boards {text!r}: {first}-{last} runs backwards (expected "
                                     f"{last}-{first})")  # fmt: skip
        found.append((first, last))
    return found


def is_within(ranges: Sequence[tuple[int, int]], number: int) -> bool:
    """Return whether a number is in one of these ranges."""
    return any(low <= number <= high for low, high in ranges)


def tell_missing(ranges: Sequence[tuple[int, int]], numbers: Sequence[int]) -> None:
    """Say which numbers of these ranges are not among those found, which are sorted."""
    gaps = list[tuple[int, int]]()
    for low, high in ranges:
        for number in [*numbers[bisect_left(numbers, low) : bisect_right(numbers, high)], high + 1]:
            if low < number:
                gaps.append((low, number - 1))
            low = number + 1
    if gaps:
        shown = [str(low) if low == high else f"{low}-{high}" for low, high in gaps]
        is_one = len(gaps) == 1 and gaps[0][0] == gaps[0][1]
        there = "there is no board" if is_one else "there are no boards"
        more = " …" * (len(shown) > _SHOWN)
        click.echo(f"note: {there} {', '.join(shown[:_SHOWN])}{more}", err=True)


def _tell_doubled(deals_of: dict[int, set[bytes]]) -> None:
    """Say which numbers are used for more than one deal."""
    doubled = sorted(number for number, deals in deals_of.items() if len(deals) > 1)
    if doubled:
        shown = ", ".join(map(str, doubled[:_SHOWN])) + " …" * (len(doubled) > _SHOWN)
        are = "is" if len(doubled) == 1 else "are"
        click.echo(
            f"note: {counted(len(doubled), 'board number')} {are} used for more than one deal: "
            f"{shown} (--renumber N renumbers them all)",
            err=True,
        )
