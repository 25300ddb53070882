"""Shared parts of all simulations: contracts, scores, means with intervals."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Seat, Strain, Vulnerability, declarer_of, shorten
from ..scoring import Contract, imps
from .controls import MINIMUM_EXACT, Floats, Means
from .layouts import Clock, Layouts
from .plan import SimulationError
from .texts import DOUBLE_DUMMY, ESTIMATED_ONLY, FIRST_FIGURES, INTERVALS, KNOWN

TRICKS = np.arange(14.0)
TRICKS.flags.writeable = False


class Value(NamedTuple):
    """An estimated mean and its 95 % interval; the ends are NaN if nothing was solved."""

    mean: float
    low: float
    high: float


class Interval(NamedTuple):
    """The ends of a 95 % interval."""

    low: float
    high: float


class Worth(NamedTuple):
    """What the network was worth; medians if there are several cells."""

    explained: float
    """r², the share of the spread of the exact results that it explains."""
    effective: float
    """Effective sample size: layouts that solving alone would need for the same intervals."""
    saving: float
    """The time that would take, over the time taken."""
    cells: int
    """Number of solved strains and declarers behind the medians."""


class Result:
    """Base class of the results of all simulations."""

    deals: DealSet
    """All layouts, the solved ones first. ``trickcast.write`` saves them."""
    samples: int
    """Layouts dealt."""
    solved: int
    """Layouts solved."""
    estimated: bool
    """Whether the network estimated all layouts; not if all are solved, or if it cannot pay."""
    chance: Floats | None
    """(solved,), the chance with which each solved layout was chosen; the network's doubtful ones
    are solved more often. None if all had the same chance."""
    clock: Clock
    stopped: str | None
    """Why fewer were solved than allowed: precision, seconds, interrupt, max_tries; else None."""
    timed: bool
    """Whether a precision or the clock ended the solving. To repeat the result on any machine, set
    ``samples`` and ``solve`` to the numbers dealt and solved."""

    ongoing: bool
    """Whether more is being solved; until then, intervals reflect the network's usual errors.
    """
    effect: float
    """Factor by which variances of means exceed those of independent layouts; it is included."""

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
        """What the network was worth; None if it is not reported."""
        return None

    @property
    def notes(self) -> list[str]:
        """What the numbers mean, and how reliable they are, in a few sentences."""
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
            if self.timed:  # times vary from run to run; repeatable notes stay repeatable
                note += f", {worth.saving:.1f} times as fast"
            notes.append(note + (" (medians of the cells)" if worth.cells > 1 else ""))
        elif worth is not None and self.timed:
            notes.append("all by solving: the network would not have paid here")
        return [*notes, DOUBLE_DUMMY]

    @property
    def headline(self) -> str:
        """A line with the numbers of layouts dealt and solved."""
        if self.known:
            return "1 layout, solved"
        if self.samples == 1 and not self.solved:
            return "1 layout, estimated"
        solved = "all" if self.solved == self.samples else f"{self.solved:,}"
        line = f"{self.samples:,} layouts, {solved} of them solved"
        return line if self.stopped is None else f"{line} (stopped by {self.stopped})"

    def saved(self, effective: Floats) -> Floats:
        """Return the time that solving ``effective`` layouts takes, over the time taken.

        Assumes the mean time per layout of this run; NaN if it was not timed.
        """
        clock = self.clock
        if clock.solving == 0:
            return np.full_like(effective, np.nan)
        each = clock.dealing / self.samples + clock.solving / self.solved
        saved: Floats = effective * each / (clock.dealing + clock.estimating + clock.solving)
        return saved


def played(contract: object) -> Contract:
    """Return a contract with a declarer, or raise SimulationError."""
    bid = Contract(contract if isinstance(contract, Contract) else str(contract))
    if bid.strain is None:
        raise SimulationError("a passed-out board has no declarer (expected a contract)")
    return bid


def read_contract(text: str) -> Contract:
    """Return the contract of a text such as ``4S``, or ``4S by S`` with its declarer."""
    contract, named, seat = text.strip().partition(" by ")
    return Contract(contract, seat.strip() if named else None)


def played_by(contract: object, by: str | Seat | None) -> tuple[Contract, Seat]:
    """Return a contract and its declarer: ``by``, or else the Contract's own.

    Raises SimulationError for a contract without one, DealError if they differ.
    """
    bid = played(contract)
    declarer = declarer_of(bid, by)
    if declarer is None:
        raise SimulationError(f"{bid} has no declarer (expected by)")
    return bid, declarer


def strain_of(bid: Contract) -> Strain:
    """Return the strain of a contract that is played."""
    assert bid.strain is not None
    return bid.strain


def seats_of(side: str) -> tuple[Seat, Seat]:
    """Return the seats of a side. Raises SimulationError for an invalid side."""
    seats = {"NS": (Seat.NORTH, Seat.SOUTH), "EW": (Seat.EAST, Seat.WEST)}.get(side.upper())
    if seats is None:
        raise SimulationError(f"side is {shorten(side)} (expected NS or EW)")
    return seats


def is_vulnerable(vulnerable: str | Vulnerability, seat: Seat) -> bool:
    """Return whether a seat's side is vulnerable."""
    return bool(Vulnerability.parse(vulnerable) >> seat.side & 1)


def gain(difference: NDArray[Any], scoring: str) -> Floats:
    """Return the gain that differences of scores are worth."""
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
    """Return chances of at least so many tricks, with the ends of their intervals, made to fall.

    Each is estimated on its own, so with few solved layouts more tricks may seem likelier than
    fewer. Isotonic regression makes the smallest change that fixes this, never moves a chance
    further from the truth, and keeps it between its ends (Barlow and others, Statistical
    Inference under Order Restrictions, 1972, chapter 1).
    """
    from scipy.optimize import isotonic_regression  # late: it takes longer than everything else

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
    """Return the gain that means neither better nor worse."""
    return 0.5 if scoring == "matchpoints" else 0.0


def is_even(gain: Value, scoring: str) -> bool:
    """Return whether a gain may be zero: its interval includes even, or the gain is even."""
    even = even_of(scoring)
    return gain.mean == even or gain.low <= even <= gain.high
