"""The input of a command: a file, standard input, a literal deal or hand, a viewer's link.

Invalid entries of a file are skipped and reported when the command ends, unless it is
strict.
"""

import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, TypeVar

import click
import numpy as np

from .._files import peek
from ..cards import (
    HIDDEN,
    Board,
    Deal,
    DealError,
    DealSet,
    Hand,
    PartialDeals,
    Seat,
    Skipped,
    shorten,
)
from .command import Option

if TYPE_CHECKING:
    from ..formats.format import Reading

_Part = TypeVar("_Part", bound=Sized)
Strict = Annotated[
    bool, Option("--strict", help="Reject the input if any entry is not a valid deal.")
]
Cluster = Annotated[
    str | None,
    Option(metavar="CLUSTER", help="Ray cluster to work on: local, auto or ray://HOST:PORT."),
]
_STDIN = "standard input"
_FILE = "a file"
SHOWN = 20
"""Most skipped entries that are reported individually: as many as stay in view on a terminal."""


class CommandError(Exception):
    """The command cannot do what was asked; the message says why."""


CHUNK = 4096
"""Deals handled at a time, so that memory does not grow with the input."""
SOLVED_CHUNK = 40
"""Deals handled at a time when solving: a batch of DDS, so results come steadily."""
SOME_SOLVED_CHUNK = 400
"""Deals handled at a time when solving some results: DDS takes those of a strain together."""


def read_deals(
    source: str,
    format: str | None = None,
    chunk: int = CHUNK,
    strict: bool = False,
    *,
    kinds: str = _FILE,
    piped: BinaryIO | None = None,
) -> Iterator[DealSet]:
    """Yield the deals of a file, of ``-`` (standard input), of a literal deal or a link.

    Invalid entries of a file are kept for ``tell_skipped``, or are errors if ``strict``. ``piped``
    is standard input if some of it has been read. Raises DealError if ``source`` is neither one of
    ``kinds`` nor a deal, FormatError for a bad file, and CommandError for a file without deals and
    for a literal deal with a ``format``.
    """
    for deals in read_boards(
        source, format, chunk, strict, partial=False, kinds=kinds, piped=piped
    ):
        assert isinstance(deals, DealSet)
        yield deals


def read_boards(
    source: str,
    format: str | None = None,
    chunk: int = CHUNK,
    strict: bool = False,
    *,
    partial: bool = True,
    kinds: str = _FILE,
    piped: BinaryIO | None = None,
) -> Iterator[DealSet | PartialDeals]:
    """Yield deals like ``read_deals``, including boards with hidden hands."""
    no_file = source != "-" and not is_file(source)
    link = no_file and source.lstrip().lower().startswith(("http://", "https://"))
    if format is None and no_file and not link:
        yield _literal(source, partial, kinds)
        return
    from ..formats import find_format, iter_deals  # a literal deal need not wait for all formats

    if format is not None:
        find_format(format)
    skipped = None if strict else _skipped
    if source == "-":
        stream = sys.stdin.buffer if piped is None else piped
        sets = iter_deals(stream, format, _STDIN, chunk, skipped=skipped, partial=partial)
        yield from _some(sets, "deal", _STDIN)
    elif link:
        address = io.BytesIO(source.encode())
        yield from iter_deals(address, "links", "the address", partial=partial)
    elif no_file:
        _literal(source, partial, kinds)  # or report that it is not a deal either
        raise CommandError("--from needs a file or standard input, not a deal: "
                           + shorten(source))  # fmt: skip
    else:
        sets = iter_deals(source, format, chunk=chunk, skipped=skipped, partial=partial)
        yield from _some(sets, "deal", source)


def known_hands(source: str, number: int | None) -> tuple[Board, dict[Seat, Hand]]:
    """Return a board, literal or in a file, and its known hands: of ``number``, or the only one.

    Raises CommandError if there is no such board, or more than one.
    """
    boards = [
        (board, hands)
        for chunk in read_boards(source)
        for board, hands in _shown(chunk)
        if number in (None, board.number)
    ]
    if not boards:
        raise CommandError(f"{name_of(source)}: there is no board {number}")
    if len(boards) > 1 and number is None:
        raise CommandError(
            f"{name_of(source)}: {len(boards):,} boards (choose one with --board NUMBER)"
        )
    return boards[0]


def _shown(boards: DealSet | PartialDeals) -> Iterator[tuple[Board, dict[Seat, Hand]]]:
    """Yield the data of each board, and its known hands."""
    said = boards.boards or (Board(),) * len(boards)
    if isinstance(boards, PartialDeals):
        yield from zip(said, boards.hands, strict=True)
    else:
        for board, deal in zip(said, boards, strict=True):
            yield board, dict(zip(Seat, deal, strict=True))


def read_pairs(source: str) -> Iterator[tuple[Board, Seat, Hand, Hand]]:
    """Yield two partners' hands of each board: North and South's, or East and West's if hidden.

    Raises CommandError for a board without two such hands.
    """
    for chunk in read_boards(source):
        for board, hands in _shown(chunk):
            seat = next((s for s in (Seat.NORTH, Seat.EAST) if {s, s.partner} <= {*hands}), None)
            if seat is None:
                name = "a board" if board.number is None else f"board {board.number}"
                raise CommandError(
                    f"{name_of(source)}: {name} does not show two partners (expected North and "
                    "South, or East and West)"
                )
            yield board, seat, hands[seat], hands[seat.partner]


def _some(parts: Iterable[_Part], what: str, name: str) -> Iterator[_Part]:
    """Pass parts on. Raises CommandError at the end if all were empty."""
    empty = True
    for part in parts:
        empty = empty and not len(part)
        yield part
    if empty:
        raise CommandError(f"{name}: contains no {what}s")


_skipped: list[Skipped] = []
"""Entries that the running command has skipped so far."""
_listed = False
"""Whether its JSON answer lists them itself."""


def forget_skipped() -> None:
    """Start over for another command."""
    global _listed
    _skipped.clear()
    _listed = False


def pass_over(entries: Iterable[Skipped], listed: bool = False) -> None:
    """Record skipped entries for ``tell_skipped``; a JSON answer may have them ``listed``."""
    global _listed
    _skipped.extend(entries)
    _listed = listed


def passed_over() -> tuple[Skipped, ...]:
    """Return the entries that the running command has skipped so far."""
    return tuple(_skipped)


def tell_skipped(as_json: bool, offers_json: bool = False) -> bool:
    """Report what was skipped, the first one by one, or in one line of JSON; return whether.

    If there are more, the option of JSON is named where the command ``offers_json``.
    """
    if as_json and _skipped and not _listed:
        click.echo(json.dumps({"skipped": [entry._asdict() for entry in _skipped]}))
    for entry in _skipped[:SHOWN]:
        click.echo(f"{entry.word}: {entry}", err=True)
    if rest := [entry.word for entry in _skipped[SHOWN:]]:
        word = "skipped" if "skipped" in rest else rest[0]
        hint = " (--json lists all)" if offers_json and not as_json else ""
        click.echo(f"{word}: {len(rest):,} more{hint}", err=True)
    return bool(_skipped)


def read_text(source: str, what: str) -> tuple[str, str]:
    """Return the text of a file or of ``-`` (standard input), and its name for errors.

    Raises CommandError, saying ``what`` was expected, for an empty name, and OSError.
    """
    if source == "-":
        return sys.stdin.buffer.read().decode("utf-8", errors="replace"), _STDIN
    if not source.strip():
        raise CommandError(f"an empty argument (expected {what}, or - for standard input)")
    return Path(source).read_text("utf-8", errors="replace"), source


def name_of(source: str) -> str:
    """Return the name of an argument in messages."""
    return _STDIN if source == "-" else source


def is_file(source: str) -> bool:
    """Return whether an argument is the path of something that exists."""
    try:
        return bool(source.strip()) and Path(source).exists()
    except OSError:  # too long for a path
        return False


def _literal(source: str, partial: bool, kinds: str) -> DealSet | PartialDeals:
    if not source.strip():
        raise DealError("an empty argument (expected a file, - for standard input, or a deal)")
    try:
        owners = _shown_owners(source) if partial else Deal(source).owner_bytes
    except DealError as error:
        if ":" in source[:8] and any(sign in source for sign in ".♠♤"):
            raise
        raise DealError(
            f"{shorten(source)} is neither {kinds} nor a deal (a deal is 'N:' and four hands "
            "clockwise, with dots between suits)"
        ) from error
    rows = np.frombuffer(owners, dtype=np.uint8)[None]
    return PartialDeals(rows, [Board()]) if HIDDEN in owners else DealSet(rows)


def _shown_owners(text: str) -> bytes:
    from ..formats.board_text import shown_owners
    from ..formats.format import Reading

    return shown_owners(text, Reading("the deal", partial=True))


def read_hands(source: str, strict: bool = False) -> Iterator[Hand]:
    """Yield the hands of a file or standard input, one per line, or the literal hand.

    Files may be compressed or in UTF-16, like those of deals. Invalid hands are recorded
    for ``tell_skipped``, or are errors if ``strict``. Raises DealError if ``source`` is neither
    a file nor a hand, FormatError for a bad file, CommandError for one without hands.
    """
    if source != "-" and not is_file(source):
        yield _literal_hand(source)
        return
    from ..formats.format import Reading  # a literal hand need not wait for all formats

    piped, name = source == "-", name_of(source)
    reading = Reading(name, None if strict else _skipped, of="hand")
    with nullcontext(sys.stdin.buffer) if piped else Path(source).open("rb") as file:
        parts = reading.passed_on(_hands(file, reading, source), "hands as text, one a line")
        yield from chain.from_iterable(_some(parts, "hand", name))


def _hands(file: BinaryIO, reading: "Reading", path: str) -> Iterator[list[Hand]]:
    """Yield the hand of each non-blank line, as soon as it arrives. The first ``x`` is reported."""
    from ..formats.streams import lines_ended, opened, read_lines

    head, content = peek(file, _has_line)
    if not head:
        return
    head, content, _ = opened(content, reading, path, _has_line)
    _, content = lines_ended(head, content)
    for number, line in read_lines(content, reading):
        if text := line.strip():
            try:
                hand, filled = _filled_hand(text)
            except DealError as error:
                reading.refuse(reading.error(f"line {number}", str(error)))
            else:
                if filled and reading.first_time("small cards"):
                    click.echo(f"note: {reading.name}: line {number}: {_LOWEST}: {hand}", err=True)
                yield [hand]


def _has_line(head: bytes) -> bool:
    return b"\n" in head


_SUITS = re.compile("(?:10|[AKQJT2-9xX])+")
_LETTERS = frozenset("AKQJTXSHDC♠♥♦♣0123456789.,:;- ")
"""Characters of hands: text with any others is a file name."""
_FILE_NAME = re.compile(r"(?:^|[/\\])[^./\\]+(?:\.[^./\\]+)?\.[a-z]\w*$", re.IGNORECASE)
"""A name with a suffix or two, as in ``hands.txt.gz``; a hand has three dots."""
_LOWEST = "each x is taken as the lowest card"


def _filled(suit: re.Match[str]) -> str:
    """Return the cards of a suit, AQxxx, with the lowest ones in place of each x: AQ432."""
    text = suit[0]
    free = [rank for rank in "23456789" if rank not in text]
    low = reversed(free[: sum(rank in "xX" for rank in text)])
    return "".join(next(low, rank) if rank in "xX" else rank for rank in text)


def _filled_hand(text: str) -> tuple[Hand, bool]:
    """Return a hand, each x its lowest cards, and whether it has any.

    Raises DealError, which quotes the text as it was given.
    """
    filled = _SUITS.sub(_filled, text) if _LETTERS.issuperset(text.upper()) else text
    try:
        return Hand(filled), filled != text
    except DealError as error:
        raise DealError(str(error).replace(shorten(filled), shorten(text))) from None


def _literal_hand(source: str) -> Hand:
    text = source.strip()
    if not text:
        raise DealError("an empty argument (expected a hand, a file of hands, or -)")
    try:
        hand, filled = _filled_hand(text)
        if filled:
            click.echo(f"note: {_LOWEST}: {hand}", err=True)
        return hand
    except DealError as error:
        shown = shorten(text)
        if _FILE_NAME.search(text) and not _LETTERS.issuperset(text.upper()):
            raise DealError(
                f"{shown}: no such file (expected a hand, or a file of hands)"
            ) from error
        reason = str(error).removeprefix(f"hand {shown}: ")
        raise DealError(f"{shown} is neither a file nor a hand: {reason}") from error
