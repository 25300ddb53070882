"""The Auction and Play sections of PBN, to and from the fields of a Board."""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from ..cards import Board, Seat, Strain, Tag, shorten
from .auction import (
    MOST_CALLS,
    contract_of,
    is_all_pass,
    parse_call,
    parse_played,
    parse_seat,
    play_of_rows,
    rows_of_play,
    strain_of,
    with_all_pass,
)
from .pbn_lines import parted

_TOKEN = re.compile(r"=\d+=|\$\d+|[^\s=$]+|=")
_JUDGEMENTS = "!?*"  # 3NT!? and the 4H* of those who mark alerts so

_Explanations = tuple[tuple[int, str], ...]


def spell_call(call: str) -> str:
    """Return a call as PBN writes it: ``Pass``, ``3NT``."""
    call = parse_call(call)
    return "Pass" if call == "PASS" else call.replace("N", "NT")


def _tokens(lines: Iterable[str]) -> tuple[list[str], bool]:
    """Cut a section into its words; and whether there were comments besides."""
    rows, comments = parted(lines)
    return _TOKEN.findall("\n".join(rows)), bool(comments)


def parse_auction(tag: Tag, notes: Sequence[Tag]) -> tuple[tuple[str, ...], _Explanations, bool]:
    """Read an Auction section and its Note tags.

    Returns the calls, their explanations, and whether that is all that is said. Raises ValueError
    for a word that is no call, and for irregularities that a list of calls cannot show.
    """
    texts = dict(filter(None, map(_note, notes)))
    calls: list[str] = []
    explained: dict[int, list[str]] = {}
    used: set[str] = set()
    tokens, more = _tokens(tag.lines)
    all_of_them = False  # whether the word before was the All of All Pass
    for token in tokens:
        if all_of_them and not is_all_pass(f"all{token}"):
            raise ValueError(f"'All' before {shorten(token)} (expected Pass)")
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
            continue
        elif all_of_them or is_all_pass(token):
            calls, all_of_them = with_all_pass(calls), False
        else:
            more = more or token[-1] in _JUDGEMENTS
            calls.append(parse_call(token.rstrip(_JUDGEMENTS)))
        if len(calls) > MOST_CALLS:
            raise ValueError(f"more than {MOST_CALLS} calls (expected one auction)")
    if all_of_them:
        raise ValueError("'All' at the end (expected Pass)")
    more = more or len(texts) != len(notes) or used != set(texts)
    more = more or any(note.lines for note in notes) or any(len(t) > 1 for t in explained.values())
    explanations = tuple((i, "; ".join(filter(None, texts))) for i, texts in explained.items())
    return tuple(calls), explanations, not more


def first_caller(tag: Tag) -> Seat | None:
    """Return the seat whose call stands first in an Auction section; None where it is not said.

    A ``-`` at its head is the place of a seat that comes before the first to call. Raises
    ValueError for a value that is no seat.
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
    """The strain in which a board was played, from its contract or else its auction."""
    if board.contract is None and board.dealer is not None:
        return strain_of(contract_of(board.dealer, board.auction)[0])
    return strain_of(board.contract)


def declarer_of(board: Board) -> Seat | None:
    """The declarer of a board, as it says or else from its auction."""
    if board.declarer is None and board.dealer is not None:
        return contract_of(board.dealer, board.auction)[1]
    return board.declarer


def parse_play(tag: Tag, board: Board) -> tuple[tuple[str, ...], bool]:
    """Read a Play section, given the contract.

    Returns the cards in the order played, as far as that can be told, and whether that is all that
    is said. Raises ValueError for a word that is no card.
    """
    strain, declarer = strain_played(board), declarer_of(board)
    tokens, more = _tokens(tag.lines)
    cells: list[str] = []
    for token in tokens:
        if token in "*+":
            break
        if token[0] in "=$!?^":
            more = True
            continue
        more = more or token[-1] in _JUDGEMENTS
        cells.append("-" if token == "-" else parse_played(token.rstrip(_JUDGEMENTS)))
    if strain is None:
        return (), False
    cells += ["-"] * (-len(cells) % 4)
    play = tuple(play_of_rows([cells[i : i + 4] for i in range(0, len(cells), 4)], strain))
    if more or not play or declarer is None or tag.value.strip().upper() != declarer.lho.letter:
        return play, False
    written, _ = _tokens(_rows_of_play(play, declarer, strain))
    return play, [token.upper() for token in tokens] == written


def _rows_of_play(play: Sequence[str], declarer: Seat, strain: Strain) -> tuple[str, ...]:
    cards = [parse_played(card) for card in play]
    rows = [" ".join(f"{card:2}" for card in row) for row in rows_of_play(cards, declarer, strain)]
    return (*map(str.rstrip, rows), *(("*",) if len(cards) < 52 else ()))


def format_play(board: Board) -> list[Tag]:
    """Write a board's play; nothing when it does not say who declared what."""
    strain, declarer = strain_played(board), declarer_of(board)
    if strain is None or declarer is None:
        return []
    return [Tag("Play", str(declarer.lho), _rows_of_play(board.play, declarer, strain))]
