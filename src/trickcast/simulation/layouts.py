"""The layouts of a simulation: dealt, estimated by the network, and some of them solved."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._pieces import check_cluster, connected, over_pieces
from .._progress import Advance, progress_bar
from ..bidding import AuctionLayouts, AuctionReading, loaded_bidder
from ..bidding.auction_layouts import tell
from ..cards import DealSet, Seat, Vulnerability
from ..dealing import Constraints, NoDealsError
from ..dealing.shuffling import RandomWords, checked_seed
from ..estimator import is_loaded, loaded
from ..solver import thread_count
from .choice import Rows
from .controls import Floats
from .plan import Plan
from .run import Measure, Run, Source
from .survey import Survey, Wanted
from .tricks import trick_finder

CORRECTED_MODEL = "fast"
"""The network used where solved layouts correct it: the larger one explains more, but not enough
to justify its time (docs/log/simulation.md). Without solved layouts the default one is used."""

# seconds, with this model on one core:
_TRIAL = 0.0004  # to estimate a pilot, for each strain and once more
_LOADING = 0.06  # to load ONNX Runtime and the model
_STEP = 8  # layouts solved between two progress checks
_BETWEEN = 0.2  # seconds between two progress reports
_PIECE = 1_000_000
"""Estimates of one strain that take a core ten seconds; a cluster receives as many layouts as it
can solve in that time."""

_LOTS = 1 << 64
"""The block of random words that chooses layouts; dealing never reaches it."""

Simulated = TypeVar("Simulated")


@dataclass(frozen=True, slots=True)
class Work:
    """How layouts are dealt, estimated and solved; ``simulate`` documents the names.

    Raises ValueError for ``workers`` below one.
    """

    seed: int
    model: Any
    workers: int | None
    max_tries: int
    progress: "bool | Callable[[Layouts], object]"
    """Whether to show a bar; or a function that receives the layouts so far."""
    keep_on_interrupt: bool
    cluster: str | None = None
    """The cluster that solves layouts."""
    auction: AuctionReading | None = None
    """The auction, if layouts must fit it."""

    def __post_init__(self) -> None:
        if self.workers is not None:  # before a cluster is started or contacted
            thread_count(self.workers)


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that the parts of a simulation took."""

    dealing: float
    estimating: float
    """Includes loading the network."""
    solving: float


@dataclass(frozen=True, slots=True)
class Layouts:
    """N dealt layouts, with estimates of all and exact results of n of them."""

    deals: DealSet
    """The solved layouts first."""
    probabilities: NDArray[np.float32] | None
    """(N, cells, 14) for the cells of the measure; None if the network was not used: all were
    solved, or it did not pay."""
    exact: NDArray[Any]
    """Exact results of the first n layouts, n along the first axis."""
    chance: Floats | None
    """The chance with which each of these was chosen; None if all had the same."""
    clock: Clock
    stopped: str | None
    """Why fewer layouts were solved than allowed: precision, seconds, interrupt or max_tries."""
    timed: bool
    """Whether a precision or the clock ended the solving."""
    ongoing: bool = False
    """Whether more layouts will be solved."""
    effect: float = 1.0
    """Factor by which variances of means exceed those of independent layouts."""


class LiveSource:
    """Layouts dealt under constraints, estimated by a network and solved by DDS.

    Raises ModelError for an invalid model, NoDealsError if too few layouts fit.
    """

    deals: DealSet

    def __init__(self, dealer: Constraints | AuctionLayouts, measure: Measure, work: Work):
        self._dealer, self._measure, self._work = dealer, measure, work
        self.deals = DealSet(np.empty((0, 52), dtype=np.uint8))
        # an unknown model is an error even if none is needed
        is_there = is_loaded(work.model, work.workers)
        strains = {strain for strain, _ in measure.cells}
        self.trial = _TRIAL * (1 + len(strains)) + (0 if is_there else _LOADING)

    def deal(self, number: int) -> int:
        """Deal up to ``number`` layouts, fewer if no more can be found; return their number."""
        have = len(self.deals)
        if number > have:  # deal extra, because dealing starts over each time
            try:
                wanted = max(number, 2 * have)
                self.deals = self._dealer.deals(wanted, self._work.seed, self._work.max_tries)
            except NoDealsError as error:
                if have == 0:
                    raise
                self.deals = error.deals
            self._measure.effect = self._dealer.effect
        return min(number, len(self.deals))

    def estimate(self, start: int, stop: int) -> NDArray[np.float32]:
        """Return the (m, cells, 14) estimates of some layouts."""
        estimator = loaded(self._work.model, self._work.workers)
        strains = [strain for strain, _ in self._measure.cells]
        asked = list(dict.fromkeys(strains))
        chances = estimator.probabilities(self.deals[start:stop], asked)
        places = [asked.index(strain) for strain in strains]
        return chances[:, places, [seat for _, seat in self._measure.cells]]

    def solve(self, rows: Rows, measure: Measure | None = None) -> Iterator[NDArray[Any]]:
        """Yield the exact results of the layouts with these numbers, batch by batch."""
        work, measure = self._work, measure or self._measure
        step = _STEP if callable(work.progress) and work.cluster is None else len(rows)
        for first in range(0, len(rows), step):
            owners = self.deals.owners[rows[first : first + step]]
            yield from solve_layouts(measure, owners, work.workers, work.cluster)

    def now(self) -> float:
        """Return the time in seconds."""
        return time.monotonic()


def solve_layouts(
    measure: Measure, owners: NDArray[np.uint8], workers: int | None, cluster: str | None
) -> Iterator[NDArray[Any]]:
    """Yield the exact results of (n, 52) owners, batch by batch, in their order."""
    if cluster is None:
        yield from measure.solve(owners, workers)
        return
    strains = {strain for strain, _ in measure.cells}
    size = max(1, round(_PIECE * measure.usual_cost / len(strains)))
    pieces = [owners[start : start + size] for start in range(0, len(owners), size)]
    cores = 1 if workers is None else thread_count(workers)
    work = partial(_solve, measure, cores)
    with over_pieces(work, pieces, cluster=cluster, cores=cores, ordered=True) as done:
        yield from (results for _, results in done)


def _solve(
    measure: Measure, workers: int, owners: NDArray[np.uint8], advance: Advance
) -> NDArray[Any]:
    return np.concatenate([measure.empty, *measure.solve(owners, workers)])


def lay_out(
    measure: Measure,
    known: Mapping[str, Any],
    plan: Plan,
    work: Work,
    survey: "tuple[Callable[[Source], Survey], Callable[[Layouts], Wanted]] | None" = None,
) -> Layouts:
    """Deal, estimate and solve what a measure needs; ``known`` are keywords of ``Constraints``.

    A ``survey``, used instead of the plan, turns a source into a Survey and says how many layouts
    are still needed. With ``keep_on_interrupt``, Ctrl-C stops the work and keeps enough for an
    interval. Raises NoDealsError if too few layouts fit, ModelError for a bad model.
    """
    check_cluster(work.cluster)
    constraints = Constraints(**known, tricks=trick_finder(workers=work.workers))
    if work.model is None and plan.most_exact and survey is None:
        work = replace(work, model=CORRECTED_MODEL)
    source = LiveSource(_dealer(constraints, work), measure, work)
    if _all_known(constraints):
        if plan.most_exact:
            return _solve_known(measure, constraints, work)
        plan = replace(plan, samples=1)  # more layouts would all be the same
    run: Run | Survey
    if survey is None:
        run = Run(source, measure, plan, RandomWords(checked_seed(work.seed), _LOTS).fractions)
    else:
        run = survey[0](source)
    stopped, timed = None, plan.open_ended and survey is None

    def so_far(stopped: str | None, *, running: bool = True) -> Layouts:
        clock = Clock(run.dealing.seconds, run.estimating.seconds, run.solving.seconds)
        deals, results = source.deals[run.rows], (run.estimates, run.exact, run.chance)
        ongoing = running and isinstance(run, Survey)
        return Layouts(deals, *results, clock, stopped, timed, ongoing, measure.effect)

    total = None if plan.open_ended or survey is not None else plan.most_exact
    with (
        progress_bar("solving", total, "layouts", show=work.progress is True) as advance,
        connected(work.cluster if plan.most_exact else None),
    ):
        tell = _teller(work.progress, run, so_far) if callable(work.progress) else advance
        try:
            if isinstance(run, Run):
                run.go(tell)
            else:
                assert survey is not None
                run.go(tell, lambda: survey[1](so_far(None)))
            stopped = run.stopped
        except KeyboardInterrupt:
            if not (work.keep_on_interrupt and run.answers):
                raise
            stopped = "interrupt"
    return so_far(stopped, running=stopped == "interrupt")


def read_calls(
    auction: Any, dealer: str | Seat, vulnerable: str | Vulnerability
) -> tuple[AuctionReading | None, Vulnerability]:
    """Return the auction as read by the network of calls, None without one, and the vulnerability.

    An Auction or a Reading has its own vulnerability, which takes precedence.
    """
    dealer, sides = Seat.parse(dealer), Vulnerability.parse(vulnerable)
    if auction is None:
        return None, sides
    if not isinstance(auction, AuctionReading):
        auction = loaded_bidder(threads=1).read(auction, dealer, vulnerable)
    return auction, auction.auction.vulnerable


def watcher(
    progress: bool | Callable[[Simulated], object], result: Callable[[Layouts], Simulated]
) -> bool | Callable[[Layouts], object]:
    """Return the ``progress`` of Work for a function that receives results built from layouts."""
    if isinstance(progress, bool):
        return progress
    return lambda layouts: progress(result(layouts))


def _teller(
    told: Callable[[Layouts], object], run: Run | Survey, so_far: Callable[[str | None], Layouts]
) -> Callable[[int], None]:
    """Return a function to call after each step: it reports at times, once there are intervals."""
    last = 0.0

    def tell(_: int) -> None:
        nonlocal last
        if run.answers and time.monotonic() >= last + _BETWEEN:
            told(so_far(None))
            last = time.monotonic()

    return tell


def _dealer(constraints: Constraints, work: Work) -> Constraints | AuctionLayouts:
    """Return what deals the layouts. Warns of calls that contradict a deal that is known."""
    if work.auction is None:
        return constraints
    if not _all_known(constraints):
        return AuctionLayouts(work.auction, constraints)
    tell(work.auction, constraints.deals(1, work.seed, max_tries=1).owners, effective=1)
    return constraints


def _all_known(constraints: Constraints) -> bool:
    """Return whether the whole deal is known: three hands are, and so the fourth."""
    cards = [int((constraints.known == seat).sum()) for seat in Seat]
    return cards.count(13) >= 3


def _solve_known(measure: Measure, constraints: Constraints, work: Work) -> Layouts:
    """Solve the only possible layout. Raises NoDealsError if it does not fit."""
    deals = constraints.deals(1, work.seed, max_tries=1)
    start = time.monotonic()
    exact = np.concatenate([*measure.solve(deals.owners, work.workers)])
    clock = Clock(0.0, 0.0, time.monotonic() - start)
    return Layouts(deals, None, exact, None, clock, stopped=None, timed=False)
