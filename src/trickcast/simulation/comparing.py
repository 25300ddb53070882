"""Compare several contracts, or ways of bidding, on the same layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from html import escape
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Vulnerability, shorten
from ..cards.one_or_many import Rows
from ..dealing import ConstraintError, Strategy, read_strategy
from ..dealing.language.conditions import deal_counts
from ..scoring import Contract, score
from .as_played import MOST_OF_MANY, outcomes_of, some_of
from .controls import Floats, means
from .layouts import Layouts
from .outcomes import (
    Result,
    Value,
    even_of,
    gain,
    gain_intervals,
    is_vulnerable,
    read_contract,
    seats_of,
    strain_of,
)
from .plan import SimulationError
from .run import Cell
from .texts import AS_PLAYED, PLAYED_BY, wrapped

_WIDTH = 26  # width of a printed choice


@dataclass(frozen=True, slots=True)
class Choice:
    """A contract, or several, chosen by conditions."""

    text: str
    rules: tuple[tuple[str | None, Contract], ...]
    """(condition, contract) in order; the last has no condition."""

    @classmethod
    def read(cls, choice: ChoiceLike, by: str | Seat | None) -> Choice:
        """Read a choice; ``by`` declares contracts that name no declarer.

        Raises SimulationError for a condition without ``else`` and for a contract without
        declarer, DealError for an invalid contract or seat.
        """
        if isinstance(choice, Choice):
            return choice
        if not isinstance(choice, str):
            pair = choice if isinstance(choice, tuple) else (choice, None)
            contract = _declared(Contract(*pair), by)
            return cls(_name(contract), ((None, contract),))
        rules: list[tuple[str | None, Contract]] = []
        rest = choice
        while " if " in rest:
            first, _, tail = rest.partition(" if ")
            condition, found, rest = tail.partition(" else ")
            if not found:
                raise SimulationError(
                    f"{shorten(choice)} has no else (expected such as 3N if hcp(north) >= 16 "
                    "else 2N)"
                )
            rules.append((condition.strip(), _declared(read_contract(first), by)))
        rules.append((None, _declared(read_contract(rest), by)))
        name = " ".join(choice.split()) if len(rules) > 1 else _name(rules[0][1])
        return cls(name, tuple(rules))

    @property
    def seat(self) -> Seat | None:
        """The declarer of the first contract that is played."""
        return next((contract.by for _, contract in self.rules if contract.level), None)

    @property
    def strategy(self) -> Strategy:
        """What chooses. Raises ConstraintError for a condition that cannot be read."""
        said = (f"{bid} if {text}" if text is not None else str(bid) for text, bid in self.rules)
        return _strategy(" else ".join(said))

    def picks(self, owners: NDArray[np.uint8]) -> NDArray[np.intp]:
        """Return which of the rules applies to each of (n, 52) owners: (n,).

        Raises ConstraintError as ``strategy`` does, and for a division by zero.
        """
        return self.strategy.decided_by(owners)


ChoiceLike = str | Contract | tuple[str | Contract, str | Seat] | Choice
"""``"4S"``, ``"4S by S"``, ``("4S", "S")``, or ``"3N if hcp(north) >= 16 else 2N"``."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What a choice is worth, and its gain over the first choice."""

    choice: Choice
    score: Value
    """Points."""
    points: Value
    """Gain over the first choice, in points."""
    imps: Value
    matchpoints: Value
    """The chance of a better score plus half the chance of an equal one: 0.5 is even."""


class Comparison(Rows[Compared], Result):
    """Results of ``compare``: print it, or iterate over its rows, in the order asked for.

    ``comparison["4S by S"]`` is the row of that choice.
    """

    side: str
    """The side whose points are counted: NS or EW."""

    def __init__(
        self,
        layouts: Layouts,
        choices: list[list[Choice]],
        cells: list[Cell],
        side: int,
        vulnerable: str | Vulnerability,
    ):
        """Keep the best alternative for each of ``choices``."""
        super().__init__(layouts)
        self.side, self.vulnerable = ("NS", "EW")[side], Vulnerability.parse(vulnerable)
        self._alternatives, self._side = choices, side
        self._exact, self._probabilities = layouts.exact, layouts.probabilities
        self._columns = {cell: column for column, cell in enumerate(cells)}
        self._as_played: dict[str, list[Compared]] = {}

    @cached_property
    def rows(self) -> list[Compared]:
        """A row for each choice; all are compared with the first."""
        passed = Choice("PASS", ((None, Contract("PASS")),)), np.zeros(self.samples, dtype=np.intp)
        asked = []
        for alternatives in self._alternatives:
            picked = [(choice, choice.picks(self.deals.owners)) for choice in alternatives]
            if len(picked) > 1:
                picked.sort(key=lambda one: -self._gain(one, passed, "total").mean)
            asked.append(picked[0])
        return [
            Compared(
                one[0],
                self._gain(one, passed, "total"),
                *(
                    Value(*[even_of(scoring)] * 3)
                    if one is asked[0] and not self.known
                    else self._gain(one, asked[0], scoring)
                    for scoring in ("total", "imps", "matchpoints")
                ),
            )
            for one in asked
        ]

    def as_played(self, players: str = "expert") -> list[Compared]:
        """Return the rows as ``players`` would play the contracts, over at most 400 layouts.

        Raises ValueError for unknown ``players``.
        """
        if players not in self._as_played:
            deals = self.deals[some_of(self.deals, MOST_OF_MANY)]
            chosen = [row.choice for row in self.rows]
            choices = [
                ([contract for _, contract in each.rules], each.picks(deals.owners))
                for each in chosen
            ]
            passed = ([Contract("PASS")], np.zeros(len(deals), dtype=np.intp))
            *outcomes, nothing = outcomes_of(
                deals, [*choices, passed], self._side, self.vulnerable, players
            )
            self._as_played[players] = [
                Compared(
                    choice,
                    one.against(nothing, "total", self.effect),
                    *(
                        one.against(outcomes[0], scoring, self.effect)
                        for scoring in ("total", "imps", "matchpoints")
                    ),
                )
                for choice, one in zip(chosen, outcomes, strict=True)
            ]
        return self._as_played[players]

    def _gain(self, one: Any, other: Any, scoring: str) -> Value:
        """Return the gain of one choice over another; each gives a rule for each layout."""
        solved = self.solved
        exact = np.zeros((solved, 1))
        estimated = None if self._probabilities is None else np.zeros((self.samples, 1))
        steps = [np.inf]
        for first, (_, bid) in enumerate(one[0].rules):
            for second, (_, against) in enumerate(other[0].rules):
                rows = np.flatnonzero((one[1] == first) & (other[1] == second))
                if not len(rows):
                    continue
                gains = gain(self._points(bid)[:, None] - self._points(against), scoring)
                steps += np.abs(gains[gains != 0]).tolist()
                found, guessed = self._outcomes(rows, bid, against, gains)
                exact[rows[rows < solved], 0] = found
                if estimated is not None:
                    estimated[rows, 0] = guessed
        unit = min(steps) if min(steps) < np.inf else 0.0
        judged = means(exact, estimated, unit=unit, chance=self.chance, effect=self.effect)
        return gain_intervals(judged, scoring)[0]

    def _outcomes(
        self, rows: NDArray[np.intp], bid: Contract, against: Contract, gains: Floats
    ) -> tuple[Floats, Floats | None]:
        """Return the gains, (14, 14) by both tricks, in the solved layouts; and their estimates."""
        solved = rows[rows < self.solved]
        cells = [_cell(each) for each in (bid, against) if each.level]
        if not cells:
            return np.full(len(solved), gains[0, 0]), np.full(len(rows), gains[0, 0])
        taken = [self._exact[(solved, *cell)] for cell in cells]
        chances = []
        if self._probabilities is not None:
            columns = [self._columns[cell] for cell in cells]
            chances = [self._probabilities[rows, column].astype(float) for column in columns]
        if len({*cells}) == 1:
            line = np.diag(gains)
            return line[taken[0]], chances[0] @ line if chances else None
        # treats tricks in two strains as independent: a control may be rough
        guessed = ((chances[0] @ gains) * chances[1]).sum(axis=1) if chances else None
        return gains[taken[0], taken[1]], guessed

    def _points(self, bid: Contract) -> Floats:
        """Return the side's points for 0 to 13 tricks of declarer, (14,)."""
        if bid.by is None:
            return np.zeros(14)
        own = score(bid, np.arange(14), is_vulnerable(self.vulnerable, bid.by)).astype(float)
        points: Floats = own if bid.by.side == self._side else -own
        return points

    def __len__(self) -> int:
        return len(self._alternatives)

    @property
    def _rows(self) -> list[Compared]:
        return self.rows

    def _answers(self, row: Compared, name: str) -> bool:
        text = row.choice.text
        return " ".join(name.split()) in (text, text.removesuffix(f", by {row.choice.seat}"))

    def __repr__(self) -> str:
        return f"<Comparison of {len(self)} choices, {self.solved:,} layouts solved>"

    def __str__(self) -> str:
        return self.text()

    def text(self, players: str | None = "expert") -> str:
        """Return a line for each choice: double dummy, and as ``players`` would play if given."""
        against = f"against {self.rows[0].choice.text}:"
        head = f"{'':{_WIDTH}}{'points':>13}{'points':>14}{'IMPs':>13}{'matchpoints':>14}"
        vulnerable = self.vulnerable
        sides = f", vulnerable {vulnerable.name}" if vulnerable in (1, 2) else ""
        sides = ", vulnerable both" if vulnerable == 3 else sides
        lines = [self.headline, *wrapped([f"points of {self.side}{sides}; {against}"]), head]
        told = [] if players is None else self.as_played(players)
        for number, row in enumerate(self.rows):
            name = f"{row.choice.text:{_WIDTH}}"
            if len(name) > _WIDTH:
                lines += wrapped([name])
                name = " " * _WIDTH
            lines.append(name + _numbers(row))
            lines += [f"{f'  {AS_PLAYED}':{_WIDTH}}{_numbers(each)}" for each in told[number:][:1]]
        notes = [] if players is None else [PLAYED_BY[players]]
        return "\n".join(lines + wrapped([*self.notes, *notes]))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def read_choices(
    choices: Sequence[ChoiceLike], by: str | Seat | None, side: str
) -> tuple[list[list[Choice]], int, list[Cell]]:
    """Return choices as played by every possible declarer, the side counted, and the cells.

    Raises SimulationError for fewer than two choices, for a list in the place of one, or if no
    contract is played, and ConstraintError for a condition that cannot be read.
    """
    for choice in choices:
        if isinstance(choice, list) or (isinstance(choice, tuple) and len(choice) != 2):
            raise SimulationError(
                f"{shorten(choice)} is not one contract (pass contracts one by one: "
                "compare('3N', '4S'))"
            )
    seats = seats_of(side) if by is None else (by,)
    read = [_alternatives(choice, seats) for choice in choices]
    if len(read) < 2:
        raise SimulationError("fewer than two choices (expected such as 2S, 4S)")
    contracts = [
        contract
        for alternatives in read
        for choice in alternatives
        for _, contract in choice.rules
        if contract.level
    ]
    if not contracts or contracts[0].by is None:
        raise SimulationError("no contract is played (expected one that is not PASS)")
    for choice in chain.from_iterable(read):
        choice.strategy  # noqa: B018  # what is wrong there is told before anything is dealt
    return read, contracts[0].by.side, [*dict.fromkeys(map(_cell, contracts))]


@lru_cache(maxsize=128)
def _strategy(rule: str) -> Strategy:
    """Read a rule, once. Raises ConstraintError for what cannot be read, and for tricks."""
    strategy = read_strategy(rule, "rule")
    for condition in strategy.conditions:
        for count in deal_counts(condition):
            if count.from_tricks:
                raise ConstraintError(
                    f"rule {shorten(rule)}: {count.name}() is not known from the cards alone "
                    "(expected counts of the cards, such as hcp(north) >= 16)"
                )
    return strategy


def _alternatives(choice: ChoiceLike, seats: Sequence[str | Seat]) -> list[Choice]:
    """Return a choice once for each of the seats as declarer, if it names none."""
    read = dict.fromkeys(Choice.read(choice, seat) for seat in seats)
    if len(read) > 1:
        return [
            replace(one, text=f"{one.text}, by {one.seat}") if len(one.rules) > 1 else one
            for one in read
        ]
    return [*read]


def _declared(contract: Contract, by: str | Seat | None) -> Contract:
    if not contract.level:
        return Contract("PASS")
    if contract.by is None and by is None:
        raise SimulationError(
            f"{contract} has no declarer (expected such as {contract} by S, or by=)"
        )
    return contract if contract.by is not None else Contract(contract, by)


def _name(contract: Contract) -> str:
    return f"{contract} by {contract.by}" if contract.by is not None else str(contract)


def _cell(contract: Contract) -> Cell:
    assert contract.by is not None  # _declared has made sure
    return strain_of(contract), contract.by


def _numbers(row: Compared) -> str:
    """Show what a choice is worth, and what it gains."""
    numbers = (row.score, row.points, row.imps, row.matchpoints)
    shown = map(_shown, numbers, (0, 0, 2, 2))
    return "".join(f"{text:>{w}}" for text, w in zip(shown, (13, 14, 13, 14), strict=True))


def _shown(value: Value, digits: int) -> str:
    half = (value.high - value.low) / 2
    error = "" if np.isnan(half) or half < 1e-6 else f" ±{half:.{digits}f}"
    return f"{value.mean:.{digits}f}{error}"
