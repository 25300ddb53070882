"""Dealing layouts, estimating all of them, and solving the first of them until it is enough."""

import operator
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._progress import progress_bar
from ..cards import DealSet
from ..dealing import Constraints
from ..estimator import DEFAULT_MODEL, Estimator
from .controls import MINIMUM_EXACT

_ROUND = 40  # layouts solved between two looks at the precision; of DDS's batch of tables
_SHORT_ROUND = 10  # between two looks at the clock

Solve = Callable[[NDArray[np.uint8]], Iterator[NDArray[np.uint8]]]
"""Exact results of (n, 52) owners, batch by batch, along the first axis."""


class SimulationError(ValueError):
    """A simulation is asked for something that cannot be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is dealt, estimated and solved. Raises SimulationError for what cannot be done."""

    samples: int
    """Layouts dealt, and estimated."""
    exact: int
    """Layouts of them that are solved too, at most."""
    seed: int
    precision: float | None = None
    """Half the width of the 95 % interval at which solving stops."""
    seconds: float | None = None
    """Time after which solving stops, counted from the start."""

    def __post_init__(self) -> None:
        for name in ("samples", "exact", "seed"):
            object.__setattr__(self, name, operator.index(getattr(self, name)))
        if self.samples < 1:
            raise SimulationError(f"samples is {self.samples} (expected 1 or more)")
        if self.exact != 0 and self.exact < MINIMUM_EXACT:
            raise SimulationError(
                f"exact is {self.exact} (expected {MINIMUM_EXACT} or more, for an interval from "
                "fewer means nothing, or 0 for estimates without intervals)"
            )
        if self.exact > self.samples:
            raise SimulationError(
                f"exact is {self.exact} and samples {self.samples} (expected exact <= samples: the "
                "solved layouts are some of them)"
            )
        for name, value in (("precision", self.precision), ("seconds", self.seconds)):
            if value is not None and not 0 < value < np.inf:
                raise SimulationError(f"{name} is {value} (expected a number above 0)")
            if value is not None and self.exact == 0:
                raise SimulationError(f"{name} needs exact results (exact is 0)")


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that the parts of a simulation took."""

    dealing: float
    estimating: float
    solving: float


@dataclass(frozen=True, slots=True)
class Layouts:
    """N dealt layouts, what the network says of all, and what DDS says of the first n."""

    deals: DealSet
    probabilities: NDArray[np.float32] | None
    """(N, 5, 4, 14), or None where all layouts are solved."""
    exact: NDArray[np.uint8]
    """Exact results of the first n layouts, n along the first axis."""
    clock: Clock
    stopped: str | None
    """Why fewer layouts were solved than the plan allowed: precision, seconds or interrupt."""


def lay_out(
    constraints: Constraints,
    plan: Plan,
    solve: Solve,
    half_width: Callable[[NDArray[np.float32] | None, NDArray[np.uint8]], float],
    *,
    model: Any = None,
    workers: int | None = None,
    max_tries: int,
    progress: bool = False,
    keep_on_interrupt: bool = False,
) -> Layouts:
    """Deal, estimate and solve as planned.

    ``half_width(probabilities, exact)`` is asked for when there is a precision to reach. With
    ``keep_on_interrupt``, Ctrl-C while solving ends the solving and keeps what is enough for an
    interval. Raises NoDealsError where too few layouts fit, ModelError for a bad model.
    """
    start = time.monotonic()
    whole = plan.exact == plan.samples and plan.precision is None and plan.seconds is None
    estimator = None if whole else Estimator(model or DEFAULT_MODEL, threads=workers)
    deals = constraints.deals(plan.samples, plan.seed, max_tries)
    dealt = time.monotonic()
    probabilities = None if estimator is None else estimator(deals).probabilities
    estimated = time.monotonic()
    parts: list[NDArray[np.uint8]] = []
    stopped = None
    with progress_bar("solving", plan.exact, "layouts", show=progress) as advance:
        try:
            for part in _rounds(deals, plan, solve, start, parts, probabilities, half_width):
                advance(part)
        except KeyboardInterrupt:
            if not (keep_on_interrupt and sum(map(len, parts)) >= MINIMUM_EXACT):
                raise
            stopped = "interrupt"
    exact = np.concatenate(parts) if parts else np.empty((0, 5, 4), dtype=np.uint8)
    if stopped is None and len(exact) < plan.exact:
        late = plan.seconds is not None and time.monotonic() - start >= plan.seconds
        reached = plan.precision is not None and half_width(probabilities, exact) <= plan.precision
        stopped = "precision" if reached or not late else "seconds"
    clock = Clock(dealt - start, estimated - dealt, time.monotonic() - estimated)
    return Layouts(deals, probabilities, exact, clock, stopped)


def _rounds(
    deals: DealSet,
    plan: Plan,
    solve: Solve,
    start: float,
    parts: list[NDArray[np.uint8]],
    probabilities: NDArray[np.float32] | None,
    half_width: Callable[[NDArray[np.float32] | None, NDArray[np.uint8]], float],
) -> Iterator[int]:
    """Solve until it is enough, adding to ``parts``, and yield how many were just solved."""
    solved, goal = 0, plan.exact
    if plan.precision is not None:
        goal = min(plan.exact, _ROUND)
    while solved < plan.exact:
        size = goal - solved if plan.seconds is None else min(goal - solved, _SHORT_ROUND)
        if solved == 0:
            size = max(size, MINIMUM_EXACT)
        for part in solve(deals.owners[solved : solved + size]):
            parts.append(part)
            solved += len(part)
            yield len(part)
        if plan.seconds is not None and time.monotonic() - start >= plan.seconds:
            return
        if solved >= goal and plan.precision is not None:
            width = half_width(probabilities, np.concatenate(parts))
            if width <= plan.precision:
                return
            # errors shrink with the root of the number solved; at most doubling keeps the looks few
            needed = min(2.0, (width / plan.precision) ** 2) * solved
            goal = min(plan.exact, max(solved + _ROUND, int(needed)))
