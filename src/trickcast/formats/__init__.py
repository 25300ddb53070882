"""Deal files: one module per format, one registry, and reading and writing through it.

``read`` and ``write`` handle whole files; ``iter_deals`` and ``write_stream`` handle any size in
constant memory. A format is recognised by its suffix and first bytes; ``format`` names it
if neither is enough. Files compressed with gzip are read transparently.
"""

from __future__ import annotations

import errno
import io
import os
import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from difflib import get_close_matches
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

import numpy as np

from .._files import atomic_writer
from ..cards import (
    UNKNOWN,
    Board,
    DealSet,
    DealsLike,
    PartialDeals,
    Skipped,
    as_dealset,
    checked_whole,
    counted,
    shorten,
)
from . import (
    ben,
    csv_parquet,
    ddslist,
    deal_text,
    diagram,
    duplimate,
    gib,
    hand2vec,
    jps,
    json_lines,
    lin,
    links,
    pbn,
    pgx,
    rbn,
    zrd,
)
from .board_text import numbered
from .format import Format, FormatError, FormatWarning, Limits, Reading
from .pbn_board import words_of_tags
from .score_table import column_names, has_results
from .streams import checked_stream, inner_suffix, is_text, lines_ended, opened, zipped

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = [
    "FORMATS",
    "Format",
    "FormatError",
    "FormatWarning",
    "Limits",
    "find_format",
    "format_of",
    "format_to_write",
    "iter_deals",
    "read",
    "write",
    "write_stream",
]

CHUNK = 1 << 16
"""Deals that ``iter_deals`` yields at a time."""

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        pbn.FORMAT,
        lin.FORMAT,
        ben.FORMAT,
        gib.TEXT,
        diagram.FORMAT,
        deal_text.FORMAT,
        zrd.FORMAT,
        csv_parquet.CSV,
        csv_parquet.PARQUET,
        jps.FORMAT,
        pgx.FORMAT,
        ddslist.FORMAT,
        hand2vec.FORMAT,
        gib.BINARY,
        rbn.FORMAT,
        links.FORMAT,
        json_lines.FORMAT,
        duplimate.BRI,
        duplimate.DUP,
    )
}
"""Every format by its name, in the order in which detection tries them."""

_TCL = rb"^\s*(?:main\s*\{|deal::|source\s+\S+\.tcl|shapeclass\s|hcp\s+(?:north|south))"
_BML = rb"^(?:#\s*(?:TITLE|BIDTABLE|INCLUDE)\b|[1-7](?:[CDHSN]|NT)\s*;)"
_NOT_READ = (
    (".tcl", re.compile(_TCL, re.MULTILINE),
     "a script for Deal (Tcl), which contains no hands: read the output of Deal instead "
     "(deal -i format/pbn FILE), or write the conditions for trickcast deal"),
    (".bml", re.compile(_BML, re.MULTILINE),
     "BML, which describes a bidding system and contains no deals"),
)  # fmt: skip
"""Known files of other kinds: suffix, a pattern, and what to say about them."""
_NO_DEALS = (
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)\b", re.IGNORECASE),
     "HTML, not deals (expected the file that the page offers, not the page)"),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8"), "a picture, not deals"),
)  # fmt: skip
"""How files of other kinds begin, whatever their suffix, and what to say about them."""
_FOLDER = "a folder (expected a file; for a library: trickcast.library.Library)"
_WORDS = {"explanations": "explanations of calls", "lin": "LIN codes"}
"""Names for people of fields whose own names are unclear."""
_NAMED = 20
"""Most kinds of data that a warning names."""


def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    on_error: Literal["raise", "skip"] = "raise",
) -> DealSet:
    """Read all deals of a file.

    The format is detected from suffix and content. A FormatWarning reports lenient reading.

    Args:
        path: The file; may be compressed with gzip or encoded in UTF-16.
        format: Name of the format, a key of ``trickcast.formats.FORMATS``. Default: detected.
        on_error: ``"raise"`` for the first invalid entry, or ``"skip"`` to leave invalid entries
            out.

    Returns:
        A DealSet, with tricks and boards if the file has them. ``skipped`` lists what was left out,
        where and why.

    Raises:
        FormatError: The content cannot be read, or contains no deals at all.
        OSError: The file cannot be opened.
        ValueError: ``on_error`` has another value.

    Example:
        >>> deals = tc.random_deals(3, seed=1)
        >>> tc.write(deals, "deals.pbn")
        >>> list(tc.read("deals.pbn")) == list(deals)
        True
    """
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error is {shorten(on_error)} (expected 'raise' or 'skip')")
    skipped = list[Skipped]() if on_error == "skip" else None
    deals = DealSet.concatenate(iter_deals(path, format, skipped=skipped))
    deals.skipped = tuple(skipped or ())
    return deals


def iter_deals(
    source: str | os.PathLike[str] | BinaryIO,
    format: str | None = None,
    name: str | None = None,
    chunk: int = CHUNK,
    *,
    skipped: list[Skipped] | None = None,
    partial: bool = False,
) -> Iterator[DealSet]:
    """Yield the deals of a file or stream in chunks, so that memory stays constant.

    Deals before an error are yielded first, at least those in earlier chunks.

    Args:
        source: Path, or binary stream. The stream need not be seekable: standard input will do.
        format: Name of the format, a key of ``trickcast.formats.FORMATS``. Default: detected.
        name: Name of the stream in messages.
        chunk: Most deals in a chunk.
        skipped: List to which invalid entries are added. Default: they are errors.
        partial: Whether boards with hidden hands are yielded, as PartialDeals. Default: they are
            invalid.

    Yields:
        DealSets, in the order of the file.

    Raises:
        FormatError: The content cannot be read.
        OSError: The file cannot be opened.
        ValueError: ``chunk`` is below 1.

    Example:
        >>> tc.write(tc.random_deals(3, seed=1), "deals.pbn")
        >>> [len(deals) for deals in tc.iter_deals("deals.pbn", chunk=2)]
        [2, 1]
    """
    checked_whole(chunk, "chunk", 1)
    chosen = None if format is None else find_format(format)
    with ExitStack() as stack:
        path = ""
        if isinstance(source, str | os.PathLike):
            path = os.fspath(source)
            if Path(path).is_dir():
                raise IsADirectoryError(errno.EISDIR, _FOLDER, path)
            source = stack.enter_context(Path(path).open("rb"))
        else:
            source = checked_stream(source)
        reading = Reading(name or path or "standard input", skipped, partial=partial)
        head, whole, suffix = opened(source, reading, path, deal_text.begun)
        if chosen is None:
            chosen = _recognise(head, suffix, reading.name)
        reading.named = format is not None or suffix.lower() == chosen.suffixes[0] != ".txt"
        if chosen.text:
            _, whole = lines_ended(head, whole)
        yield from chosen.read(whole, reading, chunk)


def write(deals: DealsLike, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write deals to a file, with their tricks and boards if the format can store them.

    The file is written completely or not at all. A FormatWarning says what the format cannot store.

    Args:
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
        path: The file. Its suffix names the format; ``.gz`` after it compresses.
        format: Name of the format, a key of ``trickcast.formats.FORMATS``. Default: by the suffix.

    Raises:
        FormatError: The format is unknown, can only be read, or cannot store the deals.
        OSError: The file cannot be written.

    Example:
        >>> deal = tc.Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
        >>> tc.write(deal, "one.lin")
        >>> tc.read("one.lin")[0] == deal
        True
    """
    write_stream([as_dealset(deals)[0]], path, format)


def write_stream(
    sets: Iterable[DealSet],
    target: str | os.PathLike[str] | BinaryIO,
    format: str | None = None,
) -> int:
    """Write the deals of many sets, one after another, to a file or a binary stream.

    A stream is flushed, but not closed. Memory stays constant.

    Args:
        sets: DealSets.
        target: Path, or binary stream.
        format: Name of the format. Default: by the suffix; a stream has none.

    Returns:
        The number of deals written, without those that the format cannot store.

    Raises:
        FormatError: The format is unknown, can only be read, or cannot store the deals.
        OSError: The file cannot be written.

    Example:
        >>> write_stream((tc.random_deals(2, seed=seed) for seed in (1, 2)), "deals.pbn")
        4
        >>> len(tc.read("deals.pbn"))
        4
    """
    if isinstance(target, str | os.PathLike):
        chosen, name = format_to_write(target, format), str(target)
        losses = _Losses(chosen)
        with atomic_writer(target) as file, zipped(file, target) as content:
            _put(chosen, content, losses, sets, name)
    else:
        chosen, name = _writable(format), "output"
        losses = _Losses(chosen)
        if isinstance(target, io.RawIOBase):
            target = cast(BinaryIO, _Whole(target))
        _put(chosen, target, losses, sets, name)
        target.flush()
    losses.warn(chosen, name)
    return losses.deals


def find_format(name: str) -> Format:
    """Return the format with this name.

    Args:
        name: A key of ``FORMATS``.

    Returns:
        The Format.

    Raises:
        FormatError: There is no such format; the message suggests similar names.

    Example:
        >>> from trickcast import formats
        >>> formats.find_format("lin").title
        'LIN of Bridge Base Online'
    """
    chosen = FORMATS.get(name.strip().lower())
    if chosen is None:
        raise _no_format(name, FORMATS)
    return chosen


def _no_format(name: str, expected: Collection[str]) -> FormatError:
    near = get_close_matches(name.lower(), expected)
    near.sort(key=lambda format: sorted(format) != sorted(name.lower()))  # letters swapped
    hint = f"; did you mean {near[0]}?" if near else ""
    return FormatError(
        f"{shorten(name)} is not a format (expected one of {', '.join(expected)}){hint}"
    )


def format_of(path: str | os.PathLike[str]) -> Format:
    """Detect the format of a file from its suffix and content.

    Args:
        path: The file.

    Returns:
        The Format.

    Raises:
        FormatError: The content is not in a known format.
        OSError: The file cannot be opened.

    Example:
        >>> tc.write(tc.random_deals(2, seed=1), "deals.pbn")
        >>> format_of("deals.pbn").name
        'pbn'
    """
    with Path(path).open("rb") as file:
        head, _, suffix = opened(file, Reading(str(path)), str(path))
    return _recognise(head, suffix, str(path))


def format_to_write(path: str | os.PathLike[str], format: str | None = None) -> Format:
    """Return the format in which to write a file: the named one, or that of the suffix.

    A file with ``.gz`` after its suffix has the format of that suffix, and is compressed.

    Args:
        path: The file.
        format: Name of the format. Default: by the suffix.

    Returns:
        The Format.

    Raises:
        FormatError: The format is unknown or can only be read.

    Example:
        >>> format_to_write("deals.pbn.gz").name
        'pbn'
    """
    if format is not None:
        return _writable(format)
    fitting = _by_suffix(inner_suffix(os.fspath(path)))
    for candidate in fitting:
        if candidate.write is not None:
            return candidate
    if fitting:
        raise FormatError(
            f"{path}: {fitting[0].title} can only be read (formats to write: {_writable_names()})"
        )
    suffixes = sorted({f.suffixes[0] for f in FORMATS.values() if f.write is not None})
    raise FormatError(
        f"{path}: unknown suffix (expected one of {' '.join(suffixes)}, or the format "
        f'named by format="…" or --to: {_writable_names()})'
    )


def _writable(format: str | None) -> Format:
    if format is None:
        raise FormatError(
            f"the output has no suffix: choose its format (one of {_writable_names()})"
        )
    chosen = FORMATS.get(format.strip().lower())
    if chosen is None:
        raise _no_format(format, _to_write())
    if chosen.write is None:
        raise FormatError(
            f"{chosen.title} ({chosen.name}) can only be read "
            f"(formats to write: {_writable_names()})"
        )
    return chosen


def _to_write() -> list[str]:
    return [f.name for f in FORMATS.values() if f.write is not None]


def _writable_names() -> str:
    return ", ".join(_to_write())


def _by_suffix(suffix: str) -> list[Format]:
    return [f for f in FORMATS.values() if suffix.lower() in f.suffixes]


def _recognise(head: bytes, suffix: str, name: str) -> Format:
    """Return the format that the content looks like, preferring those with the suffix.

    If the content is inconclusive, a suffix that belongs to only one format decides. If it
    suggests another format than the suffix, nothing is guessed.
    """
    lines, _ = lines_ended(head, io.BytesIO(head))
    by_suffix = _by_suffix(suffix)
    for candidate in by_suffix:
        if candidate.sniff(lines if candidate.text else head):
            return candidate
    alike = next((f for f in FORMATS.values() if f.sniff(lines if f.text else head)), None)
    if alike is not None and (not by_suffix or suffix.lower() == ".txt"):
        return alike
    for begins, what in _NO_DEALS:
        if begins.match(head):
            raise FormatError(f"{name}: {what}")
    if alike is not None:
        raise FormatError(
            f"{name}: looks like {alike.title}, not {by_suffix[0].title} as {suffix} says "
            f'(to read it as such, pass format="{alike.name}" or --from {alike.name})'
        )
    if has_results(column_names(lines)):
        raise FormatError(
            f"{name}: travellers without cards (expected deals; session and report read travellers "
            "as .csv files)"
        )
    for ending, looks, what in _NOT_READ:
        if suffix.lower() == ending or (len(by_suffix) != 1 and looks.search(lines)):
            raise FormatError(f"{name}: looks like {what}")
    expected = " or ".join(f.title for f in by_suffix) or "one of " + ", ".join(FORMATS)
    if by_suffix and all(f.text for f in by_suffix) and not is_text(head):
        raise FormatError(f"{name}: not a text file (expected {expected})")
    if len(by_suffix) == 1:
        return by_suffix[0]
    if not lines.strip():
        raise FormatError(f"{name}: only blank lines (expected deals)")
    names = [f.name for f in by_suffix]
    named = f"names one: {', '.join(names)}" if names else "names one"
    if deal_text.FORMAT.name in names:
        named += f"; --from {deal_text.FORMAT.name} skips invalid lines"
    raise FormatError(
        f'{name}: unknown content (expected {expected}; format="…" or --from {named})'
    )


def _put(
    chosen: Format, file: BinaryIO, losses: _Losses, sets: Iterable[DealSet], name: str
) -> None:
    """Write deals; name the file in errors from writing, not in those from the deals' source."""
    assert chosen.write is not None  # both ways to choose it made sure
    try:
        rest = losses.watch(sets)
        begun = [*islice(rest, 1)]  # an error before the first deals must not leave a part
        if not begun:
            hidden = f"{losses.hidden}, which {chosen.name} cannot store"
            raise FormatError(hidden if losses.partial else "no deals to write")
        watched = chain(begun, rest)
        chosen.write(file, numbered(watched) if chosen.boards else watched)
    except FormatError as error:
        if error is losses.trouble:
            raise
        raise FormatError(f"{name}: {error}") from None


class _Whole(io.RawIOBase):
    """A raw stream that writes everything it is given; plain ones may write only a part."""

    def __init__(self, raw: io.RawIOBase):
        self._raw = raw

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        view = memoryview(data).cast("B")
        left = view
        while left:
            taken = self._raw.write(left)
            if taken is None:
                raise BlockingIOError(errno.EAGAIN, "takes no more at the moment")
            left = left[taken:]
        return len(view)

    def flush(self) -> None:
        self._raw.flush()


class _Losses:
    """Data of deals on their way to a file, to report afterwards what the file cannot hold."""

    def __init__(self, format: Format) -> None:
        self.fields = format.fields
        """The fields of a board that the file can hold."""
        self.holds_partial = format.partial
        self.deals = 0
        self.partial = 0
        """Boards with hidden hands that were left out."""
        self.tricks = 0
        self.boards = 0
        self.said: dict[str, None] = {}
        """Data of boards that the file cannot hold, in the order met."""
        self.trouble: FormatError | None = None
        """The error, if any, from the source of the deals."""

    def watch(self, sets: Iterable[DealSet]) -> Iterator[DealSet]:
        """Pass sets with deals on, and count."""
        try:
            for deals in sets:
                if isinstance(deals, PartialDeals) and not self.holds_partial:
                    self.partial += len(deals)
                elif len(deals):
                    self._count(deals)
                    yield deals
        except FormatError as error:
            self.trouble = error
            raise

    def _count(self, deals: DealSet | PartialDeals) -> None:
        self.deals += len(deals)
        if isinstance(deals, DealSet) and deals.tricks is not None:
            self.tricks += int(np.count_nonzero((deals.tricks != UNKNOWN).any(axis=(1, 2))))
        for board in deals.boards or ():
            names = (name for name in board.stated() if name not in self.fields)
            left_out = [word for name in names for word in _words(board, name)]
            self.boards += bool(left_out)
            self.said.update(dict.fromkeys(left_out))

    @property
    def hidden(self) -> str:
        """What was left out because hands are hidden."""
        return counted(self.partial, "board") + " with hidden hands"

    def warn(self, format: Format, name: str) -> None:
        """Warn of what ``format`` could not hold, if anything."""
        left_out = []
        if self.partial:
            left_out.append(self.hidden)
        if self.tricks and not format.tricks:
            left_out.append(f"the known tricks of {counted(self.tricks, 'deal')}")
        if self.boards and (self.fields or not format.boards):
            said = [*self.said]
            rest = f" and {len(said) - _NAMED} more" if len(said) > _NAMED else ""
            left_out.append(
                f"what boards say ({', '.join(said[:_NAMED])}{rest}) "
                f"of {counted(self.boards, 'deal')}"
            )
        if left_out:
            warnings.warn(
                f"{name}: {format.name} cannot store, and leaves out, {' and '.join(left_out)}",
                FormatWarning,
                stacklevel=4,
            )


def _words(board: Board, field: str) -> list[str]:
    """Return names, for people, of what a field of a board says."""
    return words_of_tags(board) if field == "tags" else [_WORDS.get(field, field)]


def __dir__() -> list[str]:
    return __all__
