"""Estimates that are asked for at the same time, computed together.

A thread takes all that is queued, computes it as one batch and splits the answers; it never waits
for more to come. A batch costs less a deal than one by one, so the busier, the cheaper.
"""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread

from ...cards import DealSet
from ...estimator import TrickEstimate

_MOST = 1024  # deals in a batch: it ends within seconds


@dataclass(frozen=True)
class _Question:
    deals: DealSet
    answer: "Future[TrickEstimate]" = field(default_factory=Future)


class Batching:
    """One model's thread. ``compute`` estimates a DealSet; ``observe`` hears how many at once."""

    def __init__(
        self,
        compute: Callable[[DealSet], TrickEstimate],
        observe: Callable[[int], object] = lambda requests: None,
    ):
        self._compute, self._observe = compute, observe
        self._asked: SimpleQueue[_Question | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="estimates", daemon=True)
        self._thread.start()

    def ask(self, deals: DealSet) -> "Future[TrickEstimate]":
        """Queue deals; the future holds their estimates, or what computing them raised.

        A future that is cancelled before its turn costs nothing.
        """
        question = _Question(deals)
        self._asked.put(question)
        return question.answer

    def close(self) -> None:
        """Answer what is queued, and end the thread."""
        self._asked.put(None)
        self._thread.join()

    def _run(self) -> None:
        closing = False
        while not closing:
            batch: list[_Question] = []
            size = 0
            while not batch or (size < _MOST and not self._asked.empty()):
                question = self._asked.get()
                if question is None:
                    closing = True
                    break
                if question.answer.set_running_or_notify_cancel():
                    batch.append(question)
                    size += len(question.deals)
            if batch:
                self._observe(len(batch))
                self._answer(batch)

    def _answer(self, batch: list[_Question]) -> None:
        try:
            estimates = self._compute(DealSet.concatenate(question.deals for question in batch))
        except Exception as error:  # it is the askers', each of whom raises it
            for question in batch:
                question.answer.set_exception(error)
            return
        start = 0
        for question in batch:
            end = start + len(question.deals)
            question.answer.set_result(estimates[start:end])
            start = end
