"""The commands about calls: auction, bid."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Annotated

import click

from .._files import check_target
from ..cards import Board, Deal, DealError, DealSet, Hand
from ..cards.styles import PairStyles
from ..formats import format_to_write
from ..questions.auctions import AuctionQuestion, BidQuestion, pair_styles
from .command import Option
from .deals import AsJson, From, watched, with_boards
from .inputs import Strict, is_file, read_hands
from .outputs import Force, may_replace, write_told
from .selecting import Boards, chosen, chosen_of
from .sheets import Sheet
from .views import folded


def auction(
    question: AuctionQuestion,
    numbers: Boards = None,
    as_json: AsJson = False,
    source: From = None,
    strict: Strict = False,
) -> None:
    """Explain calls, or those of a file's boards."""
    if not _is_boards(question.auction):
        _no_file({"--boards": numbers, "--from": source, "--strict": strict or None})
        shown = question.ask()
        told = json.dumps(question.answer(shown)) if as_json else folded(str(shown))
        click.echo(told)
        return
    sheet = Sheet()
    boards, pairs = _boards(question.auction, source, strict, numbers)
    for asked, shown, deal, board in question.explained(boards, pairs, _note):
        if as_json:
            click.echo(json.dumps(asked.answer(shown, deal, board)))
        else:
            style = [f"style: {asked.style}"] if asked.style else []
            sheet.show(deal, board, *style, folded(str(shown)))


def bid(
    question: BidQuestion,
    out: Annotated[
        str | None,
        Option(metavar="FILE", help="With a file: file for the boards with their auctions."),
    ] = None,
    numbers: Boards = None,
    as_json: AsJson = False,
    source: From = None,
    strict: Strict = False,
    force: Force = False,
) -> None:
    """Suggest a call, or bid the boards of a file."""
    if not _is_boards(question.hand):
        _no_file({"--seats": question.seats, "--out": out, "--boards": numbers, "--from": source,
                  "--strict": strict or None})  # fmt: skip
        (hand,) = read_hands(question.hand)
        question = question.but(hand=str(hand))
        suggested, compared = question.ask()
        if as_json:
            click.echo(json.dumps(question.answer(suggested, compared)))
        else:
            parts = [suggested] if compared is None else [suggested, compared]
            click.echo(folded("\n\n".join(map(str, parts))))
        return
    if out is not None and as_json:
        raise click.BadParameter("--json and --out cannot be combined")
    if out is not None:
        may_replace(out, force)
        check_target(out)
        format_to_write(out)
    called = question.bid(*_boards(question.hand, source, strict, numbers))
    if out is not None:
        write_told(map(_dealset, called), out, None)
        return
    sheet = Sheet()
    for some in called:
        for deal, board in some:
            if as_json:
                click.echo(json.dumps(question.board_answer(deal, board)))
            else:
                sheet.show(deal, board, _called(board))


def _is_boards(source: str) -> bool:
    """Return whether an argument is a file of boards or a deal, not calls or a hand."""
    if source == "-" or is_file(source):
        return True
    try:
        Hand(source)
    except DealError:
        return ":" in source[:8]
    return False


def _no_file(given: dict[str, object]) -> None:
    """Refuse options that only make sense for a file."""
    for name, value in given.items():
        if value is not None:
            raise click.BadParameter(f"{name} needs a file of boards")


def _boards(
    source: str, format: str | None, strict: bool, numbers: str | None
) -> tuple[Iterator[tuple[Deal, Board]], PairStyles]:
    """Return a file's boards with these numbers, and the methods that all its boards show.

    Raises CommandError if there is no such board.
    """
    whole = [*chosen([source], None, format, strict=strict)]
    wanted = watched(chosen_of(whole, numbers))
    return chain.from_iterable(map(_held, wanted)), pair_styles(chain(*map(_held, whole)))


def _held(chunk: DealSet) -> Iterator[tuple[Deal, Board]]:
    return ((deal, board or Board()) for deal, board in with_boards(chunk))


def _dealset(boards: Sequence[tuple[Deal, Board]]) -> DealSet:
    deals = DealSet.from_deals(deal for deal, _ in boards)
    return DealSet(deals.owners, boards=[board for _, board in boards])


def _note(text: str) -> None:
    click.echo(f"note: {text}", err=True)


def _called(board: Board) -> str:
    """Return the auction in rows of four from the dealer on, and the contract."""
    assert board.dealer is not None
    calls = ["P" if call == "PASS" else call for call in board.auction]
    seats = [board.dealer]
    while len(seats) < 4:
        seats.append(seats[-1].lho)
    rows: Iterable[list[str]] = (calls[start : start + 4] for start in range(0, len(calls), 4))
    lines = ["".join(f"{seat.word:<7}" for seat in seats).rstrip()]
    lines += ["".join(f"{call:<7}" for call in row).rstrip() for row in rows]
    ended = "passed out" if board.declarer is None else f"{board.contract} by {board.declarer.word}"
    return "\n".join([*lines, ended])
