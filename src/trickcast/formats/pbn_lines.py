"""Taking PBN text apart into tags and the lines that follow them."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from ..cards import Tag, cut, shorten
from .base import FormatError, Reading, raised_by
from .blocks import text_lines
from .notices import Notices

_MOST_RUBBISH = 100
"""Lines that are not PBN before the first tag."""

EXPORT_ORDER = (
    "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
    "Deal", "Scoring", "Declarer", "Contract", "Result",
)  # fmt: skip
"""The mandatory tags as the standard's export format orders them, each once a board."""

_PLAIN_TAG = re.compile(r'\[(\w+)\s+"([^"\\]*)"\]')
_TAG = re.compile(r'\[\s*(\w+)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_TAG_WITH_QUOTES = re.compile(r'\[\s*(\w+)\s*"(.*)"\s*\]')
_TAG_OF_A_WRITER = re.compile(r"\[\s*([A-Za-z]\w*+)(?=[“”„'‘’\s])([^\]]*+)\]")
"""A tag in the quotes of a word processor, in single ones, or in none."""
_QUOTES_OF_A_WRITER = re.compile(r"^[“”„'‘’]|[“”'‘’]$")
_BLANKS = re.compile(r"\s+")
_BROKEN_DEAL = re.compile(r"\[\s*Deal\b", re.IGNORECASE)
_ESCAPE = re.compile(r'\\([\\"])')
_TO_ESCAPE = re.compile(r'"|\\(?=[\\"]|$)')
_NO_COMMENT = re.compile(r'^(?:[^"{;]|"[^"]*"|\{[^}]*\}|;.*|"(?=[^"]*$))*')
_COMMENT = re.compile(r"\{[^}]*(?:\}|\Z)|;.*|^%.*", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_BREAK = re.compile(r"[\x00-\x08\x0a-\x1f]")
_HEADER = re.compile(r"%\s*(PBN\s+\d+\.\d+|EXPORT|IMPORT|Content-type\s*:.*)\s*", re.IGNORECASE)
"""Lines about the file, its encoding included, which are not those of what is written of it."""
_NAMES = {
    name.lower(): name
    for name in (
        *EXPORT_ORDER, "Auction", "Play", "Note", "OptimumResultTable", "DoubleDummyTricks"
    )
}  # fmt: skip


@dataclass(slots=True)
class TagLine:
    """A tag being read: as ``Tag``, with the number of its line."""

    name: str
    value: str
    number: int
    lines: list[str] = field(default_factory=list)

    @property
    def tag(self) -> Tag:
        """What is kept of it."""
        return Tag(self.name, self.value, tuple(self.lines))


def is_section(name: str) -> bool:
    """Whether rows of data follow a tag of this name."""
    return name in ("Auction", "Play") or (name.endswith("Table") and name != "Table")


def parted(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """Part the lines that follow a tag into rows of data and comments.

    A comment in braces may hold several lines, joined by line breaks here; one without end goes on
    to the last line.
    """
    text = "\n".join(lines)
    comments = _COMMENT.findall(text) if "{" in text or ";" in text or "%" in text else []
    rows = (_COMMENT.sub(" ", text) if comments else text).split("\n")
    return [row for row in rows if row and not row.isspace()], comments


def escape(value: str) -> str:
    r"""Return a tag value as it stands between quotes: ``\"`` for a quote.

    A backslash is doubled only where it could be taken for an escape, as in the wild (and in the
    standard's own ``Denomination\2R``).
    """
    return _TO_ESCAPE.sub(r"\\\g<0>", value)


def read_lines(stream: BinaryIO, reading: Reading, notices: Notices) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its end) of a text file in UTF-8 or ISO 8859-1.

    Refuses a line that is too long. Raises FormatError for bytes that no text has, which are read
    as blanks where the reading is lenient.
    """
    for number, raw in text_lines(stream, reading, "line"):
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("iso-8859-1")  # what the standard asks for
        text = text.rstrip("\r\n\x1a")  # DOS ends files with 0x1a
        if wrong := _CONTROL.search(text):
            place = f"line {number}, column {wrong.start() + 1}"
            reason = f"control character 0x{ord(wrong[0]):02x} (expected PBN text)"
            if not reading.lenient:
                raise reading.error(place, reason)
            notices.add("control characters, read as blanks", place, reason)
            text = _CONTROL.sub(" ", text)
        yield number, text


Piece = tuple[int, str | None, str]
"""Line number, tag name, value. No name: a line that follows a tag; None: a blank line."""


def pieces(lines: Iterable[tuple[int, str]], reading: Reading, notices: Notices) -> Iterator[Piece]:
    """Tell tags, lines that belong to them and blank lines apart.

    Raises FormatError for a file that is not PBN, refuses a comment without end, and a tag cut
    short: where the reading is lenient it is left out, or stands for no deal if it is a Deal.
    """
    in_rows = False  # whether the last tag was one that rows of data follow
    comment: list[Piece] = []  # the lines so far of a comment in braces that is still open
    rubbish = _Rubbish(reading, notices)
    for number, text in lines:
        if comment:
            inside, brace, text = text.partition("}")
            comment.append((number, "", inside + brace))
            if not brace:
                if len(comment) > reading.limits.board:
                    raise _no_end_of_board(number, reading)
                continue
            yield from comment
            comment, text = [], text.strip()
        elif (plain := _PLAIN_TAG.fullmatch(text)) is not None:
            tag = _NAMES.get(plain[1].lower(), plain[1])
            yield number, tag, plain[2]
            in_rows, rubbish.allowed = is_section(tag), True
            continue
        elif not text or text.isspace():
            yield number, None, ""
            in_rows = False
        elif text[0] == "%":
            if not _HEADER.fullmatch(text):
                yield number, "", text.rstrip()
            continue
        text = text.strip()
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
                reason = f'{shorten(text[at:])} is not a tag (expected [Name "value"])'
                if not reading.lenient:
                    raise reading.error(f"line {number}", reason)
                if (otherwise := _TAG_OF_A_WRITER.match(text, at)) is not None:
                    notices.add("tags without plain quotes, read all the same",
                                f"line {number}", reason)  # fmt: skip
                    tag = _NAMES.get(otherwise[1].lower(), otherwise[1])
                    yield number, tag, _QUOTES_OF_A_WRITER.sub("", otherwise[2].strip()).strip()
                    in_rows, rubbish.allowed = is_section(tag), True
                    at = _after_blanks(text, otherwise.end())
                    continue
                if _BROKEN_DEAL.match(text, at):
                    yield number, "Deal", text[at:]
                else:
                    notices.add("tags that are none, left out", f"line {number}", reason)
                break
            end = _end_of_piece(text, at)
            piece = text[at:end]
            at = _after_blanks(text, end)
            if not in_rows and piece[0] not in "{;":
                rubbish.add(number, piece)
            elif _leaves_comment_open(piece):
                comment = [(number, "", piece)]
            else:
                yield number, "", piece
    if comment:
        number, _, piece = comment[0]
        reason = "the comment that begins here has no end (expected '}')"
        reading.refuse(reading.error(f"line {number}", reason))
        if before := piece[: len(piece) - len(_NO_COMMENT.sub("", piece))].rstrip():
            yield number, "", before
    rubbish.close()


def _after_blanks(text: str, start: int) -> int:
    blanks = _BLANKS.match(text, start)
    return start if blanks is None else blanks.end()


def _end_of_piece(text: str, start: int) -> int:
    """Return the end of a comment in braces at ``start``; any other text is one piece."""
    end = text.find("}", start) + 1 if text[start] == "{" else 0
    return end or len(text)


def _leaves_comment_open(text: str) -> bool:
    """Whether a comment in braces begins in a line and does not end in it."""
    if "{" not in text:
        return False
    return _NO_COMMENT.sub("", text).startswith("{")


class _Rubbish:
    """Lines that are no PBN: warned of among boards, refused where there are no boards."""

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
    """Group pieces into blocks of tags, cut at blank lines and where a tag comes a second time.

    A tag that only repeats the one before it says nothing. A block may begin with a TagLine
    without a name, for what stands before its first tag. Raises FormatError for a block without
    end.
    """
    block: list[TagLine] = []
    seen: set[str] = set()
    size = 0
    for number, tag, text in found:
        if tag:
            if tag in seen and tag in EXPORT_ORDER:
                if (block[-1].name, block[-1].value, block[-1].lines) == (tag, text, []):
                    continue
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


def _no_end_of_board(number: int, reading: Reading) -> FormatError:
    return reading.error(
        f"line {number}",
        f"{reading.limits.board:,} lines without the end of a board "
        f"(expected a blank line between boards; {raised_by('board')})",
    )


def check_lines(tag: Tag) -> None:
    """Raise ValueError where a tag, written as it is, would not be read as the same again."""
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
        raise ValueError(f"{cut(tag.name)} tag: a comment without end")
