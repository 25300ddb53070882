"""The jobs of the server's processes: solve, answer questions, read and convert files.

A job is JSON with its name and its input; each part of its answer is ``[kind, content]``.
"""

import base64
import io
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._processes import Refusal
from ...cards import Board, Deal, DealError, DealSet, NoteWarning, Skipped
from ...cards.text import parse_hands
from ...dealing import ConstraintError
from ...estimator import ModelError
from ...formats import FormatError, iter_deals, write_stream
from ...questions import Hooks, QuestionError, question_of
from ...questions.converting import ConvertQuestion, solved_here
from ...questions.play import is_position, position_owners
from ...solver import solve_batches
from .errors import RefusedError

JobQuestion = dict[str, Any]
Tell = Callable[[str, Any], None]
_ANSWERS = (
    ConstraintError,
    DealError,
    FormatError,
    ModelError,
    ModuleNotFoundError,  # no solver installed
    QuestionError,
    RefusedError,
)
"""Errors that are sent as answers."""
PASSED_OVER = ("skipped", "notes", "more_skipped", "more_notes")
"""Notes on a file: lists, and how many more there are."""
_SHOWN = 100  # skipped places of a file to report; the others are only counted
_LONGEST = 1 << 24  # bytes of an answer: a small file can be large when unpacked


def answer(question: bytes, send: Callable[[bytes], None]) -> None:
    """Do a job, and send the parts of its answer. Raises Refusal if it cannot be done."""
    asked = json.loads(question)
    size = 0

    def tell(kind: str, content: Any) -> None:
        nonlocal size
        part = json.dumps([kind, content]).encode()
        size += len(part) * (kind != "partial")
        if max(size, len(part)) > _LONGEST:
            raise RefusedError(f"the answer is too large (expected at most {_LONGEST:,} bytes)")
        send(part)

    try:
        JOBS[asked.pop("job")](asked, tell)
    except _ANSWERS as error:
        raise Refusal(_in_keys(str(error))) from None


def solve(asked: JobQuestion, tell: Tell) -> None:
    """Send the (5, 4) tricks of each deal."""
    owners = DealSet.from_deals(asked["deals"]).owners
    for row in range(asked["skip"], len(owners)):
        (tricks,) = solve_batches(owners[row : row + 1], workers=1)
        tell("result", tricks[0].tolist())


def ask(asked: JobQuestion, tell: Tell) -> None:
    """Send the answers to a question without deals, with intermediate results."""
    question: Any = question_of(asked["name"])(**asked["given"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _tell_all(question.answers(_hooks(asked, tell)), asked, tell)
    if notes := remarks([], caught)["notes"]:
        tell("notes", notes)


def judge(asked: JobQuestion, tell: Tell) -> None:
    """Send the values of the cards of plays: of deals, positions, or a file."""
    question: Any = question_of(asked["name"])(**asked["given"])
    skipped: list[Skipped] = []
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        boards = _boards(asked, skipped, hidden=getattr(question, "now", False))
        answers = question.answers(_hooks(asked, tell), boards, notes.append)
        _tell_all(answers, asked, tell)
    told = remarks(skipped, caught, notes)
    for kind, entries in told.items():
        if entries:
            tell(kind, entries)


def read(asked: JobQuestion, tell: Tell) -> None:
    """Send the deals of a file, with their data, and the skipped entries."""
    skipped: list[Skipped] = []
    with warnings.catch_warnings(record=True) as caught:
        rows = [
            (deal.pbn, *_known(board or Board()), tricks)
            for chunk in _deals(asked, skipped)
            for deal, board, tricks in zip(
                chunk,
                chunk.boards or [None] * len(chunk),
                chunk.tricks_or_unknown.tolist(),
                strict=True,
            )
        ]
    tell("result", {"deals": rows, **remarks(skipped, caught)})


def convert(asked: JobQuestion, tell: Tell) -> None:
    """Send a file in another format, with tricks if requested."""
    question = ConvertQuestion(**asked["given"])
    assert question.to is not None  # it is required
    skipped: list[Skipped] = []
    target = io.BytesIO()
    with warnings.catch_warnings(record=True) as caught:
        chunks = question.ask(_deals(asked, skipped), question.to, solved_here, workers=1)
        write_stream(chunks, target, format=question.to)
    tell("result", {"answer": question.answer(target.getvalue()), **remarks(skipped, caught)})


JOBS = {job.__name__: job for job in (solve, ask, judge, read, convert)}


def _hooks(asked: JobQuestion, tell: Tell) -> Hooks:
    """Return hooks that end the question with its result so far when its time is over."""
    watch = (lambda answer: tell("partial", answer)) if asked["stream"] else None
    return Hooks(workers=1, keep_on_interrupt=True, watch=watch, until=asked["until"])


def _tell_all(answers: Iterable[Any], asked: JobQuestion, tell: Tell) -> None:
    """Send the answers, except those already sent by a process that ended."""
    for row, answer in enumerate(answers):
        if row >= asked["skip"]:
            tell("result", answer)


def _boards(
    asked: JobQuestion, skipped: list[Skipped], *, hidden: bool
) -> Iterator[tuple[NDArray[np.uint8], Board]]:
    """Yield the given deals and positions, or those of a file; hands may be hidden."""
    if asked["content"] is None:
        for text in asked["deals"]:
            if hidden:
                owners = np.frombuffer(parse_hands(text), dtype=np.uint8)
            else:
                owners = position_owners(text) if is_position(text) else Deal(text).owners
            yield owners, Board()
        return
    for chunk in _deals(asked, skipped):
        for row, board in enumerate(chunk.boards or [None] * len(chunk)):
            yield chunk.owners[row], board or Board()


def _deals(asked: JobQuestion, skipped: list[Skipped]) -> Iterator[DealSet]:
    """Yield the deals of a file, and refuse a file with too many, or none."""
    warnings.simplefilter("always")
    content = io.BytesIO(base64.b64decode(asked["content"]))
    most, number = asked["most"], 0
    noted = None if asked["strict"] else skipped
    for chunk in iter_deals(content, asked["from"], asked["name_of_file"], most + 1, skipped=noted):
        number += len(chunk)
        if number > most:
            raise RefusedError(
                f"{asked['name_of_file']}: too many deals (expected at most {most:,})"
            )
        yield chunk
    if not number:
        raise RefusedError(f"{asked['name_of_file']}: contains no deals")


def _in_keys(message: str) -> str:
    """Say what to do by the keys of a request, where a message names options of the command."""
    message = message.replace("with trickcast.solve(deals), or --solve", "with the key solve")
    message = re.sub(r'(?:format="[^"]*" or )?--from names\b', "the key from names", message)
    return re.sub(r'(?:format="[^"]*" or )?--from ', "from=", message)


def _known(board: Board) -> tuple[int | None, str | None, str | None]:
    dealer, vulnerable = board.dealer, board.vulnerability
    return (
        board.number,
        None if dealer is None else dealer.letter,
        None if vulnerable is None else str(vulnerable),
    )


def remarks(
    skipped: list[Skipped],
    caught: Iterable[warnings.WarningMessage] | None,
    others: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the first skipped places, the first remarks, and how many more there are."""
    notes = [str(told.message) for told in caught or () if issubclass(told.category, NoteWarning)]
    notes += others
    places = [entry._replace(reason=_in_keys(entry.reason))._asdict() for entry in skipped[:_SHOWN]]
    shown = places, [_in_keys(note) for note in notes[:_SHOWN]]
    more = [max(0, len(entries) - _SHOWN) for entries in (skipped, notes)]
    return dict(zip(PASSED_OVER, (*shown, *more), strict=True))
