"""What the server keeps at hand, models and solvers, and the answers it makes with them.

Every method takes a question and returns the very answers that the command line prints. They are
called by many threads at once, each of which waits for its own answer.
"""

import os
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as LateError
from contextlib import contextmanager
from functools import cache, cached_property
from threading import BoundedSemaphore, Lock

from ... import evaluators, openings
from ...answers.deals import (
    EstimatedDeal,
    ParAnswer,
    SolvedDeal,
    estimated_deal,
    par_answer,
    solved_deal,
)
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
from ...answers.networks import ModelAnswer, model_answer
from ...cards import Deal, DealError, DealSet, Hand, Seat, Strain, TrickTable, Vulnerability
from ...embedding import HandEmbedding, PairEstimator, best_contracts
from ...estimator import DEFAULT_MODEL, Estimator, TrickEstimate
from ...estimator import models as shipped_models
from ...solver.apart import SolverProcesses
from .metrics import Metrics
from .requests import (
    MOST_SOLVED,
    EstimateQuestion,
    HandQuestion,
    NearestQuestion,
    OpenQuestion,
    PairQuestion,
    ParQuestion,
    SolveQuestion,
)
from .together import Together


class RefusedError(ValueError):
    """A question that cannot be answered as it is; the message says what was expected."""


class BusyError(RuntimeError):
    """There was no answer in time; the same question may be asked again."""


class Engine:
    """Models, each with a thread of its own, and solvers, each a process of its own."""

    def __init__(self, metrics: Metrics, *, solvers: int | None = None, seconds: float):
        """Prepare ``solvers`` processes (default: one a core); an answer takes ``seconds``."""
        processes = solvers or os.cpu_count() or 1
        self.ready = False
        self._metrics, self._seconds = metrics, seconds
        self._names = [info.name for info in shipped_models()]
        self._together: dict[str, Together] = {}
        self._pairs = cache(PairEstimator)
        self._solvers = SolverProcesses(processes, tries=2, timeout=seconds)
        self._free_solvers = BoundedSemaphore(processes)
        self._loading = Lock()

    def load(self) -> None:
        """Load what is asked for most, so that nobody waits for it."""
        self._model(DEFAULT_MODEL)
        self._pairs("accurate")
        self.ready = True

    def close(self) -> None:
        """End threads and processes."""
        with self._loading:
            for together in self._together.values():
                together.close()
        self._solvers.close()

    def estimate(self, question: EstimateQuestion) -> list[EstimatedDeal]:
        """Answer as ``trickcast estimate``."""
        deals = read_deals(question.deals)
        if question.exact and len(deals) > MOST_SOLVED:
            raise RefusedError(f"{len(deals)} deals to solve (expected at most {MOST_SOLVED})")
        if question.model not in self._names:
            expected = ", ".join(self._names)
            raise RefusedError(f"no model {question.model!r} (expected one of {expected})")
        estimates = self._estimate(deals, question.model)
        exact = self._solve(deals).tricks if question.exact else None
        return [
            estimated_deal(
                deal, None, estimates[i], question.model, None if exact is None else exact[i]
            )
            for i, deal in enumerate(deals)
        ]

    def solve(self, question: SolveQuestion) -> list[SolvedDeal]:
        """Answer as ``trickcast solve``."""
        deals = read_deals(question.deals)
        tricks = self._solve(deals).tricks
        return [solved_deal(deal, None, tricks[i]) for i, deal in enumerate(deals)]

    def par(self, question: ParQuestion) -> list[ParAnswer]:
        """Answer as ``trickcast par``."""
        vulnerable, dealer = Vulnerability.parse(question.vulnerable), Seat.parse(question.dealer)
        deals = read_deals(question.deals)
        tables = self._solve(deals)
        return [
            par_answer(deal, None, tables[i], vulnerable, dealer) for i, deal in enumerate(deals)
        ]

    def hand(self, question: HandQuestion) -> list[HandAnswer]:
        """Answer as ``trickcast hand``."""
        strain = None if question.trump is None else Strain.parse(question.trump)
        hands = read_hands(question.hands)
        return [hand_answer(hand, evaluators.describe(hand, strain)) for hand in hands]

    def pair(self, question: PairQuestion) -> list[PairAnswer]:
        """Answer as ``trickcast pair``."""
        norths, souths = read_hands(question.north), read_hands(question.south)
        if len(norths) != len(souths):
            raise RefusedError(f"{len(norths)} hands and {len(souths)} partners (expected as many)")
        vulnerable = question.vulnerable
        Vulnerability.parse(vulnerable)
        with self._loading:
            estimator = self._pairs(question.model)
        estimates = estimator(norths, souths)
        return [
            pair_answer(
                hands,
                estimates[i],
                best_contracts(estimates[i], vulnerable, BEST_CONTRACTS),
                vulnerable,
                question.model,
            )
            for i, hands in enumerate(zip(norths, souths, strict=True))
        ]

    def open(self, question: OpenQuestion) -> list[OpeningAnswer]:
        """Answer as ``trickcast open``."""
        hands = read_hands(question.hands)
        if question.system not in openings.names():
            expected = ", ".join(openings.names())
            raise RefusedError(
                f"no opening system {question.system!r} (expected one of {expected})"
            )
        with self._loading:
            system = _system(question.system)
            near = _near(question.system) if question.nearest else None
        return [
            opening_answer(
                system.explain(hand), () if near is None else near.nearest(hand, question.nearest)
            )
            for hand in hands
        ]

    def nearest(self, question: NearestQuestion) -> list[NearestAnswer]:
        """Answer as ``trickcast nearest``."""
        if (question.plus is None) != (question.minus is None):
            raise RefusedError("plus and minus go together")
        hands = read_hands(question.hands)
        with self._loading:
            embedding, index = self._embedding, self._embedding.searched
        if question.plus is None or question.minus is None:
            near = embedding.nearest(hands, question.k, index)
        else:
            plus, minus = Hand(question.plus), Hand(question.minus)
            near = [
                embedding.analogy(hand, plus=plus, minus=minus, k=question.k, hands=index)
                for hand in hands
            ]
        return [nearest_answer(*row) for row in zip(hands, near, strict=True)]

    def models(self) -> list[ModelAnswer]:
        """Answer as ``trickcast models``."""
        return [model_answer(info) for info in shipped_models()]

    @cached_property
    def _embedding(self) -> HandEmbedding:
        return HandEmbedding()

    def _model(self, name: str) -> Together:
        with self._loading:
            if name not in self._together:
                self._together[name] = Together(
                    Estimator(name, threads=1), self._metrics.together.observe
                )
            return self._together[name]

    def _estimate(self, deals: DealSet, model: str) -> TrickEstimate:
        future = self._model(model).ask(deals)
        try:
            return future.result(self._seconds)
        except (LateError, CancelledError):
            future.cancel()
            raise BusyError(f"no estimate within {self._seconds:g} seconds") from None

    def _solve(self, deals: DealSet) -> TrickTable:
        with self._solver():
            return self._solvers.solve(deals)

    @contextmanager
    def _solver(self) -> Iterator[None]:
        """Hold one of the solvers. Raises BusyError where none gets free in time."""
        start = time.monotonic()
        if not self._free_solvers.acquire(timeout=self._seconds):
            raise BusyError(f"no solver was free within {self._seconds:g} seconds")
        try:
            self._metrics.waited.observe(time.monotonic() - start)
            yield
        finally:
            self._free_solvers.release()


def read_deals(texts: list[str]) -> DealSet:
    """Read deals. Raises DealError, naming the index of a bad one where they are many."""
    return DealSet.from_deals([Deal(texts[0])] if len(texts) == 1 else texts)


def read_hands(texts: list[str]) -> list[Hand]:
    """Read hands. Raises DealError, naming the index of a bad one where they are many."""
    hands = []
    for i, text in enumerate(texts):
        try:
            hands.append(Hand(text))
        except DealError as error:
            raise DealError(f"hand {i}: {error}" if len(texts) > 1 else str(error)) from None
    return hands


@cache
def _system(name: str) -> openings.OpeningSystem:
    return openings.load(name)


@cache
def _near(name: str) -> openings.NearestSystem:
    return openings.NearestSystem(openings.own_labelled(_system(name)))
