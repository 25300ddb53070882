"""A running simulation: solve some layouts, and estimate as many as that pays for.

An Aim is what the solved layouts are for. A Source supplies layouts, estimates and exact results,
so that benchmarks can replay simulations from layouts solved once.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain
from .choice import PILOT, Lots, Rows, Selection
from .controls import MINIMUM_EXACT, Floats, Means
from .plan import Plan, Spread

_RISK = 0.1  # share of the time of solving alone that trying the network may cost
_STAKE = 0.25  # the same share of a given time; larger, as the network nearly always pays there
_OVER = 0.1  # share of the time of the first solves that estimating more layouts may take
_LITTLE = 0.05  # share of the solving time that estimates may take even if few seem to pay
_LONGEST = 4  # the most solved at the next step, as a multiple of those solved so far
_LEAP = 0.65  # share of the way to the number of solves that seems needed: it is not well known yet
_TRIED = 256  # most layouts estimated to see what they are worth
_NEAR = 1.2  # up to this multiple of the number solved, go all of the way
_SURE = 1.03  # and a little more: stopping at the first lucky check would bias the result
_SHORT = 4  # fewest layouts solved between two checks, if there is time for them
_SET_UP = 0.05  # seconds that dealing takes for any number
_CHUNK = 1024  # layouts estimated per turn
_FIRST_CHUNK = 8  # and in the first turn, which loads the network

Cell = tuple[Strain, Seat]
"""One result of a layout: a strain and a declarer."""


class Aim(ABC):
    """The means that the results of layouts are wanted for."""

    empty: NDArray[Any]
    """An empty array of exact results."""
    usual_cost: float
    """Time of an estimate over that of an exact result, used where no clock may decide."""

    @abstractmethod
    def means(
        self,
        exact: NDArray[Any],
        estimates: NDArray[np.float32] | None,
        chance: Floats | None,
    ) -> Means:
        """Return the means that must reach the precision, from the results of layouts.

        The solved ones come first; ``chance`` is that with which each was chosen, None if all had
        the same.
        """

    def doubts(self, estimates: NDArray[np.float32]) -> Floats | None:
        """Return how far each estimate may be off, (m,), above 0; None for equal chances."""
        return None

    def half_widths(self, estimated: Means) -> Floats:
        """Return half the 95 % intervals of these means."""
        return estimated.half_widths


class Measure(Aim):
    """What is measured in layouts: exact results, and the means wanted of them.

    Estimates are (N, cells, 14), the chances of 0 to 13 tricks in its ``cells``.
    """

    cells: list[Cell]
    """The cells that need estimates."""
    effect = 1.0
    """Factor by which variances of means exceed those of independent layouts."""

    @abstractmethod
    def solve(self, owners: NDArray[np.uint8], workers: int | None) -> Iterator[NDArray[Any]]:
        """Yield exact results of (n, 52) owners, batch by batch, along the first axis."""


class Source(Protocol):
    """Layouts numbered from 0, their estimates and exact results, and a clock."""

    trial: float
    """Seconds that the first estimates take, including loading the network."""

    def deal(self, number: int) -> int:
        """Deal up to ``number`` layouts; return how many there are, fewer if no more are found.

        Raises NoDealsError if too few are found at the first call.
        """

    def estimate(self, start: int, stop: int) -> NDArray[np.float32]:
        """Return the (m, cells, 14) estimates of some layouts."""

    def solve(self, rows: Rows, measure: "Measure | None" = None) -> Iterator[NDArray[Any]]:
        """Yield the exact results of the layouts with these numbers, batch by batch.

        A ``measure`` replaces the source's own.
        """

    def now(self) -> float:
        """Return the time in seconds."""


@dataclass(slots=True)
class Meter:
    """How much work of one kind was done, and in what time."""

    done: int = 0
    seconds: float = 0.0
    _first: tuple[int, float] | None = None

    def end_turn(self, seconds: float) -> None:
        """Add the time of a turn. The first includes loading, so it doesn't count for the pace."""
        self.seconds += seconds
        if self._first is None:
            self._first = self.done, self.seconds

    @property
    def pace(self) -> float:
        """Seconds per item."""
        done, seconds = self._first or (0, 0.0)
        if self.done == done:
            done, seconds = 0, 0.0
        return (self.seconds - seconds) / max(self.done - done, 1)


class Run:
    """A running simulation; ``go`` completes it, and intermediate results are always available."""

    solving: Meter
    estimating: Meter
    dealing: Meter
    stopped: str | None
    """Why fewer were solved than allowed: precision, seconds, max_tries; None if they were not."""

    def __init__(self, source: Source, aim: Aim, plan: Plan, lots: Lots):
        self._source, self._aim, self._plan = source, aim, plan
        self._selection = Selection(lots)
        self._by_doubt = False
        self._exact: list[NDArray[Any]] = [aim.empty]
        self._estimates: list[NDArray[np.float32]] = []
        self.solving, self.estimating, self.dealing = Meter(), Meter(), Meter()
        self.stopped = None
        self._means: tuple[tuple[int, int], Means] | None = None
        self._start = source.now()
        self._most_exact, self._most_samples = plan.most_exact, plan.most_samples

    @property
    def exact(self) -> NDArray[Any]:
        """Exact results of the solved layouts, in the order of ``rows``."""
        return np.concatenate(self._exact)[np.argsort(self._selection.rows)]

    @property
    def rows(self) -> Rows:
        """Numbers of the layouts in the result, the solved ones first."""
        layouts = self.estimating.done if self._has_estimates else self.solving.done
        if self._plan.told:
            layouts = self._most_samples
        return self._selection.in_order(layouts)

    @property
    def estimates(self) -> NDArray[np.float32] | None:
        """Their estimates; None if these do not pay, or if some solved layout has none yet."""
        if not self._has_estimates:
            return None
        return np.concatenate(self._estimates)[self._selection.in_order(self.estimating.done)]

    @property
    def chance(self) -> Floats | None:
        """The chance with which each solved layout was chosen; None if all had the same."""
        return self._selection.chance

    @property
    def _has_estimates(self) -> bool:
        return bool(self._estimates) and self.estimating.done >= self.solving.done

    @property
    def answers(self) -> bool:
        """Whether there is a result to report yet."""
        return self.solving.done >= MINIMUM_EXACT

    def go(self, advance: Callable[[int], None] = lambda done: None) -> None:
        """Solve and estimate until it is enough; call ``advance`` with the number just solved."""
        self._advance, plan = advance, self._plan
        if plan.told:
            self._deal_to(plan.most_samples)
            if plan.most_exact < plan.most_samples:
                self._estimate_to(plan.most_samples)
            self._solve_to(plan.most_exact)
        elif plan.open_ended:
            self._deal_to(PILOT)
            self._solve_until_enough()
        else:
            self._deal_to(plan.most_exact)
            self._solve_to(PILOT)
            self._estimate_to(_TRIED)
            if not self._by_doubt:
                self._solve_to(plan.most_exact)
                self._estimate_to(self.solving.done)
            ratio = self._spread().ratio(self._aim.usual_cost)
            self._drop_estimates_if(ratio == 0)
            if ratio:
                least = _LITTLE / self._aim.usual_cost if self._by_doubt else 0
                self._estimate_to(int(max(ratio, least) * self._most_exact))
            self._solve_to(plan.most_exact)

    def _solve_until_enough(self) -> None:
        self._solve_to(PILOT)
        late, passed = self._is_late(), self._source.now() - self._start
        if self._source.trial < _OVER * passed if late else self._is_worth_a_try():
            self._estimate_to(self.solving.done)
            if not late:
                self._estimate_to(min(_TRIED, int(_OVER / self._cost * self.solving.done)))
            ratio = self._spread().ratio(self._cost)
            self._drop_estimates_if(ratio == 0)
            if ratio and self._is_late():
                ratio = min(ratio, _OVER / self._cost)
                self._estimate_to(math.ceil(ratio * self.solving.done))
        while not self._is_enough():
            self._leap()

    def _is_worth_a_try(self) -> bool:
        """Return whether trying the network costs next to nothing compared with solving alone."""
        layouts = float(self._most_exact)
        if self._plan.precision is not None:
            layouts = min(layouts, self._spread().solves(0, self._plan.precision))
        most = _RISK * layouts * self.solving.pace
        if self._plan.seconds is not None:
            most = min(most, _STAKE * self._plan.seconds)
        return self._source.trial < most

    def _is_enough(self) -> bool:
        precision = self._plan.precision
        if precision is not None:
            widths = self._aim.half_widths(self.means())
            if widths.max() <= precision:
                self.stopped = "precision"
                return True
        if self.solving.done >= self._most_exact:
            self.stopped = "max_tries" if self._most_exact < self._plan.most_exact else None
            return True
        if self._is_late():
            self.stopped = "seconds"
            return True
        return False

    def _leap(self) -> None:
        """Estimate and solve more, most of the way to what seems to be needed."""
        spread, solved = self._spread(), self.solving.done
        ratio = spread.ratio(self._cost, alone=False) if self._estimates else 0.0
        goal, short = float(self._most_exact), _SHORT
        if self._plan.precision is not None:
            needed = spread.solves(ratio, self._plan.precision)
            if needed < _NEAR * solved:
                goal = min(goal, _SURE * needed)
            else:
                goal = min(goal, solved + _LEAP * (needed - solved))
        if self._plan.seconds is not None:
            left = self._plan.seconds - (self._source.now() - self._start)
            done = self.solving.pace * solved + self.estimating.pace * self.estimating.done
            both = self.solving.pace * (1 + ratio * self._cost)
            goal = min(goal, (done + left / 2) / both)
            short = max(1, min(short, int(left / both)))
        goal = min(goal, _LONGEST * solved)
        stop = min(max(math.ceil(goal), solved + short), self._most_exact)
        if ratio:
            most = ratio * stop
            if self._plan.precision is not None:  # fewer suffice if the pilot solved enough
                most = min(most, _SURE * spread.estimates(stop, self._plan.precision))
            self._estimate_to(max(math.ceil(most), stop))
        self._solve_to(stop)

    def means(self) -> Means:
        """Return the means of the current results, computed once."""
        there = self.solving.done, self.estimating.done if self._estimates else 0
        if self._means is None or self._means[0] != there:
            self._means = there, self._aim.means(self.exact, self.estimates, self.chance)
        return self._means[1]

    def _spread(self) -> Spread:
        chosen = self._selection.reach > 0
        doubts = self._selection.doubts if self._by_doubt and not chosen else None
        return Spread.of(self.means(), chosen=chosen, doubts=doubts)

    @property
    def _cost(self) -> float:
        """Return the time to deal and estimate a layout over the time to solve one; above 0."""
        dealing = max(self.dealing.seconds - _SET_UP, 0) / max(self.dealing.done, 1)
        return max(dealing + self.estimating.pace, 1e-9) / max(self.solving.pace, 1e-9)

    def _is_late(self) -> bool:
        seconds = self._plan.seconds
        return seconds is not None and self._source.now() - self._start >= seconds

    def _drop_estimates_if(self, useless: bool) -> None:
        if useless:
            self._estimates, self._by_doubt = [], False

    def _deal_to(self, number: int) -> int:
        """Deal up to a number of layouts and return how many there are."""
        number = min(number, self._most_samples)
        start = self._source.now()
        dealt = self._source.deal(number)
        self.dealing.done = max(self.dealing.done, dealt)
        self.dealing.seconds += self._source.now() - start
        if dealt < number:
            self._most_samples, self._most_exact = dealt, min(dealt, self._most_exact)
        return dealt

    def _estimate_to(self, number: int) -> None:
        number = self._deal_to(number)
        meter = self.estimating
        while meter.done < number:
            start = self._source.now()
            stop = min(number, meter.done + (_CHUNK if meter.done else _FIRST_CHUNK))
            estimates = self._source.estimate(meter.done, stop)
            doubts = self._aim.doubts(estimates)
            self._by_doubt = doubts is not None
            if doubts is not None:
                self._selection.add_doubts(doubts)
            self._estimates.append(estimates)
            meter.done = stop
            meter.end_turn(self._source.now() - start)
            self._advance(0)  # a progress function may stop the work here too

    def _solve_to(self, number: int) -> None:
        number = self._deal_to(number)
        first = min(PILOT, number) if self._by_doubt else number
        if self.solving.done < first:
            self._solve(*self._selection.next_first(first))
        if self.solving.done < number:
            self._solve(*self._selection.next_doubtful(number))

    def _solve(self, rows: Rows, reach: list[int]) -> None:
        """Solve layouts; ``reach`` gives, after each, how many the solved are chosen from."""
        start, done = self._source.now(), 0
        try:
            for part in self._source.solve(rows):
                self._exact.append(part)
                some = slice(done, done + len(part))
                done = some.stop
                self._selection.solved(rows[some], reach[done - 1])
                self.solving.done += len(part)
                self._advance(len(part))
        finally:
            self.solving.end_turn(self._source.now() - start)
