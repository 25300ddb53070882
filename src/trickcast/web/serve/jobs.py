"""What the processes of the server do: solve, simulate, read and convert files.

A job is a line of JSON with its name and what was asked; each part of its answer is a line
``[kind, content]``, and the last one is ``end``, or ``refused`` with what is wrong.
"""

import base64
import io
import json
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from ... import simulation
from ...answers.annotating import annotated
from ...answers.held import HeldTables
from ...answers.simulations import (
    better_declarers,
    comparison_answer,
    contract_answer,
    contract_list,
    contracts_answer,
    every_contract_answer,
    leads_answer,
    making_answer,
    with_leads,
)
from ...cards import UNKNOWN, Board, DealError, DealSet, Seat, Skipped, Vulnerability
from ...dealing import ConstraintError
from ...estimator import Estimator, ModelError, loaded
from ...formats import FormatError, FormatWarning, iter_deals, write_stream
from ...scoring import Contract
from ...solver import solve_batches
from .errors import RefusedError

Asked = dict[str, Any]
Tell = Callable[[str, Any], None]
_ANSWERS = (
    ConstraintError,
    DealError,
    FormatError,
    ModelError,
    ModuleNotFoundError,  # there is no solver
    RefusedError,
    simulation.SimulationError,
)
"""Errors that are answers."""
_LAYOUTS = ("condition", "samples", "exact", "precision", "seconds", "seed", "model")
_SEATS = ("north", "east", "south", "west")
_SCORINGS = ("total", "imps", "matchpoints")


def solve(asked: Asked, tell: Tell) -> None:
    """Tell the (5, 4) tricks of deal after deal."""
    owners = DealSet.from_deals(asked["deals"]).owners
    for row in range(asked["skip"], len(owners)):
        (tricks,) = solve_batches(owners[row : row + 1], workers=1)
        tell("result", tricks[0].tolist())


def simulate(asked: Asked, tell: Tell) -> None:
    """Tell what contracts make, as far as it is known, and in the end."""
    vulnerable = Vulnerability.parse(asked["vulnerable"])
    if asked["contracts"] is not None:
        pairs = contract_list(asked["contracts"], asked["by"], asked["side"])

        def sheet(result: simulation.Simulation, last: bool = False) -> Any:
            values = better_declarers(result, pairs, vulnerable)
            rows = with_leads(result, values, 1) if last else [(value, []) for value in values]
            return contracts_answer(result, rows, vulnerable)

        result = simulation.simulate(**_options(asked, tell, sheet), contracts=pairs)
        tell("result", sheet(result, last=True))
    elif asked["contract"] is None:
        ways = {"side": asked["side"], "scoring": asked["scoring"]}
        _tell_all(
            simulation.simulate,
            asked,
            tell,
            lambda result: every_contract_answer(
                result, result.best_contracts(vulnerable, **ways), vulnerable
            ),
        )
    else:
        bid, by = Contract(asked["contract"]), Seat.parse(asked["by"])
        if asked["making"]:
            _tell_all(simulation.contract_chance, asked, tell, making_answer, contract=bid, by=by)
        else:
            _tell_all(
                simulation.simulate,
                asked,
                tell,
                lambda result: contract_answer(result, bid, by, vulnerable),
                contracts=[(bid, by)],
            )


def compare(asked: Asked, tell: Tell) -> None:
    """Tell by how much one contract beats another."""
    pair = Contract(asked["first"]), Contract(asked["second"])
    by = Seat.parse(asked["by"])
    other_by = by if asked["other_by"] is None else Seat.parse(asked["other_by"])
    if by.side != other_by.side:
        raise RefusedError(f"{by.word} and {other_by.word} are not partners")
    played = [(bid, seat) for bid, seat in zip(pair, (by, other_by), strict=True) if bid.level]
    if not played:
        raise RefusedError("one of the contracts has to be played")
    vulnerable = Vulnerability.parse(asked["vulnerable"])

    def answer(result: simulation.Simulation) -> Any:
        gains = {
            scoring: result.compare(
                pair[0], by, pair[1], other_by, vulnerable=vulnerable, scoring=scoring
            )
            for scoring in _SCORINGS
        }
        return comparison_answer(result, pair, (by, other_by), vulnerable, gains)

    _tell_all(simulation.simulate, asked, tell, answer, contracts=played)


def leads(asked: Asked, tell: Tell) -> None:
    """Tell what every lead is worth."""
    own = {name: asked[name] for name in ("leader", "contract", "by", "scoring")}
    own["vulnerable"] = vulnerable = Vulnerability.parse(asked["vulnerable"])
    _tell_all(
        simulation.simulate_leads,
        asked,
        tell,
        lambda result: leads_answer(result, vulnerable),
        **own,
    )


def read(asked: Asked, tell: Tell) -> None:
    """Tell the deals of a file, with what it says of each, and what was passed over in it."""
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
    tell("result", {"deals": rows, **_passed_over(skipped, caught)})


def convert(asked: Asked, tell: Tell) -> None:
    """Tell a file in another format, with tricks where they are asked for."""
    skipped: list[Skipped] = []
    target, comment = io.BytesIO(), None
    with warnings.catch_warnings(record=True) as caught:
        chunks = _deals(asked, skipped)
        if asked["solve"]:
            chunks = _solved(chunks)
        elif asked["estimate"]:
            comment = (
                f"tricks without a solver, where they were not known: trickcast {asked['model']}"
            )
            network = loaded(asked["model"], 1)
            chunks = (_with_unknown(chunk, network) for chunk in chunks)
        if asked["to"] == "pbn" and (asked["solve"] or asked["estimate"]):
            chunks = annotated(chunks, comment)
        write_stream(chunks, target, format=asked["to"])
    content = base64.b64encode(target.getvalue()).decode()
    tell("result", {"content": content, **_passed_over(skipped, caught)})


JOBS = {job.__name__: job for job in (solve, simulate, compare, leads, read, convert)}


def _options(asked: Asked, tell: Tell, answer: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the keywords of a simulation, which ends with what it has when its time is over."""
    for name in (*_SEATS, "condition"):
        if asked.get(name) is not None and not asked[name].strip():
            raise RefusedError(f"{name} is empty")

    def watch(result: Any) -> None:
        if asked["stream"]:
            tell("partial", answer(result))
        if time.time() > asked["until"]:
            raise KeyboardInterrupt

    known = {name: asked[name] for name in (*_SEATS, *_LAYOUTS)}
    known["solve"] = known.pop("exact")
    return known | {"workers": 1, "keep_on_interrupt": True, "progress": watch}


def _tell_all(
    question: Callable[..., Any],
    asked: Asked,
    tell: Tell,
    answer: Callable[[Any], Any],
    **own: Any,
) -> None:
    tell("result", answer(question(**_options(asked, tell, answer), **own)))


def _deals(asked: Asked, skipped: list[Skipped]) -> Iterator[DealSet]:
    """Yield the deals of a file, and refuse one of too many."""
    warnings.simplefilter("always")
    content = io.BytesIO(base64.b64decode(asked["content"]))
    most, number = asked["most"], 0
    noted = None if asked["strict"] else skipped
    for chunk in iter_deals(content, asked["from"], asked["name"], most + 1, skipped=noted):
        number += len(chunk)
        if number > most:
            raise RefusedError(f"{asked['name']}: too many deals (expected at most {most:,})")
        yield chunk


def _known(board: Board) -> tuple[int | None, str | None, str | None]:
    dealer, vulnerable = board.dealer, board.vulnerability
    return (
        board.number,
        None if dealer is None else dealer.letter,
        None if vulnerable is None else str(vulnerable),
    )


def _passed_over(
    skipped: list[Skipped], caught: Iterable[warnings.WarningMessage] | None
) -> dict[str, Any]:
    notes = [str(told.message) for told in caught or () if issubclass(told.category, FormatWarning)]
    return {"skipped": [entry._asdict() for entry in skipped], "notes": notes}


def _with_unknown(chunk: DealSet, network: Estimator) -> DealSet:
    """Fill what is not known of the tricks of deals by estimates."""
    known = chunk.tricks_or_unknown.copy()
    rows = np.flatnonzero((known == UNKNOWN).any(axis=(1, 2)))
    if len(rows):
        known[rows] = np.where(known[rows] == UNKNOWN, network(chunk[rows]).tricks, known[rows])
    return chunk.with_tricks(known)


def _solved(chunks: Iterable[DealSet]) -> Iterator[DealSet]:
    """Pass deals on with exact tables, as the command does: whole ones of the file, else DDS's.

    Of a table in part no cell is kept: beside the exact ones it might make a par that is none.
    """
    held = HeldTables()
    for chunk in chunks:
        tables = chunk.tricks_or_unknown.copy()
        rows = held.to_solve(tables)
        exact = [tables[:0], *solve_batches(chunk.owners[rows], workers=1)]
        held.fill(chunk, tables, rows, np.concatenate(exact))
        yield chunk.with_tricks(tables)
    if held.difference is not None:
        warnings.warn(held.difference, FormatWarning, stacklevel=1)


def main() -> None:
    """Do jobs until the input ends; what is printed goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's terminal sends it to both
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asked: SimpleQueue[str] = SimpleQueue()
    Thread(target=_work, args=(asked, output), daemon=True).start()
    for line in sys.stdin:
        asked.put(line)
    os._exit(0)  # in the midst of a job too: the server has gone


def _work(lines: "SimpleQueue[str]", output: Any) -> None:
    def tell(kind: str, content: Any) -> None:
        output.write(json.dumps([kind, content]) + "\n")
        output.flush()

    try:
        while True:
            asked = json.loads(lines.get())
            try:
                JOBS[asked.pop("job")](asked, tell)
            except _ANSWERS as error:
                tell("refused", str(error))
            else:
                tell("end", None)
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # which the server sees
