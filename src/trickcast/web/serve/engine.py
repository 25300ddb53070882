"""The models and processes that the server keeps ready, and the answers it makes with them.

Every question yields its answer in parts: a result for each deal or hand, the same object that the
command line prints, and for a simulation intermediate results before it. Closing the
generator ends the work: a thread's share is small, and a process is killed at once.
"""

import asyncio
import os
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from threading import Lock
from typing import Any, TypeVar
from warnings import WarningMessage, catch_warnings, simplefilter

import numpy as np
from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from ... import bidding as openings
from ...cards import DealSet, counted, shorten
from ...dealing import fresh_seed
from ...estimator import DEFAULT_MODEL, Estimator
from ...questions import Question
from ...questions.auctions import reads_a_file
from ...questions.converting import ConvertQuestion
from ...questions.dealing import DealQuestion
from ...questions.deals import MOST_SOLVED, EstimateQuestion, SolveQuestion
from ...questions.file_tables import FileTables
from ...questions.hands import HandsQuestion, OpenQuestion, PairQuestion, pair_estimator
from ...questions.models import ModelsQuestion
from ...questions.par import ParQuestion
from .batching import Batching
from .bodies import File
from .errors import RefusedError
from .job_processes import JobProcesses, Part
from .jobs import PASSED_OVER, remarks
from .metrics import Metrics
from .sent import GivenDeal, Sent, Tricks, given_deal, read_deals, read_hands, read_partners

_PAIR_MODELS = ("accurate", "hand2vec")
_TOGETHER = 64  # deals or hands of a question per turn, so that others get theirs
_FEW = 8  # deals that are read without a thread
_NICE = 10  # niceness of the solver processes: estimates come first
_TO_END = 0.1  # share of the time limit left for a simulation to report what it has
_TO_END_SECONDS = 3  # and at least this long, if that is less than half of the time

Row = TypeVar("Row")
Found = TypeVar("Found")
AnswerParts = AsyncGenerator[Part, None]
SolvedRows = AsyncGenerator[tuple[GivenDeal, Tricks], None]
Rows = SolvedRows | AsyncGenerator[tuple[GivenDeal, None], None]


class Engine:
    """Models, each with its own thread, and processes that solve, simulate and read files."""

    def __init__(self, metrics: Metrics, *, solvers: int | None = None, seconds: float):
        """Prepare ``solvers`` processes (default: one per core); an answer takes ``seconds``."""
        self.ready = False
        self._seconds = seconds
        self._observe_batch = metrics.batch_sizes.observe
        models = ModelsQuestion()
        self._models = [models.answer(info) for info in models.ask()]  # reads each file
        self._batching: dict[str, Batching] = {}
        number = solvers or os.cpu_count() or 1
        self._solvers = JobProcesses("solver", number, metrics.waited.observe, niceness=_NICE)
        self._readers = JobProcesses("reader", 1, metrics.waited.observe)
        self._one_at_a_time = CapacityLimiter(1)
        self._loading = Lock()

    def load(self) -> None:
        """Load the most requested models in advance."""
        self._model(DEFAULT_MODEL)
        with self._loading:
            pair_estimator("accurate")
        self.ready = True

    async def start(self) -> None:
        """Start the processes in advance."""
        await self._solvers.start()
        await self._readers.start()

    async def close(self) -> None:
        """End threads and processes."""
        with self._loading:
            for together in self._batching.values():
                together.close()
        await self._solvers.close()
        await self._readers.close()

    def ask(self, name: str, question: Question, sent: Sent) -> AnswerParts:
        """Answer like the command of this name. Raises RefusedError for an unsupported question."""
        self._check(question)
        if isinstance(question, EstimateQuestion):
            return self._estimate(question, sent)
        if isinstance(question, SolveQuestion | ParQuestion):
            return self._exact(question, sent)
        if isinstance(question, ConvertQuestion):
            return self._convert(question, sent)
        if isinstance(question, HandsQuestion):
            return self._hands(question, sent)
        if isinstance(question, ModelsQuestion):
            return self._listed()
        return self._in_process(name, question, sent)

    def _check(self, question: Question) -> None:
        """Refuse files of this machine: only what ships may be used."""
        if isinstance(question, OpenQuestion) and question.system is not None:
            system = openings.registry.named(question.system) or question.system
            _check_name("opening system", system, openings.names(), "system")
        if isinstance(question, PairQuestion):
            _check_name("model", question.model, _PAIR_MODELS, "model")
        elif (model := getattr(question, "model", None)) is not None:
            _check_name("model", model, [answer["name"] for answer in self._models], "model")
        for meaning in getattr(question, "meaning", None) or ():
            if reads_a_file(meaning):
                raise RefusedError(
                    f"no meaning {shorten(meaning)} (expected such as 1N: hcp 12-14, or one of "
                    f"{', '.join(openings.names())})",
                    "meaning",
                )
        if isinstance(question, DealQuestion) and question.solve:
            _check_solved(question.boards or 1)

    async def _estimate(self, question: EstimateQuestion, sent: Sent) -> AnswerParts:
        deals, told = await self._deals(question, sent)
        for part in told:
            yield part
        if question.exact:
            _check_solved(len(deals))
        model = self._batching.get(question.model)  # without the lock, which other loading may hold
        if model is None:
            model = await run_sync(self._model, question.model)
        of_file = FileTables()
        for some in _turns(deals, _TOGETHER):
            dealset = DealSet.from_deals(given.deal for given in some)
            estimates = await asyncio.wrap_future(model.ask(dealset))
            rows: Rows = self._solved(some, of_file) if question.exact else _unsolved(some)
            number = 0
            async with aclosing(rows):
                async for (deal, board, _), exact in rows:
                    estimate, number = estimates[number], number + 1
                    yield "result", question.answer(deal, board, estimate, exact)
        for part in _differing(of_file):
            yield part

    async def _exact(self, question: SolveQuestion | ParQuestion, sent: Sent) -> AnswerParts:
        """Answer with results from exact tables."""
        deals, told = await self._deals(question, sent)
        for part in told:
            yield part
        of_file = FileTables()
        async with aclosing(self._solved(deals, of_file)) as rows:
            async for (deal, board, _), tricks in rows:
                yield "result", await self._in_thread(question.answer, deal, board, tricks)
        for part in _differing(of_file):
            yield part

    async def _convert(self, question: ConvertQuestion, sent: Sent) -> AnswerParts:
        """Answer with a file; texts sent without a file are always read as deals."""
        processes, most = self._readers, question.most
        if question.solve:
            processes, most = self._solvers, MOST_SOLVED
        if sent.file is None:
            deals, _ = await self._deals(question, sent)
            text = "\n".join(given.deal.pbn for given in deals)
            sent = sent._replace(file=File("the deals", text.encode()), format="text")
        content = await _of_file(processes, "convert", sent, most, given=_given(question))
        for part in _passed_over(content):
            yield part
        yield "result", content["answer"]

    async def _hands(self, question: HandsQuestion, sent: Sent) -> AnswerParts:
        """Answer about hands, or pairs of them, some at a time."""
        caught: list[WarningMessage] = []

        def answers(some: Sequence[Any]) -> Sequence[Any]:
            with self._loading, catch_warnings(record=True) as own:  # of the whole process
                simplefilter("always")
                found = question.answers(some)
            caught.extend(own)
            return found

        given: Sequence[Any] = read_hands(sent.hands)
        if question.about == "pairs":
            norths, souths = read_hands(sent.pairs[0]), read_partners(sent.pairs[1])
            if len(norths) != len(souths):
                hands, partners = counted(len(norths), "hand"), counted(len(souths), "partner")
                raise RefusedError(f"{hands} and {partners} (expected equally many)")
            given = [*zip(norths, souths, strict=True)]
        for some in _turns(given, question.at_once()):
            for answer in await self._in_thread(answers, some):
                yield "result", answer
        for part in _passed_over(remarks([], caught)):
            yield part

    async def _listed(self) -> AnswerParts:
        for answer in self._models:
            yield "result", answer

    async def _in_process(self, name: str, question: Question, sent: Sent) -> AnswerParts:
        """Answer in a solver process, within the time limit."""
        if isinstance(question, DealQuestion) and question.seed is None and not question.secure:
            question = question.but(seed=fresh_seed())  # the same boards if the process is replaced
        asked: dict[str, Any] = {"name": name, "given": _given(question), "stream": sent.stream}
        left = max(_TO_END * self._seconds, min(_TO_END_SECONDS, self._seconds / 2))
        asked["until"] = time.time() + self._seconds - left
        of_boards = question.about == "deals" or sent.file is not None
        if of_boards:
            asked |= {"deals": [*sent.deals], "content": None} | _sent_file(sent, question.most)
        job = "judge" if of_boards else "ask"
        async with aclosing(self._solvers.run(job, **asked)) as parts:
            async for part in parts:
                yield part

    def _model(self, name: str) -> Batching:
        with self._loading:
            if name not in self._batching:
                self._batching[name] = Batching(Estimator(name, threads=1), self._observe_batch)
            return self._batching[name]

    async def _deals(self, question: Question, sent: Sent) -> tuple[list[GivenDeal], list[Part]]:
        """Return the given deals, and notes on their file."""
        if sent.file is None:
            if len(sent.deals) <= _FEW:
                return [GivenDeal(deal) for deal in read_deals(sent.deals)], []
            deals = await self._in_thread(read_deals, sent.deals)
            return [GivenDeal(deal) for deal in deals], []
        content = await _of_file(self._readers, "read", sent, question.most)
        rows = await self._in_thread(lambda: [given_deal(*row) for row in content["deals"]])
        return rows, _passed_over(content)

    async def _solved(self, deals: Sequence[GivenDeal], of_file: FileTables) -> SolvedRows:
        """Yield the exact tricks of each deal: complete tables of the file, else DDS's."""
        unknown = [given.deal.pbn for given in deals if not given.whole]
        async with aclosing(self._solvers.run("solve", deals=unknown)) as parts:
            for given in deals:
                tricks = given.tricks
                if tricks is None or not given.whole:
                    tricks = np.array((await anext(parts))[1], dtype=np.uint8)
                number = None if given.board is None else given.board.number
                of_file.compare(number, given.tricks, tricks)
                yield given, tricks
            if unknown:
                await anext(parts, None)  # the job is done: keep its process

    async def _in_thread(self, work: Callable[..., Found], *given: Any) -> Found:
        """Return the result of work in a thread shared by all questions.

        Many threads running Python at once would only slow down the event loop.
        """
        return await run_sync(work, *given, abandon_on_cancel=True, limiter=self._one_at_a_time)


async def _unsolved(deals: Sequence[GivenDeal]) -> AsyncGenerator[tuple[GivenDeal, None], None]:
    for given in deals:
        yield given, None


async def _of_file(
    processes: JobProcesses, job: str, sent: Sent, most: int, **more: Any
) -> dict[str, Any]:
    """Return what a process makes of a file."""
    async with aclosing(processes.run(job, **_sent_file(sent, most), **more)) as parts:
        results: list[dict[str, Any]] = [content async for _, content in parts]
    return results[0]


def _sent_file(sent: Sent, most: int) -> dict[str, Any]:
    """Return a file in the form that a job takes."""
    if sent.file is None:
        return {}
    content = b64encode(sent.file.content).decode()
    told = {"from": sent.format, "strict": sent.strict, "most": most}
    return {"name_of_file": sent.file.name, "content": content, **told}


def _given(question: Question) -> dict[str, Any]:
    """Return the given options in the form that a job takes."""
    return {name: getattr(question, name) for name in question.given}


def _check_name(what: str, name: str, expected: Sequence[str], key: str) -> None:
    if name not in expected:
        told = f"no {what} {shorten(name)} (expected one of {', '.join(expected)})"
        raise RefusedError(told, key)


def _check_solved(deals: int) -> None:
    if deals > MOST_SOLVED:
        raise RefusedError(f"{deals} deals to solve (expected at most {MOST_SOLVED})")


def _differing(of_file: FileTables) -> list[Part]:
    """Return notes on tables that are incomplete in the file."""
    return [] if of_file.difference is None else [("notes", [of_file.difference])]


def _passed_over(content: dict[str, Any]) -> list[Part]:
    return [(kind, content[kind]) for kind in PASSED_OVER if content[kind]]


def _turns(rows: Sequence[Row], size: int) -> Iterator[Sequence[Row]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))
