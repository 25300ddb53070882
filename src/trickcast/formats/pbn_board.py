"""Convert between the tags of a PBN board and a Board: fields, auction, play, trick tables.

Programs write 1 in trick tables for unsolved results, and for a side that makes no contract,
where the real result is anything up to 6. So if a table has no result from 2 to 6, its 1s are
not trusted; nor is a table of twenty zeros. Our own writer marks the rare table in which such a 1
is a result.
"""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Protocol, TypeVar

import numpy as np

from ..cards import (
    HIDDEN,
    PRINTED_SEATS,
    PRINTED_STRAINS,
    UNKNOWN,
    Board,
    DealError,
    Seat,
    Strain,
    Tag,
    Vulnerability,
    counted,
    cut,
    shorten,
)
from ..cards.auction import (
    MOST_CALLS,
    contract_of,
    is_all_pass,
    legal_part,
    parse_call,
    strain_of,
    with_all_pass,
)
from .board_text import (
    CARD_INDEX,
    NO_TRICKS,
    Note,
    Table,
    contract_text,
    outcome_difference,
    parse_count,
    parse_played,
    parse_seat,
    play_of_rows,
    possible_play,
    rows_of_play,
    split_outcome,
    tricks_of,
    tricks_text,
)

EXPORT_ORDER = (
    "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
    "Deal", "Scoring", "Declarer", "Contract", "Result",
)  # fmt: skip
"""The mandatory tags in the standard's export order, once per board."""
_COMMENT = re.compile(r"\{[^}]*(?:\}|\Z)|;.*|^%.*", re.MULTILINE)


def is_section(name: str) -> bool:
    """Return whether rows of data follow a tag of this name."""
    return name in ("Auction", "Play") or (name.endswith("Table") and name != "Table")


def parted(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """Split the lines that follow a tag into rows of data and comments.

    A comment in braces may span several lines, joined by line breaks here; an unclosed one extends
    to the last line.
    """
    text = "\n".join(lines)
    comments = _COMMENT.findall(text) if "{" in text or ";" in text or "%" in text else []
    rows = (_COMMENT.sub(" ", text) if comments else text).split("\n")
    return [row for row in rows if row and not row.isspace()], comments


# --- auction and play ---

_TOKEN = re.compile(r"=\d+=|\$\d+|[^\s=$]+|=")
_JUDGEMENTS = "!?*"  # 3NT!? and, from some writers, 4H* for alerts

_Explanations = tuple[tuple[int, str], ...]


def spell_call(call: str) -> str:
    """Return a call as PBN writes it: ``Pass``, ``3NT``."""
    call = parse_call(call)
    return "Pass" if call == "PASS" else call.replace("N", "NT")


def _tokens(lines: Iterable[str]) -> tuple[list[str], bool]:
    """Split a section into words; also return whether it had comments."""
    rows, comments = parted(lines)
    return _TOKEN.findall("\n".join(rows)), bool(comments)


def parse_auction(
    tag: Tag, notes: Sequence[Tag]
) -> tuple[tuple[str, ...], _Explanations, bool, str]:
    """Read an Auction section and its Note tags.

    Returns the calls, their explanations, whether nothing else is said, and what is wrong with
    the first invalid word or illegal call: the calls before it are kept.
    """
    texts = dict(filter(None, map(_note, notes)))
    calls: list[str] = []
    explained: dict[int, list[str]] = {}
    used: set[str] = set()
    tokens, more = _tokens(tag.lines)
    while tokens and tokens[-1] == "-":  # filler at the end of a row
        more = bool(tokens.pop())
    all_of_them, wrong = False, ""  # whether the previous word was the All of All Pass
    for token in tokens:
        if all_of_them and not is_all_pass(f"all{token}"):
            break
        if token[0] == "=" and len(token) > 2:
            number = token[1:-1]
            more = more or number not in texts or not calls
            used.add(number)
            if calls:
                explained.setdefault(len(calls) - 1, []).append(texts.get(number, ""))
        elif token in "*+" or token[0] in "$!?" or (token == "-" and not calls):
            more = True
        elif token.upper() == "ALL":
            all_of_them = more = True
        elif all_of_them or is_all_pass(token):
            calls, all_of_them = with_all_pass(calls), False
        else:
            more = more or token[-1] in _JUDGEMENTS
            try:
                calls.append(parse_call(token.rstrip(_JUDGEMENTS)))
            except ValueError as error:
                wrong = str(error)
                break
        if len(calls) > MOST_CALLS:
            break
    if all_of_them:
        wrong = "'All' without Pass (expected All Pass)"
    stand, why = legal_part(calls)
    wrong = why or wrong
    more = more or bool(wrong) or len(texts) != len(notes) or used != set(texts)
    more = more or any(note.lines for note in notes) or any(len(t) > 1 for t in explained.values())
    explanations = tuple(
        (i, "; ".join(filter(None, texts))) for i, texts in explained.items() if i < stand
    )
    return tuple(calls[:stand]), explanations, not more, wrong


def first_caller(tag: Tag) -> Seat | None:
    """Return the seat of the first call in an Auction section; None if it is not given.

    A leading ``-`` stands for a seat before the first caller. Raises
    ValueError for an invalid seat.
    """
    first = parse_seat(tag.value)
    if first is None or not any("-" in line for line in tag.lines):
        return first
    before = takewhile(lambda token: token == "-", _tokens(tag.lines)[0])
    return Seat((first + sum(1 for _ in before)) % 4)


def _note(tag: Tag) -> tuple[str, str] | None:
    """Return the number and the text of a Note tag, ``1:natural``."""
    number, colon, text = tag.value.partition(":")
    number = number.strip()
    return (number, text.strip()) if colon and number.isdecimal() else None


def format_auction(board: Board) -> list[Tag]:
    """Write a board's calls as an Auction section, and their explanations as Note tags."""
    texts = list(dict.fromkeys(text for _, text in board.explanations))
    explained = dict(board.explanations)
    if not all(0 <= i < len(board.auction) for i in explained):
        raise ValueError(f"explanations of calls {sorted(explained)} of {len(board.auction)}")
    cells = [spell_call(call) for call in board.auction]
    for i, text in explained.items():
        cells[i] += f" ={texts.index(text) + 1}="
    rows = tuple(" ".join(cells[i : i + 4]) for i in range(0, len(cells), 4))
    dealer = "?" if board.dealer is None else str(board.dealer)
    notes = [Tag("Note", f"{i}:{text}") for i, text in enumerate(texts, start=1)]
    return [Tag("Auction", dealer, rows), *notes]


def strain_played(board: Board) -> Strain | None:
    """Return the strain in which a board was played, from its contract or else its auction."""
    if board.contract is None and board.dealer is not None:
        return strain_of(contract_of(board.dealer, board.auction)[0])
    return strain_of(board.contract)


def declarer_of(board: Board) -> Seat | None:
    """Return the declarer of a board, as stated or else from its auction."""
    if board.declarer is None and board.dealer is not None:
        return contract_of(board.dealer, board.auction)[1]
    return board.declarer


def parse_play(tag: Tag, board: Board, owners: bytes) -> tuple[tuple[str, ...], bool, str]:
    """Read a Play section, given the contract and the deal's owners.

    Returns the cards in the order played, as far as possible, whether nothing else is
    said, and what is wrong with the first invalid or impossible card: the
    cards before it are kept.
    """
    strain, declarer = strain_played(board), declarer_of(board)
    tokens, more = _tokens(tag.lines)
    cells: list[str] = []
    wrongs: list[str] = []
    for token in tokens:
        if token in CARD_INDEX:
            cells.append(token)
            continue
        if token in "*+":
            break
        if token[0] in "=$!?^":
            more = True
            continue
        more = more or token[-1] in _JUDGEMENTS
        try:
            cells.append("-" if token == "-" else parse_played(token.rstrip(_JUDGEMENTS)))
        except ValueError as error:
            wrongs.append(str(error))
            cells.append("-")  # its place is known, though not the card
    if strain is None:
        return (), False, "".join(wrongs[:1])
    cells += ["-"] * (-len(cells) % 4)
    play = tuple(play_of_rows([cells[i : i + 4] for i in range(0, len(cells), 4)], strain, owners))
    play = possible_play(
        play, strain, owners, lambda _, message: wrongs.insert(0, message), declarer=declarer
    )
    leader = tag.value.strip().upper()
    if more or wrongs or not play or declarer is None or leader != declarer.lho.letter:
        return play, False, "".join(wrongs[:1])
    written, _ = _tokens(_rows_of_play(play, strain))
    return play, [token.upper() for token in tokens] == written, ""


def _rows_of_play(play: Sequence[str], strain: Strain) -> tuple[str, ...]:
    cards = [parse_played(card) for card in play]
    rows = [" ".join(f"{card:2}" for card in row) for row in rows_of_play(cards, strain)]
    return (*map(str.rstrip, rows), *(("*",) if len(cards) < 52 else ()))


def format_play(board: Board, owners: bytes) -> list[Tag]:
    """Write a board's play; nothing if the cards or the leader are unknown."""
    strain, declarer = strain_played(board), declarer_of(board)
    first = CARD_INDEX[parse_played(board.play[0])]
    leader = owners[first] if declarer is None else declarer.lho
    if strain is None or leader == HIDDEN:
        return []
    return [Tag("Play", str(Seat(leader)), _rows_of_play(board.play, strain))]


# --- trick tables ---

RESULT_TABLE = "OptimumResultTable"
DIGITS = "DoubleDummyTricks"
ABILITY = "Ability"
_EXACT = "; every 1 is a result"
_HEADER = r"Declarer;Denomination\2R;Result\2R"
_COLUMNS = ("declarer", "denomination", "result")
_COLUMN = re.compile(r"[+-]?(\w+)(?:\\\d+[LR]?)?", re.IGNORECASE)
_ABILITY = re.compile(
    " +".join(f"{seat}:(?P<{seat}>[0-9A-D]{{5}})" for seat in "NESW"), re.IGNORECASE
)
_LOW = frozenset(range(2, 7))
_PLAIN = {str(tricks): tricks for tricks in range(14)}
_UNKNOWN_RESULTS = ("?", "-", "*", "")
_NOTHING_SOLVED = NO_TRICKS.copy()  # if there are tags, but none with tricks


def parse_result_table(tag: Tag) -> Table:
    """Read an OptimumResultTable: rows in any order, columns as in its header.

    Placeholders become unknown. Raises ValueError naming the row that cannot be read.
    """
    names = [found[1].lower() for found in map(_COLUMN.match, tag.value.split(";")) if found]
    if sorted(names) != sorted(set(names)) or not set(_COLUMNS) <= set(names):
        raise ValueError(f"columns {shorten(tag.value)} (expected Declarer;Denomination;Result)")
    columns = [names.index(column) for column in _COLUMNS]
    table = NO_TRICKS.copy()
    rows, comments = parted(tag.lines)
    for line in rows:
        cells = line.split()
        if len(cells) <= max(columns):
            raise ValueError(f"row {shorten(line)} (expected such as 'N NT 8')")
        seat, strain, result = (cells[column] for column in columns)
        try:
            where = Strain.parse(strain), Seat.parse(seat)
        except DealError as error:
            raise ValueError(f"row {shorten(line)}: {error}") from None
        if result in _UNKNOWN_RESULTS:
            continue
        try:
            tricks = _PLAIN[result] if result in _PLAIN else parse_count(result, 13)
        except ValueError as error:
            raise ValueError(f"row {shorten(line)}: {error}") from None
        if table[where] not in (UNKNOWN, tricks):
            raise ValueError(f"row {shorten(line)}: that result is given above as {table[where]}")
        table[where] = tricks
    return table if _EXACT in comments else _believed(table)


def remarks(tag: Tag) -> tuple[str, ...]:
    """Return the comments among the rows of a table, as lines of their own."""
    texts = [text for text in parted(tag.lines)[1] if text != _EXACT]
    closed = (text + "}" * (text[0] == "{" and text[-1] != "}") for text in texts)
    return tuple(line for text in closed for line in text.split("\n"))


def format_result_table(table: Table, comments: Sequence[str] = ()) -> Tag:
    """Write a table in the standard's order, without unknown cells."""
    rows = tuple(
        f"{seat} {'NT' if strain is Strain.NOTRUMP else strain.letter:>2} {table[strain, seat]:>2}"
        for seat in PRINTED_SEATS
        for strain in PRINTED_STRAINS
        if table[strain, seat] != UNKNOWN
    )
    exact = () if np.array_equal(_believed(table), table) else (_EXACT,)
    return Tag(RESULT_TABLE, _HEADER, (*exact, *comments, *rows))


def _believed(table: Table) -> Table:
    """Return a table with its placeholders as unknown."""
    if not _LOW.isdisjoint(table.tobytes()):
        return table
    placeholders = (table == 1) | (table == 0).all()
    return np.where(placeholders, np.uint8(UNKNOWN), table)


def parse_digits(text: str) -> Table:
    """Read DoubleDummyTricks: N S E W, each NT S H D C, one hexadecimal digit per result.

    ``F``, ``-``, ``*`` and placeholders stand for unknown results. Raises
    ValueError unless ``text`` is twenty such digits.
    """
    digits = re.sub(r"\s", "", text).upper()
    if wrong := re.search(r"[^0-9A-DF*-]", digits):
        raise ValueError(f"{shorten(text)}: {wrong[0]!r} (expected a digit 0 to D, F, - or *)")
    if len(digits) != 20:
        raise ValueError(f"{shorten(text)}: {len(digits)} digits (expected 20)")
    return _believed(_of_digits(digits, PRINTED_SEATS))


def parse_ability(text: str) -> Table:
    """Read Deep Finesse's Ability, ``N:34425 E:A98B7 …``: hexadecimal digits for NT S H D C.

    One program writes the next seat's first digit as the last of each, and so every digit of three
    seats in the wrong place. Raises ValueError for that, and for other text.
    """
    seats = _ABILITY.fullmatch(text.strip())
    if seats is None:
        raise ValueError(f"{shorten(text)} (expected such as N:34425 E:A98B7 S:34425 W:A98B7)")
    digits = [seats[name].upper() for name in "NESW"]
    if all(digits[i][4] == digits[i + 1][0] for i in range(3)):
        raise ValueError(
            f"{shorten(text)}: each seat begins with the digit that the last ends with"
        )
    return _believed(_of_digits("".join(digits), tuple(Seat)))


def _of_digits(digits: str, seats: Sequence[Seat]) -> Table:
    """Return the table of hexadecimal digits, in NT S H D C for each of the seats."""
    table = NO_TRICKS.copy()
    for i, digit in enumerate(digits):
        if digit not in "F*-":
            table[PRINTED_STRAINS[i % 5], seats[i // 5]] = int(digit, 16)
    return table


def format_digits(table: Table) -> str:
    """Write DoubleDummyTricks; ``-`` stands for an unknown result."""
    cells = [table[strain, seat] for seat in PRINTED_SEATS for strain in PRINTED_STRAINS]
    return "".join("-" if cell == UNKNOWN else f"{cell:x}" for cell in cells)


def disagreements(one: Table, other: Table) -> int:
    """Count the known cells that differ between two tables."""
    return int(np.count_nonzero((one != other) & (one != UNKNOWN) & (other != UNKNOWN)))


# --- tags and fields ---


class NoteOnTag(Protocol):
    """Called if a tag cannot be read: with its name, and which tag of that name (from 0)."""

    def __call__(self, kind: str, message: str, name: str, nth: int = 0, /) -> None:
        """Take a note."""


_T = TypeVar("_T")
_VULNERABLE = {
    Vulnerability.NONE: "None",
    Vulnerability.NS: "NS",
    Vulnerability.EW: "EW",
    Vulnerability.BOTH: "All",
}
_NOT_KNOWN = ("", "?")
_SECTIONS = ("Auction", "Play")
_RANKS = {name: rank for rank, name in enumerate(("", *EXPORT_ORDER, *_SECTIONS))}
_IN_ONE_LINE = {DIGITS: parse_digits, ABILITY: parse_ability}
"""Tags with a trick table as their value, the most trusted first."""
_HIGHEST_NUMBER = 999_999_999
_OF_SIDE = re.compile(r"(NS|EW)\s*([0-9]{1,2})", re.IGNORECASE)
_RESULT_OF_SIDES = re.compile(r"NS\s*[0-9]{1,2}(?:\s+EW\s*[0-9]{1,2})?|EW\s*[0-9]{1,2}"
                              r"(?:\s+NS\s*[0-9]{1,2})?", re.IGNORECASE)  # fmt: skip
_NUMBERED = re.compile(r"(?:board|bd|no|nr)?\.?\s*#?\s*(?=[0-9])", re.IGNORECASE)


def _parse_number(text: str) -> int:
    return parse_count(_NUMBERED.sub("", text.strip(), count=1), _HIGHEST_NUMBER)


def _parse_vulnerable(text: str) -> Vulnerability:
    try:
        return Vulnerability.parse(text)
    except DealError as error:
        raise ValueError(str(error)) from None


def _parse_declarer(text: str) -> Seat | None:
    return parse_seat(text.strip().removeprefix("^"))  # ^S: South by an irregularity


def _parse_result(text: str, declarer: Seat | None = None) -> int:
    """Read declarer's tricks: ``9``, by an irregularity ``^9``, or by sides ``NS 9 EW 4``."""
    text = text.strip().removeprefix("^").lstrip()
    if _RESULT_OF_SIDES.fullmatch(text) is None:
        return parse_count(text, 13)
    tricks = {side.upper(): parse_count(number, 13) for side, number in _OF_SIDE.findall(text)}
    if len(tricks) == 2 and sum(tricks.values()) != 13:
        raise ValueError(f"{shorten(text)}: {sum(tricks.values())} tricks (expected 13)")
    if declarer is None:
        raise ValueError(f"{shorten(text)} is a side's result, and the declarer is not known")
    own, other = ("NS", "EW") if declarer.side == 0 else ("EW", "NS")
    return tricks[own] if own in tricks else 13 - tricks[other]


def _spell_contract(contract: str) -> str:
    contract = contract_text(contract)
    return "Pass" if contract == "PASS" else contract.replace("N", "NT")


@dataclass(frozen=True, slots=True)
class _Simple:
    """How to read and write a tag of one value, and the field of Board that it fills."""

    field: str
    parse: Callable[[str], Any]
    spell: Callable[[Any], str] = str

    def read(self, text: str, declarer: Seat | None) -> Any:
        """Return the value; None for "unknown". Raises ValueError for anything else."""
        if text.strip() in _NOT_KNOWN:
            return None
        return _parse_result(text, declarer) if self.field == "result" else self.parse(text)

    def write(self, value: Any) -> str:
        """Return the text of a value. Raises ValueError if it could not be read back."""
        text = self.spell(value)
        if self.read(text, None) != value:
            raise ValueError(f"{self.field} is {shorten(value)}")
        return text


_SIMPLE = {
    "Board": _Simple("number", _parse_number),
    "Dealer": _Simple("dealer", parse_seat),
    "Vulnerable": _Simple("vulnerability", _parse_vulnerable, _VULNERABLE.__getitem__),
    "Declarer": _Simple("declarer", _parse_declarer),
    "Contract": _Simple("contract", contract_text, _spell_contract),
    "Result": _Simple("result", _parse_result),
}

_ONCE = frozenset((*_SIMPLE, *_SECTIONS, RESULT_TABLE, DIGITS, ABILITY))  # once per board


class _Sorted:
    """The tags of a board by subject."""

    def __init__(self, tags: Sequence[Tag]):
        self.first: dict[str, Tag] = {}
        """The first tag of each name."""
        self.notes: dict[str, list[Tag]] = {section: [] for section in _SECTIONS}
        """Note tags by the section they follow; those before any belong to the auction."""
        self.items: list[tuple[int, str, Tag]] = []
        """Each tag with its rank in export order and its subject: its name, or a Note's section."""
        section = _SECTIONS[0]
        for tag in tags:
            self.first.setdefault(tag.name, tag)
            if tag.name in _SECTIONS:
                section = tag.name
            if tag.name == "Note":
                self.notes[section].append(tag)
            subject = section if tag.name == "Note" else tag.name
            other = len(_RANKS) + (subject == RESULT_TABLE)  # the long table closes a board
            self.items.append((_RANKS.get(subject, other), subject, tag))

    def in_order(self, but: Container[str], fresh: Sequence[Tag] = ()) -> list[Tag]:
        """Return the tags in export order, leaving out some subjects and adding ``fresh`` tags."""
        items = _Sorted(fresh).items if fresh else []
        items += [item for item in self.items if item[1] not in but]
        return [tag for _, _, tag in sorted(items, key=lambda item: item[0])]


def read_board(tags: Sequence[Tag], owners: bytes, note: NoteOnTag) -> tuple[Board, Table]:
    """Return the board described by tags, and its trick table.

    Tags that the fields of Board do not fully express are kept. Unreadable ones are reported to
    ``note``.
    """
    found = _Sorted(_with_outcome(_without_repeated(tags, note), note))
    values: dict[str, Any] = {}
    in_full: set[str] = set()
    for name, simple in _SIMPLE.items():
        if (tag := found.first.get(name)) and name != "Result":
            _read_simple(simple, tag, values, in_full, note)
    by_dealer = True
    if tag := found.first.get("Auction"):
        first = _attempt(tag, note, first_caller, tag)
        by_dealer = first in (None, values.setdefault("dealer", first))
        if not by_dealer:
            note("auctions not begun by the dealer",
                 f"the auction begins with {first}, not with the dealer; it is kept as text, and "
                 "no contract is taken from it", "Auction")  # fmt: skip
        calls, explanations, whole, wrong = parse_auction(tag, found.notes["Auction"])
        _tell_wrong(tag, wrong, note)
        if by_dealer:
            values["auction"], values["explanations"] = calls, explanations
            if whole and calls:
                in_full.add("Auction")
    _take_contract_from_auction(values, found, in_full)
    if tag := found.first.get("Result"):
        _read_simple(_SIMPLE["Result"], tag, values, in_full, note)
    if tag := found.first.get("Play"):
        values["play"], whole, wrong = parse_play(tag, Board(**values), owners)
        _tell_wrong(tag, wrong, note)
        if whole and not found.notes["Play"]:
            in_full.add("Play")
        result = found.first.get("Result", Tag("Result", ""))
        if not result.lines and result.value.strip() in _NOT_KNOWN:
            strain = strain_of(values.get("contract"))
            values["result"] = tricks_of(values["play"], values.get("declarer"), strain, owners)
            in_full.update(["Result"] * (values["result"] is not None))
    _compare_outcome(values, note)
    table = _read_table(found, in_full, note)
    return Board(**values, tags=tuple(found.in_order(but=in_full))), table


def _read_simple(
    simple: "_Simple", tag: Tag, values: dict[str, Any], in_full: set[str], note: NoteOnTag
) -> None:
    """Read a tag of one value."""
    value = _attempt(tag, note, simple.read, tag.value, values.get("declarer"))
    values[simple.field] = value
    if value is not None and not tag.lines and "^" not in tag.value:
        in_full.add(tag.name)


def _tell_wrong(tag: Tag, wrong: str, note: NoteOnTag) -> None:
    """Report the first invalid or impossible word of a section."""
    if wrong:
        stands = "what comes before it is read" if "before it are kept" not in wrong else ""
        note(f"{tag.name} tags read in part", f"{tag.name}: {wrong}; {stands}".rstrip("; "),
             tag.name)  # fmt: skip


def _take_contract_from_auction(values: dict[str, Any], found: _Sorted, in_full: set[str]) -> None:
    """Take contract and declarer from a complete auction if the tags lack them."""
    if values.get("contract") is not None or values.get("dealer") is None:
        return
    contract, declarer = contract_of(values["dealer"], values.get("auction", ()))
    if contract is None or values.get("declarer") not in (None, declarer):
        return
    silent = [found.first[name] for name in ("Contract", "Declarer") if name in found.first]
    silent = [tag for tag in silent if tag.name not in in_full]
    if any(tag.lines or tag.value.strip() not in _NOT_KNOWN for tag in silent):
        return  # they are unreadable
    values |= {"contract": contract, "declarer": declarer}
    in_full.update(tag.name for tag in silent)


def _compare_outcome(values: dict[str, Any], note: NoteOnTag) -> None:
    """Report a difference between the auction's outcome and the tags; both stay as they are."""
    if values.get("dealer") is None:
        return
    called = contract_of(values["dealer"], values.get("auction", ()))
    stated = values.get("contract"), values.get("declarer")
    if difference := outcome_difference(called, stated, "the tags say"):
        note("auctions that lead to another contract than the tags say",
             f"{difference}; both are kept", "Contract" if stated[0] else "Declarer")  # fmt: skip


def _without_repeated(tags: Sequence[Tag], note: NoteOnTag) -> list[Tag]:
    """Drop repeated tags that a board can have only once; the auction decides who dealt."""
    kept: list[Tag] = []
    places: dict[str, int] = {}
    for tag in tags:
        if tag.name in _ONCE and tag.name in places:
            first = kept[places[tag.name]]
            filled = _says_nothing(first) and not _says_nothing(tag)
            which = ("an empty", 0) if filled else ("a second", 1)
            note(f"{tag.name} tags left out", f"{which[0]} {tag.name} tag is left out", tag.name,
                 which[1])  # fmt: skip
            if not filled:
                continue
            kept[places[tag.name]] = Tag("", "", remarks(first))
        places[tag.name] = len(kept)
        kept.append(tag)
    kept = [tag for tag in kept if tag.name or tag.lines]
    auction = next((tag for tag in kept if tag.name == "Auction"), None)
    try:
        dealer = None if auction is None else first_caller(auction)
    except ValueError:  # reported when the auction is read
        dealer = None
    if dealer is not None:
        kept = [
            tag._replace(value=str(dealer))
            if tag.name == "Dealer" and tag.value.strip() in _NOT_KNOWN
            else tag
            for tag in kept
        ]
    return kept


def _says_nothing(tag: Tag) -> bool:
    """Return whether a tag is empty: without the rows it should have, or without a value."""
    if is_section(tag.name):
        return all(token in "*+-" for token in _tokens(tag.lines)[0])
    return tag.value.strip() in (*_NOT_KNOWN, "-")


def _with_outcome(tags: list[Tag], note: NoteOnTag) -> list[Tag]:
    """Standardise a contract that says more, and a result given as over- or undertricks.

    ``[Contract "4HXS-1"]`` says as much as three tags; ``[Result "-1"]`` in 4H is nine tricks.
    """
    if not any(tag.name == "Contract" for tag in tags):
        return tags
    texts = {tag.name: tag.value.strip() for tag in reversed(tags)}
    values = {name: texts.get(name, "") for name in ("Contract", "Declarer", "Result")}
    spelled = dict(values)
    parts = split_outcome(values["Contract"])
    if parts is None:
        return tags
    contract, declarer, result = parts
    if declarer or result or contract != values["Contract"].upper():
        spelled["Contract"] = contract
    for name, value in (("Declarer", declarer), ("Result", result)):
        if value and values[name] in _NOT_KNOWN:
            spelled[name] = value
        elif value and name == "Declarer" and values[name].upper()[:1] != value:
            return tags  # they contradict each other
    own, tricks = (tricks_text(text, contract) for text in (result, spelled["Result"]))
    if result and own.lstrip("0") != tricks.lstrip("0") and tricks.lstrip("+-").isdigit():
        said = f"{own} tricks" if own.isdigit() else own
        note("contracts that say another result than Result",
             f"the contract says {said}, Result {tricks}, which counts", "Contract")  # fmt: skip
    spelled["Result"] = tricks
    changed = {name: value for name, value in spelled.items() if value != values[name]}
    kept = [tag._replace(value=changed.get(tag.name, tag.value)) for tag in tags]
    return kept + [Tag(name, value) for name, value in changed.items() if name not in texts]


def _attempt(tag: Tag, note: NoteOnTag, parse: Callable[..., _T], *arguments: Any) -> _T | None:
    """Parse, or report to ``note`` why that failed."""
    try:
        return parse(*arguments)
    except ValueError as error:
        name = cut(tag.name)
        note(f"{name} tags kept as text", f"{name} is kept as text: {error}", tag.name)
        return None


def _read_table(found: _Sorted, in_full: set[str], note: NoteOnTag) -> Table:
    """Read the trick table, preferring the standard's tag to those on one line."""
    table = _NOTHING_SOLVED
    if tag := found.first.get(RESULT_TABLE):
        results = _attempt(tag, note, parse_result_table, tag)
        if results is not None:
            table = results
            if not remarks(tag):
                in_full.add(RESULT_TABLE)
            if (table == UNKNOWN).any():
                ones = sum(row.split().count("1") for row in parted(tag.lines)[0])
                _warn_of_placeholders(tag, ones, table, note)
    for name, parse in _IN_ONE_LINE.items():
        tag = found.first.get(name)
        results = None if tag is None else _attempt(tag, note, parse, tag.value)
        if tag is None or results is None:
            continue
        _warn_of_placeholders(tag, tag.value.count("1"), results, note)
        if cells := disagreements(table, results):
            in_full.add(name)  # it would contradict what is written
            note(
                f"disagreeing trick tables, {name} left out",
                f"{name} differs from {RESULT_TABLE} in {counted(cells, 'cell')} and is left out",
                name,
            )
        table = np.where(table == UNKNOWN, results, table)
    return table


def _warn_of_placeholders(tag: Tag, ones: int, table: Table, note: NoteOnTag) -> None:
    if ones > np.count_nonzero(table == 1):
        note(f"{tag.name} with doubtful ones",
             f"1 in {tag.name} without any 2 to 6 means 'fewer than 7, not solved': "
             "taken as unknown", tag.name)  # fmt: skip


def write_board(board: Board, owners: bytes, deal: str, table: Table, note: Note) -> list[Tag]:
    """Return the tags of a board in export order, from its fields and its own tags.

    An own tag that contradicts a field is rewritten, which is reported to ``note``.
    Raises ValueError for a field with an invalid call, card, contract or the like.
    """
    own = _Sorted(board.tags)
    stale = {name for name in own.first if not _agrees(own, name, board, owners, table)}
    for name in sorted(stale):
        note(f"{name} rewritten tags",
             f"its {name} tag disagrees and is rewritten or left out")  # fmt: skip
    written = own.first.keys() - stale
    fresh = [
        Tag(name, simple.write(value))
        for name, simple in _SIMPLE.items()
        if name not in written and (value := getattr(board, simple.field)) is not None
    ]
    fresh.append(Tag("Deal", deal, own.first["Deal"].lines if "Deal" in own.first else ()))
    if board.auction and "Auction" not in written:
        fresh += format_auction(board)
    if board.play and "Play" not in written:
        play = format_play(board, owners)
        fresh += play
        if not play:
            note("plays left out", "the play is left out: no contract or no leader")
    if RESULT_TABLE not in written and (table != UNKNOWN).any():
        comments = remarks(own.first[RESULT_TABLE]) if RESULT_TABLE in own.first else ()
        fresh.append(format_result_table(table, comments))
    return own.in_order(but={*stale, "Deal"}, fresh=fresh)


def _agrees(own: _Sorted, name: str, board: Board, owners: bytes, table: Table) -> bool:
    """Return whether a board's own tag agrees with its fields (or its deal's tricks)."""
    tag = own.first[name]
    try:
        if name in _SIMPLE:
            value = _SIMPLE[name].read(tag.value, board.declarer)
            return bool(value == getattr(board, _SIMPLE[name].field))
        if name == "Auction":
            if first_caller(tag) not in (None, board.dealer):  # it was kept as text
                return not board.auction
            calls, explanations, _, _ = parse_auction(tag, own.notes["Auction"])
            return (calls, explanations) == (board.auction, board.explanations)
        if name == "Play":
            return parse_play(tag, board, owners)[0] == board.play
        if name == RESULT_TABLE:
            known = parse_result_table(tag)
            agrees = (known == UNKNOWN) | (known == table)
            told = (known != UNKNOWN) | (_in_one_line(own, table) == table)
            return bool((agrees & (told | (table == UNKNOWN))).all())
        return name not in _IN_ONE_LINE or not disagreements(_IN_ONE_LINE[name](tag.value), table)
    except ValueError:  # it was kept as text, and stays until something better is known
        if name == RESULT_TABLE:
            return bool((table == _in_one_line(own, table)).all())
        field = _SIMPLE[name].field if name in _SIMPLE else name.lower()
        return getattr(board, field, None) in (None, ())


def words_of_tags(board: Board) -> list[str]:
    """Return names, for people, of what the tags say beyond the fields: tags, and comments."""
    others, comments = list[str](), False
    stated = board.stated()
    for tag in board.tags:
        rows, remarked = parted(tag.lines)
        comments |= bool(remarked)
        field = _SIMPLE[tag.name].field if tag.name in _SIMPLE else tag.name.lower()
        if field not in stated and (rows or tag.value.strip() not in _NOT_KNOWN):
            others.append(cut(tag.name) or "comments")
    return others + ["comments"] * comments


def _in_one_line(own: _Sorted, table: Table) -> Table:
    """Return the results in a board's one-line tags that do not contradict its tricks."""
    told = _NOTHING_SOLVED
    for name, parse in _IN_ONE_LINE.items():
        try:
            results = parse(own.first[name].value) if name in own.first else told
        except ValueError:
            continue
        if not disagreements(results, table):
            told = np.where(told == UNKNOWN, results, told)
    return told
