"""Links to BBO's hand viewer and to Bridge Solver Online, one per line. Read only.

The viewer: ``n= e= s= w=`` hands (suit letter, then ranks; one may be left out), ``d=``
dealer, ``v=`` vulnerability, ``b=`` board, ``a=`` calls, ``p=`` cards played, ``nn= en= sn= wn=``
names, or ``lin=``, a whole LIN text. Bridge Solver: ``north= east= south= west=`` hands as in PBN,
``board= dealer= vul= contract= declarer=``, or ``lin=``. ``link_cases.json`` next to this module
holds links and their meaning, for other readers of the format.
"""

import html
import re
from collections.abc import Iterator
from typing import BinaryIO
from urllib.parse import parse_qsl, urlsplit

from ..cards import Board, DealError, Seat, Tag, Vulnerability, shorten
from ..cards.auction import contract_of, parse_call, strain_of
from .board_text import (
    NO_TRICKS,
    Note,
    Outcome,
    Table,
    contract_text,
    outcome_difference,
    parse_count,
    parse_played,
    possible_calls,
    possible_play,
    reader_of,
    shown_owners,
)
from .format import Format, FormatError, Notices, Reading
from .lin import board_of_text, dotted
from .streams import read_lines

_SNIFF = re.compile(rb"(?:\xef\xbb\xbf)?\s*https?://[^\s?]*(?:handviewer|ddummy)", re.IGNORECASE)
_DUTCH = {"o": "e", "z": "s"}
_CALL = re.compile(
    r"([1-7](?:NT?|[SHDC])|PASS|[PDXR])([!?*]*)(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?([!?*]*)[-,\s]*",
    re.IGNORECASE,
)
"""A call, its marks, its explanation in parentheses, and marks again."""
_CARD = re.compile(r"([SHDC](?:10|[2-9TJQKA]))[-,\s]*", re.IGNORECASE)
_MOST_PARAMETERS = 100
_WORDS = {"north": "n", "east": "e", "south": "s", "west": "w"}
_READ = frozenset(("lin", *"neswdvbap", "nn", "en", "sn", "wn", "contract", "declarer"))
_OTHER_NAMES = {"dealer": "d", "vul": "v", "board": "b"}


def read_link(
    address: str, reading: Reading | None = None, note: Note | None = None
) -> tuple[bytes, Board]:
    """Return the 52 owners and the board of a link.

    Invalid or impossible calls and cards are reported to ``note`` (else by a FormatWarning). Raises
    DealError if it does not hold a complete deal, ValueError if it is not such a link, holds more
    than one board, or contradicts itself.
    """
    reading = reading or Reading("the address")
    note = note or Notices(reading.name).at("a= and p=")
    parts = urlsplit(html.unescape(address.strip()))
    page = parts.path.lower().rpartition("/")[2]
    if not page.startswith(("handviewer", "ddummy")):
        raise ValueError(f"{shorten(address)} (expected an address of BBO's hand viewer or of "
                         "Bridge Solver Online)")  # fmt: skip
    query = parse_qsl(parts.query or parts.fragment, max_num_fields=_MOST_PARAMETERS)
    values: dict[str, str] = {}
    for name, value in query:
        key = _key(name)
        if key in _READ and values.get(key, value) != value:
            raise ValueError(
                f"{name}={shorten(value)}, and before {shorten(values[key])} (expected one of them)"
            )
        values[key] = value
    if values.get("lin"):
        return board_of_text(values["lin"], reading)
    if not any(values.get(seat) for seat in "nesw"):
        where = (
            "the site has them" if values.keys() & {"myhand", "file"} else "expected n= e= s= w="
        )
        raise DealError(f"{shorten(address)}: there are no cards in the address ({where})")
    hands = " ".join(_dotted(values.get(seat, "")) for seat in "nesw")
    owners = shown_owners(f"N:{hands}", reading)
    return owners, _board(values, owners, note)


def _key(name: str) -> str:
    """Return a single name for a parameter that both pages have."""
    name = name.lower()
    return _WORDS.get(name) or _OTHER_NAMES.get(name, name)


def _dotted(hand: str) -> str:
    """Turn ``sakqh54dt987cj32`` into dotted text; PBN hands are kept; ``-`` if empty."""
    clean = "".join(hand.upper().split())
    return clean if "." in clean else dotted(clean)


def _board(values: dict[str, str], owners: bytes, note: Note) -> Board:
    """Return the board data in the parameters. Raises ValueError for an invalid one."""
    dealer = _seat(values.get("d", ""))
    auction = _spelled(_CALL, values.get("a", "").strip(), "a call", note)
    calls = possible_calls([parse_call(call[1]) for call in auction], note)
    explanations = tuple(
        (i, (call[3] or "").strip())
        for i, call in enumerate(auction[: len(calls)])
        if "!" in call[2] + call[4] or call[3]
    )
    called = (None, None) if dealer is None else contract_of(dealer, calls)
    contract, declarer = _outcome(values, called, note)
    played = values.get("p", "")
    cards = [] if played.startswith("{") else _spelled(_CARD, played, "a card", note)
    play = [parse_played(card[1]) for card in cards]
    number = values.get("b", "").strip()
    vulnerable = values.get("v", "").strip()
    names = {seat: values.get(f"{seat.letter.lower()}n", "").strip() for seat in Seat}
    in_order = (Seat.WEST, Seat.NORTH, Seat.EAST, Seat.SOUTH)
    return Board(
        number=parse_count(number, 999_999_999) if number else None,
        dealer=dealer,
        vulnerability=Vulnerability.parse(vulnerable) if vulnerable else None,
        contract=contract,
        declarer=declarer,
        auction=calls,
        explanations=explanations,
        play=possible_play(play, strain_of(contract), owners, note, declarer=declarer),
        tags=tuple(Tag(seat.word, names[seat]) for seat in in_order if names[seat]),
    )


def _outcome(values: dict[str, str], called: Outcome, note: Note) -> Outcome:
    """Return the outcome of the auction, else the stated one; report differences.

    Raises ValueError for an invalid statement if there is no auction.
    """
    contract = values.get("contract")
    try:
        stated = contract_text(contract) if contract else None, _seat(values.get("declarer", ""))
    except ValueError as error:
        if called[0] is None:
            raise
        note("contracts that cannot be read, left out", f"contract= is left out: {error}")
        return called
    if difference := outcome_difference(called, stated, "contract= and declarer= say"):
        note("contracts that the auction contradicts, left out",
             f"{difference}; the auction counts")  # fmt: skip
    return stated if called[0] is None else called


def _seat(text: str) -> Seat | None:
    clean = text.strip().lower()
    return Seat.parse(_DUTCH.get(clean, clean)) if clean else None


def _spelled(word: re.Pattern[str], text: str, what: str, note: Note) -> list[re.Match[str]]:
    """Split a text into words, up to the first invalid one."""
    words, at = [], 0
    while at < len(text):
        match = word.match(text, at)
        if match is None:
            note(f"texts that are not {what}",
                 f"{shorten(text[at:])} does not begin with {what}; what stands before it is "
                 "read")  # fmt: skip
            break
        words.append(match)
        at = match.end()
    return words


def _boards(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the unknown tricks of each link."""
    for number, line in read_lines(stream, reading):
        if not line.strip():
            continue
        try:
            owners, board = read_link(line, reading, notices.at(f"line {number}"))
        except FormatError as error:
            reading.refuse(reading.error(f"line {number}", error.reason))
        except ValueError as error:  # includes DealError
            reading.refuse(reading.error(f"line {number}", str(error)))
        else:
            yield owners, board, NO_TRICKS


FORMAT = Format(
    name="links",
    title="addresses of hand viewers",
    suffixes=(".url",),
    sniff=lambda head: _SNIFF.match(head) is not None,
    reader=reader_of(_boards),
    tricks=False,
    boards=True,
)
