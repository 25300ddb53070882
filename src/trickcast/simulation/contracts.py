"""Simulate contracts: tricks, chances and scores over the layouts that fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from html import escape
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    PRINTED_SEATS,
    TABLE,
    UNKNOWN,
    Deal,
    DealSet,
    Grid,
    LabelledArray,
    Seat,
    Strain,
    TrickChances,
    Vulnerability,
    checked_whole,
    declarer_of,
    shorten,
)
from ..cards.one_or_many import is_named
from ..scoring import BIDDING_ORDER, Contract, score
from ..solver import BOARDS, solve_batches, solve_cell_batches
from .as_played import (
    MOST_OF_MANY,
    AsPlayed,
    contract_as_played,
    outcomes_of,
    some_of,
    summed,
)
from .choice import doubt_of
from .controls import MINIMUM_EXACT, Floats, Means, guessed, means
from .layouts import Layouts
from .outcomes import (
    TRICKS,
    Interval,
    Result,
    Value,
    Worth,
    falling,
    gain,
    gain_intervals,
    intervals,
    is_vulnerable,
    played,
    played_by,
    read_contract,
    seats_of,
    strain_of,
    values,
)
from .plan import MOST_EXACT, MOST_SAMPLES, SimulationError
from .run import Cell, Measure, Source
from .survey import Survey, Wanted, layouts_wanted
from .texts import error_text, wrapped

PRECISION = 0.15
"""Default precision of the expected tricks of tables."""
_CHANCE = 1 / 3  # precision of the best contract's chance, as a share of that
USUAL_MOST = 1000
"""Most layouts solved for it: enough for an even chance with hands that are barely described."""
SURVEYED = 2000
"""Most layouts estimated for it."""
_TABLE_COST = 0.00025  # cost of estimating all cells over solving them; median of varied questions
_CELL_COST = 0.001  # cost of estimating one strain over solving one cell


class ContractValue(NamedTuple):
    """What a contract is worth to the side that plays it."""

    contract: Contract
    by: Seat
    making: Value
    """The chance to make the contract."""
    worth: Value
    """Points; or IMPs or a share of matchpoints against the contract compared with."""


class Tables(Measure):
    """The tricks in each layout, in all strains by all declarers or in some."""

    empty = np.empty((0, 5, 4), dtype=np.uint8)

    def __init__(self, cells: list[Cell] | None, *, tables: bool = False):
        """Measure some cells, or all; with ``tables`` they are solved strain by strain."""
        self.cells: list[Cell] = [*product(Strain, Seat)] if cells is None else cells
        self._whole = cells is None or tables
        strains = {strain for strain, _ in self.cells}
        self.usual_cost = _TABLE_COST if cells is None else _CELL_COST * len(strains) / len(cells)

    def solve(self, owners: NDArray[np.uint8], workers: int | None) -> Iterator[NDArray[np.uint8]]:
        """Yield tables, (m, 5, 4) uint8, with 255 in cells not requested."""
        if self._whole:
            asked = np.zeros((5, 4), dtype=np.bool_)
            asked[tuple(zip(*self.cells, strict=True))] = True
            yield from solve_batches(owners, cells=asked, workers=workers)
            return
        for start in range(0, len(owners), BOARDS):
            batch = owners[start : start + BOARDS]
            tables = np.full((len(batch), 5, 4), UNKNOWN, dtype=np.uint8)
            for cell in self.cells:
                (tables[:, *cell],) = solve_cell_batches(batch, *cell, workers=workers)
            yield tables

    def means(
        self, exact: NDArray[np.uint8], estimates: NDArray[np.float32] | None, chance: Floats | None
    ) -> Means:
        """Return the expected tricks of the requested cells."""
        strains, seats = zip(*self.cells, strict=True)
        estimated = None if estimates is None else estimates @ TRICKS
        taken = exact[:, strains, seats].astype(float)
        return means(taken, estimated, unit=1.0, chance=chance, effect=self.effect)

    def doubts(self, estimates: NDArray[np.float32]) -> Floats | None:
        """Return the doubt about the tricks; None for whole tables, where all layouts are alike."""
        return None if self._whole else doubt_of(estimates, TRICKS[:, None])


class Simulation(Result, TrickChances):
    """Results of ``simulate``: print it, or ask it for tricks, chances, scores and comparisons.

    The exact tricks of the first ``solved`` of its ``deals`` are known; ``simulation[3]`` and
    ``simulation[:20]`` select among those deals. Values for strains and declarers that were not
    requested are NaN.
    """

    def __init__(self, layouts: Layouts, cells: Sequence[Cell]):
        super().__init__(layouts)
        tables = np.full((self.samples, 5, 4), UNKNOWN, dtype=np.uint8)
        tables[: self.solved] = layouts.exact
        self.deals = self.deals.with_tricks(tables)
        self._exact, self._probabilities = layouts.exact, layouts.probabilities
        self._columns = {cell: column for column, cell in enumerate(cells)}
        self._falling: dict[Cell, tuple[Floats, Floats, Floats]] = {}

    @cached_property
    def _tricks(self) -> list[list[Means]]:
        return [[self._means(strain, seat, TRICKS[:, None]) for seat in Seat] for strain in Strain]

    def _cells(self, name: str) -> Floats:
        return np.array([[getattr(cell, name)[0] for cell in row] for row in self._tricks])

    @property
    def expected(self) -> LabelledArray:
        """(5, 4) expected tricks; the network's alone if nothing was solved."""
        return LabelledArray(np.clip(self._cells("mean"), 0, 13), TABLE)

    @property
    def interval(self) -> LabelledArray:
        """(5, 4, 2): (low, high) of the 95 % intervals of the expected tricks; NaN if nothing was
        solved.
        """
        ends = [[np.concatenate(cell.interval()) for cell in row] for row in self._tricks]
        return LabelledArray(np.clip(np.array(ends), 0, 13), (*TABLE, None), Interval)

    @property
    def explained(self) -> LabelledArray:
        """r², the share of the spread of the exact tricks that the network explains."""
        return LabelledArray(self._cells("explained"), TABLE)

    @property
    def effective(self) -> LabelledArray:
        """Effective sample size: layouts that solving alone would need for the same interval."""
        return LabelledArray(self._cells("effective"), TABLE)

    @property
    def saving(self) -> LabelledArray:
        """Time to reach the same interval by solving alone, over the time taken."""
        return LabelledArray(self.saved(self._cells("effective")), TABLE)

    @property
    def worth(self) -> Worth:
        """What the network was worth, as medians over the solved cells."""
        effective = self._cells("effective")
        known = ~np.isnan(effective)
        explained, size, saving = (
            float(np.median(cells[known])) if known.any() else np.nan
            for cells in (self._cells("explained"), effective, self.saved(effective))
        )
        return Worth(explained, size, saving, int(known.sum()))

    def __len__(self) -> int:
        return self.samples

    def __getitem__(self, key: Any) -> Deal | DealSet:
        if is_named(key):
            raise TypeError(
                "the simulation is indexed by deals, not by names "
                '(expected simulation.expected["S", "S"])'
            )
        chosen: Deal | DealSet = self.deals[key]
        return chosen

    def __iter__(self) -> Iterator[Deal]:
        return iter(self.deals)

    def at_least(
        self, tricks: int, strain: str | Strain | None = None, by: str | Seat | None = None
    ) -> Value:
        """Return the chance of at least so many tricks: (probability, low, high).

        Raises SimulationError without a strain or a declarer, and for tricks outside 0 … 13.
        """
        if strain is None or by is None:
            lacking = "strain" if strain is None else "declarer"
            raise SimulationError(f"no {lacking} (expected strain and declarer, such as 4H by N)")
        count = checked_whole(tricks, "tricks")
        if not 0 <= count <= 13:
            raise SimulationError(f"tricks is {count} (expected 0 to 13)")
        return values(self._at_least(Strain.parse(strain), Seat.parse(by)))[count]

    def making(self, contract: object, by: str | Seat | None = None) -> Value:
        """Return the chance that a contract makes: (probability, low, high)."""
        bid = played(contract)
        return self.at_least(bid.tricks, strain_of(bid), declarer_of(bid, by))

    def distribution(self, strain: str | Strain, by: str | Seat) -> Floats:
        """Return the chances of 0 to 13 tricks, (14,) float64, which sum to 1.

        Each is the chance of at least so many tricks minus that of at least one more. So those
        of 10 to 13 sum to the chance that four of a major makes.
        """
        so_many, *_ = self._at_least(Strain.parse(strain), Seat.parse(by))
        return so_many[:-1] - so_many[1:]

    def distribution_interval(self, strain: str | Strain, by: str | Seat) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of the 95 % intervals of these chances, (14,) each."""
        chances = self.distribution(strain, by)
        shares = self._means(Strain.parse(strain), Seat.parse(by), np.eye(14))
        _, low, high = shares.chances()
        return np.minimum(low, chances), np.maximum(high, chances)

    def _at_least(self, strain: Strain, seat: Seat) -> tuple[Floats, Floats, Floats]:
        """Return the chances of at least 0 … 14 tricks, with the ends of their intervals: (15,)."""
        if (strain, seat) not in self._falling:
            taken = (TRICKS[:, None] >= np.arange(1, 14)).astype(float)
            low_to_high = falling(self._means(strain, seat, taken).chances())
            mean, low, high = (np.concatenate(([1], ends, [0])) for ends in low_to_high)
            self._falling[strain, seat] = mean, low, high
        return self._falling[strain, seat]

    def score(
        self, contract: str | Contract, by: str | Seat, vulnerable: str | Vulnerability = "none"
    ) -> Value:
        """Return the expected score of declarer's side: (points, low, high)."""
        bid, seat = played_by(contract, by)
        points = score(bid, np.arange(14), is_vulnerable(vulnerable, seat)).astype(float)
        return intervals(self._means(strain_of(bid), seat, points[:, None], scores=True))[0]

    def as_played(
        self,
        contract: str | Contract,
        by: str | Seat,
        vulnerable: Any = "none",
        *,
        players: str = "expert",
    ) -> AsPlayed:
        """Return tricks, chance and score of a contract as ``players`` would play it.

        Uses at most 1,000 of the layouts, all equally likely. The estimate is meant for contracts
        that people reach (docs/models/played.md). Raises ValueError for unknown ``players``.
        """
        bid, seat = played_by(contract, by)
        danger = is_vulnerable(vulnerable, seat)
        return contract_as_played(self.deals, bid, seat, danger, players, self.effect)

    def values_as_played(
        self,
        contracts: Iterable[tuple[str | Contract, str | Seat]],
        vulnerable: str | Vulnerability = "none",
        scoring: str = "total",
        *,
        players: str = "expert",
    ) -> list[ContractValue]:
        """Return what contracts of one side are worth as ``players`` would play them, in order.

        Uses at most 400 of the layouts. With imps or matchpoints, each is compared with the best by
        points. Raises SimulationError for unknown scoring and for contracts of both sides,
        ValueError for unknown ``players``.
        """
        bids = [Contract(*played_by(contract, by)) for contract, by in contracts]
        seats = [bid.by for bid in bids if bid.by is not None]
        if not bids:
            return []
        for seat in seats:
            _partners(seats[0], seat)
        deals = self.deals[some_of(self.deals, MOST_OF_MANY)]
        nothing = np.zeros(len(deals), dtype=np.intp)
        choices = [((bid,), nothing) for bid in bids]
        outcomes = outcomes_of(deals, choices, seats[0].side, vulnerable, players)
        own = is_vulnerable(vulnerable, seats[0])
        found = [
            summed(each.chances, bid, own, self.effect)
            for each, bid in zip(outcomes, bids, strict=True)
        ]
        worth = [each.points for each in found]
        if scoring != "total":
            best = outcomes[int(np.argmax([value.mean for value in worth]))]
            worth = [each.against(best, scoring, self.effect) for each in outcomes]
        rows = zip(bids, seats, found, worth, strict=True)
        return [ContractValue(Contract(str(b)), s, f.making, w) for b, s, f, w in rows]

    def compare_as_played(
        self,
        contract: str | Contract,
        by: str | Seat,
        other: str | Contract,
        other_by: str | Seat,
        *,
        vulnerable: str | Vulnerability = "none",
        scoring: str = "imps",
        players: str = "expert",
    ) -> Value:
        """Return the gain of the first contract over the second as ``players`` would play both.

        Uses at most 400 of the layouts; otherwise like ``compare``. Raises ValueError for unknown
        ``players``.
        """
        seats = _partners(declarer_of(contract, by), declarer_of(other, other_by))
        bids = [Contract(bid, seat) for bid, seat in zip((contract, other), seats, strict=True)]
        deals = self.deals[some_of(self.deals, MOST_OF_MANY)]
        choices = [((bid,), np.zeros(len(deals), dtype=np.intp)) for bid in bids]
        first, second = outcomes_of(deals, choices, seats[0].side, vulnerable, players)
        return first.against(second, scoring, self.effect)

    def compare(
        self,
        contract: str | Contract,
        by: str | Seat,
        other: str | Contract,
        other_by: str | Seat,
        *,
        vulnerable: str | Vulnerability = "none",
        scoring: str = "imps",
    ) -> Value:
        """Return the gain of the first contract over the second, layout by layout.

        ``scoring`` is ``total`` (points), ``imps``, or ``matchpoints`` (the chance of a better
        score plus half that of an equal one: 0.5 is even). Either contract may be ``PASS``. Ends
        are NaN if one of them was not solved. Raises SimulationError for contracts of different
        sides or unknown scoring.
        """
        first, second = Contract(contract), Contract(other)
        seats = _partners(declarer_of(contract, by), declarer_of(other, other_by))
        own = is_vulnerable(vulnerable, seats[0])
        points = [score(bid, np.arange(14), own) for bid in (first, second)]
        gains = gain(points[0][:, None] - points[1], scoring)
        bids = zip((first, second), seats, strict=True)
        cells = [(bid.strain or Strain.SPADES, seat) for bid, seat in bids]
        if first.strain is None or second.strain is None:  # only the other contract scores
            cells = [cells[first.strain is None]] * 2
        if cells[0] == cells[1]:
            difference = self._means(*cells[0], np.diag(gains)[:, None], scores=True)
        else:
            difference = self._compare_cells(cells, gains)
        return gain_intervals(difference, scoring)[0]

    def _compare_cells(self, cells: list[Cell], gains: Floats) -> Means:
        """Estimate the mean of ``gains``, (14, 14) by the tricks in two different cells."""
        if not all(cell in self._columns for cell in cells):
            return means(np.empty((0, 1)), None)
        taken, estimated = self._taken(*cells), None
        exact = gains[taken[0], taken[1]][:, None]
        if self._probabilities is not None:
            p, q = (self._probabilities[:, self._columns[cell]].astype(float) for cell in cells)
            # treats tricks in two strains as independent: a control may be rough
            estimated = ((p @ gains) * q).sum(axis=1, keepdims=True)
        unit = np.unique(np.abs(gains))[1]
        return means(exact, estimated, unit=unit, chance=self.chance, effect=self.effect)

    def best_contracts(
        self,
        vulnerable: str | Vulnerability = "none",
        scoring: str = "total",
        *,
        side: str = "NS",
        number: int = 5,
    ) -> list[ContractValue]:
        """Return a side's best undoubled contracts, best first, each by its better declarer.

        Ranked by expected points, or by IMPs or matchpoints against the contract best by points
        (which is then worth 0 or 0.5). Opponents neither bid nor double. Raises SimulationError
        for unknown scoring, an invalid side, or a ``number`` below 1.
        """
        if number < 1:
            raise SimulationError(f"number is {shorten(number)} (expected 1 or more)")
        gain(np.zeros(1), scoring)
        seats = seats_of(side)
        own = is_vulnerable(vulnerable, seats[0])
        ranked = sorted(
            self._by_points(seats, own), key=lambda value: value.worth.mean, reverse=True
        )
        if scoring != "total" and ranked:
            best = ranked[0]
            against_best = [
                self.compare(
                    value.contract,
                    value.by,
                    best.contract,
                    best.by,
                    vulnerable=vulnerable,
                    scoring=scoring,
                )
                for value in ranked
            ]
            compared = zip(ranked, against_best, strict=True)
            ranked = [value._replace(worth=worth) for value, worth in compared]
            ranked.sort(key=lambda value: value.worth.mean, reverse=True)
        return ranked[:number]

    def _by_points(self, seats: tuple[Seat, ...], vulnerable: bool) -> Iterator[ContractValue]:
        levels = range(1, 8)
        for strain in BIDDING_ORDER:
            known = [seat for seat in seats if (strain, seat) in self._columns]
            if not known:
                continue
            bids = [Contract(f"{level}{strain}") for level in levels]
            points = np.stack(
                [score(bid, np.arange(14), vulnerable) for bid in bids], axis=1
            ).astype(float)
            worth = {
                seat: intervals(self._means(strain, seat, points, scores=True)) for seat in known
            }
            for column, bid in enumerate(bids):
                by = max(known, key=lambda seat: worth[seat][column].mean)
                yield ContractValue(bid, by, self.making(bid, by), worth[by][column])

    def _taken(self, *cells: Cell) -> list[NDArray[np.uint8]]:
        """Return the exact tricks in cells, in the layouts where all of these cells were solved.

        Those are the first ones, fewer in a strain that reached its precision sooner; none if too
        few for an interval.
        """
        taken = [self._exact[:, *cell] for cell in cells]
        solved = min(int((tricks != UNKNOWN).sum()) for tricks in taken)
        enough = solved >= MINIMUM_EXACT or self.known
        return [tricks[: solved if enough else 0] for tricks in taken]

    def _means(
        self, strain: Strain, seat: Seat, outcomes: Floats, *, scores: bool = False
    ) -> Means:
        """Estimate the means of m outcomes, given as (14, m) for 0 to 13 tricks of one cell."""
        estimated, squares, unit = None, None, np.zeros(outcomes.shape[1])
        column = self._columns.get((strain, seat))
        if column is None:
            return means(np.empty((0, outcomes.shape[1])), None)
        (taken,) = self._taken((strain, seat))
        if self._probabilities is not None:
            chances = self._probabilities[:, column].astype(float)
            estimated, squares = chances @ outcomes, chances @ outcomes**2
            if not len(taken) and self.ongoing:
                return guessed(estimated, squares).widened(self.effect)
        if len(taken):
            usual = int(np.bincount(taken, minlength=14).argmax())
            unit = np.abs(outcomes[usual] - outcomes[usual - 1 if usual else 1])
        return means(
            outcomes[taken],
            estimated,
            unit=unit,
            chance=self.chance,
            effect=self.effect,
            squares=squares if scores else None,
        )

    def _grid(self) -> Grid:
        """Expected tricks ± half their intervals."""
        mean, ends = self.expected, np.asarray(self.interval)
        half = (ends[..., 1] - ends[..., 0]) / 2
        asked = {seat for _, seat in self._columns}
        seats = [seat for seat in PRINTED_SEATS if seat in asked]
        return Grid(lambda strain, seat: error_text(mean[strain, seat], half[strain, seat]), seats)

    def __repr__(self) -> str:
        return f"<Simulation of {self.samples:,} layouts, {self.solved:,} solved>"

    def __str__(self) -> str:
        grid = self._grid().text(margin=2, width=14)
        return "\n".join([self.headline, "expected tricks", grid, *wrapped(self.notes)])

    def _repr_html_(self) -> str:
        notes = "<br>".join(map(escape, self.notes))
        grid = self._grid().html("expected tricks")
        return f"<p>{escape(self.headline)}</p>{grid}<p><small>{notes}</small></p>"


ContractsLike = Iterable[tuple[str | Contract, str | Seat] | str | Contract]
"""Contracts and declarers: pairs, texts such as ``4S by S``, and Contracts that name their own."""


def tables_of(contracts: ContractsLike | None, side: str | None) -> Tables:
    """Return the measure for some contracts, a side's cells, or all."""
    if contracts is not None:
        if side is not None:
            raise SimulationError("side and contracts do not go together")
        return Tables(_cells(contracts))
    return Tables(None if side is None else [*product(Strain, seats_of(side))], tables=True)


def survey_of(
    measure: Tables, precision: float | None, side: str | None, vulnerable: str | Vulnerability
) -> tuple[Callable[[Source], Survey], Callable[[Layouts], Wanted]]:
    """Return how a survey of these cells begins, and how many layouts a result calls for.

    The target is ± ``precision`` for all expected tricks, and a third of that for the chance of
    the best contract.
    """
    tricks = PRECISION if precision is None else precision
    shares = tricks * _CHANCE
    sides = ("NS", "EW") if side is None else (side,)
    seats = sorted({seat for _, seat in measure.cells})
    most = USUAL_MOST if precision is None else MOST_EXACT
    finer = min(max(1.0, PRECISION / tricks), MOST_SAMPLES)  # its square is finite
    samples = min(MOST_SAMPLES, round(SURVEYED * finer**2))

    def begin(source: Source) -> Survey:
        def in_strains(strains: list[Strain]) -> Tables:
            return Tables([*product(strains, seats)], tables=True)

        return Survey(source, in_strains, [*Strain], samples, min(most, samples))

    def wanted(layouts: Layouts) -> Wanted:
        found = Simulation(layouts, measure.cells)
        ends = np.asarray(found.interval)
        half = (ends[..., 1] - ends[..., 0]) / 2
        solved = [len(found._taken((strain, seats[0]))[0]) for strain in Strain]
        more = {
            strain: layouts_wanted(half[strain, seats], tricks, solved[strain]) for strain in Strain
        }
        for best_of in sides:
            (best,) = found.best_contracts(vulnerable, side=best_of, number=1)
            strain = strain_of(best.contract)
            width = np.array([best.making.high - best.making.low]) / 2
            number = layouts_wanted(width, shares, solved[strain])
            more[strain] = max(more[strain], number)
        return {strain: number for strain, number in more.items() if number > solved[strain]}

    return begin, wanted


def _cell(contract: Any) -> Cell:
    """Return the strain and declarer of a pair, or of a contract that names its declarer."""
    bid = contract
    if isinstance(contract, str) and " by " in contract:
        bid = read_contract(contract)
    if isinstance(bid, Contract) and bid.by is not None:
        return strain_of(played(bid)), bid.by
    if not isinstance(contract, tuple | list) or len(contract) != 2:
        said = str(contract) if isinstance(contract, Contract) else shorten(contract)
        raise SimulationError(
            f"contracts: {said} has no declarer (expected a list such as ['4S by S', '3N by N'])"
        )
    bid, seat = played_by(*contract)
    return strain_of(bid), seat


def _cells(contracts: ContractsLike) -> list[Cell]:
    """Return the strains and declarers of contracts, without duplicates."""
    alone = isinstance(contracts, str | Contract) or not isinstance(contracts, Iterable)
    cells = [_cell(each) for each in ([contracts] if alone else contracts)]
    if not cells:
        raise SimulationError("contracts is empty (expected contracts and declarers, or None)")
    return list(dict.fromkeys(cells))


def _partners(by: Seat | None, other: Seat | None) -> tuple[Seat, Seat]:
    """Return two declarers of the same side. Raises SimulationError for opponents, or none."""
    if by is None or other is None:
        raise SimulationError("a contract has no declarer (expected by and other_by)")
    seats = by, other
    if seats[0].side != seats[1].side:
        raise SimulationError(f"{seats[0].word} and {seats[1].word} (expected partners, or one)")
    return seats
