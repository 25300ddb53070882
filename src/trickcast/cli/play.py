"""The command that judges the play of the cards: play."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from ..answers.deals import named_deal
from ..cards import UNKNOWN, Board, Deal, Seat, Strain, card_text, counted, parse_card
from ..cards.play import PlayError, Position, positions
from ..cards.positions import GONE
from ..cards.text import hand_text, parse_position
from ..scoring import Contract
from .command import Argument, Option
from .deals import AsJson, From, Workers, watched, with_boards
from .inputs import SHOWN, CommandError, Strict, is_file, passed_over, read_deals
from .sheets import Sheet

_PASSED_OUT = "passed out"
_NAMED = 4
"""Better cards that are named where one gave a trick away."""


def play(
    deals: Annotated[
        str,
        Argument(metavar="DEAL", help="A deal, a position of fewer cards, a file or -."),
    ],
    contract: Annotated[
        str | None,
        Argument(metavar="CONTRACT", help="Such as 4S (default: as the board says)."),
    ] = None,
    cards: Annotated[
        list[str] | None,
        Argument(metavar="CARDS", help="Played so far: SA S2 … (default: as recorded)."),
    ] = None,
    by: Annotated[
        str | None, Option(help="Declarer: N, E, S or W (default: as the board says).")
    ] = None,
    lead: Annotated[
        str | None, Option(help="Who leads first (default: declarer's left-hand opponent).")
    ] = None,
    number: Annotated[
        int | None, Option("--board", min=0, help="Only this board number of a file.")
    ] = None,
    every: Annotated[
        bool, Option("--all", help="With --board: every board of this number, not only the first.")
    ] = False,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
    strict: Strict = False,
) -> None:
    """Show what every card of a play is worth, who gave tricks away, and what to play now.

    Example: trickcast play deals.pbn 4H SQ SA --by N --board 1
    """
    from ..solver import values_of_cards  # what is asked wrongly does not wait for DDS

    sheet = Sheet()
    wanted = _Wanted(
        None if contract is None else Contract(contract), None if by is None else Seat.parse(by)
    )
    if wanted.contract is not None and wanted.contract.strain is None:
        raise CommandError(f"{wanted.contract}: a board that is passed out has no play to judge")
    shown, matching, left_out = 0, 0, Counter[str]()
    for owners, board in _boards(deals, source, strict):
        if number is not None and board.number != number:
            continue
        matching += 1
        if number is not None and shown and not every:
            continue
        asked = _asked(board, wanted, lead, cards)
        if isinstance(asked, str):
            left_out[asked] += 1
            continue
        reached = _reached(owners, asked, board)
        values = values_of_cards(
            owners,
            asked.strain,
            asked.declarer,
            asked.cards[: len(reached) - 1],
            leader=asked.leader,
            workers=workers,
        )
        review = _Review(asked, reached, values)
        shown += 1
        if as_json:
            click.echo(json.dumps(_named_deal(owners, board) | review.json()))
        elif (owners == GONE).any():
            click.echo(_position_text(owners) + "\n" + review.text())
        else:
            sheet.show(Deal.from_owners(owners), board, review.text())
    if number is not None and matching > 1 and shown:
        which = (
            "all are judged" if every else "the first that can be is judged (--all: all of them)"
        )
        click.echo(f"note: {matching:,} boards have the number {number}; {which}", err=True)
    if not shown:
        raise CommandError(_nothing_to_judge(wanted, left_out, number))
    for reason, boards in left_out.items():
        click.echo(f"note: {counted(boards, 'board')} {reason}", err=True)


class _Wanted(NamedTuple):
    """What the command says of the contract."""

    contract: Contract | None
    declarer: Seat | None


@dataclass(frozen=True)
class _Question:
    """A contract, and the cards played."""

    contract: Contract
    strain: Strain
    declarer: Seat
    leader: Seat
    cards: list[int]
    recorded: bool
    """Whether the cards are a file's: what cannot be played ends them, and is no error."""


def _boards(
    source: str, format: str | None, strict: bool
) -> Iterator[tuple[NDArray[np.uint8], Board]]:
    """Yield (52,) owners, and what a file says of them."""
    if source != "-" and format is None and not is_file(source) and _is_position(source):
        yield np.frombuffer(parse_position(source), dtype=np.uint8), Board()
        return
    for chunk in watched(read_deals(source, format, strict=strict)):
        for row, (_, board) in enumerate(with_boards(chunk)):
            yield chunk.owners[row], board or Board()


def _is_position(text: str) -> bool:
    """Whether text looks like four hands of fewer than 52 cards in all."""
    first, colon, hands = text.strip().partition(":")
    held = sum(character not in ". -" for character in hands.replace("10", "T"))
    return bool(colon) and len(first) == 1 and len(hands.split()) == 4 and held < 52


def _asked(
    board: Board, wanted: _Wanted, lead: str | None, cards: list[str] | None
) -> _Question | str:
    """Return what is played, as the command or else the board says, or why nothing is."""
    bid, declarer = wanted
    if bid is None and board.contract is not None:
        bid = Contract(board.contract)
    if declarer is None:
        declarer = board.declarer
    if bid is not None and bid.strain is None:
        return _PASSED_OUT
    missing = ["contract"] * (bid is None) + ["declarer"] * (declarer is None)
    if bid is None or bid.strain is None or declarer is None:
        return f"without {' and '.join(missing)}"
    words = " ".join(cards or ()).replace(",", " ").split()
    recorded = not words and lead is None and wanted == (None, None)
    played = [parse_card(card) for card in (board.play if recorded else words)]
    leader = declarer.lho if lead is None else Seat.parse(lead)
    return _Question(bid, bid.strain, declarer, leader, played, recorded)


def _nothing_to_judge(wanted: _Wanted, left_out: Counter[str], number: int | None) -> str:
    """Say what was missing where no play could be judged."""
    if not left_out and number is not None:
        skipped = "".join(f"\nskipped: {entry}" for entry in passed_over()[:SHOWN])
        return f"there is no board {number}{skipped}"
    if left_out and not left_out.keys() - {_PASSED_OUT}:
        boards = left_out.total()
        which = "the board was" if boards == 1 else f"all {boards:,} boards were"
        return f"there is nothing to judge: {which} passed out"
    if wanted.contract is not None:
        return f"{wanted.contract}: --by is missing (expected the declarer: N, E, S or W)"
    if wanted.declarer is not None:
        return f"--by {wanted.declarer}: the contract is missing (expected one such as 4S)"
    return "there is nothing to judge (expected a contract and --by)"


def _reached(owners: NDArray[np.uint8], asked: _Question, board: Board) -> list[Position]:
    """Return the positions of the play; a record goes up to what could not be played."""
    try:
        return positions(owners, asked.strain, asked.leader, asked.cards)
    except PlayError as error:
        if not asked.recorded:
            raise
        name = "the board" if board.number is None else f"board {board.number}"
        click.echo(f"note: {name}: {error}; the play is judged up to there", err=True)
        return positions(owners, asked.strain, asked.leader, asked.cards[: error.played])


def _named_deal(owners: NDArray[np.uint8], board: Board) -> dict[str, Any]:
    """Return the fields of JSON that name a deal or a position."""
    if (owners == GONE).any():
        return {"ending": "N:" + " ".join(_hands(owners))}
    return named_deal(Deal.from_owners(owners), board)


def _hands(owners: NDArray[np.uint8]) -> list[str]:
    return [
        hand_text(sum(1 << int(card) for card in np.flatnonzero(owners == seat))) for seat in Seat
    ]


def _position_text(owners: NDArray[np.uint8]) -> str:
    lines = zip(Seat, _hands(owners), strict=True)
    return "".join(f"{seat.word:6} {hand}\n" for seat, hand in lines)


class _Review:
    """A play and the exact value of all its cards."""

    def __init__(self, asked: _Question, reached: Sequence[Position], values: NDArray[np.uint8]):
        self._asked, self._reached = asked, reached
        self._cards = asked.cards[: len(reached) - 1]
        self._values = values
        """(k + 1, 52), as ``values_of_cards`` gives them."""

    def _best(self, number: int) -> int:
        """Return declarer's tricks when the play goes on as well as possible from a position."""
        now, worth = self._reached[number], self._values[number]
        known = worth[worth != UNKNOWN]
        if not len(known):
            return now.won[self._asked.declarer.side]
        own = now.turn.side == self._asked.declarer.side
        return int(known.max() if own else known.min())

    def _lost(self, number: int) -> int:
        """Return the tricks that a card gave away, to whichever side."""
        return abs(self._best(number) - int(self._values[number, self._cards[number]]))

    def _as_good(self, number: int) -> list[str]:
        """Return the cards that would have given nothing away."""
        best = np.flatnonzero(self._values[number] == self._best(number))
        return [card_text(int(card)) for card in best]

    def _given(self) -> dict[Seat, int]:
        """Return the tricks that each seat gave away; dummy's cards are declarer's."""
        given = dict.fromkeys(Seat, 0)
        for number in range(len(self._cards)):
            seat = self._reached[number].turn
            dummy = self._asked.declarer.partner
            given[self._asked.declarer if seat == dummy else seat] += self._lost(number)
        del given[self._asked.declarer.partner]
        return given

    def json(self) -> dict[str, Any]:
        """Return everything: cards by their text, tricks of declarer's side in all."""
        cards = [
            {
                "trick": number // 4 + 1,
                "seat": str(self._reached[number].turn),
                "card": card_text(card),
                "tricks": int(self._values[number, card]),
                "lost": self._lost(number),
                "best": self._as_good(number),
            }
            for number, card in enumerate(self._cards)
        ]
        content = {"contract": str(self._asked.contract), "by": str(self._asked.declarer)}
        content |= {"tricks": self._best(0), "cards": cards}  # type: ignore[dict-item]
        content |= {"given": {str(seat): n for seat, n in self._given().items()}}  # type: ignore[dict-item]
        now = self._reached[-1]
        worth = {card_text(int(card)): int(self._values[-1, card]) for card in now.playable}
        return content | {"now": {"turn": str(now.turn), "tricks": worth} if worth else None}

    def text(self) -> str:
        """Return lines: the tricks, what was given away, and the cards to play now."""
        by = f"{self._asked.contract} by {self._asked.declarer.word}"
        lines = [f"{by}: declarer takes {self._best(0)}, double dummy"]
        if self._cards:
            lines += ["", "trick  leader  cards in order       declarer takes", *self._tricks(), ""]
            lines += [*self._mistakes(), ""]
        return "\n".join(lines + self._now()).rstrip()

    def _tricks(self) -> Iterator[str]:
        """Yield a line for each trick; a star marks what gave a trick away."""
        for start in range(0, len(self._cards), 4):
            cards = [
                card_text(card) + "*" * bool(self._lost(start + i))
                for i, card in enumerate(self._cards[start : start + 4])
            ]
            leader = self._reached[start].leader.word
            after = self._best(start + len(cards))
            row = "".join(f"{card:5}" for card in cards)
            yield f"{start // 4 + 1:5}  {leader:6}  {row:20} {after:14}"

    def _mistakes(self) -> Iterator[str]:
        """Yield a line for each card that gave tricks away, and how many each seat gave."""
        for number, card in enumerate(self._cards):
            if lost := self._lost(number):
                seat = self._reached[number].turn
                tricks = f"{lost} trick" + "s" * (lost > 1)
                better = " ".join(self._as_good(number)[:_NAMED])
                yield (
                    f"* trick {number // 4 + 1}: {seat.word}'s {card_text(card)} gave {tricks} "
                    f"away; as good as possible: {better}"
                )
        given = ", ".join(f"{seat.word} {n}" for seat, n in self._given().items())
        yield f"given away: {given} (declarer plays dummy's cards)"

    def _now(self) -> list[str]:
        """Return who plays next, and what declarer takes after each card: a line for each value."""
        now, worth = self._reached[-1], self._values[-1]
        if not len(now.playable):
            return []
        lines = [f"{now.turn.word} to play; declarer takes after"]
        best_first = sorted({int(worth[card]) for card in now.playable})
        if now.turn.side == self._asked.declarer.side:
            best_first.reverse()
        for tricks in best_first:
            cards = [card_text(int(card)) for card in now.playable if worth[card] == tricks]
            lines.append(f"{tricks:5}  {' '.join(cards)}")
        return lines
