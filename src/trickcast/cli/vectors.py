"""The commands about one or two hands, with the others unknown: pair, nearest."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from rich.table import Table

from ..cards import PRINTED_STRAINS, Board, DealError, Hand, Seat, whole_percent
from ..questions.hands import NearestQuestion, PairQuestion, hand_embedding, hand_or_words
from . import views
from .command import Argument, Option
from .deals import AsJson
from .inputs import CommandError, is_file, read_hands, read_pairs
from .outputs import PAGES, Force, check_output, may_replace
from .sheets import heading, vulnerable_sides

if TYPE_CHECKING:
    from ..pairs import HandEmbedding, PairEstimate

_HAND = "A hand, a file with one hand per line, or - for standard input."


def pair(
    north: Annotated[
        str,
        Argument(metavar="HAND", help="A hand or a file of hands; or, without PARTNER, of boards."),
    ],
    south: Annotated[
        str | None,
        Argument(
            metavar="PARTNER",
            help="The partner's hand, a file of as many, or a description: '15-17, balanced'.",
        ),
    ] = None,
    *,
    question: PairQuestion,
    as_json: AsJson = False,
) -> None:
    """Show what each pair of hands takes."""
    if south is None and not is_file(north) and _is_hand(north):
        raise CommandError(
            f"{north!r} has no partner (expected a second hand, or a description: "
            "'15-17, balanced')"
        )
    # strict: skipping a hand would pair its partner with another
    boards = [] if south is not None else list(read_pairs(north))
    if question.auction is not None and any(seat is not Seat.NORTH for _, seat, _, _ in boards):
        raise CommandError("--auction is for the hands of North and South")
    if south is None:
        norths, souths = [pair[2] for pair in boards], list[Hand | str](p[3] for p in boards)
    else:
        norths = list(read_hands(north, strict=True))
        if south == "-" or is_file(south) or not south.strip():
            souths = list(read_hands(south, strict=True))
        else:
            souths = [hand_or_words(south)] * (len(norths) or 1)
    estimates = question.ask(norths, souths)
    for i, hands in enumerate(zip(norths, souths, strict=True)):
        board, first = boards[i][:2] if boards else (None, Seat.NORTH)
        if as_json:
            click.echo(json.dumps(question.answer(hands, estimates[i], first, board)))
        else:
            click.echo("\n" if i else "", nl=False)
            if board is not None:
                click.echo(heading(i + 1, board))
            _show_pair(hands, (first, first.partner), estimates[i], question, board)


def _is_hand(text: str) -> bool:
    try:
        Hand(text)
    except DealError:
        return False
    return True


def _show_pair(
    hands: tuple[Hand, Hand | str],
    seats: tuple[Seat, Seat],
    estimate: "PairEstimate",
    question: PairQuestion,
    board: Board | None,
) -> None:
    for seat, hand in zip(seats, hands, strict=True):
        if isinstance(hand, str):
            click.echo(f"{seat}  {hand} (the mean over hands that fit)")
        else:
            click.echo(f"{seat}  {'  '.join(hand.suits())}   {hand.pattern}, {hand.hcp} HCP")
    click.echo()
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("", f"by {seats[0]}", f"by {seats[1]}", "80 %", "game", "slam", "grand"):
        table.add_column(column, justify="right")
    partner = estimate.by_partner.expected
    for strain, row in zip(PRINTED_STRAINS, estimate.rows(), strict=True):
        table.add_row(row[0], row[1], f"{partner[strain]:.1f}", *row[2:])
    views.ResultConsole().print(table)
    click.echo(f"\nbest contracts, vulnerable {vulnerable_sides(question.sides(board))}:")
    for bid in question.best(estimate, seats[0], board):
        seat = seats[0] if bid.by_first else seats[1]
        score = f"{bid.expected_score:+.0f}"
        click.echo(
            f"  {bid.contract} by {seat}  {score} on average, makes {whole_percent(bid.making)}"
        )


def nearest(
    hand: Annotated[str, Argument(metavar="HAND", help=_HAND)],
    question: NearestQuestion,
    hands: Annotated[
        Path | None,
        Option(
            metavar="FILE", help="Hands to search, one per line (default: 200,000 random ones)."
        ),
    ] = None,
    map_file: Annotated[
        Path | None,
        Option("--map", metavar="FILE", help="HTML file for a map of the hands."),
    ] = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Show the nearest of each hand, and draw a map."""
    from ..pairs import write_map

    if map_file is not None:
        check_output("--map", map_file, PAGES)
        may_replace(map_file, force)
    embedding = hand_embedding()
    shown: list[Hand] = []
    try:
        index = embedding.searched if hands is None else _read_index(embedding, hands)
        for number, asked in enumerate(read_hands(hand)):
            (near,) = question.ask([asked], index)
            shown += [asked, *(neighbour for neighbour, _ in near)]
            _show_near(question, asked, near, number, as_json)
        if map_file is not None:
            write_map(
                embedding, map_file, hands=None if hands is None else index.hands, marked=shown
            )
    except ValueError as error:
        raise CommandError(str(error)) from None


def _show_near(
    question: NearestQuestion,
    asked: Hand,
    near: list[tuple[Hand, float]],
    number: int,
    as_json: bool,
) -> None:
    if as_json:
        click.echo(json.dumps(question.answer(asked, near)))
        return
    click.echo(f"{chr(10) if number else ''}{asked}   {asked.pattern}, {asked.hcp} HCP\n")
    for hand, apart in near:
        click.echo(f"{apart:7.3f}  {hand!s:<16}  {hand.pattern:>4}, {hand.hcp:>2} HCP")


def _read_index(embedding: "HandEmbedding", path: Path) -> Any:
    """Return the index of a file of hands. Raises CommandError for a file without hands."""
    if str(path) != "-" and not path.exists():
        raise CommandError(f"{path}: no such file (expected hands, one a line)")
    return embedding.index(list(read_hands(str(path))))
