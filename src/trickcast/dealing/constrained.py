"""Random deals under constraints: known cards, descriptions of hidden hands, conditions."""

import warnings
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Seat, card_text
from .contradictions import check_known, check_points, check_seats, check_shapes
from .given import hand_of, parts_of
from .language.counts import hcp
from .language.errors import ConstraintError, ConstraintWarning, clip
from .language.evaluation import Layouts, Tricks, bounds
from .language.hands import read_hand
from .language.scripts import Script, read_script
from .language.tree import (
    Clause,
    HandCount,
    HasCards,
    Node,
    conjuncts,
    divides,
    leaves,
    seats_of,
    takes_tricks,
)
from .passing import Bools, Predicate, Test, may_pass, passes
from .report import ClauseHits, ConstraintReport, NoDealsError
from .sampler import UNKNOWN_OWNER, Position, Sampler
from .structure import SeatStructure, View, decided, is_cell_count, structure
from .words import Words, checked_seed, checked_whole

MAX_TRIES = 4_000_000
"""How many layouts are drawn, at most, unless told otherwise."""
_PROBE = 20_000
_PROBE_TRICKS = 64
"""How many layouts a report tries where tricks have to be found."""
_PIECE = 32
"""Of how many layouts tricks are found at a time."""
_BLOCKS = (512, 1024, 2048, 4096)
"""Numbers of layouts drawn at a time; the last is repeated."""


class Constraints:
    """What is known of a deal.

    Each seat is a hand (a Hand, or text that reads as one), constraint text in the short form
    (``"hcp 15-17, balanced"``; cards known in part are text too: ``"SAK, H2"``), a predicate on
    (n, 52) bool hands, a list of these, or None. ``condition`` is about the whole deal: text in
    Dealer's language, a Script that was read from it, a predicate on (n, 52) uint8 owners, or a
    list of these; ``rnd()`` is another chance in each of them. Everything has to hold.
    docs/constraints.md describes both languages.

    ``tricks`` finds what a condition's ``tricks()``, ``dds()`` and ``par()`` ask for: a function of
    (n, 52) uint8 owners that returns (n, 5, 4) tricks, strains S H D C N by declarers N E S W.

    Raises DealError for a bad hand and ConstraintError for text that cannot be read, or where a
    contradiction shows without trying.

    >>> opener = Constraints(south="balanced, hcp 15-17")
    >>> opener.accepts(opener.deals(3, seed=1))
    array([ True,  True,  True])
    """

    def __init__(
        self,
        *,
        north: Any = None,
        east: Any = None,
        south: Any = None,
        west: Any = None,
        condition: Any = None,
        tricks: Tricks | None = None,
    ):
        self._tricks = tricks
        self.known = np.full(52, UNKNOWN_OWNER, dtype=np.uint8)
        """(52,) uint8, the owners of the known cards; 255 for the others."""
        self._clauses: list[Clause] = []
        self._tests: list[Test] = []
        notes = self._read((north, east, south, west), condition)
        self._prepare()
        for note in notes:
            warnings.warn(note, ConstraintWarning, stacklevel=2)

    def _read(self, seats: Sequence[Any], condition: Any) -> list[str]:
        """Read all text, collect the known cards, and return what was read and says nothing."""
        for seat, value in zip(Seat, seats, strict=True):
            for part in parts_of(value):
                self._add_seat(seat, part)
        notes: list[str] = []
        conditions = parts_of(condition)
        scripts = [part for part in conditions if isinstance(part, Script)]
        self._chances = sum(script.takes_chances for script in scripts)
        for part in conditions:
            notes += self._add_condition(part)
        for clause in self._clauses:
            for node in conjuncts(clause.node):
                if isinstance(node, HasCards):
                    self._give(node.cards[0], node.seat)
        self.known.flags.writeable = False
        return notes

    def _add_seat(self, seat: Seat, value: Any) -> None:
        name = seat.name.lower()
        if callable(value):
            self._tests.append(Test(name, _name(value), value, seat))
            return
        hand = hand_of(value, name)
        if hand is None:
            self._clauses += read_hand(value, seat)
            return
        for card in np.flatnonzero(hand.cards):
            self._give(int(card), seat)

    def _add_condition(self, value: Any) -> tuple[str, ...]:
        if callable(value):
            self._tests.append(Test("condition", _name(value), value, None))
            return ()
        if not isinstance(value, str | Script):
            raise ConstraintError(
                f"condition: {type(value).__name__} is not one (expected text or a function)"
            )
        if isinstance(value, str):
            script = read_script(value, chances=self._chances)
            self._chances += script.takes_chances
        else:
            script = value
        if script.unsolved is not None and self._tricks is None:
            raise script.unsolved
        self._clauses += script.clauses
        for card, seat in script.predealt:
            self._give(card, seat)
        if isinstance(value, Script):
            return script.notes  # who reads scripts has use for settings and actions
        return *script.asides, *script.notes

    def _give(self, card: int, seat: Seat) -> None:
        owner = self.known[card]
        if owner not in (UNKNOWN_OWNER, seat):
            raise ConstraintError(
                f"{card_text(card)} is given to {_seat_name(Seat(owner))} and to {_seat_name(seat)}"
            )
        self.known[card] = seat
        held = int((self.known == seat).sum())
        if held > 13:
            raise ConstraintError(
                f"{_seat_name(seat)} has {held} known cards (expected at most 13)"
            )

    def _prepare(self) -> None:
        """Find what can be drawn, and what is left to be tested."""
        self._position = Position(self.known)
        nodes: list[Node] = [
            node
            for clause in self._clauses
            for node in conjuncts(clause.node)
            if not isinstance(node, HasCards)  # those are known cards by now
        ]
        seats = self._position.open_seats
        layouts = Layouts(self.known[None], self._tricks)
        self._full = {seat: layouts.ids(seat) for seat in Seat if seat not in seats}
        check_known(self._clauses, self._full, layouts)
        by_hcp = {seat: structure(nodes, View(seat, hcp(), self._full)) for seat in seats}
        check_seats(self._clauses, self._position, by_hcp, self._full)
        check_points(self._position, by_hcp)
        structures = {seat: self._sharpest(nodes, seat, by_hcp[seat]) for seat in seats}
        check_seats(self._clauses, self._position, structures, self._full)
        self._sampler = Sampler(self._position, structures)
        check_shapes(self._sampler)
        self._views = [View(seat, structures[seat].points, self._full) for seat in seats]
        left = [node for node in nodes if not self._drawn(node)]
        self._left = [node for node in left if not takes_tricks(node)]
        self._left_to_tricks = [node for node in left if takes_tricks(node)]
        self._dividing = [clause.node for clause in self._clauses if divides(clause.node)]

    def _sharpest(self, nodes: list[Node], seat: Seat, by_hcp: SeatStructure) -> SeatStructure:
        """Return the structure, by high-card points or another count, that excludes most hands."""
        counts = dict.fromkeys(  # in the order of the text, for the deals depend on the choice
            leaf.count
            for node in nodes
            for leaf in leaves(node)
            if isinstance(leaf, HandCount) and leaf.seat == seat and is_cell_count(leaf.count)
        )
        counts.pop(hcp(), None)
        others = [structure(nodes, View(seat, count, self._full)) for count in counts]
        if not others:
            return by_hcp
        return min([by_hcp, *others], key=lambda one: self._position.share(seat, one))

    def _drawn(self, node: Node) -> bool:
        """Tell whether the sampler draws no layout that fails a condition."""
        if all(seat in self._full for seat in seats_of(node)):
            return True  # checked already
        leading = self._sampler.leading
        return any(decided(node, view, by_shape=view.seat != leading) for view in self._views)

    @property
    def only_cards(self) -> bool:
        """Whether known cards are all that is asked."""
        nodes = (node for clause in self._clauses for node in conjuncts(clause.node))
        return not self._tests and all(isinstance(node, HasCards) for node in nodes)

    def accepts(self, deals: Any) -> Bools:
        """Return which of a DealSet or (n, 52) owners satisfy everything: (n,) bool.

        Raises ConstraintError where a division by zero leaves it open.
        """
        owners = deals.owners if isinstance(deals, DealSet) else DealSet(deals).owners
        layouts = Layouts(owners, self._tricks)
        fits: Bools = ((owners == self.known) | (self.known == UNKNOWN_OWNER)).all(axis=1)
        for asked in (*(clause.node for clause in self._clauses), *self._tests):
            fits &= may_pass(asked, layouts)
        self._check_divisions(layouts.those(fits) if self._dividing else layouts)
        return fits

    def _check_divisions(self, passed: Layouts) -> None:
        """Raise ConstraintError where a division by zero leaves open whether layouts fit."""
        if self._dividing and len(passed):
            bounds(self._dividing, passed)

    def _accepted(self, owners: NDArray[np.uint8]) -> Iterator[tuple[NDArray[np.uint8], int]]:
        """Yield those of the drawn layouts that pass what is left to be tested, in pieces.

        With each piece goes the number of drawn layouts that it took. Without tricks there is one
        piece; with them, tricks are found piece by piece of what passed everything else, so that
        who stops early waits for few.
        """
        layouts, rows = Layouts(owners, self._tricks), np.arange(len(owners))
        for asked in (*self._left, *self._tests):
            if len(layouts):
                passed = may_pass(asked, layouts)
                layouts, rows = layouts.those(passed), rows[passed]
        if not self._left_to_tricks:
            self._check_divisions(layouts)
            yield layouts.owners, len(owners)
            return
        taken = 0
        for start in range(0, max(1, len(rows)), _PIECE):
            last = start + _PIECE >= len(rows)
            piece = Layouts(layouts.owners[start : start + _PIECE], self._tricks)
            upto = len(owners) if last else int(rows[start + _PIECE - 1]) + 1
            for node in self._left_to_tricks:
                if len(piece):
                    piece = piece.those(may_pass(node, piece))
            self._check_divisions(piece)
            yield piece.owners, upto - taken
            taken = upto

    def stream(self, seed: int) -> Iterator[tuple[NDArray[np.uint8], int]]:
        """Yield (m, 52) owners of fitting layouts, and how many were drawn for them; for ever.

        Joined together they are the deals of ``deals``, in order; m may be 0.
        Raises ValueError for a ``seed`` outside 0 … 2**64 - 1, TypeError for one that is not whole.
        """
        return self._stream(checked_seed(seed))

    def _stream(self, seed: int) -> Iterator[tuple[NDArray[np.uint8], int]]:
        for block in count():
            size = _BLOCKS[min(block, len(_BLOCKS) - 1)]
            yield from self._accepted(self._sampler.draw(size, Words(seed, block)))

    def deals(self, n: int, seed: int, max_tries: int = MAX_TRIES) -> DealSet:
        """Return ``n`` deals, drawn independently and uniformly from all layouts that fit.

        The same seed gives the same deals, and asking for more of them gives the same ones first.

        Raises NoDealsError, which holds the deals found and a report, when ``max_tries`` layouts
        were drawn and too few of them fit. Raises ValueError for a negative ``n`` or a seed
        outside 0 … 2**64 - 1, TypeError for numbers that are not whole.
        """
        n = checked_whole(n, "n")
        if n < 0:
            raise ValueError(f"n is {n} (expected 0 or more)")
        blocks: list[NDArray[np.uint8]] = [np.empty((0, 52), dtype=np.uint8)]
        accepted = tried = 0
        for owners, size in self.stream(seed):
            if accepted >= n or tried >= max_tries:
                break
            blocks.append(owners)
            accepted, tried = accepted + len(owners), tried + size
        deals = DealSet(np.concatenate(blocks)[:n])
        if accepted < n:
            raise self._starved(n, tried, accepted, deals)
        return deals

    def _starved(self, n: int, tried: int, accepted: int, deals: DealSet) -> NoDealsError:
        report = self._report(self._tried(_PROBE), accepted, tried)
        message = f"{accepted:,} of {n:,} deals found: {report.summary()}"
        killer = report.killer
        if killer is not None:
            message += (
                f"\nleast often passed: {killer.source}, {clip(killer.text)!r} ({killer.passed_by})"
            )
        return NoDealsError(
            f"{message}\nask for less, or for more tries (max_tries)", report, deals
        )

    def report(self, tries: int = _PROBE) -> ConstraintReport:
        """Return how many of all layouts fit, and how many pass each clause."""
        tries = self._tried(tries)
        drawn = self._sampler.draw(tries, Words(0, 0))
        accepted = sum(len(owners) for owners, _ in self._accepted(drawn))
        return self._report(tries, accepted, tries)

    def _tried(self, tries: int) -> int:
        """Return how many layouts a report tries: few where tricks have to be found."""
        slow = any(takes_tricks(clause.node) for clause in self._clauses)
        return min(tries, _PROBE_TRICKS) if slow else tries

    def _report(self, tries: int, accepted: int, tried: int) -> ConstraintReport:
        """Try each clause on layouts that are random but for the known cards."""
        plain = Sampler(self._position, {}).draw(tries, Words(0, 1))
        layouts, together = Layouts(plain, self._tricks), np.ones(tries, dtype=np.bool_)
        rows = []
        stated: list[Clause | Test] = [*self._clauses, *self._tests]
        for clause in stated:
            passed = passes(clause.node if isinstance(clause, Clause) else clause, layouts)
            together &= passed
            hits = int(passed.sum())
            exact = self._exact_share(clause) if isinstance(clause, Clause) else None
            rows.append(
                ClauseHits(clause.source, clause.text, hits, int(together.sum()), tries, exact)
            )
        return ConstraintReport(
            tuple(rows), self._position.layouts, self._sampler.share, accepted, tried
        )

    def _exact_share(self, clause: Clause) -> float | None:
        counts = [
            leaf.count
            for leaf in leaves(clause.node)
            if isinstance(leaf, HandCount) and is_cell_count(leaf.count)
        ]
        for seat in self._position.open_seats:
            view = View(seat, counts[0] if counts else hcp(), self._full)
            if decided(clause.node, view):
                return self._position.share(seat, structure([clause.node], view))
        return None

    def __repr__(self) -> str:
        stated = [f"{clause.source}: {clip(clause.text)}" for clause in self._clauses]
        stated += [f"{test.source}: {test.text}" for test in self._tests]
        cards = int((self.known != UNKNOWN_OWNER).sum())
        return f"<Constraints: {cards} known cards; {'; '.join(stated) or 'nothing else'}>"


def constrained_deals(
    n: int,
    seed: int,
    *,
    north: Any = None,
    east: Any = None,
    south: Any = None,
    west: Any = None,
    condition: Any = None,
    tricks: Tricks | None = None,
    max_tries: int = MAX_TRIES,
) -> DealSet:
    """Return ``n`` random deals in which the seats hold what is asked of them.

    The same as ``Constraints(…).deals(n, seed)``, which see.

    >>> deals = constrained_deals(2, seed=1, south="AQ864.K75.A3.KJ4", north="hcp 6-9, spades 3-4")
    >>> all(6 <= deal.north.hcp <= 9 for deal in deals)
    True
    """
    constraints = Constraints(
        north=north, east=east, south=south, west=west, condition=condition, tricks=tricks
    )
    return constraints.deals(n, seed, max_tries)


def _name(function: Predicate) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _seat_name(seat: Seat) -> str:
    return seat.name.capitalize()
