"""Compare opening leads: every card of the leader's hand over the layouts that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bidding import AuctionReading
from ..cards import UNKNOWN, Seat, Strain, card_text, declarer_of, shorten
from ..cards.one_or_many import Rows
from ..scoring import Contract, score
from ..solver import solve_lead_batches
from .as_played import AsPlayed, leads_as_played
from .controls import Floats, Means, means
from .layouts import Layouts
from .outcomes import (
    TRICKS,
    Result,
    Value,
    even_of,
    gain,
    gain_intervals,
    intervals,
    is_even,
    is_vulnerable,
    played,
    strain_of,
    values,
)
from .plan import SimulationError
from .run import Measure
from .texts import AS_PLAYED, PLAYED_BY, RANKS, error_text, wrapped

_EVEN = "="


@dataclass(frozen=True, slots=True)
class Lead:
    """An opening lead, or several equivalent cards in sequence."""

    cards: tuple[str, ...]
    """Highest first: ``("SK", "SQ")``."""
    tricks: Value
    """Declarer's tricks."""
    setting: Value
    """The chance to defeat the contract."""
    points: Value
    """Score of the leader's side."""
    gain: Value
    """IMPs (or the unit of ``scoring``) against the lead that is best by points."""
    even: bool
    """Whether the interval of ``gain`` includes no difference, so that it may be just as good."""


class Leads(Measure):
    """Declarer's tricks after each lead in each layout."""

    empty = np.empty((0, 52), dtype=np.uint8)
    usual_cost = 0.0003

    def __init__(self, strain: Strain, declarer: Seat):
        self.strain, self.declarer = strain, declarer
        self.cells = [(strain, declarer)]

    def solve(self, owners: NDArray[np.uint8], workers: int | None) -> Iterator[NDArray[np.uint8]]:
        """Yield declarer's tricks after each lead, (m, 52) uint8, 255 for cards not held."""
        return solve_lead_batches(owners, self.strain, self.declarer, workers=workers)

    def means(
        self, exact: NDArray[np.uint8], estimates: NDArray[np.float32] | None, chance: Floats | None
    ) -> Means:
        """Return declarer's expected tricks after each lead; all layouts had the same chance."""
        return self.means_of(exact[:, exact[0] != UNKNOWN], TRICKS, estimates)

    def means_of(
        self,
        taken: NDArray[np.uint8],
        outcome: Floats,
        estimates: NDArray[np.float32] | None,
        unit: float = 1.0,
    ) -> Means:
        """Return the means of a (14,) outcome of declarer's tricks, (n, m) after m leads.

        The network estimates tricks after the best lead; that helps to explain other leads too.
        """
        estimated = None
        if estimates is not None:
            estimated = np.repeat(estimates @ outcome, taken.shape[1], axis=1)
        return means(outcome[taken], estimated, unit=unit, effect=self.effect)


class LeadSimulation(Rows[Lead], Result):
    """Results of ``simulate_leads``: iterate over the leads, best first, or print it.

    Declarer's tricks after the best lead are known for the first ``solved`` of its ``deals``.
    """

    after: NDArray[np.uint8]
    """(solved, 52) uint8, declarer's tricks after each lead; 255 for cards not held."""

    def __init__(
        self, layouts: Layouts, bid: Contract, declarer: Seat, vulnerable: Any, scoring: str
    ):
        super().__init__(layouts)
        self.contract, self.by, self.scoring = bid, declarer, scoring
        self.vulnerable = is_vulnerable(vulnerable, declarer)
        self.after, self._probabilities = layouts.exact, layouts.probabilities
        tables = np.full((self.samples, 5, 4), UNKNOWN, dtype=np.uint8)
        tables[: self.solved, strain_of(bid), declarer] = self.after.min(axis=1)
        self.deals = self.deals.with_tricks(tables)
        self._as_played: dict[str, dict[str, AsPlayed]] = {}

    @cached_property
    def leads(self) -> list[Lead]:
        """Every lead, best first: the best by points, the reference for gains; then by gain."""
        groups = _sequences(np.flatnonzero(self.after[0] != UNKNOWN))
        taken = self.after[:, [group[0] for group in groups]]
        points = -score(self.contract, np.arange(14), self.vulnerable).astype(float)
        made = (np.arange(14) < self.contract.tricks).astype(float)
        tricks = intervals(self._means(taken, TRICKS))
        scores = intervals(self._means(taken, points))
        setting = values(self._means(taken, made).chances())
        best = int(np.argmax([value.mean for value in scores]))
        against = gain(points[taken] - points[taken[:, [best]]], self.scoring)
        gains = gain_intervals(means(against, None, effect=self.effect), self.scoring)
        even = even_of(self.scoring)
        gains[best] = Value(even, np.nan, np.nan) if self.known else Value(even, even, even)
        leads = [
            Lead(
                tuple(card_text(card) for card in group),
                tricks[i],
                setting[i],
                scores[i],
                gains[i],
                is_even(gains[i], self.scoring),
            )
            for i, group in enumerate(groups)
        ]
        compared_with = leads[best]
        return sorted(
            leads,
            key=lambda lead: (lead is not compared_with, -lead.gain.mean, -lead.points.mean),
        )

    def as_played(self, players: str = "expert") -> dict[str, AsPlayed]:
        """Return tricks, chance and score after each lead as ``players`` would play on, by card.

        Uses at most 200 of the layouts. The estimate knows the lead, so a passive one is not marked
        down for what only a mind reader would avoid. Raises ValueError for unknown ``players``.
        """
        if players not in self._as_played:
            cards = np.flatnonzero(self.after[0] != UNKNOWN).tolist()
            found = leads_as_played(
                self.deals,
                self.contract,
                self.by,
                self.vulnerable,
                players,
                self.effect,
                cards,
                self.scoring,
            )
            told = zip(map(card_text, cards), found, strict=True)
            self._as_played[players] = dict(told)
        return self._as_played[players]

    def ranked(self, rank: str = "double-dummy", players: str = "expert") -> list[Lead]:
        """Return the leads, best first: ``double-dummy``, or by their gain as ``played``.

        Raises SimulationError for an unknown ``rank``, ValueError for unknown ``players``.
        """
        if rank not in RANKS:
            raise SimulationError(f"rank is {shorten(rank)} (expected {' or '.join(RANKS)})")
        if rank == RANKS[0]:
            return self.leads
        told = self.as_played(players)
        return sorted(
            self.leads,
            key=lambda lead: -told[lead.cards[0]].gain.mean,  # type: ignore[union-attr]
        )

    def _means(self, taken: NDArray[np.uint8], outcome: Floats) -> Means:
        measure = Leads(strain_of(self.contract), self.by)
        measure.effect = self.effect
        unit = abs(float(np.diff(outcome)[self.contract.tricks - 1]))
        return measure.means_of(taken, outcome, self._probabilities, unit)

    @property
    def _rows(self) -> list[Lead]:
        return self.leads

    def _answers(self, row: Lead, name: str) -> bool:
        return name.upper() in row.cards

    def __repr__(self) -> str:
        return f"<LeadSimulation of {self.contract} by {self.by}, {self.solved:,} layouts solved>"

    def __str__(self) -> str:
        return self.text()

    def text(self, rank: str = "double-dummy", players: str = "expert") -> str:
        """Return a line for each lead, best first as ``ranked``: double dummy, and as played."""
        unit = {"total": "points", "imps": "IMPs"}.get(self.scoring, self.scoring)
        half = f"{'tricks':>12}{'set':>10}{unit:>15}"
        told = self.as_played(players)
        lines = [
            self.headline,
            f"leads against {self.contract} by {self.by.word}; tricks are declarer's",
            f"{'':6}{RANKS[0].replace('-', ' '):>37}{AS_PLAYED:>37}",
            f"{'lead':6}{half}{half}",
        ]
        for lead in self.ranked(rank, players):
            played = told[lead.cards[0]]
            assert played.gain is not None
            cards = lead.cards[0] + "".join(card[1] for card in lead.cards[1:])
            seen = self._half(lead.tricks, lead.setting, lead.gain, first=lead is self.leads[0])
            at_table = self._half(played.tricks, played.setting, played.gain, first=True)
            lines.append(f"{cards:6}{seen}{at_table}".rstrip())
        notes = [*self.notes, PLAYED_BY[players]]
        if not self.known:
            notes.insert(0, f"{_EVEN}: equal within the error")
        return "\n".join(lines + wrapped(notes))

    def _half(self, tricks: Value, setting: Value, gain: Value, *, first: bool) -> str:
        """Show the figures of a lead, double dummy or as played."""
        even, digits = even_of(self.scoring), 0 if self.scoring == "total" else 2
        taken = error_text(tricks.mean, tricks.high - tricks.mean)
        share = f"{setting.mean:.0%}"
        if not np.isnan(setting.low):
            share += f" ±{100 * (setting.high - setting.low) / 2:.0f}"
        sign = "" if self.scoring == "matchpoints" else "+"
        worth = f"{gain.mean:{sign}.{digits}f}"
        if not np.isnan(gain.low):
            worth += f" ±{(gain.high - gain.low) / 2:.{digits}f}"
            worth += f" {_EVEN}" if is_even(gain, self.scoring) else "  "
        if gain == (even, even, even):
            worth = "compared with" if first and not self.known else "no difference"
        return f"{taken:>12}{share:>10}{worth:>15}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def contract_of(
    contract: str | Contract | None, by: str | Seat | None, heard: AuctionReading | None
) -> tuple[Contract, Seat]:
    """Return contract and declarer, as given or as the auction ends."""
    if heard is None:
        if contract is None:
            raise SimulationError("no contract and declarer (expected both, or a whole auction)")
        bid = played(contract)
        declarer = declarer_of(bid, by)
        if declarer is None:
            raise SimulationError(f"{bid} has no declarer (expected by, or a whole auction)")
        return bid, declarer
    ended, declarer = heard.auction.contract
    if ended is None:
        raise SimulationError(
            f"the auction {heard.auction} has not ended: there is no contract yet"
        )
    if declarer is None:
        raise SimulationError("the board was passed out: nothing is led")
    if contract is not None and str(Contract(contract)) != ended:
        raise SimulationError(f"the auction ends in {ended}, not in {Contract(contract)}")
    asked = declarer_of(contract, by)
    if asked not in (None, declarer):
        raise SimulationError(f"the auction makes {declarer.word} declarer, not {asked.word}")
    return Contract(ended), declarer


def _sequences(cards: NDArray[np.intp]) -> list[list[int]]:
    """Group cards of one suit with no rank between them: they take the same tricks."""
    groups: list[list[int]] = []
    for card in cards.tolist():
        if groups and card == groups[-1][-1] + 1 and card % 13:
            groups[-1].append(card)
        else:
            groups.append([card])
    return groups
