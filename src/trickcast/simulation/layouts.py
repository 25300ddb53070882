"""The layouts of a simulation: dealt, estimated by the network, and some of them solved."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import DealSet
from ..dealing import Constraints, NoDealsError
from ..dealing.constrained import MAX_TRIES
from ..estimator import DEFAULT_MODEL, Estimator
from ..estimator.files import locate
from .controls import MINIMUM_EXACT
from .plan import Plan
from .run import Question, Run

# seconds, with the default model on one core:
_TRIAL = 0.003  # to estimate a pilot, for each strain and once more
_LOADING = 0.07  # and to load ONNX Runtime and the model

_loaded: dict[tuple[str, int | None, int], Estimator] = {}


class Asked(TypedDict, total=False):
    """The keywords that all simulations take; ``simulate`` tells what they mean."""

    north: Any
    east: Any
    south: Any
    west: Any
    condition: Any
    samples: int | None
    exact: int | None
    seed: int
    model: Any
    precision: float | None
    seconds: float | None
    workers: int | None
    max_tries: int
    progress: bool
    keep_on_interrupt: bool


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
    """(N, cells, 14) for the cells of the question; None where the network was not used: all is
    solved, or it did not pay."""
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
        strains = {strain for strain, _ in question.cells}
        self.trial = _TRIAL * (1 + len(strains)) + (0 if self._model in _loaded else _LOADING)

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
        """Return the (m, cells, 14) estimates of some layouts."""
        if self._model not in _loaded:
            _loaded[self._model] = Estimator(self._model[0], threads=self._workers)
        strains = [strain for strain, _ in self._question.cells]
        asked = list(dict.fromkeys(strains))
        found = _loaded[self._model].probabilities(self.deals[start:stop], asked)
        places = [asked.index(strain) for strain in strains]
        return found[:, places, [seat for _, seat in self._question.cells]]

    def solve(self, start: int, stop: int) -> Iterator[NDArray[Any]]:
        """Yield the exact results of some layouts, batch by batch."""
        return self._question.solve(self.deals.owners[start:stop], self._workers)

    def now(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()


def lay_out(
    question: Question,
    *,
    north: Any = None,
    east: Any = None,
    south: Any = None,
    west: Any = None,
    condition: Any = None,
    samples: int | None = None,
    exact: int | None = None,
    seed: int = 0,
    model: Any = None,
    precision: float | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    max_tries: int = MAX_TRIES,
    progress: bool = False,
    keep_on_interrupt: bool = False,
) -> Layouts:
    """Deal, estimate and solve what a question needs, asked as ``simulate`` says.

    With ``keep_on_interrupt``, Ctrl-C ends the work and keeps what is enough for an interval.
    Raises SimulationError for numbers that cannot be, ConstraintError and DealError for seats that
    cannot, NoDealsError where too few layouts fit, ModelError for a bad model.
    """
    plan = Plan(samples=samples, exact=exact, precision=precision, seconds=seconds)
    constraints = Constraints(north=north, east=east, south=south, west=west, condition=condition)
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
    estimates, results = run.estimates, run.exact
    used = len(results) if estimates is None else len(estimates)
    if plan.told:
        used = plan.most_samples
    clock = Clock(run.dealing.seconds, run.estimating.seconds, run.solving.seconds)
    return Layouts(source.deals[:used], estimates, results, clock, stopped, plan.open_ended)


Function = TypeVar("Function", bound=Callable[..., Any])


def lays_out(function: Function) -> Function:
    """Show the keywords of ``lay_out`` to help() and editors, where ``**asked`` stands for them."""
    own = signature(function)
    parameters = [one for one in own.parameters.values() if one.kind is Parameter.KEYWORD_ONLY]
    parameters += [*signature(lay_out).parameters.values()][1:]
    function.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function
