"""Between PBN tags and what a Board says: the fields, and the tags that say more than they do."""

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from ..cards import UNKNOWN, Board, DealError, Seat, Tag, Vulnerability, counted, cut, shorten
from .auction import contract_of, contract_text, parse_count, parse_seat, tricks_by_contract
from .pbn_lines import EXPORT_ORDER, parted
from .pbn_sections import first_caller, format_auction, format_play, parse_auction, parse_play
from .pbn_tricks import (
    ABILITY,
    DIGITS,
    RESULT_TABLE,
    disagreements,
    format_result_table,
    parse_ability,
    parse_digits,
    parse_result_table,
    remarks,
    unknown_table,
)
from .records import Table

Note = Callable[[str, str], None]
"""``note(kind, message)``: called where a tag is not written as it stood."""


class NoteOnTag(Protocol):
    """Called where a tag cannot be read: with its name, and which of that name (from 0)."""

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
"""Tags that hold a trick table in their value, the one that is believed first of all first."""
_HIGHEST_NUMBER = 999_999_999
_NUMBERED = re.compile(r"(?:board|bd|no|nr)?\.?\s*#?\s*(?=[0-9])", re.IGNORECASE)
_OUTCOME = re.compile(
    r"([1-7]\s*(?:NT?|SA|[SHDC♠♥♦♣])\s*[X*]{0,2})\s*(?:by\s+|-(?=[NESW]))?([NESW](?!\w))?\s*"
    r"(=|[+-]\s*[0-9]{1,2})?",
    re.IGNORECASE,
)
"""A contract with who declares it, and how many tricks it was made or set by: 4HXS-1."""


def _parse_number(text: str) -> int:
    return parse_count(_NUMBERED.sub("", text.strip(), count=1), _HIGHEST_NUMBER)


def _parse_vulnerable(text: str) -> Vulnerability:
    try:
        return Vulnerability.parse(text)
    except DealError as error:
        raise ValueError(str(error)) from None


def _parse_declarer(text: str) -> Seat | None:
    return parse_seat(text.strip().removeprefix("^"))  # ^S: South by an irregularity


def _parse_result(text: str) -> int:
    return parse_count(text, 13)


def _spell_contract(contract: str) -> str:
    contract = contract_text(contract)
    return "Pass" if contract == "PASS" else contract.replace("N", "NT")


@dataclass(frozen=True, slots=True)
class _Simple:
    """How a tag of one value is read and written, and the field of Board that it fills."""

    field: str
    parse: Callable[[str], Any]
    spell: Callable[[Any], str] = str

    def read(self, text: str) -> Any:
        """Return the value; None for "not known". Raises ValueError for anything else."""
        return None if text.strip() in _NOT_KNOWN else self.parse(text)

    def write(self, value: Any) -> str:
        """Return the text of a value. Raises ValueError for what could not be read again."""
        text = self.spell(value)
        if self.read(text) != value:
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


class _Sorted:
    """The tags of a board by what they are about."""

    def __init__(self, tags: Sequence[Tag]):
        self.first: dict[str, Tag] = {}
        """The first tag of each name."""
        self.notes: dict[str, list[Tag]] = {section: [] for section in _SECTIONS}
        """Note tags by the section they follow; those before any belong to the auction."""
        self.items: list[tuple[int, str, Tag]] = []
        """Each tag with its rank in export order and its subject: its name, a Note's section."""
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


def read_board(tags: Sequence[Tag], note: NoteOnTag) -> tuple[Board, Table]:
    """Return what the tags of a board say, and its trick table.

    Tags that the fields of Board do not say in full are kept; ``note`` is told of those that
    cannot be read.
    """
    found = _Sorted(_with_outcome(_without_repeated(tags, note)))
    said: dict[str, Any] = {}
    in_full: set[str] = set()
    for name, simple in _SIMPLE.items():
        if tag := found.first.get(name):
            value = _attempt(tag, note, simple.read, tag.value)
            said[simple.field] = value
            if value is not None and not tag.lines and "^" not in tag.value:
                in_full.add(name)
    by_dealer = True
    if tag := found.first.get("Auction"):
        first = _attempt(tag, note, first_caller, tag)
        by_dealer = first in (None, said.setdefault("dealer", first))
        if not by_dealer:
            note("auctions not begun by the dealer",
                 f"the auction begins with {first}, not with the dealer; it is kept as text, and "
                 "no contract is taken from it", "Auction")  # fmt: skip
        read = _attempt(tag, note, parse_auction, tag, found.notes["Auction"])
        if read is not None and by_dealer:
            said["auction"], said["explanations"], whole = read
            if whole and said["auction"]:
                in_full.add("Auction")
    _take_contract_from_auction(said, found, in_full)
    if tag := found.first.get("Play"):
        played = _attempt(tag, note, parse_play, tag, Board(**said))
        if played is not None:
            said["play"], whole = played
            if whole and not found.notes["Play"]:
                in_full.add("Play")
    _compare_outcome(said, note)
    table = _read_table(found, in_full, note)
    return Board(**said, tags=tuple(found.in_order(but=in_full))), table


def _take_contract_from_auction(said: dict[str, Any], found: _Sorted, in_full: set[str]) -> None:
    """Let a complete auction say contract and declarer where the tags do not."""
    if said.get("contract") is not None or said.get("dealer") is None:
        return
    contract, declarer = contract_of(said["dealer"], said.get("auction", ()))
    if contract is None or said.get("declarer") not in (None, declarer):
        return
    silent = [found.first[name] for name in ("Contract", "Declarer") if name in found.first]
    silent = [tag for tag in silent if tag.name not in in_full]
    if any(tag.lines or tag.value.strip() not in _NOT_KNOWN for tag in silent):
        return  # they say something that cannot be read
    said |= {"contract": contract, "declarer": declarer}
    in_full.update(tag.name for tag in silent)


def _compare_outcome(said: dict[str, Any], note: NoteOnTag) -> None:
    """Tell where an auction leads elsewhere than the tags say; both stay as they are."""
    if not said.get("auction") or said.get("dealer") is None or said.get("contract") is None:
        return
    contract, declarer = contract_of(said["dealer"], said["auction"])
    by = said.get("declarer")
    if contract is not None and (contract != said["contract"] or by not in (None, declarer)):
        note("auctions that lead to another contract than is said",
             f"the auction leads to {_with_declarer(contract, declarer)}, the tags say "
             f"{_with_declarer(said['contract'], by)}; both are kept", "Contract")  # fmt: skip


def _with_declarer(contract: str, declarer: Seat | None) -> str:
    return contract if declarer is None else f"{contract} by {declarer}"


def _without_repeated(tags: Sequence[Tag], note: NoteOnTag) -> list[Tag]:
    """Leave out what a board can say only once; let the auction say who dealt."""
    once = {*_SIMPLE, *_SECTIONS, RESULT_TABLE, DIGITS, ABILITY}
    kept: list[Tag] = []
    names: set[str] = set()
    for tag in tags:
        if tag.name in once and tag.name in names:
            note(f"{tag.name} tags left out", f"a second {tag.name} tag is left out", tag.name, 1)
        else:
            kept.append(tag)
            names.add(tag.name)
    auction = next((tag for tag in kept if tag.name == "Auction"), None)
    try:
        dealer = None if auction is None else first_caller(auction)
    except ValueError:  # which is told when the auction is read
        dealer = None
    if dealer is not None:
        kept = [
            tag._replace(value=str(dealer))
            if tag.name == "Dealer" and tag.value.strip() in _NOT_KNOWN
            else tag
            for tag in kept
        ]
    return kept


def _with_outcome(tags: list[Tag]) -> list[Tag]:
    """Spell as the standard does a contract that says more, and a result as over- or undertricks.

    ``[Contract "4HXS-1"]`` says what Contract, Declarer and Result do; ``[Result "-1"]`` is nine
    tricks in 4H.
    """
    values = {tag.name: tag.value.strip() for tag in reversed(tags)}
    said = {name: values.get(name, "") for name in ("Contract", "Declarer", "Result")}
    spelled = dict(said)
    parts = _OUTCOME.fullmatch(said["Contract"])
    if parts is None:
        return tags
    contract, declarer, result = parts.groups(default="")
    spelled["Contract"] = re.sub("SA", "NT", contract.replace("*", "X"), flags=re.IGNORECASE)
    for name, value in (("Declarer", declarer), ("Result", result)):
        if value and said[name] in _NOT_KNOWN:
            spelled[name] = value
        elif value and name == "Declarer" and said[name].upper()[:1] != value.upper():
            return tags  # they contradict each other
    tricks = tricks_by_contract(spelled["Result"], contract)
    if tricks is not None:
        spelled["Result"] = str(tricks)
    changed = {name: value for name, value in spelled.items() if value != said[name]}
    kept = [tag._replace(value=changed.get(tag.name, tag.value)) for tag in tags]
    return kept + [Tag(name, value) for name, value in changed.items() if name not in values]


def _attempt(tag: Tag, note: NoteOnTag, parse: Callable[..., _T], *arguments: Any) -> _T | None:
    """Parse, or tell ``note`` why that cannot be done."""
    try:
        return parse(*arguments)
    except ValueError as error:
        name = cut(tag.name)
        note(f"{name} tags kept as text", f"{name} is kept as text: {error}", tag.name)
        return None


def _read_table(found: _Sorted, in_full: set[str], note: NoteOnTag) -> Table:
    """Read the trick table, first of all from the standard's tag, then from those in one line."""
    table = unknown_table()
    if tag := found.first.get(RESULT_TABLE):
        results = _attempt(tag, note, parse_result_table, tag)
        if results is not None:
            table = results
            if not remarks(tag):
                in_full.add(RESULT_TABLE)
            if (table == UNKNOWN).any():
                ones = sum(row.split().count("1") for row in parted(tag.lines)[0])
                _tell_placeholders(tag, ones, table, note)
    for name, parse in _IN_ONE_LINE.items():
        tag = found.first.get(name)
        results = None if tag is None else _attempt(tag, note, parse, tag.value)
        if tag is None or results is None:
            continue
        _tell_placeholders(tag, tag.value.count("1"), results, note)
        if cells := disagreements(table, results):
            in_full.add(name)  # it would contradict what is written
            note(
                f"disagreeing trick tables, {name} left out",
                f"{name} differs from {RESULT_TABLE} in {counted(cells, 'cell')} and is left out",
                name,
            )
        table = np.where(table == UNKNOWN, results, table)
    return table


def _tell_placeholders(tag: Tag, ones: int, table: Table, note: NoteOnTag) -> None:
    if ones > np.count_nonzero(table == 1):
        note(f"{tag.name} with ones that are not believed",
             f"1 in {tag.name} without any 2 to 6 means 'fewer than 7, not solved': "
             "taken as unknown", tag.name)  # fmt: skip


def write_board(board: Board, deal: str, table: Table, note: Note) -> list[Tag]:
    """Return the tags of a board in export order, from its fields and its own tags.

    One of its tags that says otherwise than the field is written anew, which ``note`` is told.
    Raises ValueError for a field that holds no call, card, contract or the like.
    """
    own = _Sorted(board.tags)
    stale = {name for name in own.first if not _agrees(own, name, board, table)}
    for name in sorted(stale):
        note(f"{name} tags written anew",
             f"its {name} tag says otherwise and is written anew or left out")  # fmt: skip
    said = own.first.keys() - stale
    fresh = [
        Tag(name, simple.write(value))
        for name, simple in _SIMPLE.items()
        if name not in said and (value := getattr(board, simple.field)) is not None
    ]
    fresh.append(Tag("Deal", deal, own.first["Deal"].lines if "Deal" in own.first else ()))
    if board.auction and "Auction" not in said:
        fresh += format_auction(board)
    if board.play and "Play" not in said:
        play = format_play(board)
        fresh += play
        if not play:
            note("plays left out", "the play is left out: no declarer")
    if RESULT_TABLE not in said and (table != UNKNOWN).any():
        comments = remarks(own.first[RESULT_TABLE]) if RESULT_TABLE in own.first else ()
        fresh.append(format_result_table(table, comments))
    return own.in_order(but={*stale, "Deal"}, fresh=fresh)


def _agrees(own: _Sorted, name: str, board: Board, table: Table) -> bool:
    """Whether a board's own tag says the same as its fields (or its deal's tricks)."""
    tag = own.first[name]
    try:
        if name in _SIMPLE:
            return bool(_SIMPLE[name].read(tag.value) == getattr(board, _SIMPLE[name].field))
        if name == "Auction":
            if first_caller(tag) not in (None, board.dealer):  # it was kept as text
                return not board.auction
            calls, explanations, _ = parse_auction(tag, own.notes["Auction"])
            return (calls, explanations) == (board.auction, board.explanations)
        if name == "Play":
            return parse_play(tag, board)[0] == board.play
        if name == RESULT_TABLE:
            known = parse_result_table(tag)
            agrees = (known == UNKNOWN) | (known == table)
            told = (known != UNKNOWN) | (_in_one_line(own, table) == table)
            return bool((agrees & (told | (table == UNKNOWN))).all())
        return name not in _IN_ONE_LINE or not disagreements(_IN_ONE_LINE[name](tag.value), table)
    except ValueError:  # it was kept as text, and stays that while nothing better is known
        if name == RESULT_TABLE:
            return bool((table == _in_one_line(own, table)).all())
        field = _SIMPLE[name].field if name in _SIMPLE else name.lower()
        return getattr(board, field, None) in (None, ())


def words_of_tags(board: Board) -> list[str]:
    """Name to people what the tags of a board say beyond its fields: other tags, comments."""
    comments = other = False
    stated = board.stated()
    for tag in board.tags:
        rows, remarked = parted(tag.lines)
        comments |= bool(remarked)
        field = _SIMPLE[tag.name].field if tag.name in _SIMPLE else tag.name.lower()
        if field not in stated:
            other |= bool(rows) or tag.value.strip() not in _NOT_KNOWN
    return ["other tags"] * other + ["comments"] * comments


def _in_one_line(own: _Sorted, table: Table) -> Table:
    """Return the results that those of a board's tags hold which do not contradict its tricks."""
    told = unknown_table()
    for name, parse in _IN_ONE_LINE.items():
        try:
            results = parse(own.first[name].value) if name in own.first else told
        except ValueError:
            continue
        if not disagreements(results, table):
            told = np.where(told == UNKNOWN, results, told)
    return told
