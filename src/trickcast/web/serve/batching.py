"""Compute simultaneous estimates together.

One thread per model batches whatever is queued and splits the results; it never waits
for more. Batching lowers the cost per deal, so the busier the server, the cheaper.
"""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread

from ...cards import DealSet
from ...estimator import TrickEstimate

_MOST = 1024  # deals in a batch, so that it ends within seconds


@dataclass(frozen=True)
class _Question:
    deals: DealSet
    answer: "Future[TrickEstimate]" = field(default_factory=Future)


class Batching:
    """One model's thread. ``compute`` estimates a DealSet; ``observe`` receives the batch size."""

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
        """Queue deals; the future holds their estimates, or the exception from computing them.

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
        except Exception as error:  # raised again by each caller
            for question in batch:
                question.answer.set_exception(error)
            return
        start = 0
        for question in batch:
            end = start + len(question.deals)
            question.answer.set_result(estimates[start:end])
            start = end
