"""The layouts of a simulation: dealt, estimated by the network, and some of them solved."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import DealSet
from ..dealing import Constraints, NoDealsError
from ..estimator import DEFAULT_MODEL, Estimator
from ..estimator.files import locate
from .controls import MINIMUM_EXACT
from .plan import Plan
from .run import Question, Run

_TRIAL = 0.04  # seconds, with the default model on one core: to estimate a pilot
_LOADING = 0.11  # and to load ONNX Runtime and the model

_loaded: dict[tuple[str, int | None, int], Estimator] = {}


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that the parts of a simulation took."""

    dealing: float
    estimating: float
    """With the loading of the network."""
    solving: float


@dataclass(frozen=True, slots=True)
class Layouts:
    """N dealt layouts, what the network says of all, and what DDS says of the first n."""

    deals: DealSet
    probabilities: NDArray[np.float32] | None
    """(N, 5, 4, 14), or None where the network was not used: all is solved, or it did not pay."""
    exact: NDArray[Any]
    """Exact results of the first n layouts, n along the first axis."""
    clock: Clock
    stopped: str | None
    """Why fewer layouts were solved than allowed: precision, seconds, interrupt or max_tries."""
    timed: bool
    """Whether a precision or the clock ended the solving."""


class LiveSource:
    """Layouts dealt under constraints, estimated by a network and solved by DDS.

    Raises ModelError for a model that is none, NoDealsError where too few layouts fit.
    """

    deals: DealSet

    def __init__(
        self,
        constraints: Constraints,
        question: Question,
        *,
        seed: int,
        model: Any,
        workers: int | None,
        max_tries: int,
    ):
        self._constraints, self._question = constraints, question
        self._seed, self._workers, self._max_tries = seed, workers, max_tries
        name = os.fspath(model or DEFAULT_MODEL)
        file, _ = locate(name)  # an unknown model is an error even where none is needed
        self._model = name, workers, file.stat().st_mtime_ns if file.exists() else 0
        self.deals = DealSet(np.empty((0, 52), dtype=np.uint8))
        self.trial = _TRIAL + (0 if self._model in _loaded else _LOADING)

    def deal(self, number: int) -> int:
        """Have ``number`` layouts, or all that can be found."""
        have = len(self.deals)
        if number > have:  # more than asked for, as all are dealt again
            try:
                wanted = max(number, 2 * have)
                self.deals = self._constraints.deals(wanted, self._seed, self._max_tries)
            except NoDealsError as error:
                if have == 0:
                    raise
                self.deals = error.deals
        return min(number, len(self.deals))

    def estimate(self, start: int, stop: int) -> NDArray[np.float32]:
        """Return the (m, 5, 4, 14) estimates of some layouts."""
        if self._model not in _loaded:
            _loaded[self._model] = Estimator(self._model[0], threads=self._workers)
        return _loaded[self._model](self.deals[start:stop]).probabilities

    def solve(self, start: int, stop: int) -> Iterator[NDArray[Any]]:
        """Yield the exact results of some layouts, batch by batch."""
        return self._question.solve(self.deals.owners[start:stop], self._workers)

    def now(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()


def lay_out(
    constraints: Constraints,
    question: Question,
    plan: Plan,
    *,
    seed: int,
    model: Any,
    workers: int | None,
    max_tries: int,
    progress: bool,
    keep_on_interrupt: bool,
) -> Layouts:
    """Deal, estimate and solve as planned.

    With ``keep_on_interrupt``, Ctrl-C ends the work and keeps what is enough for an interval.
    Raises NoDealsError where too few layouts fit, ModelError for a bad model.
    """
    source = LiveSource(
        constraints, question, seed=seed, model=model, workers=workers, max_tries=max_tries
    )
    run = Run(source, question, plan)
    total = None if plan.open_ended else plan.most_exact
    stopped = None
    with progress_bar("solving", total, "layouts", show=progress) as advance:
        try:
            run.go(advance)
            stopped = run.stopped
        except KeyboardInterrupt:
            if not (keep_on_interrupt and run.solving.done >= MINIMUM_EXACT):
                raise
            stopped = "interrupt"
    estimates, exact = run.estimates, run.exact
    used = len(exact) if estimates is None else len(estimates)
    if plan.told:
        used = plan.most_samples
    clock = Clock(run.dealing.seconds, run.estimating.seconds, run.solving.seconds)
    return Layouts(source.deals[:used], estimates, exact, clock, stopped, plan.open_ended)
