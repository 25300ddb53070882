"""The next call with a hand, whole boards bid by the network, and the results of each call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    DealError,
    DealsLike,
    Hand,
    HandLike,
    Seat,
    Vulnerability,
    as_dealset,
    checked_whole,
    counted,
)
from ..cards.auction import CALLS, CallError, parse_call
from ..cards.auction_text import Auction, AuctionLike, read_auction
from ..cards.columns import Columns, Tabular
from ..cards.one_or_many import Rows, each_of
from ..dealing.constraints import Constraints
from ..dealing.shuffling import checked_seed
from ..evaluation.clusters import standard_errors
from ..played import loaded_played
from ..scoring import imps
from .auction_layouts import Sampler, deals_after
from .bidder import Bidder, bidder_of
from .explained import CallShown, call_shown
from .meanings import Meaning, MeaningsLike, read_meanings

_SHOWN = 200
"""Layouts sampled to find what a suggested call shows."""
_LIKELY = 0.01
"""Calls that a smaller share would make are not suggested."""


@dataclass(frozen=True)
class SuggestedCall:
    """A possible next call, and the reason for it."""

    call: str
    chance: float
    """Share of championship players who would make it."""
    shown: CallShown
    """What the call shows to the others."""

    @property
    def reason(self) -> str:
        """What the call shows, in a few words."""
        lengths = [
            f"{low}{'' if low == high else f'-{high}'} {suit}"
            for (low, high), suit in zip(
                self.shown.lengths, ("spades", "hearts", "diamonds", "clubs"), strict=True
            )
            if low >= 4 or high <= 2
        ]
        kind = ["balanced"] if self.shown.balanced > 0.8 else []
        return ", ".join([f"{self.shown.points} points", *lengths, *kind])


class SuggestedCalls(Rows[SuggestedCall], Tabular):
    """The possible next calls with a hand, the likeliest first; prints as a table."""

    def __init__(self, hand: Hand, auction: Auction, calls: Sequence[SuggestedCall]):
        self.hand, self.auction, self.calls = hand, auction, tuple(calls)

    @property
    def best(self) -> str:
        """The likeliest call."""
        return self.calls[0].call

    @property
    def _rows(self) -> tuple[SuggestedCall, ...]:
        return self.calls

    def _answers(self, row: SuggestedCall, name: str) -> bool:
        return row.call == _spelt(name)

    def __repr__(self) -> str:
        return f"<SuggestedCalls {self.best} with {self.hand}>"

    def columns(self) -> Columns:
        """Return a row per call: ``call``, ``chance`` and ``reason``."""
        return {
            "call": np.array([each.call for each in self.calls]),
            "chance": np.array([each.chance for each in self.calls]),
            "reason": np.array([each.reason for each in self.calls]),
        }

    def __str__(self) -> str:
        after = f" after {self.auction}" if self.auction.calls else ""
        lines = [f"{self.auction.next_caller.word} with {self.hand}{after}, in championship play"]
        lines += [f"{c.call:<6}{c.chance:>5.0%}  shows {c.reason}" for c in self.calls]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def suggest_calls(
    hand: HandLike,
    auction: AuctionLike = "",
    *,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    most: int = 5,
    seed: int = 0,
    style: str | None = None,
    meanings: MeaningsLike = (),
    model: Bidder | None = None,
) -> SuggestedCalls:
    """Suggest calls for a hand: those that championship players would make, likeliest first.

    Calls that fewer than one player in a hundred would make are left out.

    Args:
        hand: Hand of the seat that calls next.
        auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
        dealer: Seat of the dealer, or its letter or name.
        vulnerable: Vulnerable sides: none, ns, ew or both.
        most: Most calls to return.
        seed: Seed of the layouts that tell what each call shows, 0 to 2**64 - 1.
        style: What is known of the players' methods: ``"weak-notrump"``, or ``"ns precision, ew
            strong-notrump"``.
        meanings: What calls mean in your system, such as ``"1N: hcp 12-14, balanced"``, or a file
            of meanings; see ``trickcast.bidding.read_meanings``.
        model: A Bidder. Default: the one that ships.

    Returns:
        SuggestedCalls: ``best``, and each call with its chance and what it shows.

    Raises:
        CallError: A call is not valid, or the laws forbid it, or the auction is over.
        DealError: The hand is not valid.
        MeaningError: A meaning cannot be read.
        StyleError: The style cannot be read.
        ValueError: ``most`` is below 1, or ``seed`` out of its range.

    Example:
        >>> tc.suggest_calls("KQ4.AQ5.K873.J94").best
        '1N'
    """
    most, seed = checked_whole(most, "most", 1), checked_seed(seed)
    held, agreed = Hand(hand), read_meanings(meanings)
    bidder = bidder_of(model)
    reading = bidder.read(auction, dealer, vulnerable, style=style, meanings=agreed)
    read = reading.auction
    if read.state.over:
        raise CallError(f"the auction {read} is over, so there is no next call", len(read.calls))
    chances = np.exp(reading.log_chances([len(read.calls)], held.cards[None])[0, 0])
    order = np.argsort(-chances, kind="stable")[:most]
    calls = [call for place, call in enumerate(order) if not place or chances[call] >= _LIKELY]
    suggested = []
    for call in calls:
        after = Auction((*read.calls, int(call)), read.dealer, read.vulnerable)
        told = bidder.read(after, style=style, meanings=agreed)
        layouts, *_ = Sampler(told, Constraints()).sample(_SHOWN, seed)
        shown = call_shown(told, len(read.calls), layouts)
        suggested.append(SuggestedCall(CALLS[call], float(chances[call]), shown))
    return SuggestedCalls(held, read, suggested)


def bid_deals(
    deals: DealsLike,
    auctions: str | Auction | Sequence[AuctionLike] = "",
    *,
    dealers: str | Seat | Sequence[str | Seat] = "N",
    vulnerable: str | Vulnerability | Sequence[str | Vulnerability] = "none",
    seats: Sequence[str | Seat] = tuple(Seat),
    seed: int | None = None,
    style: str | Sequence[str | None] | None = None,
    meanings: MeaningsLike = (),
    model: Bidder | None = None,
) -> list[Auction]:
    """Bid deals to the end, with the likeliest call of each player.

    Args:
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
        auctions: The calls so far, as text or a list: one for all deals, or a list of n.
        dealers: Dealer of all deals, or a list of n.
        vulnerable: Vulnerable sides of all deals, or a list of n: none, ns, ew or both.
        seats: Seats that bid; the others pass.
        seed: Seed, 0 to 2**64 - 1, to draw calls by their chances, so that many boards show what
            may happen. Default: the likeliest call.
        style: What is known of the players' methods: ``"weak-notrump"``, or ``"ns precision, ew
            strong-notrump"``; one for all deals, or a list of n.
        meanings: What calls mean in your system, such as ``"1N: hcp 12-14, balanced"``, or a file
            of meanings; see ``trickcast.bidding.read_meanings``.
        model: A Bidder. Default: the one that ships.

    Returns:
        A list of n Auctions.

    Raises:
        CallError: A call is not valid, or the laws forbid it.
        DealError: An entry is not a valid deal; the message names its index.
        MeaningError: A meaning cannot be read.
        StyleError: The style cannot be read.
        ValueError: Counts differ, or ``seed`` is out of its range.

    Example:
        >>> str(tc.bid_deals(tc.random_deals(1, seed=3))[0])[-5:]
        'P P P'
    """
    dealset, _ = as_dealset(deals)
    n = len(dealset)
    bidder = bidder_of(model)
    bidding, agreed = {Seat.parse(seat) for seat in seats}, read_meanings(meanings)
    generator = None if seed is None else np.random.default_rng(checked_seed(seed))
    styles = each_of(style, n, "styles", NoneType, "deal")
    bid = _begun(n, auctions, dealers, vulnerable)
    going = [i for i in range(n) if not bid[i].state.over]
    while going:
        calls = np.zeros(len(going), dtype=np.int64)
        asking = [k for k, i in enumerate(going) if bid[i].next_caller in bidding]
        if asking:
            calls[asking] = _called(bidder, dealset.owners, bid, [going[k] for k in asking],
                                    styles, agreed, generator)  # fmt: skip
        for i, call in zip(going, calls.tolist(), strict=True):
            bid[i] = Auction((*bid[i].calls, call), bid[i].dealer, bid[i].vulnerable)
        going = [i for i in going if not bid[i].state.over]
    return bid


def _begun(n: int, auctions: Any, dealers: Any, vulnerable: Any) -> list[Auction]:
    """Return the calls so far on each deal. Errors name it unless they are about all."""
    asked = zip(
        each_of(auctions, n, "auctions", Auction, "deal"),
        each_of(dealers, n, "dealers", Seat, "deal"),
        each_of(vulnerable, n, "vulnerable", Vulnerability, "deal"),
        strict=True,
    )
    alike = all(isinstance(value, str | Auction | int) for value in (auctions, dealers, vulnerable))
    begun = list[Auction]()
    for i, told in enumerate(asked):
        place = "" if alike else f"deal {i}: "
        try:
            begun.append(read_auction(*told))
        except CallError as error:
            raise CallError(f"{place}{error}", error.made) from None
        except DealError as error:
            raise DealError(f"{place}{error}") from None
    return begun


def _called(
    bidder: Bidder,
    owners: NDArray[np.uint8],
    bid: Sequence[Auction],
    rows: Sequence[int],
    styles: Sequence[str | None],
    meanings: Sequence[Meaning],
    generator: np.random.Generator | None,
) -> NDArray[np.int64]:
    """Return the next call in some of the auctions: the likeliest, or one drawn at random."""
    hands = np.stack([owners[i] == bid[i].next_caller for i in rows])
    chances = bidder.probabilities(hands, [bid[i] for i in rows], style=[styles[i] for i in rows])
    for k, i in enumerate(rows):
        if any(meaning.belongs(bid[i], len(bid[i].calls)) for meaning in meanings):
            told = bidder.read(bid[i], style=styles[i], meanings=meanings)
            chances[k] = np.exp(told.log_chances([len(bid[i].calls)], hands[k][None])[0, 0])
    if generator is None:
        return np.asarray(chances.argmax(axis=1))
    summed = chances.astype(np.float64).cumsum(axis=1)
    drawn = (summed < generator.random((len(rows), 1)) * summed[:, -1:]).sum(axis=1)
    return np.asarray(np.minimum(drawn, len(CALLS) - 1))


@dataclass(frozen=True)
class CallValue:
    """What a call leads to, over layouts that fit the auction."""

    call: str
    chance: float
    points: float
    """Mean score of the caller's side, as played."""
    imps: float
    """Mean gain over the first call, from expected scores, layout by layout."""
    error: float
    """Half the 95 % interval of that gain; 0 for the first call, NaN from one layout."""
    contracts: tuple[tuple[str, float], ...]
    """The most frequent contracts, and how often they are reached."""


class ComparedCalls(Rows[CallValue], Tabular):
    """What some calls lead to, compared on the same layouts; prints as a table."""

    def __init__(self, calls: Sequence[CallValue], layouts: int, effective_size: float):
        self.calls, self.layouts, self.effective_size = tuple(calls), layouts, effective_size

    @property
    def _rows(self) -> tuple[CallValue, ...]:
        return self.calls

    def _answers(self, row: CallValue, name: str) -> bool:
        return row.call == _spelt(name)

    def __repr__(self) -> str:
        return f"<ComparedCalls {' '.join(each.call for each in self.calls)}>"

    def columns(self) -> Columns:
        """Return a row per call: ``call``, ``chance``, ``points``, ``imps`` and ``error``."""
        names = ("call", "chance", "points", "imps", "error")
        return {name: np.array([getattr(each, name) for each in self.calls]) for name in names}

    def __str__(self) -> str:
        layouts = counted(self.layouts, "layout")
        lines = [
            f"{layouts}, as played, all four bidding on as in championship play",
            f"{'call':<6}{'chosen':>7}{'points':>8}{'IMPs':>16}  {'contracts'}",
        ]
        for number, each in enumerate(self.calls):
            gain = "reference" if not number else f"{each.imps:+.2f}"
            if number and not np.isnan(each.error):
                gain += f" ± {each.error:.2f}"
            contracts = ", ".join(f"{name} {share:.0%}" for name, share in each.contracts)
            lines.append(
                f"{each.call:<6}{each.chance:>7.0%}{each.points:>8.0f}{gain:>16}  {contracts}"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def compare_calls(
    hand: HandLike,
    auction: AuctionLike = "",
    *,
    calls: Sequence[str] | None = None,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    n: int = 200,
    seed: int = 0,
    style: str | None = None,
    meanings: MeaningsLike = (),
    model: Bidder | None = None,
) -> ComparedCalls:
    """Compare calls by the scores they lead to, over layouts that fit the auction.

    After each call all four seats bid on as championship players would. The contract is worth what
    such players score in it.

    Args:
        hand: Hand of the seat that calls next.
        auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
        calls: Calls to compare, one or more; the gains are over the first. Default: the best three
            of ``suggest_calls``.
        dealer: Seat of the dealer, or its letter or name.
        vulnerable: Vulnerable sides: none, ns, ew or both.
        n: Number of layouts.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        style: What is known of the players' methods: ``"weak-notrump"``, or ``"ns precision, ew
            strong-notrump"``.
        meanings: What calls mean in your system, such as ``"1N: hcp 12-14, balanced"``, or a file
            of meanings; see ``trickcast.bidding.read_meanings``.
        model: A Bidder. Default: the one that ships.

    Returns:
        ComparedCalls: for each call how many players choose it, the contracts reached, the score in
        points, and the gain in IMPs with its error.

    Raises:
        CallError: A call is not valid, or the laws forbid it, or the auction is over.
        DealError: The hand is not valid.
        MeaningError: A meaning cannot be read.
        StyleError: The style cannot be read.
        NoDealsError: No layout fits.
        ValueError: ``n`` is below 1, ``seed`` is out of its range, or ``calls`` is empty.

    Example:
        >>> compared = tc.compare_calls("KQ4.AQ5.K873.J94", calls=["1N", "1D"], n=40)
        >>> [each.call for each in compared.calls]
        ['1N', '1D']
    """
    n, seed = checked_whole(n, "n", 1), checked_seed(seed)
    held, agreed = Hand(hand), read_meanings(meanings)
    bidder = bidder_of(model)
    reading = bidder.read(auction, dealer, vulnerable, style=style, meanings=agreed)
    read = reading.auction
    if read.state.over:
        raise CallError(f"the auction {read} is over, so there is no next call", len(read.calls))
    turn, caller = len(read.calls), read.next_caller
    chances = np.exp(reading.log_chances([turn], held.cards[None])[0, 0])
    if calls is None:
        numbers = [int(call) for call in np.argsort(-chances, kind="stable")[:3]]
        numbers = [c for place, c in enumerate(numbers) if not place or chances[c] >= _LIKELY]
    else:
        numbers = _asked(calls, read)
    known: dict[str, Any] = {caller.name.lower(): held}
    deals = deals_after(read, **known, n=n, seed=seed, style=style, meanings=agreed, model=bidder)
    scores: list[NDArray[np.float64]] = []
    values: list[CallValue] = []
    for call in numbers:
        after = Auction((*read.calls, call), read.dealer, read.vulnerable)
        ends = bid_deals(deals, after, seed=seed, style=style, meanings=agreed, model=bidder)
        scores.append(_scored(deals, ends, caller))
        gain = imps(scores[-1] - scores[0]).astype(np.float64)
        error = 0.0
        if values:
            size = min(n, deals.effective_size)
            spread = float(gain.std(ddof=1)) if size > 1 else np.nan
            error = standard_errors(size - 1) * spread / size**0.5
        values.append(
            CallValue(
                CALLS[call],
                float(chances[call]),
                float(scores[-1].mean()),
                float(gain.mean()),
                error,
                _commonest(ends),
            )
        )
    return ComparedCalls(values, n, deals.effective_size)


def _spelt(call: str) -> str:
    """Return a call as ``CALLS`` spells it; other text is returned unchanged."""
    with suppress(ValueError):
        return parse_call(call)
    return call


def _asked(calls: Sequence[str], after: Auction) -> list[int]:
    """Return the numbers of the calls to compare."""
    listed = [calls] if isinstance(calls, str) else list(calls)
    if not listed:
        raise ValueError("calls is empty (expected such as ['1N', '1D'], or None)")
    return [read_auction([*str(after).split(), call], after.dealer).calls[-1] for call in listed]


def _scored(deals: Any, ends: Sequence[Auction], caller: Seat) -> NDArray[np.float64]:
    """Return the expected scores of a seat's side, as played, in the contracts reached."""
    scores = np.zeros(len(ends))
    rows = [i for i, end in enumerate(ends) if end.contract[1] is not None]
    if not rows:
        return scores
    reached = [
        (bid, seat) for bid, seat in (end.contract for end in ends) if bid and seat is not None
    ]
    contracts, declarers = [bid for bid, _ in reached], [seat for _, seat in reached]
    estimate = loaded_played(1)(deals[rows], contracts, declarers)
    own = np.array([1 if seat.side == caller.side else -1 for seat in declarers])
    scores[rows] = own * estimate.score(ends[0].vulnerable)
    return scores


def _commonest(ends: Sequence[Auction]) -> tuple[tuple[str, float], ...]:
    names = [
        "passed out" if seat is None else f"{contract} {seat}"
        for contract, seat in (end.contract for end in ends)
    ]
    kinds, counts = np.unique(names, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:3]
    return tuple((str(kinds[i]), float(counts[i] / len(ends))) for i in order)
