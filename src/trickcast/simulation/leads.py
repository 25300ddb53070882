"""What should I lead? Every card of the leader's hand over the layouts that fit."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, DealSet, Hand, Seat, card_text
from ..dealing import Constraints
from ..scoring import Contract, score
from ..solver import solve_lead_batches
from .controls import MINIMUM_EXACT, Floats, Means, means
from .layouts import Layouts, Plan, SimulationError, lay_out
from .outcomes import MAX_TRIES, Value, gain, is_vulnerable, played, strain_of
from .tables import DOUBLE_DUMMY, headline

_TRICKS = np.arange(14.0)


@dataclass(frozen=True, slots=True)
class Lead:
    """An opening lead, or several cards in sequence that are the same."""

    cards: tuple[str, ...]
    """Highest first: ``("SK", "SQ")``."""
    tricks: Value
    """Declarer's."""
    setting: Value
    """The chance to defeat the contract."""
    points: Value
    """Score of the leader's side."""
    gain: Value
    """IMPs (or what ``scoring`` says) against the lead that is best by points."""
    even: bool
    """Whether the interval of ``gain`` holds no difference: it may be as good."""


class LeadSimulation:
    """Results of ``simulate_leads``: iterate over the leads, best first, or print it."""

    deals: DealSet
    """All layouts; declarer's tricks after the best lead are known of the first ``solved``."""
    after: NDArray[np.uint8]
    """(solved, 52) uint8, declarer's tricks after each lead; 255 for cards not held."""

    def __init__(
        self, layouts: Layouts, bid: Contract, declarer: Seat, vulnerable: Any, scoring: str
    ):
        self.contract, self.by, self.scoring = bid, declarer, scoring
        self.vulnerable = is_vulnerable(vulnerable, declarer)
        self.after, self._probabilities = layouts.exact, layouts.probabilities
        self.samples, self.solved = len(layouts.deals), len(layouts.exact)
        self.clock, self.stopped = layouts.clock, layouts.stopped
        tables = np.full((self.samples, 5, 4), UNKNOWN, dtype=np.uint8)
        tables[: self.solved, strain_of(bid), declarer] = self.after.min(axis=1)
        self.deals = layouts.deals.with_tricks(tables)

    @cached_property
    def leads(self) -> list[Lead]:
        """Every lead, best first."""
        groups = _sequences(np.flatnonzero(self.after[0] != UNKNOWN))
        taken = self.after[:, [group[0] for group in groups]]
        points = -score(self.contract, np.arange(14), self.vulnerable).astype(float)
        made = (np.arange(14) < self.contract.tricks).astype(float)
        tricks = _values(self._means(taken, _TRICKS))
        scores = _values(self._means(taken, points))
        setting = self._means(taken, made).chances()
        best = int(np.argmax([one.mean for one in scores]))
        against = gain(points[taken] - points[taken[:, [best]]], self.scoring)
        gains = _values(means(against, None))
        even = 0.5 if self.scoring == "matchpoints" else 0.0
        found = []
        for i, group in enumerate(groups):
            worth = gains[i] if i != best else Value(even, even, even)
            chance = Value(*(float(end[i]) for end in setting))
            cards = tuple(card_text(card) for card in group)
            equal = worth.low <= even <= worth.high
            found.append(Lead(cards, tricks[i], chance, scores[i], worth, equal))
        return sorted(found, key=lambda lead: (-lead.gain.mean, -lead.points.mean))

    def _means(self, taken: NDArray[np.uint8], outcome: Floats) -> Means:
        """Estimate the mean of a (14,) outcome of declarer's tricks, for each of m leads.

        The network knows tricks after the best lead; that explains the spread after others too.
        """
        estimated = None
        if self._probabilities is not None:
            cell = self._probabilities[:, strain_of(self.contract), self.by].astype(float)
            estimated = np.repeat((cell @ outcome)[:, None], taken.shape[1], axis=1)
        unit = np.abs(np.diff(outcome))[self.contract.tricks - 1]
        return means(outcome[taken], estimated, unit=unit)

    def __iter__(self) -> Iterator[Lead]:
        return iter(self.leads)

    def __len__(self) -> int:
        return len(self.leads)

    def __getitem__(self, card: str) -> Lead:
        for lead in self.leads:
            if card.upper() in lead.cards:
                return lead
        raise KeyError(card)

    def __repr__(self) -> str:
        return f"<LeadSimulation of {self.contract} by {self.by}, {self.solved:,} layouts solved>"

    def __str__(self) -> str:
        unit = {"total": "points", "imps": "IMPs"}.get(self.scoring, self.scoring)
        lines = [headline(self), f"leads against {self.contract} by {self.by.word}"]
        lines.append(f"{'lead':12}{'declarer takes':>18}{'set':>22}{unit:>24}")
        for lead in self.leads:
            tricks, points = lead.tricks, lead.gain
            chance = "{:.1%} ({:.1%} to {:.1%})".format(*lead.setting)
            worth = "{:+.2f} ({:+.2f} to {:+.2f})".format(*points)
            if points.low == points.high:
                worth = "no difference"
            lines.append(
                f"{_together(lead.cards):12}{tricks.mean:>11.2f} ±{tricks.high - tricks.mean:.2f}"
                f"{chance:>25}{worth:>25}{'  equal within the error' * lead.even}"
            )
        return "\n".join([*lines, "intervals are of 95 %", DOUBLE_DUMMY])

    def _repr_html_(self) -> str:
        return f"<pre>{self}</pre>"


def simulate_leads(
    *,
    leader: Any,
    contract: str | Contract,
    by: str | Seat,
    north: Any = None,
    east: Any = None,
    south: Any = None,
    west: Any = None,
    condition: Any = None,
    samples: int = 2000,
    exact: int = 200,
    seed: int = 0,
    vulnerable: Any = "none",
    scoring: str = "imps",
    model: Any = None,
    precision: float | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    max_tries: int = MAX_TRIES,
    progress: bool = False,
    keep_on_interrupt: bool = False,
) -> LeadSimulation:
    """Compare the opening leads from a hand against a contract.

    ``leader`` is the whole hand of the declarer's left-hand opponent; the other seats are what
    the auction tells of them. ``scoring`` is imps, total or matchpoints, in which leads are
    compared layout by layout. All else, and the errors, are as in ``simulate``, but that at least
    20 layouts are solved.
    """
    bid, declarer, hand = played(contract), Seat.parse(by), Hand(leader)
    gain(np.zeros(1), scoring)
    seats = {"north": north, "east": east, "south": south, "west": west}
    name = declarer.lho.name.lower()
    if seats[name] is not None:
        raise SimulationError(f"{name} leads and is given twice (expected leader alone)")
    is_vulnerable(vulnerable, declarer)
    plan = Plan(samples=samples, exact=exact, seed=seed, precision=precision, seconds=seconds)
    if plan.exact == 0:
        raise SimulationError(
            f"exact is 0 (leads are compared by solving: {MINIMUM_EXACT} or more)"
        )

    def solve(owners: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
        return solve_lead_batches(owners, strain_of(bid), declarer, workers=workers)

    def half_width(estimated: NDArray[np.float32] | None, after: NDArray[np.uint8]) -> float:
        found = means(after[:, after[0] != UNKNOWN].astype(float), None, unit=1.0)
        return float((found.quantile * found.error).max())

    layouts = lay_out(
        Constraints(**{**seats, name: hand}, condition=condition), plan, solve, half_width,
        model=model, workers=workers, max_tries=max_tries, progress=progress,
        keep_on_interrupt=keep_on_interrupt,
    )  # fmt: skip
    return LeadSimulation(layouts, bid, declarer, vulnerable, scoring)


def _values(found: Means) -> list[Value]:
    low, high = found.interval()
    return [Value(*map(float, ends)) for ends in zip(found.mean, low, high, strict=True)]


def _sequences(cards: NDArray[np.intp]) -> list[list[int]]:
    """Join cards of one suit with no rank between them: they take the same tricks."""
    groups: list[list[int]] = []
    for card in cards.tolist():
        if groups and card == groups[-1][-1] + 1 and card % 13:
            groups[-1].append(card)
        else:
            groups.append([card])
    return groups


def _together(cards: tuple[str, ...]) -> str:
    return cards[0] + "".join(card[1] for card in cards[1:])
