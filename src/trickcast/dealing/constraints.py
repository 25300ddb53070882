"""Random deals under constraints: known cards, descriptions of hidden hands, conditions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    DealError,
    DealSet,
    DealsLike,
    Hand,
    HandLike,
    Seat,
    as_dealset,
    card_text,
    checked_whole,
    shorten,
)
from .language.conditions import (
    Clause,
    HandCount,
    HasCards,
    Layouts,
    Node,
    Tricks,
    bounds,
    conjuncts,
    divides,
    evaluate,
    leaves,
    may_hold,
    seats_of,
    takes_tricks,
    value_of,
)
from .language.dealer_script import Script, read_script
from .language.descriptions import read_description
from .language.hand_counts import hcp
from .language.mistakes import ConstraintError, ConstraintWarning, clip
from .sampler import (
    UNKNOWN_OWNER,
    CellFacts,
    FullHands,
    KnownCards,
    LimitsBySeat,
    Sampler,
    SeatLimits,
    decided,
    is_cell_count,
    seat_limits,
)
from .shuffling import RandomWords, Seed, random_words

MAX_TRIES = 4_000_000
"""Default limit of layouts to draw."""
FEWEST_TRIES = 512
"""Layouts that are drawn even if fewer are allowed."""
_PROBE = 20_000
_PROBE_TRICKS = 64
"""Layouts that a report tries if tricks are needed."""
_PIECES = (4, 8, 16, 32)
"""Layouts whose tricks are found together, batch by batch; the last number repeats."""
_BLOCKS = (FEWEST_TRIES, 1024, 2048, 4096)
"""Layouts drawn together, batch by batch; the last number repeats."""


_HAND_TEXT = re.compile(r"[akqjt0-9.\s♠♥♦♣♤♡♢♧\ufe0e\ufe0f–—-]*", re.IGNORECASE)
_SHOWN = 3  # clauses that an error quotes

Bools = NDArray[np.bool_]
Predicate = Callable[[NDArray[Any]], Any]
"""A Python test. For a seat it gets (n, 52) bool hands, as a condition (n, 52) uint8 owners; it
returns (n,) bool."""
KnownHand = HandLike | Predicate | Sequence[HandLike | Predicate] | None
"""What is known of a hand: the hand, a description, a test, or a list of these."""
KnownDeal = str | Script | Predicate | Sequence[str | Script | Predicate] | None
"""What is known of the whole deal: Dealer's language, a test, or a list of these."""


@dataclass(frozen=True, eq=False)
class Test:
    """A Python predicate used as a clause."""

    source: str
    function: Predicate
    seat: Seat | None

    @property
    def text(self) -> str:
        """The function's name."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))


def _passes(asked: Node | Test, layouts: Layouts) -> Bools:
    """Return which layouts pass: (n,) bool. Those left open by a division by zero do not.

    Raises ConstraintError for a test that returns anything but (n,) bool.
    """
    if isinstance(asked, Test):
        return _tested(asked, layouts)
    return np.broadcast_to(evaluate(asked, layouts), len(layouts))


def _may_pass(asked: Node | Test, layouts: Layouts) -> Bools:
    """Return the same, except that layouts left open by a division by zero pass."""
    if isinstance(asked, Test):
        return _tested(asked, layouts)
    return np.broadcast_to(may_hold(asked, layouts), len(layouts))


def _tested(test: Test, layouts: Layouts) -> Bools:
    cards = layouts.owners if test.seat is None else layouts.owners == test.seat
    passed = np.asarray(test.function(cards))
    if passed.shape != (len(layouts),) or passed.dtype != np.bool_:
        raise ConstraintError(
            f"{test.source}: {test.text} returned {passed.dtype} of shape {passed.shape} "
            f"(expected bool of shape ({len(layouts)},))"
        )
    return passed


@dataclass(frozen=True, slots=True)
class ClauseHits:
    """One clause, tried on random layouts of the unknown cards."""

    source: str
    """The owner of the clause: a seat, or the condition."""
    text: str
    hits: int
    """Layouts that passed it."""
    together: int
    """Layouts that passed it and all earlier clauses."""
    tries: int
    exact: float | None
    """The share of all layouts that pass it, if it can be counted instead of sampled."""

    @property
    def share(self) -> float:
        """The share of layouts that pass: exact if known, otherwise hits over tries."""
        return self.exact if self.exact is not None else self.hits / max(1, self.tries)

    @property
    def passed_by(self) -> str:
        """Return how many pass, as text: ``by 1 in 42 layouts``, ``by none of 20,000 random …``."""
        if self.share > 0:
            return f"by {_one_in(self.share)} layouts"
        return f"by none of {self.tries:,} random layouts"


@dataclass(frozen=True, slots=True)
class ConstraintReport:
    """How restrictive a constraint is: acceptance rate, and each clause's share. ``print`` it."""

    clauses: tuple[ClauseHits, ...]
    layouts: int
    """Number of ways to deal the unknown cards."""
    drawn_from: float
    """The exact share of these that the sampler draws from."""
    accepted: int
    """Number of drawn layouts that passed everything."""
    tried: int
    """Number of layouts drawn."""

    @property
    def share(self) -> float:
        """The share of all layouts that fit: the acceptance rate of plain rejection."""
        return self.drawn_from * self.accepted / max(1, self.tried)

    @property
    def killer(self) -> ClauseHits | None:
        """The clause that passes least often; None without clauses."""
        return min(self.clauses, key=lambda clause: clause.share, default=None)

    def summary(self) -> str:
        """Return one line that says how many layouts fit."""
        drawn = f"{self.accepted:,} of {self.tried:,} layouts drawn"
        if self.accepted == 0:
            limit = self.drawn_from * 3 / max(1, self.tried)  # the 95 % limit if nothing was hit
            return f"no layout found: fewer than {_one_in(limit)} fits ({drawn})"
        return f"{_one_in(self.share)} layouts fits ({drawn} passed)"

    def __str__(self) -> str:
        lines = [self.summary()]
        texts = [clip(clause.text) for clause in self.clauses]
        width = max(map(len, texts), default=0)
        if self.clauses:
            tries = f"of {self.clauses[0].tries:,} random layouts"
            lines.append(f"{'':9} {'clause':{width}}  passed by  with those above  ({tries})")
        lines += [
            f"{clause.source:9} {text:{width}}  {_percent(clause.share):>9}"
            f"  {_percent(clause.together / max(1, clause.tries)):>16}"
            f"{'  exact' if clause.exact is not None else ''}"
            for clause, text in zip(self.clauses, texts, strict=True)
        ]
        return "\n".join(lines)


class NoDealsError(ConstraintError):
    """Too few layouts fit: fewer were found than requested."""

    def __init__(self, found: int, wanted: int, report: ConstraintReport, deals: DealSet):
        message = f"{found:,} of {wanted:,} deals found: {report.summary()}"
        killer = report.killer
        if killer is not None:
            message += (
                f"\nleast often passed: {killer.source}, {clip(killer.text)!r} ({killer.passed_by})"
            )
        super().__init__(f"{message}\nask for less, or allow more tries (max_tries)")
        self.report = report
        """How often each clause passes."""
        self.deals = deals
        """The deals that were found."""


def _percent(share: float) -> str:
    return f"{share:.2%}" if share >= 0.001 or share == 0 else f"{share:.1e}"


def _one_in(share: float) -> str:
    if share <= 0:
        return "none of the"
    return f"1 in {1 / share:,.1f}" if share > 1e-2 else f"1 in {1 / share:,.0f}"


class Constraints:
    """State what is known of a deal, and deal layouts that fit.

    All parts must hold. docs/constraints.md describes both languages.

    Args:
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these. Default: nothing.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
            ``rnd()`` is independent in each.
        tricks: Function that finds the tricks for ``tricks()``, ``dds()`` and ``par()`` in a
                condition: from owners, shape (n, 52), uint8, to tricks, shape (n, 5, 4), strains S
                H D C N by declarers N E S W. Default: refuse such conditions.

    Raises:
        DealError: A hand is not valid.
        ConstraintError: A text cannot be read, or is clearly contradictory.

    Example:
        >>> from trickcast.dealing import Constraints
        >>> opener = Constraints(south="balanced, hcp 15-17")
        >>> opener.accepts(opener.deals(3, seed=1))
        array([ True,  True,  True])
    """

    effect = 1.0
    """Factor by which the variance of a mean exceeds that of independent layouts: 1 here."""

    def __init__(
        self,
        *,
        north: KnownHand = None,
        east: KnownHand = None,
        south: KnownHand = None,
        west: KnownHand = None,
        condition: KnownDeal = None,
        tricks: Tricks | None = None,
    ):
        if not (tricks is None or callable(tricks)):
            raise TypeError(f"tricks is {shorten(tricks)} (expected a function of owners)")
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
        """Read all text, collect the known cards, and return notes on text without effect."""
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
            self._tests.append(Test(name, value, seat))
            return
        hand = hand_of(value, name)
        if hand is None:
            self._clauses += read_description(value, seat)
            return
        for card in np.flatnonzero(hand.cards):
            self._give(int(card), seat)

    def _add_condition(self, value: Any) -> tuple[str, ...]:
        if callable(value):
            self._tests.append(Test("condition", value, None))
            return ()
        if not isinstance(value, str | Script):
            raise ConstraintError(
                f"condition: {type(value).__name__} is not a condition (expected text or a "
                "function)"
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
            return script.notes  # callers that read scripts use settings and actions
        return *script.asides, *script.notes

    def _give(self, card: int, seat: Seat) -> None:
        owner = self.known[card]
        if owner not in (UNKNOWN_OWNER, seat):
            raise ConstraintError(
                f"{card_text(card)} is given to {Seat(owner).word} and to {seat.word}"
            )
        self.known[card] = seat
        number = int((self.known == seat).sum())
        if number > 13:
            raise ConstraintError(f"{seat.word} has {number} known cards (expected at most 13)")

    def _prepare(self) -> None:
        """Find out what can be drawn directly, and what remains to be tested."""
        self._cards = KnownCards(self.known)
        nodes: list[Node] = [
            node
            for clause in self._clauses
            for node in conjuncts(clause.node)
            if not isinstance(node, HasCards)  # those are known cards by now
        ]
        seats = self._cards.open_seats
        layouts = Layouts(self.known[None], self._tricks)
        self._full = {seat: layouts.ids(seat) for seat in Seat if seat not in seats}
        _check_known(self._clauses, self._full, layouts)
        by_hcp = {seat: seat_limits(nodes, CellFacts(seat, hcp(), self._full)) for seat in seats}
        _check_seats(self._clauses, self._cards, by_hcp, self._full)
        _check_points(self._cards, by_hcp)
        limits = {seat: self._sharpest(nodes, seat, by_hcp[seat]) for seat in seats}
        _check_seats(self._clauses, self._cards, limits, self._full)
        self._sampler = Sampler(self._cards, limits)
        _check_shapes(self._sampler)
        self._facts = [CellFacts(seat, limits[seat].points, self._full) for seat in seats]
        left = [node for node in nodes if not self._drawn(node)]
        self._left = [node for node in left if not takes_tricks(node)]
        self._left_to_tricks = [node for node in left if takes_tricks(node)]
        self._dividing = [clause.node for clause in self._clauses if divides(clause.node)]

    def _sharpest(self, nodes: list[Node], seat: Seat, by_hcp: SeatLimits) -> SeatLimits:
        """Return the limits, by high-card points or another count, that exclude the most hands."""
        counts = dict.fromkeys(  # in the order of the text, because the deals depend on the choice
            leaf.count
            for node in nodes
            for leaf in leaves(node)
            if isinstance(leaf, HandCount) and leaf.seat == seat and is_cell_count(leaf.count)
        )
        counts.pop(hcp(), None)
        others = [seat_limits(nodes, CellFacts(seat, count, self._full)) for count in counts]
        if not others:
            return by_hcp
        return min([by_hcp, *others], key=lambda one: self._cards.share(seat, one))

    def _drawn(self, node: Node) -> bool:
        """Return whether the sampler never draws a layout that fails a condition."""
        if all(seat in self._full for seat in seats_of(node)):
            return True  # checked already
        leading = self._sampler.leading
        return any(decided(node, facts, by_shape=facts.seat != leading) for facts in self._facts)

    @property
    def only_cards(self) -> bool:
        """Whether there are no constraints except known cards."""
        nodes = (node for clause in self._clauses for node in conjuncts(clause.node))
        return not self._tests and all(isinstance(node, HasCards) for node in nodes)

    def accepts(self, deals: DealsLike) -> Bools:
        """Return which deals satisfy everything.

        Args:
            deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.

        Returns:
            Shape (n,), bool.

        Raises:
            DealError: An entry is not a valid deal; the message names its index.
            ConstraintError: A division by zero leaves the result open.
        """
        owners = as_dealset(deals)[0].owners
        layouts = Layouts(owners, self._tricks)
        fits: Bools = ((owners == self.known) | (self.known == UNKNOWN_OWNER)).all(axis=1)
        for asked in (*(clause.node for clause in self._clauses), *self._tests):
            fits &= _may_pass(asked, layouts)
        self._check_divisions(layouts.those(fits) if self._dividing else layouts)
        return fits

    def _check_divisions(self, passed: Layouts) -> None:
        """Raise ConstraintError if a division by zero leaves open whether layouts fit."""
        if self._dividing and len(passed):
            bounds(self._dividing, passed)

    def _accepted(self, owners: NDArray[np.uint8]) -> Iterator[tuple[NDArray[np.uint8], int]]:
        """Yield the drawn layouts that pass the remaining tests, in pieces.

        Each piece comes with the number of drawn layouts that it took. Without tricks there is one
        piece. With them, tricks are found piece by piece for layouts that passed the rest, so
        a caller who stops early waits for few.
        """
        layouts, rows = Layouts(owners, self._tricks), np.arange(len(owners))
        for asked in (*self._left, *self._tests):
            if len(layouts):
                passed = _may_pass(asked, layouts)
                layouts, rows = layouts.those(passed), rows[passed]
        if not self._left_to_tricks:
            self._check_divisions(layouts)
            yield layouts.owners, len(owners)
            return
        taken = 0
        for start, stop in _pieces(len(rows)):
            piece = Layouts(layouts.owners[start:stop], self._tricks)
            upto = len(owners) if stop == len(rows) else int(rows[stop - 1]) + 1
            for node in self._left_to_tricks:
                if len(piece):
                    piece = piece.those(_may_pass(node, piece))
            self._check_divisions(piece)
            yield piece.owners, upto - taken
            taken = upto

    def stream(self, seed: Seed) -> Iterator[tuple[NDArray[np.uint8], int]]:
        """Yield fitting layouts forever.

        Concatenated, they are the deals of ``deals``, in order.

        Args:
            seed: Seed, 0 to 2**64 - 1, or ``"secure"`` for the system's randomness.

        Yields:
            Owners, shape (m, 52), uint8, where m may be 0; and the number of layouts drawn for
            them.

        Raises:
            ValueError: ``seed`` is out of its range.
            TypeError: ``seed`` is not whole.
        """
        random_words(seed, 0)  # reports a bad seed at once
        drawn = (
            self._sampler.draw(_BLOCKS[min(block, len(_BLOCKS) - 1)], random_words(seed, block))
            for block in count()
        )
        return (piece for layouts in drawn for piece in self._accepted(layouts))

    def deals(self, n: int, seed: Seed, max_tries: int = MAX_TRIES) -> DealSet:
        """Return ``n`` deals, drawn independently and uniformly from all layouts that fit.

        The same seed gives the same deals; if you ask for more, the first ones stay the same.

        Args:
            n: Number of deals, 0 or more.
            seed: Seed, 0 to 2**64 - 1, or ``"secure"`` for the system's randomness.
            max_tries: Most layouts to draw; a batch of them, 512 or more, is drawn in full.

        Returns:
            A DealSet of ``n`` deals.

        Raises:
            NoDealsError: ``max_tries`` layouts gave fewer than ``n`` deals. The error has the deals
                found, and a report.
            ValueError: A number is out of its range.
            TypeError: A number is not whole.
        """
        n = checked_whole(n, "n", 0)
        checked_whole(max_tries, "max_tries", 1)
        blocks: list[NDArray[np.uint8]] = [np.empty((0, 52), dtype=np.uint8)]
        accepted = tried = 0
        layouts = self.stream(seed)
        while accepted < n and tried < max_tries:
            owners, size = next(layouts)
            blocks.append(owners)
            accepted, tried = accepted + len(owners), tried + size
        deals = DealSet(np.concatenate(blocks)[:n])
        if accepted < n:
            report = self._report(self._tried(_PROBE), accepted, tried)
            raise NoDealsError(accepted, n, report, deals)
        return deals

    def report(self, tries: int = _PROBE) -> ConstraintReport:
        """Count how many of all layouts fit, and how many pass each clause.

        Args:
            tries: Number of random layouts to try.

        Returns:
            A ConstraintReport, which prints as a table.
        """
        tries = self._tried(tries)
        drawn = self._sampler.draw(tries, RandomWords(0, 0))
        accepted = sum(len(owners) for owners, _ in self._accepted(drawn))
        return self._report(tries, accepted, tries)

    def _tried(self, tries: int) -> int:
        """Return how many layouts a report tries: few if tricks are needed."""
        slow = any(takes_tricks(clause.node) for clause in self._clauses)
        return min(tries, _PROBE_TRICKS) if slow else tries

    def _report(self, tries: int, accepted: int, tried: int) -> ConstraintReport:
        """Try each clause on layouts that are random except for the known cards."""
        plain = Sampler(self._cards, {}).draw(tries, RandomWords(0, 1))
        layouts, together = Layouts(plain, self._tricks), np.ones(tries, dtype=np.bool_)
        rows = []
        stated: list[Clause | Test] = [*self._clauses, *self._tests]
        for clause in stated:
            passed = _passes(clause.node if isinstance(clause, Clause) else clause, layouts)
            together &= passed
            hits = int(passed.sum())
            exact = self._exact_share(clause) if isinstance(clause, Clause) else None
            rows.append(
                ClauseHits(clause.source, clause.text, hits, int(together.sum()), tries, exact)
            )
        return ConstraintReport(
            tuple(rows), self._cards.layouts, self._sampler.share, accepted, tried
        )

    def _exact_share(self, clause: Clause) -> float | None:
        counts = [
            leaf.count
            for leaf in leaves(clause.node)
            if isinstance(leaf, HandCount) and is_cell_count(leaf.count)
        ]
        for seat in self._cards.open_seats:
            facts = CellFacts(seat, counts[0] if counts else hcp(), self._full)
            if decided(clause.node, facts):
                return self._cards.share(seat, seat_limits([clause.node], facts))
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
    north: KnownHand = None,
    east: KnownHand = None,
    south: KnownHand = None,
    west: KnownHand = None,
    condition: KnownDeal = None,
    tricks: Tricks | None = None,
    max_tries: int = MAX_TRIES,
) -> DealSet:
    """Return ``n`` random deals that satisfy what you ask, all equally likely.

    The same as ``Constraints(…).deals(n, seed)``. docs/constraints.md describes both languages.

    Args:
        n: Number of deals, 0 or more.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same deals.
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
        tricks: Function that finds the tricks for ``tricks()``, ``dds()`` and ``par()`` in a
                condition, from (n, 52) owners to (n, 5, 4) tricks. Default: refuse such conditions.
        max_tries: Most layouts to draw; a batch of them, 512 or more, is drawn in full.

    Returns:
        A DealSet of ``n`` deals.

    Raises:
        DealError: A hand is not valid.
        ConstraintError: A text cannot be read, or contradicts itself.
        NoDealsError: ``max_tries`` layouts gave fewer than ``n`` deals.

    Example:
        >>> known = {"south": "AQ864.K75.A3.KJ4", "north": "hcp 6-9, spades 3-4"}
        >>> deals = tc.constrained_deals(2, seed=1, **known)
        >>> all(6 <= deal.north.hcp <= 9 for deal in deals)
        True
    """
    constraints = Constraints(
        north=north, east=east, south=south, west=west, condition=condition, tricks=tricks
    )
    return constraints.deals(n, seed, max_tries)


def parts_of(value: Any) -> Sequence[Any]:
    """Return the parts of a list; anything else as a single part; nothing for None."""
    if value is None:
        return ()
    return value if isinstance(value, list | tuple) else (value,)


def hand_of(value: Any, source: str) -> Hand | None:
    """Return ``value`` as a hand, or None for text that is not one."""
    if isinstance(value, Hand):
        return value
    if isinstance(value, np.ndarray):
        return Hand.from_cards(value)
    if not isinstance(value, str):
        raise ConstraintError(
            f"{source}: {type(value).__name__} is not a hand or constraint (expected text, a Hand "
            "or a function)"
        )
    try:
        return Hand(value)
    except DealError as error:
        suits = value.count(".") >= 2 or len(value.split()) == 4
        if suits and _HAND_TEXT.fullmatch(value):
            raise DealError(f"{source}: {error}") from None
        return None


# --- impossible constraints, found by counting, before a layout is drawn


def _check_known(clauses: Sequence[Clause], known: FullHands, layouts: Layouts) -> None:
    """Raise ConstraintError if the known hands alone violate a clause."""
    for clause in clauses:
        for node in conjuncts(clause.node):
            seats = seats_of(node)
            if all(seat in known for seat in seats) and not value_of(node, layouts).all():
                whose = " and ".join(seat.word for seat in sorted(seats))
                reason = f"the hand of {whose} is not so" if seats else "it is never true"
                raise ConstraintError(f"{clause.source}: {clip(clause.text)!r} fails: {reason}")


def _check_seats(
    clauses: Sequence[Clause], cards: KnownCards, limits: LimitsBySeat, known: FullHands
) -> None:
    """Raise ConstraintError if no possible hand of a seat satisfies its clauses."""
    for seat, wanted in limits.items():
        facts = CellFacts(seat, wanted.points, known)
        if wanted.says_nothing or cards.share(seat, wanted) > 0:
            continue
        texts: list[str] = []
        together = seat_limits([], facts)
        for clause in clauses:
            alone = seat_limits([clause.node], facts)
            if together.within(alone):
                continue  # it excludes nothing more
            texts.append(clause.text)
            if cards.share(seat, alone) == 0:
                raise _no_hand(seat, [clause.text], cards)
            together = together.joined(alone)
            if cards.share(seat, together) == 0:
                break
        raise _no_hand(seat, texts, cards)


def _no_hand(seat: Seat, texts: list[str], cards: KnownCards) -> ConstraintError:
    """Return the error for an impossible hand, with what the known cards leave possible."""
    name = seat.name.lower()
    free = seat_limits([], CellFacts(seat, hcp(), {}))
    points = np.flatnonzero(cards.hands(seat, free).number.any(axis=0))
    least = cards.lengths(seat)
    most = np.minimum(13, least + np.minimum(cards.sizes, 13 - cards.counts[seat]))
    lengths = ", ".join(
        f"{low}-{high} {suit}"
        for low, high, suit in zip(
            least, most, ("spades", "hearts", "diamonds", "clubs"), strict=True
        )
    )
    shown = [repr(clip(text)) for text in texts]
    what = " and ".join(shown if len(shown) <= _SHOWN else [*shown[: _SHOWN - 1], "others"])
    return ConstraintError(
        f"{name}: no hand fits {what}{' together' if len(texts) > 1 else ''} (with the known "
        f"cards, {points[0]}-{points[-1]} high-card points, {lengths} are possible)"
    )


def _check_shapes(sampler: Sampler) -> None:
    """Raise ConstraintError if each seat's shapes are possible, but not together."""
    if sampler.share == 0:
        raise ConstraintError(
            "the shapes asked for cannot occur together: no layout of the suits has them all"
        )


def _pieces(rows: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each piece of so many layouts; one empty piece for none."""
    stop, number = 0, 0
    while number == 0 or stop < rows:
        start, size = stop, _PIECES[min(number, len(_PIECES) - 1)]
        stop, number = min(start + size, rows), number + 1
        yield start, stop


def _check_points(cards: KnownCards, limits: LimitsBySeat) -> None:
    """Raise ConstraintError if the high-card points required of the seats cannot add up.

    The limits are those by high-card points.
    """
    left = np.array([_points(cards.free)] + [_points(ids) for ids in cards.ids], dtype=np.int64)
    total = int(left.sum())
    ranges = {}
    for seat in Seat:
        if seat not in limits:
            ranges[seat] = (int(left[1 + seat]),) * 2
            continue
        wanted = limits[seat]
        number = cards.hands(seat, wanted).number * wanted.cells
        points = np.flatnonzero(number.any(axis=0))
        ranges[seat] = (int(points[0]), int(points[-1]))
    least, most = (sum(ends) for ends in zip(*ranges.values(), strict=True))
    if not least <= total <= most:
        asked = ", ".join(
            f"{seat.name.lower()} {low}-{high}" for seat, (low, high) in ranges.items()
        )
        raise ConstraintError(
            f"the high-card points do not add up: {asked} make {least}-{most} (expected "
            f"{total} in all)"
        )


def _points(ids: Sequence[int]) -> int:
    return sum(points for suit in ids for i, points in enumerate((4, 3, 2, 1)) if suit >> i & 1)
