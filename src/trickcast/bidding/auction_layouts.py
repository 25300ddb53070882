"""Layouts that fit an auction: hands sampled given the calls, the known cards and descriptions.

Every layout that the known cards and descriptions allow is weighted by the chance, according to the
network, that its hands make the calls. That chance is a product over the seats. If random layouts
that fit the descriptions suffice, they are drawn by weight. Otherwise a tempered sequential Monte
Carlo sampler leads them to the calls step by step: weights are sharpened until only half of the
layouts still count, and layouts are resampled by weight. Then each is moved by swaps of a card or
two between two hands, accepted by the Metropolis rule, which keeps the proportions. Two halves
never mix, so that they can be compared.

docs/auctions.md describes the method, with figures.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import DealError, DealSet, NoteWarning, Seat, Vulnerability, checked_whole
from ..cards.auction import CALLS
from ..cards.auction_text import AuctionLike, read_auction
from ..cards.hand import CARD_HCP
from ..dealing.constraints import (
    MAX_TRIES,
    Constraints,
    KnownDeal,
    KnownHand,
    NoDealsError,
    parts_of,
)
from ..dealing.shuffling import RandomWords, checked_seed
from .bidder import Bidder, Reading, bidder_of
from .cards_played import told_by_play
from .meanings import MeaningsLike

CONTRADICTED = 0.002
"""A call with a lower mean chance over the layouts is reported as contradicting the hands."""
_SMALLEST, _LARGEST, _AT_ONCE = 384, 2_048, 512
"""Layouts moved together: fewest, most, and the limit if more may be requested."""
_POOL = 4
"""Random layouts drawn for each of them."""
_KEPT = 0.5
"""Share of layouts that still count after weights are sharpened."""
_SWEEPS, _LAST_SWEEPS = 3, 30
"""Swaps offered to a layout at each step, and at the end."""
_SPOTS = np.tile(np.arange(13) > 5, 4)
"""(52,) bool, the cards from the eight down, which look the same to the network."""
_FEW = 50
Bools = NDArray[np.bool_]
Owners = NDArray[np.uint8]
Floats = NDArray[np.float64]


class AuctionWarning(NoteWarning):
    """Known facts make a call unlikely, or too few layouts count."""


class AuctionError(DealError):
    """Known facts make a call unlikely; raised instead of the warning with ``strict``."""


class AuctionDeals(DealSet):
    """Equally likely layouts that fit an auction, with their effective number."""

    __slots__ = ("effective_size",)
    effective_size: float
    """Number of independent layouts that would tell as much of the hidden points and lengths, and
    of where single cards down to the nine lie."""


def deals_after(
    auction: AuctionLike,
    *,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    north: KnownHand = None,
    east: KnownHand = None,
    south: KnownHand = None,
    west: KnownHand = None,
    condition: KnownDeal = None,
    played: str | Iterable[str] | None = None,
    n: int = 1000,
    seed: int = 0,
    strict: bool = False,
    style: str | None = None,
    meanings: MeaningsLike = (),
    model: Bidder | None = None,
    max_tries: int = MAX_TRIES,
) -> AuctionDeals:
    """Return ``n`` equally likely layouts, given the calls so far and what is known of the hands.

    Every known card and everything you state holds in all layouts. An AuctionWarning names a
    call that hardly fits: fewer than two in a thousand of the hands left would make it. It also
    warns if too few layouts count.

    Args:
        auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
        dealer: Seat of the dealer, or its letter or name.
        vulnerable: Vulnerable sides: none, ns, ew or both.
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these. Default: nothing.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
        played: Cards played so far, in order: ``"H4 H2 HK"``. They show who held them, and who
            showed out.
        n: Number of layouts.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        strict: Whether a call that hardly fits is an error.
        style: What is known of the players' methods: ``"weak-notrump"``, or ``"ns precision, ew
            strong-notrump"``.
        meanings: What calls mean in your system, such as ``"1N: hcp 12-14, balanced"``, or a file
            of meanings; see ``trickcast.bidding.read_meanings``.
        model: A Bidder. Default: the one that ships.
        max_tries: Most layouts to draw; a batch of them, 512 or more, is drawn in full.

    Returns:
        A DealSet of ``n`` deals.

    Raises:
        CallError: A call is not valid, or the laws forbid it.
        PlayError: A card cannot have been played.
        DealError: A hand or seat is not valid.
        ConstraintError: A text cannot be read, or contradicts itself.
        MeaningError: A meaning cannot be read.
        StyleError: The style cannot be read.
        AuctionError: A call hardly fits, with ``strict``.
        NoDealsError: No layout fits.
        ValueError: ``n`` is negative.

    Example:
        >>> hand = "KJ95.J65.K32.T54"
        >>> deals = tc.deals_after("1N P 3N P P P", dealer="N", west=hand, n=200, seed=1)
        >>> len(deals), all(str(deal.west) == hand for deal in deals)
        (200, True)
    """
    n, seed = checked_whole(n, "n", 0), checked_seed(seed)
    read = read_auction(auction, dealer, vulnerable)
    given = {
        seat: [*parts_of(value)]
        for seat, value in zip(Seat, (north, east, south, west), strict=True)
    }
    if played is not None:
        for seat, told in told_by_play(read, played, given).items():
            given[seat] += told
    hidden: dict[str, Any] = {seat.name.lower(): parts or None for seat, parts in given.items()}
    constraints = Constraints(**hidden, condition=condition)
    bidder = bidder_of(model)
    sampler = Sampler(bidder.read(read, style=style, meanings=meanings), constraints, max_tries)
    owners, effective, apart = sampler.sample(n, seed)
    tell(sampler.reading, owners, effective, apart, strict)
    deals = AuctionDeals(owners)
    deals.effective_size = effective
    return deals


@dataclass
class _Moving:
    """Layouts on their way to fitting the auction."""

    owners: Owners
    settled: Floats
    """(n, 4) log-chances of each seat's calls that count in full."""
    logs: Floats
    """(n, 4) log-chances of each seat's calls that are being phased in."""
    first: NDArray[np.int64]
    """(n,) the index of the initial layout that each descends from."""

    def those(self, rows: NDArray[np.int64]) -> _Moving:
        return _Moving(self.owners[rows], self.settled[rows], self.logs[rows], self.first[rows])


class Block(NamedTuple):
    """Layouts that were moved together."""

    owners: Owners
    effective: float
    """Their effective size."""
    apart: float
    """The largest difference of mean points or lengths of their halves, in standard errors."""

    def effective_of(self, taken: int) -> float:
        """Return the effective size of some of them, as correlated with each other as all are.

        By Kish's design effect (Survey Sampling, 1965).
        """
        n = len(self.owners)
        alike = (n / self.effective - 1) / max(n - 1, 1)
        return taken / (1 + (taken - 1) * alike)


class Sampler:
    """Draws layouts of a reading under constraints."""

    def __init__(self, reading: Reading, constraints: Constraints, max_tries: int = MAX_TRIES):
        self.reading, self.constraints = reading, constraints
        self._max_tries = max_tries
        self._free = constraints.known == 255
        held = np.bincount(constraints.known[~self._free], minlength=4)
        self.hidden = [seat for seat in Seat if held[seat] < 13]
        """The seats that still have cards to receive."""
        self._calling = [seat for seat in self.hidden if reading.turns(seat)[0]]

    def sample(self, n: int, seed: int) -> tuple[Owners, float, float]:
        """Return (n, 52) owners, their effective size, and how far apart their halves are.

        The distance is the largest difference of mean points or lengths, in standard errors.
        """
        blocks: list[Owners] = []
        effective, apart, wanted, number = 0.0, 0.0, n, 0
        while wanted > 0:
            try:
                block = self.block(min(max(wanted, _SMALLEST), _LARGEST), seed, number, wanted)
            except NoDealsError as error:
                found = n - wanted + len(error.deals)
                raise NoDealsError(found, n, error.report, error.deals) from None
            taken = min(len(block.owners), wanted)
            blocks.append(block.owners[:taken])
            effective += block.effective_of(taken)
            apart = max(apart, block.apart)
            wanted, number = wanted - taken, number + 1
        owners = np.concatenate(blocks) if blocks else np.empty((0, 52), dtype=np.uint8)
        return owners, effective, apart

    def block(self, size: int, seed: int, number: int, wanted: int) -> Block:
        """Return layouts moved together, in random order; each block number has its own.

        Raises NoDealsError if fewer random layouts than wanted, and than ``size``, fit.
        """
        moving = self._run(size, seed, number, wanted)
        effective, apart = self._judged(moving)
        order = np.argsort(RandomWords(seed, 3 * number + 2).raw(len(moving.owners)))
        return Block(moving.owners[order], effective, apart)

    def call_by_call(self, n: int, seed: int) -> list[Owners]:
        """Return (n, 52) owners that fit the first call, the first two, and so on.

        Layouts are led on from call to call, which is faster than sampling anew for each.
        """
        blocks = []
        for number, start in enumerate(range(0, n, _LARGEST)):
            size = max(min(n - start, _LARGEST), _SMALLEST)
            blocks.append([owners[: n - start] for owners in self._calls_of(size, seed, number)])
        return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]

    def _calls_of(self, size: int, seed: int, number: int) -> Iterator[Owners]:
        """Yield a block of layouts after each call, each time in the same random order."""
        words = RandomWords(seed, 3 * number + 1)
        moving = self._drawn(size, seed, number, size)
        size += size % 2
        order = np.argsort(RandomWords(seed, 3 * number + 2).raw(size))
        for turn in range(len(self.reading.auction.calls)):
            so_far = Sampler(self.reading.first(turn + 1), self.constraints, self._max_tries)
            moving = so_far._led(moving, turn, size, _SWEEPS, words)
            moving.settled, moving.logs = moving.settled + moving.logs, np.zeros((size, 4))
            yield so_far._spots_shuffled(moving.owners, words)[order]

    def _run(self, size: int, seed: int, block: int, wanted: int) -> _Moving:
        words = RandomWords(seed, 3 * block + 1)
        moving = self._drawn(size, seed, block, wanted)
        if self._calling:
            moving = self._led(moving, 0, size + size % 2, _LAST_SWEEPS, words)
            moving.owners = self._spots_shuffled(moving.owners, words)
        return moving

    def _drawn(self, size: int, seed: int, block: int, wanted: int) -> _Moving:
        """Return ``size`` layouts that cards and descriptions allow; more if calls count.

        If so many cannot be found, those found must be as many as are wanted.
        """
        size += size % 2
        pool = _POOL * size if self._calling else size
        # block numbers are far apart: each draws its layouts from a seed of its own
        own = (seed + block * 0x9E3779B97F4A7C15) % (1 << 64)
        try:
            drawn = self.constraints.deals(pool, own, self._max_tries).owners
        except NoDealsError as error:
            if len(error.deals) < min(wanted, size):
                raise
            drawn = error.deals.owners
        n = len(drawn)
        return _Moving(drawn.copy(), np.zeros((n, 4)), np.zeros((n, 4)), np.arange(n))

    def _led(
        self, moving: _Moving, settled: int, size: int, last_sweeps: int, words: RandomWords
    ) -> _Moving:
        """Return so many layouts that fit all calls, from those that fit the first ``settled``."""
        if len(moving.owners) == 1:  # each half needs one
            moving = moving.those(np.zeros(2, dtype=np.int64))
        for seat in self._calling:
            moving.logs[:, seat] = self.reading.log_likelihood(seat, moving.owners == seat, settled)
        heat = 0.0
        while heat < 1:
            logs = moving.logs.sum(axis=1)
            aim = size if len(logs) > size else _KEPT * len(logs)
            step = _sharpened(logs, 1 - heat, aim)
            heat = min(1.0, heat + step)
            moving = moving.those(_drawn_anew(step * logs, size, words))
            for _ in range(_SWEEPS if heat < 1 else last_sweeps):
                self._move(moving, settled, heat, words)
        return moving

    def _logs(self, seat: Seat, hands: Bools, settled: int) -> tuple[Floats, Floats]:
        """Return (n,) log-chances of a seat's calls before a turn, and from it on."""
        known = sum(turn < settled for turn in self.reading.turns(seat)[0])
        logs = self.reading.call_logs(seat, hands)
        before, after = logs[:known], logs[known:]
        return before.sum(axis=0, dtype=np.float64), after.sum(axis=0, dtype=np.float64)

    def _forbid(self, moved: Bools, offered: Owners) -> None:
        """Undo, in place, the moves to layouts that the descriptions forbid."""
        if not self.constraints.only_cards:
            rows = np.flatnonzero(moved)
            moved[rows] = self.constraints.accepts(offered[rows])

    def _move(self, moving: _Moving, settled: int, heat: float, words: RandomWords) -> None:
        """Offer every layout a swap of a card or two between two hidden hands, in place."""
        if len(self.hidden) < 2:
            return
        n = len(moving.owners)
        fractions = words.fractions(3 * n).reshape(3, n)
        seats = np.array(self.hidden)
        pairs = np.array([(a, b) for i, a in enumerate(seats) for b in seats[i + 1 :]])
        pair = pairs[(fractions[0] * len(pairs)).astype(np.int64)]
        cards = np.where(fractions[1] < 0.5, 1, 2)
        offered = self._swapped(moving.owners, pair, cards, words)
        changed = (offered != moving.owners).any(axis=1)
        self._forbid(changed, offered)
        before = moving.settled, moving.logs
        after = moving.settled.copy(), moving.logs.copy()
        for seat in self._calling:
            rows = np.flatnonzero(changed & (pair == seat).any(axis=1))
            parts = self._logs(seat, offered[rows] == seat, settled)
            for place in range(2):
                after[place][rows, seat] = parts[place]
        gains = [(new - old).sum(axis=1) for new, old in zip(after, before, strict=True)]
        gain = gains[0] + heat * gains[1]
        taken = changed & (np.log(np.maximum(fractions[2], 1e-300)) < gain)
        moving.owners[taken] = offered[taken]
        moving.settled[taken], moving.logs[taken] = after[0][taken], after[1][taken]

    def _swapped(
        self, owners: Owners, pair: NDArray[np.int64], cards: NDArray[np.int64], words: RandomWords
    ) -> Owners:
        """Return the layouts after swapping so many cards between the two hands of a pair.

        A hand with too few cards to give leaves its layout unchanged.
        """
        n = len(owners)
        keys = (words.raw(n, 52) >> np.uint64(12)).astype(np.float64) + 1
        keys[:, ~self._free] = 0
        offered = owners.copy()
        gives = np.empty((2, 2, n), dtype=np.int64)
        able = np.ones(n, dtype=np.bool_)
        for side in range(2):
            mine = np.where(owners == pair[:, side, None], keys, 0)
            for number in range(2):
                best = mine.argmax(axis=1)
                able &= (mine[np.arange(n), best] > 0) | (cards <= number)
                gives[side, number] = best
                mine[np.arange(n), best] = 0
        for side in range(2):
            for number in range(2):
                rows = np.flatnonzero(able & (cards > number))
                offered[rows, gives[side, number, rows]] = pair[rows, 1 - side]
        return offered

    def _spots_shuffled(self, owners: Owners, words: RandomWords) -> Owners:
        """Return layouts with the small cards of each suit redealt among the hands that hold them.

        All such layouts are equally likely, as these cards look the same to the network. A layout
        that the descriptions forbid is left as it was. A meaning may be about small cards: there
        the Metropolis rule decides.
        """
        shuffled = owners.copy()
        for suit in range(4):
            columns = np.flatnonzero(self._free & _SPOTS & (np.arange(52) // 13 == suit))
            order = words.raw(len(owners), len(columns)).argsort(axis=1)
            held = owners[:, columns]
            shuffled[:, columns] = np.take_along_axis(held, order, axis=1)
        fits = np.ones(len(owners), dtype=np.bool_)
        self._forbid(fits, shuffled)
        gain = np.zeros(len(owners))
        for seat in self._calling:
            if any(self.reading.meanings_at(turn) for turn in self.reading.turns(seat)[0]):
                gain += self.reading.log_likelihood(seat, shuffled == seat)
                gain -= self.reading.log_likelihood(seat, owners == seat)
        if gain.any():
            fits &= np.log(np.maximum(words.fractions(len(owners)), 1e-300)) < gain
        return np.where(fits[:, None], shuffled, owners)

    def _judged(self, moving: _Moving) -> tuple[float, float]:
        """Return the effective size, and how far apart the halves are in standard errors.

        Layouts descended from the same initial one count as a family: what they share makes means
        less certain.
        """
        if not self.hidden:
            return float(len(moving.owners)), 0.0
        hands = [moving.owners == seat for seat in self.hidden]
        figures = np.stack(
            [
                value
                for hand in hands
                for value in (
                    hand @ CARD_HCP,
                    *hand.reshape(-1, 4, 13).sum(axis=2).T,
                    *hand[:, ~_SPOTS].T,
                )
            ],
            axis=1,
        ).astype(np.float64)
        n, half = len(figures), len(figures) // 2
        spread = figures.var(axis=0)
        open_ = spread > 1e-9
        if not open_.any():
            return float(n), 0.0
        if (moving.first == moving.first[0]).all():
            return 1.0, 0.0
        off = figures - figures.mean(axis=0)
        families = np.zeros((int(moving.first.max()) + 1, figures.shape[1]))
        np.add.at(families, moving.first, off)
        error = (families**2).sum(axis=0) / n**2
        effective = min(float(n), 1 / float((error[open_] / spread[open_]).mean()))
        apart = np.abs(figures[:half].mean(axis=0) - figures[half:].mean(axis=0))
        return effective, float((apart[open_] / np.sqrt(4 * error[open_])).max())


class AuctionLayouts:
    """Layouts that fit an auction, as many as requested: later calls add to the first ones.

    Takes the place of Constraints where layouts are requested repeatedly.
    """

    def __init__(self, reading: Reading, constraints: Constraints):
        self.known = constraints.known
        self._reading, self._constraints = reading, constraints
        self._blocks: list[Block] = []
        self._seed: int | None = None

    def deals(self, n: int, seed: int, max_tries: int = MAX_TRIES) -> DealSet:
        """Return the first ``n`` layouts of a seed. Warns and raises like ``deals_after``.

        The deals of a NoDealsError are the first layouts too, as many as were found.
        """
        if seed != self._seed:
            self._seed, self._blocks = seed, []
        sampler = Sampler(self._reading, self._constraints, max_tries)
        while (wanted := n - self._drawn) > 0:
            try:
                block = sampler.block(_AT_ONCE, seed, len(self._blocks), wanted)
            except NoDealsError as error:  # its deals fit the descriptions, but not the calls
                found = self._drawn + len(error.deals)
                raise NoDealsError(found, n, error.report, self._first(n)) from None
            self._blocks.append(block)
            if len(self._blocks) == 1:
                first = self._blocks[0]
                tell(self._reading, first.owners, first.effective, first.apart)
        return self._first(n)

    def _first(self, n: int) -> DealSet:
        owners = [block.owners for block in self._blocks] or [np.empty((0, 52), dtype=np.uint8)]
        return DealSet(np.concatenate(owners)[:n])

    @property
    def _drawn(self) -> int:
        return sum(len(block.owners) for block in self._blocks)

    @property
    def effect(self) -> float:
        """Factor by which the variance of a mean exceeds that of independent layouts: 1 or more."""
        effective = sum(block.effective for block in self._blocks)
        return max(1.0, self._drawn / effective) if self._blocks else 1.0


def _sharpened(logs: Floats, most: float, aim: float) -> float:
    """Return how far weights can be sharpened, up to ``most``, so that ``aim`` still count."""

    def counting(step: float) -> float:
        weights = np.exp(step * (logs - logs.max()))
        return float(weights.sum() ** 2 / (weights**2).sum())

    if counting(most) >= aim:
        return most
    low, high = 0.0, most
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (middle, high) if counting(middle) >= aim else (low, middle)
    return max(low, 1e-4)


def _drawn_anew(logs: Floats, size: int, words: RandomWords) -> NDArray[np.int64]:
    """Resample rows by weight, systematically, half of them from each half of the rows."""
    halves = []
    starts = words.fractions(2)
    for number, rows in enumerate(np.split(np.arange(len(logs)), [len(logs) // 2])):
        weights = np.exp(logs[rows] - logs[rows].max())
        cumulated = weights.cumsum() / weights.sum()
        aims = (np.arange(size // 2) + starts[number]) / (size // 2)
        halves.append(rows[np.minimum(np.searchsorted(cumulated, aims, "right"), len(rows) - 1)])
    return np.concatenate(halves)


def tell(
    reading: Reading, owners: Owners, effective: float, apart: float = 0, strict: bool = False
) -> None:
    """Warn of calls that contradict what is known, and of too few layouts that count."""
    if not len(owners):
        return
    auction = reading.auction
    for turn, chance in enumerate(call_chances(reading, owners)):
        if chance < CONTRADICTED:
            call, caller = CALLS[auction.calls[turn]], auction.caller(turn)
            agreed = reading.meanings_at(turn)
            whose = "by the meanings given" if agreed else "in championship play"
            text = (
                f"call {turn + 1}, {call} by {caller.word}, hardly fits the hands:"
                f" {whose} {_share(chance)} of such hands make it"
            )
            if strict:
                raise AuctionError(text)
            warnings.warn(text, AuctionWarning, stacklevel=3)
    if effective < min(_FEW, len(owners) / 2) or apart > 5:
        warnings.warn(
            f"the {len(owners):,} layouts carry no more information than {effective:.0f} "
            "independent ones "
            f"(halves differ by {apart:.1f} standard errors): ask for more",
            AuctionWarning,
            stacklevel=3,
        )


def call_chances(reading: Reading, owners: Owners) -> Floats:
    """Return (k,) the mean chance of each of k calls over (n, 52) layouts."""
    chances = np.empty(len(reading.auction.calls))
    for seat in Seat:
        turns, _ = reading.turns(seat)
        if turns:
            hands = np.unique(owners == seat, axis=0)
            rows = hands if len(hands) == 1 else owners == seat
            chances[turns] = np.exp(reading.call_logs(seat, rows)).mean(axis=1)
    return chances


def _share(chance: float) -> str:
    return "hardly any" if chance < 5e-6 else f"{100 * chance:.2g} %"
