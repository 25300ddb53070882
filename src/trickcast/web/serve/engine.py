"""What the server keeps at hand, models and processes, and the answers it makes with them.

Every question yields its answer in parts: a result for each deal or hand, the very object that the
command line prints, and before the one of a simulation what is known so far. Leaving the
generator ends the work: what a thread computes of it is small, and a process is ended at once.
"""

import asyncio
import os
import time
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from functools import cache, cached_property
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from ... import bidding as openings
from ... import evaluators
from ...answers.deals import estimated_deal, par_answer, par_conditions, solved_deal
from ...answers.hands import (
    BEST_CONTRACTS,
    HandAnswer,
    NearestAnswer,
    OpeningAnswer,
    PairAnswer,
    hand_answer,
    nearest_answer,
    opening_answer,
    pair_answer,
)
from ...answers.held import HeldTables
from ...answers.networks import model_answer
from ...cards import (
    DealSet,
    Hand,
    Seat,
    Strain,
    TrickTable,
    Vulnerability,
    counted,
)
from ...estimator import DEFAULT_MODEL, Estimator
from ...estimator import models as shipped_models
from ...pairs import HandEmbedding, PairEstimator, best_contracts
from .apart import Part, Processes
from .errors import RefusedError
from .given import Given, Sent, Tricks, given_deal, read_deals, read_hands
from .metrics import Metrics
from .questions import File
from .requests import (
    MOST_SOLVED,
    CompareQuestion,
    ConvertQuestion,
    DealsQuestion,
    EstimateQuestion,
    HandQuestion,
    LayoutsQuestion,
    LeadsQuestion,
    ModelsQuestion,
    NearestQuestion,
    OpenQuestion,
    PairQuestion,
    ParQuestion,
    SimulateQuestion,
    SolveQuestion,
)
from .together import Together

_TOGETHER = 64  # deals or hands of a question computed in one turn, after which others have theirs
_FEW = 8  # hands that are opened, or whose like are looked for, in one turn
_IN_TIME = 0.9  # of the time for an answer, after which a simulation answers with what it has

Row = TypeVar("Row")
Found = TypeVar("Found")
Parts = AsyncGenerator[Part, None]
SolvedRows = AsyncGenerator[tuple[Given, Tricks], None]
Rows = SolvedRows | AsyncGenerator[tuple[Given, None], None]


class Engine:
    """Models, each with a thread of its own, and processes that solve, simulate and read files."""

    def __init__(self, metrics: Metrics, *, solvers: int | None = None, seconds: float):
        """Prepare ``solvers`` processes (default: one a core); an answer takes ``seconds``."""
        self.ready = False
        self._seconds = seconds
        self._observe_together = metrics.together.observe
        self._models = [model_answer(info) for info in shipped_models()]  # reads each file
        self._together: dict[str, Together] = {}
        self._pairs = cache(PairEstimator)
        number = solvers or os.cpu_count() or 1
        self._solvers = Processes("solver", number, metrics.waited.observe, behind=True)
        self._readers = Processes("reader", 1, metrics.waited.observe)
        self._one_at_a_time = CapacityLimiter(1)
        self._loading = Lock()

    def load(self) -> None:
        """Load what is asked for most, so that nobody waits for it."""
        self._model(DEFAULT_MODEL)
        self._pairs("accurate")
        self.ready = True

    async def start(self) -> None:
        """Start the processes, so that nobody waits for that."""
        await self._solvers.start()
        await self._readers.start()

    async def close(self) -> None:
        """End threads and processes."""
        with self._loading:
            for together in self._together.values():
                together.close()
        await self._solvers.close()
        await self._readers.close()

    async def estimate(self, question: EstimateQuestion, sent: Sent) -> Parts:
        """Answer as ``trickcast estimate``."""
        self._check_model(question.model)
        deals, told = await self._deals(question, sent)
        for part in told:
            yield part
        if question.exact and len(deals) > MOST_SOLVED:
            raise RefusedError(f"{len(deals)} deals to solve (expected at most {MOST_SOLVED})")
        model = self._together.get(question.model)  # without the lock, which loading others holds
        if model is None:
            model = await run_sync(self._model, question.model)
        held = HeldTables()
        for some in _turns(deals, _TOGETHER):
            dealset = DealSet.from_deals(given.deal for given in some)
            estimates = await asyncio.wrap_future(model.ask(dealset))
            rows: Rows = self._solved(some, held) if question.exact else _unsolved(some)
            number = 0
            async with aclosing(rows):
                async for (deal, board, _), exact in rows:
                    estimate, number = estimates[number], number + 1
                    yield "result", estimated_deal(deal, board, estimate, question.model, exact)
        for part in _differing(held):
            yield part

    async def solve(self, question: SolveQuestion, sent: Sent) -> Parts:
        """Answer as ``trickcast solve``."""
        deals, told = await self._deals(question, sent)
        for part in told:
            yield part
        held = HeldTables()
        async with aclosing(self._solved(deals, held)) as rows:
            async for (deal, board, _), tricks in rows:
                yield "result", solved_deal(deal, board, tricks)
        for part in _differing(held):
            yield part

    async def par(self, question: ParQuestion, sent: Sent) -> Parts:
        """Answer as ``trickcast par``."""
        vulnerable, dealer = question.vulnerable, question.dealer
        told_vulnerable = None if vulnerable is None else Vulnerability.parse(vulnerable)
        told_dealer = None if dealer is None else Seat.parse(dealer)
        deals, told = await self._deals(question, sent)
        for part in told:
            yield part
        held = HeldTables()
        async with aclosing(self._solved(deals, held)) as rows:
            async for (deal, board, _), tricks in rows:
                sides, first = par_conditions(board, told_vulnerable, told_dealer)
                yield "result", par_answer(deal, board, TrickTable(tricks), sides, first)
        for part in _differing(held):
            yield part

    async def convert(self, question: ConvertQuestion, sent: Sent) -> Parts:
        """Answer as ``trickcast convert``: with the file, packed in base64 where it is no text."""
        self._check_model(question.model)
        processes, most = self._readers, question.most
        if question.solve:
            processes, most = self._solvers, MOST_SOLVED
        more = question.model_dump(include={"to", "solve", "estimate", "model"})
        file = sent.file
        if file is None:  # each is a deal, whatever file their texts would make
            deals, _ = await self._deals(question, sent)
            file = File("the deals", "\n".join(given.deal.pbn for given in deals).encode())
            more["from"] = "text"
        content = await _of_file(processes, "convert", question, file, most=most, **more)
        for part in _passed_over(content):
            yield part
        whole = b64decode(content["content"])
        try:
            yield "result", {"format": question.to, "content": whole.decode()}
        except UnicodeDecodeError:
            yield "result", {"format": question.to, "base64": content["content"]}

    def simulate(self, question: SimulateQuestion, sent: Sent) -> Parts:
        """Answer as ``trickcast simulate``."""
        return self._simulated("simulate", question, sent)

    def compare(self, question: CompareQuestion, sent: Sent) -> Parts:
        """Answer as ``trickcast compare``."""
        return self._simulated("compare", question, sent)

    def leads(self, question: LeadsQuestion, sent: Sent) -> Parts:
        """Answer as ``trickcast leads``."""
        return self._simulated("leads", question, sent)

    async def hand(self, question: HandQuestion, _: Sent) -> Parts:
        """Answer as ``trickcast hand``."""
        strain = None if question.trump is None else Strain.parse(question.trump)

        def answers(hands: Sequence[Hand]) -> list[HandAnswer]:
            return [hand_answer(hand, evaluators.describe(hand, strain)) for hand in hands]

        async for part in self._in_turns(answers, read_hands(question.hands), _TOGETHER):
            yield part

    async def pair(self, question: PairQuestion, _: Sent) -> Parts:
        """Answer as ``trickcast pair``."""
        norths, souths = read_hands(question.north), read_hands(question.south)
        if len(norths) != len(souths):
            hands, partners = counted(len(norths), "hand"), counted(len(souths), "partner")
            raise RefusedError(f"{hands} and {partners} (expected equally many)")
        vulnerable = Vulnerability.parse(question.vulnerable)

        def answers(pairs: Sequence[tuple[Hand, Hand]]) -> list[PairAnswer]:
            with self._loading:
                estimator = self._pairs(question.model)
            estimates = estimator(*map(list, zip(*pairs, strict=True)))
            return [
                pair_answer(
                    pair,
                    estimates[i],
                    best_contracts(estimates[i], vulnerable, BEST_CONTRACTS),
                    vulnerable,
                    question.model,
                )
                for i, pair in enumerate(pairs)
            ]

        pairs = [*zip(norths, souths, strict=True)]
        async for part in self._in_turns(answers, pairs, _TOGETHER):
            yield part

    async def open(self, question: OpenQuestion, _: Sent) -> Parts:
        """Answer as ``trickcast open``."""
        name, number = question.system, question.nearest
        if name not in openings.names():
            expected = ", ".join(openings.names())
            raise RefusedError(f"no opening system {name!r} (expected one of {expected})")

        def answers(hands: Sequence[Hand]) -> list[OpeningAnswer]:
            with self._loading:
                system, near = _system(name), _near(name) if number else None
            return [
                opening_answer(
                    system.explain(hand), () if near is None else near.nearest(hand, number)
                )
                for hand in hands
            ]

        async for part in self._in_turns(answers, read_hands(question.hands), _FEW):
            yield part

    async def nearest(self, question: NearestQuestion, _: Sent) -> Parts:
        """Answer as ``trickcast nearest``."""
        plus, minus = (
            None if text is None else Hand(text) for text in (question.plus, question.minus)
        )

        def answers(hands: Sequence[Hand]) -> list[NearestAnswer]:
            with self._loading:
                embedding, index = self._embedding, self._embedding.searched
            if plus is None or minus is None:
                near = embedding.nearest(hands, question.k, index)
            else:
                near = [
                    embedding.analogy(hand, plus=plus, minus=minus, k=question.k, hands=index)
                    for hand in hands
                ]
            return [nearest_answer(*row) for row in zip(hands, near, strict=True)]

        async for part in self._in_turns(answers, read_hands(question.hands), _FEW):
            yield part

    async def models(self, _: ModelsQuestion, __: Sent) -> Parts:
        """Answer as ``trickcast models``."""
        for answer in self._models:
            yield "result", answer

    @cached_property
    def _embedding(self) -> HandEmbedding:
        return HandEmbedding()

    def _check_model(self, name: str) -> None:
        names = [answer["name"] for answer in self._models]
        if name not in names:
            expected = ", ".join(names)
            raise RefusedError(f"no model {name!r} (expected one of {expected})")

    def _model(self, name: str) -> Together:
        with self._loading:
            if name not in self._together:
                self._together[name] = Together(Estimator(name, threads=1), self._observe_together)
            return self._together[name]

    async def _deals(self, question: DealsQuestion, sent: Sent) -> tuple[list[Given], list[Part]]:
        """Return the deals that were given, and what is to be told of their file."""
        if sent.file is None:
            if len(question.deals) <= _FEW:
                return [Given(deal) for deal in read_deals(question.deals)], []
            deals = await self._in_thread(read_deals, question.deals)
            return [Given(deal) for deal in deals], []
        content = await _of_file(self._readers, "read", question, sent.file)
        rows = await self._in_thread(lambda: [given_deal(*row) for row in content["deals"]])
        return rows, _passed_over(content)

    async def _solved(self, deals: Sequence[Given], held: HeldTables) -> SolvedRows:
        """Yield the exact tricks of deal after deal: the file's whole tables, else DDS's."""
        unknown = [given.deal.pbn for given in deals if not given.whole]
        async with aclosing(self._solvers.run("solve", deals=unknown)) as parts:
            for given in deals:
                tricks = given.tricks
                if tricks is None or not given.whole:
                    tricks = np.array((await anext(parts))[1], dtype=np.uint8)
                number = None if given.board is None else given.board.number
                held.compare(number, given.tricks, tricks)
                yield given, tricks
            if unknown:
                await anext(parts, None)  # the job is done: its process is kept

    async def _in_turns(
        self, answers: Callable[[Sequence[Row]], Sequence[Any]], rows: Sequence[Row], size: int
    ) -> Parts:
        """Yield the answers that a thread finds, some at a time."""
        for some in _turns(rows, size):
            for answer in await self._in_thread(answers, some):
                yield "result", answer

    async def _in_thread(self, work: Callable[..., Found], *given: Any) -> Found:
        """Return what a thread finds, one for all questions.

        Many that run Python at the same time would only keep the loop from its turn.
        """
        return await run_sync(work, *given, abandon_on_cancel=True, limiter=self._one_at_a_time)

    async def _simulated(self, job: str, question: LayoutsQuestion, sent: Sent) -> Parts:
        if question.model is not None:
            self._check_model(question.model)
        asked = question.model_dump() | {"stream": sent.stream}
        asked["until"] = time.time() + _IN_TIME * self._seconds
        async with aclosing(self._solvers.run(job, **asked)) as parts:
            async for part in parts:
                yield part


async def _unsolved(deals: Sequence[Given]) -> AsyncGenerator[tuple[Given, None], None]:
    for given in deals:
        yield given, None


async def _of_file(
    processes: Processes, job: str, question: DealsQuestion, file: File, **more: Any
) -> dict[str, Any]:
    """Return what a process makes of a file."""
    content = b64encode(file.content).decode()
    told = {"from": question.format, "strict": question.strict, "most": question.most}
    asked = {"name": file.name, "content": content, **told, **more}
    async with aclosing(processes.run(job, **asked)) as parts:
        results: list[dict[str, Any]] = [content async for _, content in parts]
    return results[0]


def _differing(held: HeldTables) -> list[Part]:
    """Return what is to be told of tables that the file holds in part."""
    return [] if held.difference is None else [("notes", [held.difference])]


def _passed_over(content: dict[str, Any]) -> list[Part]:
    return [(kind, content[kind]) for kind in ("skipped", "notes") if content[kind]]


def _turns(rows: Sequence[Row], size: int) -> Iterator[Sequence[Row]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


@cache
def _system(name: str) -> openings.OpeningSystem:
    return openings.load(name)


@cache
def _near(name: str) -> openings.NearestSystem:
    return openings.NearestSystem(openings.own_labelled(_system(name)))
