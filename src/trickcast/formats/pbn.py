r"""Portable Bridge Notation, tistis.nl/pbn/pbn_v21.txt.

The reader accepts files as they are in practice: deals from any first seat, boards without blank
lines between them, other tables' records of a deal without a Deal tag, text between boards.
FormatWarnings report what it reads leniently. The writer gives PBN 2.1 in export order, in ASCII.
Text that is not ASCII, such as players' names, is UTF-8, which modern readers accept.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import BinaryIO

from ..cards import HIDDEN, Board, DealError, DealSet, Seat, Tag, cut, shorten
from .board_text import (
    NO_TRICKS,
    SAYS_NOTHING,
    Table,
    hand_texts,
    place_of,
    plain_owners,
    reader_of,
    shown_owners,
)
from .format import Format, FormatError, Notices, Reading, raised_by
from .lin import beyond_fields
from .pbn_board import EXPORT_ORDER, NoteOnTag, is_section, read_board, write_board
from .streams import as_latin_1, text_lines

# --- lines, tags and blocks of tags ---

_MOST_RUBBISH = 100
"""Lines that are not PBN before the first tag."""


_PLAIN_TAG = re.compile(r'\[(\w+)\s+"([^"\\]*)"\]')
_TAG = re.compile(r'\[\s*(\w+)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_TAG_WITH_QUOTES = re.compile(r'\[\s*(\w+)\s*"(.*)"\s*\]')
_TAG_OF_A_WRITER = re.compile(r"\[\s*([A-Za-z]\w*+)(?=[“”„'‘’\s])([^\]]*+)\]")
"""A tag with a word processor's quotes, with single quotes, or without."""
_QUOTES_OF_A_WRITER = re.compile(r"^[“”„'‘’]|[“”'‘’]$")
_BLANKS = re.compile(r"\s+")
_BROKEN_DEAL = re.compile(r"\[\s*Deal\b", re.IGNORECASE)
_ESCAPE = re.compile(r'\\([\\"])')
_TO_ESCAPE = re.compile(r'"|\\(?=[\\"]|$)')
_NO_COMMENT = re.compile(r'^(?:[^"{;]|"[^"]*"|\{[^}]*\}|;.*|"(?=[^"]*$))*')
_ROW = re.compile(
    r"\s*(?:(?:[1-7](?:NT?|[SHDC])[!?*]*|pass|all|ap|dbl|rdbl|double|redouble|[PXDR]|XX"
    r"|[SHDC](?:10|[2-9TJQKA])|NT|[NESWHC]|1?[0-9]|-|\*|\+|[!?]+|=[0-9]+=|\$[0-9]+)(?:\s+|\Z))+",
    re.IGNORECASE,
)
"""Calls, cards or results of a table: text that can only be rows of a section."""
_AMONG_ROWS = "a blank line among calls, cards or results is ignored"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_BREAK = re.compile(r"[\x00-\x08\x0a-\x1f]")
_HEADER = re.compile(r"%\s*(PBN\s+\d+\.\d+|EXPORT|IMPORT|Content-type\s*:.*)\s*", re.IGNORECASE)
"""Lines about the file, such as its encoding, which do not apply to a rewritten file."""
_NAMES = {
    name.lower(): name
    for name in (
        *EXPORT_ORDER, "Auction", "Play", "Note", "OptimumResultTable", "DoubleDummyTricks"
    )
}  # fmt: skip


@dataclass(slots=True)
class TagLine:
    """A tag being read: like ``Tag``, with the number of its line."""

    name: str
    value: str
    number: int
    lines: list[str] = field(default_factory=list)

    @property
    def tag(self) -> Tag:
        """The Tag to keep."""
        return Tag(self.name, self.value, tuple(self.lines))


def escape(value: str) -> str:
    r"""Return a tag value as written between quotes: ``\"`` for a quote.

    A backslash is doubled only if it could be taken for an escape, as most files do (and the
    standard's own ``Denomination\2R``).
    """
    return _TO_ESCAPE.sub(r"\\\g<0>", value)


def read_lines(stream: BinaryIO, reading: Reading, notices: Notices) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its end) of a text file in UTF-8 or ISO 8859-1.

    ISO 8859-1 is noted if the file does not name it: the standard asks for it, but programs write
    other encodings, too. Refuses a line that is too long. Raises FormatError for bytes that are
    not text; in a lenient reading they become blanks.
    """
    says_latin_1 = False
    for number, raw in text_lines(stream, reading, "line"):
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if raw.startswith(b"%"):
            says_latin_1 = says_latin_1 or b"ISO-8859-1" in raw.upper()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            text = raw.decode("iso-8859-1") if says_latin_1 else as_latin_1(error, reading, number)
        text = text.rstrip("\r\n\x1a")  # DOS ends files with 0x1a
        if wrong := _CONTROL.search(text):
            place = f"line {number}, column {wrong.start() + 1}"
            reason = f"control character 0x{ord(wrong[0]):02x} (expected PBN text)"
            if not reading.lenient:
                raise reading.error(place, reason)
            notices.add("control characters, read as blanks", place, reason)
            text = _CONTROL.sub(" ", text)
        yield number, text


class _Lines:
    """Numbered lines, some of which may be put back to be read again."""

    def __init__(self, lines: Iterable[tuple[int, str]]):
        self._lines = iter(lines)
        self._back: list[tuple[int, str]] = []

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> tuple[int, str]:
        return self._back.pop() if self._back else next(self._lines)

    def put_back(self, lines: Sequence[tuple[int, str]]) -> None:
        """Make these lines the next ones."""
        self._back += reversed(lines)


Piece = tuple[int, str | None, str]
"""Line number, tag name, value. No name: a line that follows a tag; None: a blank line."""


def pieces(lines: Iterable[tuple[int, str]], reading: Reading, notices: Notices) -> Iterator[Piece]:
    """Separate tags, lines that belong to them and blank lines.

    Raises FormatError for a file that is not PBN; refuses an unclosed comment, and a tag cut
    short. In a lenient reading such a tag is left out, or counts as an invalid deal if it is a
    Deal.
    """
    in_rows = False  # whether rows of data follow the last tag
    blank = 0  # the first blank line after the rows, which ends them unless rows follow
    rubbish = _Rubbish(reading, notices)
    source = _Lines(lines)
    for number, text in source:
        if not text or text.isspace():
            if in_rows:
                blank = blank or number
            else:
                yield number, None, ""
            continue
        if blank:
            in_rows = _ROW.fullmatch(text) is not None
            if in_rows:
                notices.add("blank lines among rows", f"line {blank}", _AMONG_ROWS)
            else:
                yield blank, None, ""
            blank = 0
        if (plain := _PLAIN_TAG.fullmatch(text)) is not None:
            tag = _NAMES.get(plain[1].lower(), plain[1])
            yield number, tag, plain[2]
            in_rows, rubbish.allowed = is_section(tag), True
            continue
        if text[0] == "%":
            header = _HEADER.fullmatch(text)  # begins another file
            yield number, None if header else "", "" if header else text.rstrip()
            continue
        text = text.strip()
        if (end := text.find("% PBN")) > 0 and "{" not in text and ";" not in text:
            source.put_back([(number, text[end:])])  # another file begins, without a line break
            text = text[:end].rstrip()
        if in_rows and text[0] not in "[;" and "{" not in text:
            yield number, "", text
            continue
        at = 0
        while at < len(text):
            tag_here = _TAG.match(text, at) or _TAG_WITH_QUOTES.fullmatch(text, at)
            if tag_here is not None:
                tag = _NAMES.get(tag_here[1].lower(), tag_here[1])
                yield number, tag, _ESCAPE.sub(r"\1", tag_here[2])
                in_rows, rubbish.allowed = is_section(tag), True
                at = _after_blanks(text, tag_here.end())
                continue
            if text[at] == "[":
                piece, at = _odd_tag((number, text, at), reading, notices)
                if piece is not None:
                    yield piece
                    in_rows, rubbish.allowed = is_section(piece[1]), True
                continue
            end = _end_of_piece(text, at)
            words = text[at:end]
            at = _after_blanks(text, end)
            if not in_rows and words[0] not in "{;":
                rubbish.add(number, words)
            elif _leaves_comment_open(words):
                yield from _comment((number, words), source, reading, notices)
            else:
                yield number, "", words
    rubbish.close()


def _odd_tag(
    where: tuple[int, str, int], reading: Reading, notices: Notices
) -> tuple[tuple[int, str, str] | None, int]:
    """Return a tag in other quotes than plain ones, and where it ends in its line.

    An unreadable Deal tag counts as an invalid deal; any other is ignored. Raises FormatError
    unless the reading is lenient.
    """
    number, text, at = where
    reason = _no_tag(text[at:])
    if not reading.lenient:
        raise reading.error(f"line {number}", reason)
    if (found := _TAG_OF_A_WRITER.match(text, at)) is not None:
        notices.add("tags without plain quotes, read anyway", f"line {number}", reason)
        tag = _NAMES.get(found[1].lower(), found[1])
        value = _QUOTES_OF_A_WRITER.sub("", found[2].strip()).strip()
        return (number, tag, value), _after_blanks(text, found.end())
    if _BROKEN_DEAL.match(text, at):
        return (number, "Deal", text[at:]), len(text)
    notices.add("invalid tags, left out", f"line {number}", reason)
    return None, len(text)


def _no_tag(text: str) -> str:
    """Return what is wrong with a text that begins like a tag."""
    wrong = 'a tag (expected [Name "value"])' if "]" in text else 'closed (expected "] at its end)'
    return f"{shorten(text)} is not {wrong}"


def _comment(
    first: tuple[int, str], source: _Lines, reading: Reading, notices: Notices
) -> Iterator[Piece]:
    """Yield the lines of a comment in braces that does not end in its first line.

    A line that is a tag ends it if another comment begins before it is closed, or it never is.
    Refuses an unclosed comment or tag.
    """
    lines, tag = [first], 0
    for number, text in source:
        if not tag and _PLAIN_TAG.fullmatch(text.strip()):
            tag = len(lines)
        begin, end = text.find("{"), text.find("}")
        if end >= 0 and not (tag and 0 <= begin < end):
            lines.append((number, text[: end + 1]))
            if text[end + 1 :].strip():
                source.put_back([(number, " " + text[end + 1 :])])
            yield from ((number, "", text) for number, text in lines)
            return
        lines.append((number, text))
        if tag and begin >= 0:
            break
        if len(lines) > reading.limits.board:
            if tag:
                break
            raise _no_end_of_board(number, reading)
    number, text = first
    reason = "the comment that starts here is never closed (expected '}')"
    if tag:
        notices.add("unclosed comments", f"line {number}", f"{reason}: the next tag ends it")
        source.put_back(lines[tag:])
        last, closed = lines[tag - 1]
        yield from ((number, "", text) for number, text in lines[: tag - 1])
        yield last, "", closed + "}"
        return
    reading.refuse(reading.error(f"line {number}", reason))
    if before := text[: len(text) - len(_NO_COMMENT.sub("", text))].rstrip():
        yield number, "", before


def _after_blanks(text: str, start: int) -> int:
    blanks = _BLANKS.match(text, start)
    return start if blanks is None else blanks.end()


def _end_of_piece(text: str, start: int) -> int:
    """Return the end of a comment in braces at ``start``; any other text is one piece."""
    end = text.find("}", start) + 1 if text[start] == "{" else 0
    return end or len(text)


def _leaves_comment_open(text: str) -> bool:
    """Return whether a comment in braces begins in a line and does not end in it."""
    if "{" not in text:
        return False
    return _NO_COMMENT.sub("", text).startswith("{")


class _Rubbish:
    """Lines that are not PBN: warned of between boards, refused if there are no boards."""

    def __init__(self, reading: Reading, notices: Notices):
        self.allowed = False
        """Whether there was a tag, so that the file is PBN."""
        self._reading = reading
        self._notices = notices
        self._lines: list[tuple[int, str]] = []

    def add(self, number: int, text: str) -> None:
        self._notices.add(
            "lines that are not PBN, left out",
            f"line {number}",
            f"{shorten(text)} is not PBN and is left out (expected a tag, a comment, a blank line)",
        )
        if not self.allowed:
            self._lines.append((number, text))
            if len(self._lines) > _MOST_RUBBISH:
                self.close()

    def close(self) -> None:
        if self._lines and not self.allowed:
            number, text = self._lines[0]
            raise self._reading.error(
                f"line {number}",
                f'{shorten(text)} is not PBN (expected tags such as [Deal "N:…"])',
            )


def blocks(found: Iterable[Piece], reading: Reading) -> Iterator[list[TagLine]]:
    """Group pieces into blocks of tags, split at blank lines and where a tag is repeated.

    A tag that only repeats the previous one is ignored, as is an empty one next to its like.
    A block may begin with a TagLine without a name, for text before its first tag. Raises
    FormatError for a block without end.
    """
    block: list[TagLine] = []
    seen: set[str] = set()
    size = 0
    for number, tag, text in found:
        if tag:
            if tag in seen and tag in EXPORT_ORDER:
                last, value = block[-1], _value(block, tag)
                if last.name == tag and not last.lines and (not text or value in ("", text)):
                    last.value = value or text
                    continue
                if tag not in _OF_ONE_BOARD or not {text, value} & _EMPTY:
                    yield block
                    block, seen, size = [], set(), 0
            block.append(TagLine(tag, text, number))
            seen.add(tag)
        elif tag is None:
            if block:
                yield block
            block, seen, size = [], set(), 0
            continue
        else:
            if not block:
                block.append(TagLine("", "", number))
            block[-1].lines.append(text)
        size += 1
        if size > reading.limits.board:
            raise _no_end_of_board(number, reading)
    if block:
        yield block


def _value(block: list[TagLine], name: str) -> str:
    return next((tag.value for tag in reversed(block) if tag.name == name), "")


def _no_end_of_board(number: int, reading: Reading) -> FormatError:
    return reading.error(
        f"line {number}",
        f"{reading.limits.board:,} lines without the end of a board "
        f"(expected a blank line between boards; {raised_by('board')})",
    )


def check_lines(tag: Tag) -> None:
    """Raise ValueError if a tag, written unchanged, would not be read back the same."""
    if tag.name and not re.fullmatch(r"\w+", tag.name):
        raise ValueError(f"tag name {shorten(tag.name)}")
    if any(_BREAK.search(text) for text in (tag.value, *tag.lines)):
        raise ValueError(f"{cut(tag.name)} tag: line breaks and control characters")
    in_comment = False
    for line in tag.lines:
        text = line.strip()
        if in_comment:
            in_comment = not line.endswith("}")
            wrong = "}" in line[:-1]
        elif line[:1] == "%":
            wrong = _HEADER.fullmatch(line) is not None
        else:
            in_comment = _leaves_comment_open(text)
            wrong = text[:1] not in ("{", ";") and not (is_section(tag.name) and text[:1] != "[")
            wrong = wrong or not text or (text[0] == "{" and "}" in text[:-1])
        if wrong:
            raise ValueError(
                f"{cut(tag.name)} tag: line {shorten(line)} where a comment could stand"
            )
    if in_comment:
        raise ValueError(f"{cut(tag.name)} tag: an unclosed comment")


# --- records of boards ---

_HIDDEN_HAND = re.compile(r"[:\s](?:-|\.\.\.)(?:\s|$)")
_OF_THE_DEAL = ("Deal", "Board", "Dealer", "Vulnerable")
"""Tags that another table's record takes from the board before if it lacks them."""
_OF_A_TABLE = frozenset(("Declarer", "Contract", "Result", "Auction", "Play", "Score"))
"""Another table's record has at least one of these tags."""
_OF_A_BOARD = frozenset(("Board", "West", "North", "East", "South", "Room"))
"""Tags that identify the board and table of a record."""
_OF_ONE_BOARD = frozenset(("Dealer", "Vulnerable", "Scoring", "Declarer", "Contract", "Result"))
"""Tags that do not start a new board when repeated if one of the two is empty."""
_EMPTY = frozenset(("", "?", "-"))
_EXPORTED = frozenset(EXPORT_ORDER)
_SNIFF = re.compile(
    rb'^(?:\xef\xbb\xbf)?[ \t]*(%\s*PBN\b|\[\s*(Event|Site|Board|Deal|Date|Dealer|West|North)\s+")',
    re.MULTILINE | re.IGNORECASE,
)


def _sniff(head: bytes) -> bool:
    return b"\0" not in head and _SNIFF.search(head) is not None


def _boards(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the trick table of each record of a deal."""
    before: dict[str, TagLine] = {}
    text, owners = None, b""
    lines = read_lines(stream, reading, notices)
    for record in _records(blocks(pieces(lines, reading, notices), reading), reading, notices):
        before = _complete(record, before, reading, notices)
        deal = before.get("Deal")
        if deal is None:  # it was "#", without a board before
            continue
        if deal.value != text:  # tables of one deal are adjacent
            try:
                text, owners = deal.value, _owners(deal, reading, notices)
            except DealError as error:
                reading.refuse(reading.error(f"line {deal.number}", str(error)))
                text = None
                continue
        tags = [t.tag for t in record if t.name != "Deal"]
        if deal.lines:
            tags.append(Tag("Deal", "", tuple(deal.lines)))
        board, table = SAYS_NOTHING, NO_TRICKS
        if tags:
            board, table = read_board(tags, owners, _note_on(record, notices))
        yield owners, board, table


def _note_on(record: list[TagLine], notices: Notices) -> NoteOnTag:
    """Return a function that takes notes on the tags of a record, each at the line of its tag."""
    lines: dict[str, list[int]] = {}
    for tag in record:
        if tag.name:
            lines.setdefault(tag.name, []).append(tag.number)

    def note(kind: str, message: str, name: str, nth: int = 0) -> None:
        numbers = lines.get(name) or next(iter(lines.values()))  # derived from another tag
        notices.add(kind, f"line {numbers[nth]}", message)

    return note


class _Record:
    """The tags of one board so far."""

    def __init__(self) -> None:
        self.tags: list[TagLine] = []
        self.names: set[str] = set()
        self._number: str | None = None

    def add(self, block: list[TagLine]) -> None:
        """Add a block of tags to the record."""
        if self.tags and not block[0].name:
            self.tags[-1].lines += block[0].lines
            block = block[1:]
        self.tags += block
        for tag in block:
            self.names.add(tag.name)
            if tag.name == "Board" and self._number is None:
                self._number = tag.value

    def drop(self, names: Set[str], notices: Notices) -> None:
        """Drop tags that the next board has itself."""
        for tag in self.tags:
            if tag.name in names:
                notices.add("tags of no board, left out", f"line {tag.number}",
                            f"{tag.name} belongs to no board and is left out")  # fmt: skip
        self.tags = [tag for tag in self.tags if tag.name not in names]
        self.names -= names

    def begin_with(self, other: "_Record") -> None:
        """Prepend another record."""
        self.tags, block = other.tags, self.tags
        self.names, self._number = other.names, other._number
        if block:
            self.add(block)

    @property
    def is_whole(self) -> bool:
        """Return whether this is a complete record, not just the beginning of the next one."""
        return "Deal" in self.names or not self.names.isdisjoint(_OF_A_TABLE)

    def is_other_board_than(self, block: list[TagLine]) -> bool:
        """Return whether the number in a block identifies another board."""
        values = [tag.value for tag in block if tag.name == "Board" and tag.value != "#"]
        return bool(values) and values != [self._number]


def _records(
    found: Iterable[list[TagLine]], reading: Reading, notices: Notices
) -> Iterator[list[TagLine]]:
    """Turn blocks into the records of boards played: one block each, in files that follow the rule.

    Only the record of another table at the same board has no Deal tag. Refuses a board without a
    deal.
    """
    record, before = _Record(), _Record()
    for block in found:  # before: text before a Deal, or comments
        names = {tag.name for tag in block}
        if not before.names.isdisjoint(names & _EXPORTED):
            reading.refuse(_no_deal(before.tags, reading))
            before = _Record()
        if record.tags and ("Deal" in names or record.is_other_board_than(block)):
            twice = record.names & names & _EXPORTED
            if record.is_whole or (twice and not record.names.isdisjoint(_OF_A_BOARD)):
                yield record.tags
            else:
                record.drop(twice, notices)
                before.begin_with(record)
            record = _Record()
        if "Deal" in names:
            record, before = before, _Record()
        elif not record.tags or names == {""}:
            before.add(block)
            continue
        elif not record.names.isdisjoint(names - {"Note", ""}):
            yield record.tags
            record, before = before, _Record()
        else:
            notices.add("blank lines inside a board", f"line {block[0].number}",
                        "a blank line within a board is ignored")  # fmt: skip
            if before.tags:
                record.add(before.tags)
                before = _Record()
        record.add(block)
        if len(record.tags) > reading.limits.board:
            raise reading.error(
                f"line {block[0].number}",
                f"{reading.limits.board:,} tags of one board ({raised_by('board')})",
            )
    if before.names - {""}:
        reading.refuse(_no_deal(before.tags, reading))
    elif before.tags and record.tags:
        record.add(before.tags)
    if record.tags:
        yield record.tags


def _no_deal(block: list[TagLine], reading: Reading) -> FormatError:
    number = next((tag.number for tag in block if tag.name), block[0].number)
    board = next((f"board {shorten(tag.value)}" for tag in block if tag.name == "Board"), "a board")
    return reading.error(f"line {number}", f'{board} has no Deal tag (expected [Deal "N:…"])')


def _complete(
    record: list[TagLine], before: dict[str, TagLine], reading: Reading, notices: Notices
) -> dict[str, TagLine]:
    """Fill in what a record takes from the one before: values ``#``, and the deal.

    Returns the record's tags by name. A value that the board before does not have is an error;
    in a lenient reading the tag is left out, and a deal refused.
    """
    for tag in [tag for tag in record if tag.value == "#"]:
        if tag.name in before:
            tag.value = before[tag.name].value
            tag.lines = tag.lines or before[tag.name].lines
    unknown = [tag for tag in record if tag.value == "#"]
    for tag in unknown:
        place = f"line {tag.number}"
        reason = f"{cut(tag.name)} is '#', the value of the board before, which has none"
        if tag.name == "Deal" or not reading.lenient:
            reading.refuse(reading.error(place, reason))
        else:
            notices.add("values '#' of no board before, left out", place, f"{reason}: left out")
    if unknown:
        record[:] = [tag for tag in record if tag.value != "#"]
    named = {tag.name: tag for tag in reversed(record)}
    if "Deal" not in named and "Deal" in before:
        first = next((tag.number for tag in record if tag.name), 0)
        notices.add("records without a Deal tag, of the deal before", f"line {first}",
                    "no Deal tag: read as another table's record of the deal before")  # fmt: skip
        for shared in _OF_THE_DEAL:
            if shared in before and shared not in named:
                named[shared] = TagLine(shared, before[shared].value, first)
                record.append(named[shared])
    return named


def _owners(deal: TagLine, reading: Reading, notices: Notices) -> bytes:
    """Return the 52 owners in a Deal tag. Raises DealError."""
    owners = plain_owners(deal.value)
    if owners is not None:
        return owners
    if _BROKEN_DEAL.match(deal.value):
        raise DealError(_no_tag(deal.value))
    owners = shown_owners(deal.value, reading)
    if HIDDEN not in owners and _HIDDEN_HAND.search(deal.value):
        notices.add("hands worked out from the other three", f"line {deal.number}",
                    "a hand is not given; it is what the other three leave")  # fmt: skip
    return owners


def _write(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    notices = Notices("PBN output")
    stream.write(b"% PBN 2.1\n% EXPORT\n")
    index = 0
    for deals in sets:
        tables = deals.tricks_or_unknown
        boards = deals.boards or (SAYS_NOTHING,) * len(deals)
        for owners, board, table in zip(deals.owners, boards, tables, strict=True):
            stream.write(_record(owners.tobytes(), board, table, index, notices).encode())
            index += 1
    notices.close()


def _record(owners: bytes, board: Board, table: Table, index: int, notices: Notices) -> str:
    """Return a board as text, with the blank line that ends it."""
    place = place_of(board, index)
    texts = zip(Seat, hand_texts(owners), strict=True)
    deal = "N:" + " ".join(".".join(suits) if seat in owners else "-" for seat, suits in texts)
    if board.lin and (more := beyond_fields(board, owners)):
        notices.add("parts that only LIN can store, left out", place,
                    f"PBN cannot store, and leaves out, LIN's {', '.join(more)}")  # fmt: skip
    try:
        tags = write_board(board, owners, deal, table, notices.at(place))
        for tag in tags:
            check_lines(tag)
    except ValueError as error:
        raise FormatError(f"{place}: cannot write {error}") from None
    lines = []
    for tag in tags:
        if tag.name:
            lines.append(f'[{tag.name} "{escape(tag.value)}"]')
        lines += tag.lines
    return "\n".join([*lines, "", ""])


FORMAT = Format(
    name="pbn",
    title="Portable Bridge Notation",
    suffixes=(".pbn",),
    sniff=_sniff,
    reader=reader_of(_boards),
    write=_write,
    boards=True,
    partial=True,
)
