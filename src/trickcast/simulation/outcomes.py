"""What the questions of a simulation have in common: contracts, scores, means with intervals."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Seat, Strain, Vulnerability, shorten
from ..scoring import Contract, imps
from .controls import MINIMUM_EXACT, Floats, Means
from .layouts import Clock, Layouts
from .plan import SimulationError
from .texts import DOUBLE_DUMMY, ESTIMATED_ONLY, FIRST_FIGURES, INTERVALS, KNOWN

TRICKS = np.arange(14.0)
TRICKS.flags.writeable = False


class Value(NamedTuple):
    """An estimated mean and its 95 % interval; the ends are NaN where nothing was solved."""

    mean: float
    low: float
    high: float


class Interval(NamedTuple):
    """The ends of a 95 % interval."""

    low: float
    high: float


class Worth(NamedTuple):
    """What the network was worth; medians where there are several cells."""

    explained: float
    """r², the share of the spread of the exact results that it explains."""
    effective: float
    """Effective sample size: the layouts that would have to be solved without it."""
    saving: float
    """The time that would take, over that taken."""
    cells: int
    """Of how many solved strains and declarers these are the medians."""


class Result:
    """What the answers to all questions have in common."""

    deals: DealSet
    """All layouts, the solved ones first. ``trickcast.write`` keeps them."""
    samples: int
    """Layouts dealt."""
    solved: int
    """Layouts solved."""
    estimated: bool
    """Whether the network estimated all; it does not where all are solved, or it cannot pay."""
    chance: Floats | None
    """(solved,), with what chance each of the solved was chosen: layouts of which the network is in
    doubt are solved more often. None where all had the same."""
    clock: Clock
    stopped: str | None
    """Why fewer were solved than allowed: precision, seconds, interrupt, max_tries; else None."""
    timed: bool
    """Whether a precision or the clock ended the solving. ``samples`` and ``solve`` set to what
    was dealt and solved give the same numbers again, wherever they run."""

    ongoing: bool
    """Whether more is being solved: until then, intervals are those of the network's usual misses.
    """
    effect: float
    """By how much variances of means exceed those of independent layouts, which is counted in."""

    def __init__(self, layouts: Layouts):
        self.deals, self.effect = layouts.deals, layouts.effect
        self.samples, self.solved = len(layouts.deals), len(layouts.exact)
        self.estimated, self.chance = layouts.probabilities is not None, layouts.chance
        self.clock, self.stopped, self.timed = layouts.clock, layouts.stopped, layouts.timed
        self.ongoing = layouts.ongoing

    @property
    def known(self) -> bool:
        """Whether all four hands are known: one layout, solved, and no intervals (NaN)."""
        return self.samples == self.solved == 1

    @property
    def worth(self) -> Worth | None:
        """What the network was worth; None where that is not told."""
        return None

    @property
    def notes(self) -> list[str]:
        """What the numbers are, and what they are worth, in a few sentences."""
        if self.solved < MINIMUM_EXACT and self.ongoing:
            return [FIRST_FIGURES, DOUBLE_DUMMY]
        if self.solved == 0:
            return [ESTIMATED_ONLY, DOUBLE_DUMMY]
        if self.known:
            return [KNOWN, DOUBLE_DUMMY]
        notes = [INTERVALS]
        if self.effect > 1:
            notes.append(
                "the layouts fit the auction as in championship play; they are as good as "
                f"{self.samples / self.effect:,.0f} independent ones, which is counted in"
            )
        worth = self.worth
        if worth is not None and self.estimated:
            note = (
                f"the network explains {worth.explained:.0%} of the spread: as good as "
                f"{worth.effective:,.0f} solved layouts"
            )
            if self.timed:  # times differ from run to run; what is repeatable stays so
                note += f", {worth.saving:.1f} times as fast"
            notes.append(note + (" (medians of the cells)" if worth.cells > 1 else ""))
        elif worth is not None and self.timed:
            notes.append("all by solving: the network would not have paid here")
        return [*notes, DOUBLE_DUMMY]

    @property
    def headline(self) -> str:
        """How many layouts were dealt and solved, in a line."""
        if self.known:
            return "1 layout, solved"
        if self.samples == 1 and not self.solved:
            return "1 layout, estimated"
        solved = "all" if self.solved == self.samples else f"{self.solved:,}"
        line = f"{self.samples:,} layouts, {solved} of them solved"
        return line if self.stopped is None else f"{line} (stopped by {self.stopped})"

    def saved(self, effective: Floats) -> Floats:
        """Return the time that solving ``effective`` layouts takes, over the time that was taken.

        Each is taken to be dealt and solved in the mean time of these; NaN where none is timed.
        """
        clock = self.clock
        if clock.solving == 0:
            return np.full_like(effective, np.nan)
        each = clock.dealing / self.samples + clock.solving / self.solved
        saved: Floats = effective * each / (clock.dealing + clock.estimating + clock.solving)
        return saved


def played(contract: object) -> Contract:
    """Return a contract that has a declarer, or raise SimulationError."""
    bid = Contract(contract if isinstance(contract, Contract) else str(contract))
    if bid.strain is None:
        raise SimulationError("a passed-out board has no declarer (expected a contract)")
    return bid


def strain_of(bid: Contract) -> Strain:
    """Return the strain of a contract that is played."""
    assert bid.strain is not None
    return bid.strain


def seats_of(side: str) -> tuple[Seat, Seat]:
    """Return the seats of a side. Raises SimulationError for what is none."""
    seats = {"NS": (Seat.NORTH, Seat.SOUTH), "EW": (Seat.EAST, Seat.WEST)}.get(side.upper())
    if seats is None:
        raise SimulationError(f"side is {shorten(side)} (expected NS or EW)")
    return seats


def is_vulnerable(vulnerable: str | Vulnerability, seat: Seat) -> bool:
    """Return whether a seat's side is."""
    return bool(Vulnerability.parse(vulnerable) >> seat.side & 1)


def gain(difference: NDArray[Any], scoring: str) -> Floats:
    """What differences of scores are worth."""
    if scoring == "total":
        return difference.astype(float)
    if scoring == "imps":
        return np.asarray(imps(difference), dtype=float)
    if scoring == "matchpoints":
        return (np.sign(difference) + 1.0) / 2.0  # type: ignore[no-any-return]
    raise SimulationError(f"scoring is {shorten(scoring)} (expected total, imps or matchpoints)")


def values(ends: tuple[Floats, Floats, Floats]) -> list[Value]:
    """Return (m,) means, lower and upper ends as m values."""
    return [Value(*map(float, value)) for value in zip(*ends, strict=True)]


def falling(ends: tuple[Floats, Floats, Floats]) -> tuple[Floats, Floats, Floats]:
    """Return chances of so many tricks or more, and the ends of their intervals, as none rises.

    Each is estimated by itself, so that where few layouts are solved more tricks may seem likelier
    than fewer. Isotonic regression moves them the least that mends it, no further from the truth
    than they were, and keeps every chance between its ends (Barlow and others, Statistical
    Inference under Order Restrictions, 1972, chapter 1).
    """
    from scipy.optimize import isotonic_regression  # late: it takes longer than all the rest

    mean, low, high = (
        number if np.isnan(number).any() else isotonic_regression(number, increasing=False).x
        for number in ends
    )
    return mean, low, high


def intervals(estimated: Means) -> list[Value]:
    """Return means with their intervals."""
    return values((estimated.mean, *estimated.interval()))


def gain_intervals(estimated: Means, scoring: str) -> list[Value]:
    """Return mean gains with their intervals; shares of matchpoints stay within 0 and 1."""
    if scoring != "matchpoints":
        return intervals(estimated)
    ends = (np.clip(number, 0, 1) for number in (estimated.mean, *estimated.interval()))
    return values(tuple(ends))  # type: ignore[arg-type]  # three of them


def even_of(scoring: str) -> float:
    """Return the gain of what is neither better nor worse."""
    return 0.5 if scoring == "matchpoints" else 0.0


def is_even(gain: Value, scoring: str) -> bool:
    """Whether a gain may be none: its interval, or where it has none the gain, holds that."""
    even = even_of(scoring)
    return gain.mean == even or gain.low <= even <= gain.high
