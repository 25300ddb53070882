"""The command that judges the play of the cards: play."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import click
import numpy as np
from numpy.typing import NDArray

from ..cards import Board, Deal, Seat, card_text, counted
from ..cards.card_play import Position
from ..cards.positions import GONE
from ..questions.play import PlayQuestion, Review, is_position, position_hands, position_owners
from .command import Argument, Option
from .deals import AsJson, From, Workers, watched, with_boards
from .inputs import CommandError, Strict, is_file, passed_over, read_boards
from .selecting import chosen, chosen_of
from .sheets import Sheet

_NAMED = 4
"""Most better cards to list where one gave a trick away."""


def play(
    deals: Annotated[
        str,
        Argument(metavar="DEAL", help="A deal, a position with fewer cards, a file or -."),
    ],
    question: PlayQuestion,
    number: Annotated[
        int | None, Option("--board", min=0, help="Only this board number of a file.")
    ] = None,
    numbers: Annotated[
        str | None, Option("--boards", metavar="5-12,15", help="Only these board numbers.")
    ] = None,
    every: Annotated[
        bool, Option("--all", help="With --board: all boards with this number, not only the first.")
    ] = False,
    as_json: AsJson = False,
    source: From = None,
    workers: Workers = None,
    strict: Strict = False,
) -> None:
    """Judge the play of a deal, or of the boards of a file."""
    sheet = Sheet()
    shown, matching, left_out = 0, 0, Counter[str]()
    for owners, board in _boards(deals, numbers, source, strict, hidden=question.now):
        if number is not None and board.number != number:
            continue
        matching += 1
        if number is not None and shown and not every:
            continue
        if question.now:
            shown += 1
            weighed = question.weigh(owners, board, workers)
            told = json.dumps(question.answer(owners, board, weighed)) if as_json else str(weighed)
            click.echo(told)
            continue
        review = question.ask(owners, board, _note, workers)
        if isinstance(review, str):
            left_out[review] += 1
            continue
        shown += 1
        if as_json:
            click.echo(json.dumps(question.answer(owners, board, review)))
        elif (owners == GONE).any():
            click.echo(_position_text(owners) + "\n" + _text(review, owners))
        else:
            sheet.show(Deal.from_owners(owners), board, _text(review, owners))
    if number is not None and matching > 1 and shown:
        first = "the first that can be judged is shown (--all: all of them)"
        which = "all are judged" if every else first
        _note(f"{matching:,} boards are numbered {number}; {which}")
    if not shown:
        if not left_out and number is not None:
            skipped = "".join(f"\nskipped: {entry}" for entry in passed_over()[:2])
            raise CommandError(f"there is no board {number}{skipped}")
        raise question.nothing_to_judge(left_out)
    for reason, boards in left_out.items():
        _note(f"{counted(boards, 'board')} {reason}")


def _note(text: str) -> None:
    click.echo(f"note: {text}", err=True)


def _boards(
    source: str, numbers: str | None, format: str | None, strict: bool, *, hidden: bool
) -> Iterator[tuple[NDArray[np.uint8], Board]]:
    """Yield (52,) owners, and their data from a file; hands may be hidden."""
    if hidden:
        for boards in chosen_of(read_boards(source, format, strict=strict), numbers):
            yield from zip(boards.owners, boards.boards or [Board()] * len(boards), strict=True)
        return
    if source != "-" and format is None and not is_file(source) and is_position(source):
        yield position_owners(source), Board()
        return
    for chunk in watched(chosen([source], numbers, format, strict=strict)):
        for row, (_, board) in enumerate(with_boards(chunk)):
            yield chunk.owners[row], board or Board()


def _position_text(owners: NDArray[np.uint8]) -> str:
    lines = zip(Seat, position_hands(owners), strict=True)
    return "".join(f"{seat.word:6} {hand}\n" for seat, hand in lines)


def _text(review: Review, owners: NDArray[np.uint8]) -> str:
    """Return lines: the tricks, what was given away, and the cards to play now."""
    by = f"{review.play.contract} by {review.play.declarer.word}"
    lines = [f"{by}: declarer takes {review.best(0)}, double dummy"]
    if review.cards:
        lines += ["", "trick  leader  cards in order       declarer takes", *_tricks(review), ""]
        lines += [*_mistakes(review), *_roles(review, owners), ""]
    lines += _next_cards(review, "", *review.now)
    for card, after in review.ahead():
        lines += _next_cards(review, f"after {card}: ", *after)
    return "\n".join(lines).rstrip()


def _tricks(review: Review) -> Iterator[str]:
    """Yield a line for each trick; a star marks cards that gave a trick away."""
    for start in range(0, len(review.cards), 4):
        cards = [
            card_text(card) + "*" * bool(review.lost(start + i))
            for i, card in enumerate(review.cards[start : start + 4])
        ]
        leader = review.reached[start].leader.word
        after = review.best(start + len(cards))
        row = "".join(f"{card:5}" for card in cards)
        yield f"{start // 4 + 1:5}  {leader:6}  {row:20} {after:14}"


def _mistakes(review: Review) -> Iterator[str]:
    """Yield a line for each card that gave tricks away, and the total of each seat."""
    for number, card in enumerate(review.cards):
        if lost := review.lost(number):
            seat = review.reached[number].turn
            tricks = f"{lost} trick" + "s" * (lost > 1)
            better = " ".join(review.as_good(number)[:_NAMED])
            yield (
                f"* trick {number // 4 + 1}: {seat.word}'s {card_text(card)} gave {tricks} "
                f"away; as good as possible: {better}"
            )
    given = ", ".join(f"{seat.word} {n}" for seat, n in review.given().items())
    yield f"given away: {given} (declarer plays dummy's cards)"


def _roles(review: Review, owners: NDArray[np.uint8]) -> Iterator[str]:
    """Yield a line for each role: what it gave away, compared with championship players."""
    for name, role in review.roles(owners).items():
        if name == "lead":
            yield f"{'':12}{'gave':>6}{'championships':>16}{'give no more':>15}"
        mean, share = f"{role.norm.mean:.2f}", f"{role.norm.at_most(role.given):.0%}"
        yield f"{name:12}{role.given:>6}{mean:>16}{share:>15}"


def _next_cards(review: Review, when: str, now: Position, worth: NDArray[np.uint8]) -> list[str]:
    """Return who plays next, and declarer's tricks after each card: a line for each value."""
    if not len(now.playable):
        return []
    lines = [f"{when}{now.turn.word} to play; declarer takes after"]
    best_first = sorted({int(worth[card]) for card in now.playable})
    if now.turn.side == review.play.declarer.side:
        best_first.reverse()
    for tricks in best_first:
        cards = [card_text(int(card)) for card in now.playable if worth[card] == tricks]
        lines.append(f"{tricks:5}  {' '.join(cards)}")
    return lines
