"""LIN, the format of Bridge Base Online: ``code|value|`` pairs, on one or many lines.

Codes with fields in Board: ``pn`` players from South on, ``md`` dealer (1 South, 2 West,
3 North, 4 East) and the hands of S W N E, usually without East's, ``ah`` board number,
``sv`` vulnerability, ``mb`` call (``!`` alerted), ``an`` its explanation, ``pc`` card played,
``mc`` declarer's total tricks if claimed. Contract and declarer follow from the auction. If it
does not give them, they come from ``rs`` after the deal (``3NS``, as in the list of results that
a match begins with). The result comes from ``mc`` or a complete play. A board that says more keeps
all its pairs unchanged.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from ..cards import HIDDEN, Board, DealError, DealSet, Seat, Tag, Vulnerability, counted, shorten
from ..cards.auction import (
    CALLS,
    contract_of,
    is_all_pass,
    parse_call,
    strain_of,
    with_all_pass,
)
from .board_text import (
    NO_TRICKS,
    SAYS_NOTHING,
    Note,
    Table,
    contract_text,
    hand_texts,
    outcome_difference,
    parse_count,
    parse_played,
    place_of,
    possible_calls,
    possible_play,
    reader_of,
    shown_owners,
    split_outcome,
    tricks_of,
)
from .format import Format, FormatError, Notices, Reading, raised_by
from .pbn_board import parted
from .streams import as_latin_1

# --- pairs and boards ---

Pairs = Sequence[tuple[str, str]]

LAYOUT = ("pg", "rh", "st")
"""Layout codes that BBO writes with every board; without a value they mean nothing."""
FIELD_CODES = frozenset(("pn", "md", "ah", "sv", "mb", "an", "rs", "pc", "mc", *LAYOUT))
"""Codes that have fields in Board."""

_SEATS = (Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST)
_PLAYERS = tuple(seat.word for seat in _SEATS)
_VULNERABILITY = {
    "o": Vulnerability.NONE,
    "n": Vulnerability.NS,
    "e": Vulnerability.EW,
    "b": Vulnerability.BOTH,
}
_CALL = re.compile(
    r"([1-7](?:NT?|[SHDC])|PASS|DBL|RDBL|XX|[PDXR])([!?*]*)[-\s,]*|\?[-\s,]*", re.IGNORECASE
)
_KNOWN_CALLS = frozenset(CALLS)
_CARDS = re.compile(r"(?:[SHDC](?:10|[2-9TJQKA]))+", re.IGNORECASE)
_CARD = re.compile(r"[SHDC](?:10|.)", re.IGNORECASE)
_SUIT = re.compile(r"([SHDC])([^SHDC]*)")
_NUMBER = re.compile(r"Board\s*(?:#\s*)?([0-9]{1,9})", re.IGNORECASE)
_ROOM = re.compile(r"([oc])?([0-9]{1,9})", re.IGNORECASE)


def owners_of(value: str, reading: Reading) -> bytes:
    """Return the 52 owners of an ``md`` value, like ``shown_owners``. Raises DealError."""
    dealer, rest = value.strip()[:1], value.strip()
    hands = (rest[1:] if dealer.isdigit() else rest).split(",")
    if len(hands) > 4:
        raise DealError(f"deal {shorten(value)}: {counted(len(hands), 'hand')} (expected 3 or 4)")
    hands += [""] * (4 - len(hands))
    where = f"deal {shorten(value)}: "
    return shown_owners("S:" + " ".join(dotted(hand, where) for hand in hands), reading)


def dotted(hand: str, where: str = "") -> str:
    """Turn ``SAK5H…`` into dotted text; ``-`` for a hand left out.

    Raises DealError, which names ``where`` it is.
    """
    clean = re.sub(r"\s", "", hand).upper()
    if not clean:
        return "-"
    suits = dict.fromkeys("SHDC", "")
    found = _SUIT.findall(clean)
    if len("".join(map("".join, found))) != len(clean):
        raise DealError(f"{where}hand {shorten(hand)} (expected such as SAK5H…D…C…)")
    for suit, ranks in found:
        suits[suit] += ranks.replace("-", "")
    return ".".join(suits.values())


def _dealer(value: str) -> Seat | None:
    digit = value.strip()[:1]
    return _SEATS[int(digit) - 1] if digit in ("1", "2", "3", "4") else None


def board_of(pairs: Pairs, owners: bytes, note: Note) -> Board:
    """Return the board described by pairs.

    The pairs are kept if they say more than the fields of Board. Values that cannot be read
    are reported to ``note``.
    """
    values = dict(reversed(pairs))
    dealer = _dealer(values["md"])
    if dealer is None and values["md"].strip()[:1] in "56789":
        note("dealers that are not a seat", f"md begins with {values['md'].strip()[:1]} "
             "(expected the dealer, 1 to 4 for S W N E)")  # fmt: skip
    calls, by_dealer = _calls_made(pairs, note)
    if not by_dealer:
        dealer = None
        note("auctions not begun by the dealer", "the auction does not begin with the dealer: "
             "neither dealer nor contract is taken from it")  # fmt: skip
    auction = possible_calls([call for call, _ in calls], note)
    contract, declarer = (None, None) if dealer is None else contract_of(dealer, auction)
    if stated := _stated_contract(pairs, note):
        if difference := outcome_difference((contract, declarer), stated, "rs says"):
            note("auctions that lead to another contract than rs says",
                 f"{difference}; both are kept")  # fmt: skip
        contract, declarer = stated
    strain, result = strain_of(contract), _claim(values.get("mc"), note)
    play = possible_play(_cards_played(pairs, note), strain, owners, note, declarer=declarer)
    if result is None:
        result = tricks_of(play, declarer, strain, owners)
    board = Board(
        number=_number(values),
        dealer=dealer,
        vulnerability=_vulnerability(values.get("sv"), note),
        contract=contract,
        declarer=declarer,
        result=result,
        auction=auction,
        explanations=tuple(
            (i, "; ".join(filter(None, texts)))
            for i, (_, texts) in enumerate(calls[: len(auction)])
            if texts is not None
        ),
        play=play,
        tags=_players(values, note),
    )
    if _plain(pairs) == _plain(_pairs_from_fields(board, owners)):
        return board
    return replace(board, lin=tuple((code, "" if code == "md" else value) for code, value in pairs))


def _stated_contract(pairs: Pairs, note: Note) -> tuple[str, Seat | None] | None:
    """Return contract and declarer of an ``rs`` after the deal; a match's list comes before it."""
    codes = [code for code, _ in pairs]
    if "rs" not in codes[codes.index("md") :]:
        return None
    value = pairs[codes.index("rs", codes.index("md"))][1].strip()
    text, by, _ = split_outcome(value) or (value, "", "")
    try:
        return contract_text(text), Seat.parse(by) if by else None
    except ValueError as error:
        note("rs values kept as text", f"rs {shorten(value)} is kept as text: {error}")
        return None


def _calls_made(pairs: Pairs, note: Note) -> tuple[list[tuple[str, list[str] | None]], bool]:
    """Return the calls, each with its explanations if alerted or explained, else None.

    Also returns whether the first is the dealer's. An invalid word can be taken back by ``ub`` like
    a call. If it remains, it is reported to ``note``, and later calls are left out, because nobody
    knows whose they are. But ``?``, which asks the reader, is ignored.
    """
    made: list[tuple[str, list[str] | None]] = []
    last = max((i for i, (code, _) in enumerate(pairs) if code == "mb"), default=0)
    for i, (code, value) in enumerate(pairs):
        text = value.strip()
        if code == "mb" and is_all_pass(text):
            calls = [call for call, _ in made]
            made += [(call, None) for call in with_all_pass(calls)[len(calls) :]]
        elif code == "mb":
            spelled = _calls(text) or [(text, "")]
            made += [(call, [] if mark.strip("?") else None) for call, mark in spelled]
        elif code == "an" and made:
            call, texts = made[-1]
            made[-1] = call, [*(texts or []), text]
        elif code == "ub" and (i < last or (made and made[-1][0] == "?")):
            del made[max(0, len(made) - _count(text)) :]
    while made and made[-1][0] == "-":
        made.pop()
    begun = next((i for i, (call, _) in enumerate(made) if call != "-"), 0)
    made = [entry for entry in made[begun:] if entry[0] not in ("", "?")]
    for i, (call, _) in enumerate(made):
        if call not in _KNOWN_CALLS:
            note("mb values that are not calls", f"mb {shorten(call)} is not a call (expected one "
                 "such as p, d, r, 1C, 3N!); the calls before it are kept")  # fmt: skip
            return made[:i], not begun
    return made, not begun


def _cards_played(pairs: Pairs, note: Note) -> list[str]:
    """Return the cards played and not taken back by ``up``; a final ``up`` only rewinds."""
    play: list[str] = []
    last = max((i for i, (code, _) in enumerate(pairs) if code == "pc"), default=0)
    for code, value in pairs[: last + 1]:
        if code == "up":
            del play[max(0, len(play) - _count(value)) :]
        elif code == "pc":
            if _CARDS.fullmatch(value.strip()) is None:
                note("pc values that are not cards", f"pc {shorten(value)} is not a card (expected "
                     "one such as SA); the cards before it are kept")  # fmt: skip
                break  # later cards would be out of place
            play += map(parse_played, _CARD.findall(value))
    return play


def _count(value: str) -> int:
    """Return how many calls or cards an undo takes back; one by default."""
    text = value.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1


def _calls(text: str) -> list[tuple[str, str]] | None:
    """Return the calls of an ``mb`` value with the marks after each; None if one is invalid."""
    calls, at = [], 0
    while at < len(text):
        call = _CALL.match(text, at)
        if call is None:
            return None
        calls.append((parse_call(call[1]), call[2]) if call[1] else ("?", ""))
        at = call.end()
    return calls or None


def _claim(value: str | None, note: Note) -> int | None:
    if value is None:
        return None
    try:
        return parse_count(value, 13)
    except ValueError:
        note("mc values kept as text",
             f"mc {shorten(value)} is kept as text (expected 0 to 13 tricks)")  # fmt: skip
        return None


def _number(values: dict[str, str]) -> int | None:
    """Return the board number, from the heading ``Board 7`` or the room label ``o7``."""
    found = _NUMBER.fullmatch(values.get("ah", "").strip())
    room = _ROOM.fullmatch(values.get("qx", "").strip())
    return int(found[1]) if found else int(room[2]) if room else None


def _vulnerability(value: str | None, note: Note) -> Vulnerability | None:
    clean = _plain_sv(value or "")
    if clean and clean not in _VULNERABILITY:
        note(
            "sv values kept as text", f"sv {shorten(clean)} is kept as text (expected o, n, e or b)"
        )
    return _VULNERABILITY.get(clean)


def _plain_sv(value: str) -> str:
    """Return an ``sv`` value in one spelling: none is ``o``, ``0`` or ``-``."""
    return value.strip().lower().replace("0", "o").replace("-", "o")


def _players(values: dict[str, str], note: Note) -> tuple[Tag, ...]:
    """Return names and room as PBN tags; of eight names, the last four play in the closed room."""
    room = _ROOM.fullmatch(values.get("qx", "").strip())
    label = {"o": "Open", "c": "Closed"}.get(((room and room[1]) or "").lower())
    of_room = (Tag("Room", label),) if label else ()
    names = [name.strip() for name in values.get("pn", "").rstrip(" ,").split(",")]
    if len(names) > 4 and len(names) != 8:
        note("names that cannot be seated, left out",
             f"{len(names)} names in pn (expected 4 or 8, none with a comma in it)")  # fmt: skip
        return of_room
    if len(names) == 8 and label == "Closed":
        names = names[4:]
    of_player = dict(zip(_PLAYERS, names, strict=False))
    in_order = ("West", "North", "East", "South")
    seated = (Tag(player, of_player[player]) for player in in_order if of_player.get(player))
    return (*seated, *of_room)


def pairs_of(board: Board, owners: bytes, note: Note) -> list[tuple[str, str]]:
    """Return the pairs that describe a board: its own while they are still valid, else new ones.

    Reports to ``note`` what is left out. Raises ValueError for a field with a bad call or card.
    """
    if board.lin:
        deal = _deal(board, owners)
        own = [(code, deal if code == "md" else value) for code, value in board.lin]
        if board_of(own, owners, _ignore) == board:
            return own
        note("rewritten LIN pairs", "the board differs from its LIN pairs")
    pairs = _pairs_from_fields(board, owners)
    again = board_of(pairs, owners, _ignore)
    lost = [
        name
        for name in board.stated()
        if name not in ("tags", "lin") and getattr(again, name) != getattr(board, name)
    ]
    lost += _left_of_tags(board.tags, again)
    if lost:
        note("parts that LIN cannot store, left out",
             f"LIN cannot store, and leaves out, {', '.join(dict.fromkeys(lost))}")  # fmt: skip
    return _laid_out(pairs)


def _left_of_tags(tags: Sequence[Tag], written: Board) -> list[str]:
    """Return the names of tags that the LIN text, read as a board, does not fully contain."""
    sections = {"Auction": written.auction, "Play": written.play}
    explained = "; ".join(text for _, text in written.explanations)
    return [
        f"parts of {tag.name}" if sections.get(tag.name) else tag.name or "comments"
        for tag in tags
        if tag not in written.tags
        and not (tag.name == "Play" and _are_words_of(tag, written.play))
        and (tag.lines or tag.value.strip() not in ("", "?", "-"))
        and not (tag.name == "Note" and tag.value.partition(":")[2].strip() in explained)
    ]


def _are_words_of(tag: Tag, play: Sequence[str]) -> bool:
    """Return whether a Play section has only these cards, and marks of those not played."""
    rows, comments = parted(tag.lines)
    words = " ".join(rows).upper().replace("10", "T").split()
    cards = sorted(word for word in words if word not in ("*", "+", "-"))
    return not comments and cards == sorted(play)


def beyond_fields(board: Board, owners: bytes) -> list[str]:
    """Return the codes of a board's own pairs that say more than its fields do.

    A code with a field is listed with the first value that the field does not hold. A call with
    an explanation but no alert, which the fields do not tell apart, is "alert marks (!)".
    """
    more = Counter(_plain(board.lin))
    more.subtract(_plain(_pairs_from_fields(board, owners)))
    more["mc", str(board.result)] = 0  # a claim that the play also gives
    first = {code: value for (code, value), count in reversed(more.items()) if count > 0}
    lost = set[str]()
    for code, value in first.items():
        marked = value.removesuffix("!") if value.endswith("!") else f"{value}!"
        if code == "mb" and more[code, marked] < 0:
            lost.add("alert marks (!)")
        else:
            lost.add(f"{code} {shorten(value)}" if code in FIELD_CODES else code)
    return sorted(lost)


def _ignore(kind: str, message: str) -> None:
    """Ignore a note: the text was written here or read before."""


def _deal(board: Board, owners: bytes) -> str:
    """Write dealer and hands as BBO does: without East's, unless another hand is hidden."""
    hands = hand_texts(owners)
    digit = "0" if board.dealer is None else str(_SEATS.index(board.dealer) + 1)
    texts = [
        "".join(map("".join, zip("SHDC", hands[seat], strict=True))) * (seat in owners)
        for seat in _SEATS
    ]
    return digit + ",".join(texts if HIDDEN in owners else [*texts[:3], ""])


def _pairs_from_fields(board: Board, owners: bytes) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    room = (board.tag("Room") or "").strip().lower()
    if board.number is not None and room in ("open", "closed"):
        pairs.append(("qx", f"{room[0]}{board.number}"))
    names = [_clean(board.tag(player) or "").replace(",", " ") for player in _PLAYERS]
    if any(names):
        pairs.append(("pn", ",".join(names)))
    pairs.append(("md", _deal(board, owners)))
    if board.number is not None:
        pairs.append(("ah", f"Board {board.number}"))
    if board.vulnerability is not None:
        pairs.append(("sv", "oneb"[board.vulnerability]))
    explained = dict(board.explanations)
    for i, call in enumerate(board.auction):
        call = {"PASS": "p", "X": "d", "XX": "r"}.get(parse_call(call), parse_call(call))
        pairs.append(("mb", call + ("!" if i in explained else "")))
        if explained.get(i):
            pairs.append(("an", _clean(explained[i])))
    if board.contract is not None and (board.contract, board.declarer) != _contract_called(board):
        nobody = board.declarer is None or board.contract == "PASS"
        by = "" if nobody else str(board.declarer)
        pairs.append(("rs", contract_text(board.contract) + by))
    pairs += [("pc", parse_played(card)) for card in board.play]
    if board.result is not None and board.result != _result_of_play(board, owners):
        pairs.append(("mc", str(board.result)))
    return pairs


def _result_of_play(board: Board, owners: bytes) -> int | None:
    contract, declarer = board.contract, board.declarer
    if contract is None:
        contract, declarer = _contract_called(board)
    return tricks_of(board.play, declarer, strain_of(contract), owners)


def _contract_called(board: Board) -> tuple[str | None, Seat | None]:
    """Return contract and declarer from the auction."""
    return (None, None) if board.dealer is None else contract_of(board.dealer, board.auction)


def _clean(text: str) -> str:
    """Remove characters that would end a value."""
    return re.sub(r"[\x00-\x1f]+", " ", text).replace("|", "/").strip()


def _laid_out(pairs: Pairs) -> list[tuple[str, str]]:
    """Add what BBO needs for its page: a heading, and an end of page after each trick."""
    laid_out: list[tuple[str, str]] = []
    cards = 0
    for code, value in pairs:
        if code == "md":
            laid_out += [("st", ""), (code, value), ("rh", "")]
            continue
        if code == "pc" and cards % 4 == 0:
            laid_out.append(("pg", ""))
        cards += code == "pc"
        if code == "mc":
            laid_out.append(("pg", ""))
        laid_out.append((code, value))
    return [*laid_out, ("pg", "")]


def _plain(pairs: Pairs) -> list[tuple[str, str]]:
    """Return pairs in one spelling and without layout, to compare their meaning."""
    plain: list[tuple[str, str]] = []
    auction: list[str] = []
    for code, value in pairs:
        text = value.strip()
        if code == "mb" and is_all_pass(text):
            passes = with_all_pass(auction)[len(auction) :]
            auction += passes
            plain += [(code, call) for call in passes]
        elif code == "mb" and (calls := _calls(text)):
            auction += [call for call, _ in calls]
            plain += [(code, call + mark) for call, mark in calls]
        elif code == "pc" and _CARDS.fullmatch(text):
            plain += [(code, parse_played(card)) for card in _CARD.findall(text)]
        elif code == "pn":
            plain.append((code, ",".join(name.strip() for name in text.split(","))))
        elif code == "md":
            plain.append((code, ""))
        elif code == "ah" and (found := _NUMBER.fullmatch(text)):
            plain.append((code, f"Board {int(found[1])}"))
        elif code in ("sv", "mc"):
            plain.append((code, _plain_sv(text) if code == "sv" else text))
        elif code not in LAYOUT or text:
            plain.append((code, text))
    return plain


# --- files ---

_CODE = re.compile(r"[A-Za-z0-9*]{1,2}")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_SNIFF = re.compile(
    rb"(^|\|)\s*(md\|[0-4]?\s*[SHDC,]|(pn|vg|qx)\|[^|]*\|)", re.IGNORECASE | re.MULTILINE
)
_BEGINS = ("pn", "qx", "md")
"""Codes that begin the next board after the deal of this one."""
_KNOWN = FIELD_CODES | {"qx"}
"""Codes that are read, also in capitals; others are kept unchanged."""

_NOBODY = ("pn", ",,,")
_START = ("st", "")
"""BBO writes this before ``md``; it has no meaning."""

_Pair = tuple[str, str]


def _sniff(head: bytes) -> bool:
    return b"\0" not in head and not head.lstrip().startswith(b"[") and bool(_SNIFF.search(head))


def _records(
    stream: BinaryIO, reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    return _deals(_boards(_pairs(stream, reading, notices), reading), reading, notices)


def board_of_text(text: str, reading: Reading) -> tuple[bytes, Board]:
    """Return the 52 owners and the board of a LIN text.

    Raises FormatError unless it holds exactly one board, and for text that is not LIN.
    """
    reading = Reading("lin", partial=reading.partial)
    notices = Notices(reading.name)
    pairs = _pairs(io.BytesIO(text.encode()), reading, notices)
    deals = list(_deals(_boards(pairs, reading), reading, notices))
    if len(deals) != 1:
        many = f"{len(deals)} boards in the LIN text (expected one)"
        raise reading.error("", many if deals else "contains no deals")
    return deals[0][:2]


def _pairs(stream: BinaryIO, reading: Reading, notices: Notices) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, code, value); line breaks within a value are removed.

    A code is the last line before its bar, or its last word if that is known. Text before
    it is ignored, as are comments (``%%`` and the rest of the line). Raises FormatError if the
    text does not consist of such pairs. In a lenient reading, text in place of a code is
    ignored, and ``md`` is a code wherever it appears.
    """
    line, code, comment, begun = 1, "", False, False
    for token, ended in _tokens(stream, reading):
        text = _text(token, reading, notices, line)
        ends = text.count("\n")
        if comment:
            _, end, text = text.partition("\n")
            comment = not end
        clean = text.strip()
        before, word = _last_word(clean) if len(clean) > 2 else ("", clean)
        if not ended:
            if comment or not (code or clean):
                break
            if begun and not code and not _CODE.fullmatch(word):
                reason = f"{shorten(clean)} is left out (expected code|value| pairs)"
                notices.add("texts after the last pair, left out", f"line {line}", reason)
                break
            if clean:
                reason = f"the file ends in the middle of {shorten(text)} (expected '|')"
                if not reading.lenient:
                    raise reading.error(f"line {line}", reason)
                notices.add("values cut short", f"line {line}", reason)
        if comment:
            pass
        elif code and not (word.lower() == "md" and reading.lenient):
            yield line, code, text.replace("\r", "").replace("\n", "")
            code, begun = "", True
        elif _CODE.fullmatch(word):
            code = word.lower() if word.lower() in _KNOWN else word
            if before:
                notices.add("texts before LIN codes, left out", f"line {line}",
                            f"{shorten(before)} before {word} is left out "
                            "(expected code|value| pairs)")  # fmt: skip
        else:
            at = line + text[: len(text) - len(text.lstrip())].count("\n")
            comment = text.rpartition("\n")[2].lstrip().startswith("%%")
            reason = (
                f"{shorten(clean)} is not a LIN code (expected code|value| pairs such as md|3S…|)"
            )
            if not reading.lenient and not comment:
                raise reading.error(f"line {at}", reason)
            notices.add("text that is not LIN, left out", f"line {at}", reason)
        line += ends


def _last_word(text: str) -> tuple[str, str]:
    """Split the text before a bar into its last line or known last word, and what precedes it."""
    before, _, word = text.rpartition("\n")
    other, _, last = word.strip().rpartition(" ")
    if other and last.lower() in _KNOWN:
        return f"{before} {other}".strip(), last
    return before.strip(), word.strip()


def _tokens(stream: BinaryIO, reading: Reading) -> Iterator[tuple[bytes, bool]]:
    """Yield each part that ends with a bar, and finally the text after the last bar."""
    rest, lines = b"", 1
    while block := stream.read(1 << 16):
        *tokens, rest = (rest + block).split(b"|")
        for token in tokens:
            yield token, True
        lines += sum(token.count(b"\n") for token in tokens)
        if len(rest) > reading.limits.line:
            raise reading.error(
                f"line {lines}",
                f"{reading.limits.line:,} bytes without a '|' "
                f"(expected code|value| pairs; {raised_by('line')})",
            )
    yield rest.rstrip(b" \t\r\n\x1a"), False  # DOS ends files with 0x1a


def _text(token: bytes, reading: Reading, notices: Notices, line: int) -> str:
    if wrong := _CONTROL.search(token):
        reason = f"byte 0x{wrong[0][0]:02x} (expected LIN text)"
        if not reading.lenient:
            raise reading.error(f"line {line}", reason)
        notices.add("control characters, read as blanks", f"line {line}", reason)
        token = _CONTROL.sub(b" ", token)
    try:
        return token.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return as_latin_1(error, reading, line)


def _boards(
    found: Iterable[tuple[int, str, str]], reading: Reading
) -> Iterator[tuple[int, list[_Pair]]]:
    """Group pairs by board, with the line of its deal; names hold until others are given.

    Refuses pairs that belong to no deal.
    """
    pairs: list[_Pair] = []
    deal_line, players, number = 0, "", 0
    for number, code, value in found:
        if code in _BEGINS and deal_line:
            while pairs[-1] == _START:  # it is the beginning of the next board
                pairs.pop()
            yield deal_line, pairs
            pairs, deal_line = [], 0
        if code == "pn":
            players = value if value.strip(" ,") else ""
            if not players:  # it only ends earlier names
                continue
        elif code == "md":
            deal_line = number
            if players and all(before != "pn" for before, _ in pairs):
                pairs.append(("pn", players))
        if pairs or (code, value) != _START:
            pairs.append((code, value))
        if len(pairs) > reading.limits.board:
            raise reading.error(
                f"line {number}",
                f"{reading.limits.board:,} pairs of one board ({raised_by('board')})",
            )
    if deal_line:
        yield deal_line, pairs
    elif pairs:
        reason = "the board has no md (expected md|3S…|)"
        reading.refuse(reading.error(f"line {number}", reason))


def _deals(
    boards: Iterable[tuple[int, list[_Pair]]], reading: Reading, notices: Notices
) -> Iterator[tuple[bytes, Board, Table]]:
    """Yield the owners, the board and the unknown tricks of each board."""
    for number, pairs in boards:
        deal = next(value for code, value in pairs if code == "md")
        try:
            owners = owners_of(deal, reading)
        except DealError as error:
            reading.refuse(reading.error(f"line {number}", str(error)))
            continue
        yield owners, board_of(pairs, owners, notices.at(f"line {number}")), NO_TRICKS


def _write(stream: BinaryIO, sets: Iterable[DealSet]) -> None:
    notices = Notices("LIN output")
    index, named = 0, False  # whether names were written; they hold until others are given
    for deals in sets:
        boards = deals.boards or (SAYS_NOTHING,) * len(deals)
        for owners, board in zip(deals.owners, boards, strict=True):
            place = place_of(board, index)
            try:
                pairs = pairs_of(board, owners.tobytes(), notices.at(place))
            except ValueError as error:
                raise FormatError(f"{place}: cannot write {error}") from None
            own_names = any(code == "pn" for code, _ in pairs)
            if (named and not own_names) or (index and not _begins(pairs)):
                pairs.insert(0, _NOBODY)
            named = own_names
            stream.write(("".join(f"{code}|{value}|" for code, value in pairs) + "\n").encode())
            index += 1
    notices.close()


def _begins(pairs: list[_Pair]) -> bool:
    """Return whether a reader would assign these pairs to a new board from the first one on."""
    return next(code for code, value in pairs if (code, value) != _START) in _BEGINS


FORMAT = Format(
    name="lin",
    title="LIN of Bridge Base Online",
    suffixes=(".lin",),
    sniff=_sniff,
    reader=reader_of(_records),
    write=_write,
    tricks=False,
    boards=True,
    partial=True,
)
