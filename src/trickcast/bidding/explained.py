"""What calls show: points, lengths and shapes of the hands that make them, call by call.

Nothing here depends on a system: hands that fit the calls up to each one are sampled
(``auction_layouts``) and counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cards import Deal, DealLike, Hand, Seat, Suit, Vulnerability, checked_whole, whole_percent
from ..cards.auction import CALLS
from ..cards.auction_text import AuctionLike
from ..cards.columns import Columns, Tabular
from ..cards.hand import CARD_HCP
from ..dealing.constraints import Constraints
from ..dealing.shuffling import checked_seed
from .auction_layouts import Sampler
from .bidder import Bidder, Reading, bidder_of
from .meanings import MeaningsLike

UNUSUAL = 0.1
"""A call that a smaller share would make with the hand is called unusual."""
_ENDS = (0.05, 0.95)
_BALANCED = {(4, 3, 3, 3), (4, 4, 3, 2), (5, 3, 3, 2)}


class Range(NamedTuple):
    """The central nine tenths of a count."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


@dataclass(frozen=True)
class CallShown:
    """The hands that make a call, after the calls before it."""

    call: str
    by: Seat
    points: Range
    """High-card points."""
    lengths: tuple[Range, Range, Range, Range]
    """Lengths in spades, hearts, diamonds and clubs."""
    balanced: float
    """Share of hands of shape 4333, 4432 or 5332."""
    chosen: float
    """How often players with such hands chose the call."""
    instead: tuple[tuple[str, float], ...]
    """The most frequent other calls with such hands, and how often they were chosen."""
    typical: tuple[Hand, ...]
    """Hands with few, usual and many points, of the most frequent shapes."""
    hand: Hand | None = None
    """The caller's hand, if the deal is known."""
    chance: float | None = None
    """How often the call is made with that hand."""

    @property
    def unusual(self) -> bool:
        """Whether few players would make the call with the hand."""
        return self.chance is not None and self.chance < UNUSUAL


class AuctionShown(Tabular):
    """What the calls of an auction show: a sequence of ``CallShown``, which prints as a table."""

    def __init__(self, calls: tuple[CallShown, ...]):
        self.calls = calls

    def __len__(self) -> int:
        return len(self.calls)

    def __getitem__(self, turn: int) -> CallShown:
        return self.calls[turn]

    def __repr__(self) -> str:
        return f"<AuctionShown of {' '.join(shown.call for shown in self.calls)}>"

    def columns(self) -> Columns:
        """Return a row per call: ``call``, ``by``, ends of points and lengths, and shares."""
        columns: dict[str, list[Any]] = {
            "call": [shown.call for shown in self.calls],
            "by": [str(shown.by) for shown in self.calls],
        }
        for name, ranges in (
            ("points", [shown.points for shown in self.calls]),
            *((suit.name.lower(), [shown.lengths[suit] for shown in self.calls]) for suit in Suit),
        ):
            columns[f"{name}_low"] = [part.low for part in ranges]
            columns[f"{name}_high"] = [part.high for part in ranges]
        columns["balanced"] = [shown.balanced for shown in self.calls]
        columns["chosen"] = [shown.chosen for shown in self.calls]
        return {name: np.array(values) for name, values in columns.items()}

    def __str__(self) -> str:
        head = f"{'call':<6}{'by':<7}{'points':>7}" + "".join(f"{s.symbol:>6}" for s in Suit)
        lines = [
            "in championship play, nine hands of ten",
            f"{head}{'balanced':>10}{'chosen':>8}  {'for instance'}",
        ]
        lines += [_line(shown) for shown in self.calls]
        lines += [
            f"{shown.call} by {shown.by.word} is unusual: {whole_percent(shown.chance)} would call "
            f"so with {shown.hand}"
            for shown in self.calls
            if shown.chance is not None and shown.unusual
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _line(shown: CallShown) -> str:
    lengths = "".join(f"{part!s:>6}" for part in shown.lengths)
    return (
        f"{shown.call:<6}{shown.by.word:<7}{shown.points!s:>7}{lengths}"
        f"{shown.balanced:>10.0%}{shown.chosen:>8.0%}  {shown.typical[len(shown.typical) // 2]}"
    )


def explain_auction(
    auction: AuctionLike,
    *,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    deal: DealLike | None = None,
    n: int = 500,
    seed: int = 0,
    style: str | None = None,
    meanings: MeaningsLike = (),
    model: Bidder | None = None,
) -> AuctionShown:
    """Explain every call of an auction: what it shows in championship play.

    Args:
        auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
        dealer: Seat of the dealer, or its letter or name.
        vulnerable: Vulnerable sides: none, ns, ew or both.
        deal: The four hands, to tell how many players would make each call with them. Default:
            unknown.
        n: Number of layouts drawn for each call.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        style: What is known of the players' methods: ``"weak-notrump"``, or ``"ns precision, ew
            strong-notrump"``.
        meanings: What calls mean in your system, such as ``"1N: hcp 12-14, balanced"``, or a file
            of meanings; see ``trickcast.bidding.read_meanings``.
        model: A Bidder. Default: the one that ships.

    Returns:
        AuctionShown: for each call its seat, points, suit lengths and shape.

    Raises:
        CallError: A call is not valid, or the laws forbid it.
        DealError: The deal or a seat is not valid.
        MeaningError: A meaning cannot be read.
        StyleError: The style cannot be read.
        ValueError: ``n`` is below 1, or ``seed`` out of its range.

    Example:
        >>> shown = tc.explain_auction("1N P 2C", dealer="N", n=200)
        >>> shown[0].call, str(shown[0].by), shown[0].balanced > 0.8
        ('1N', 'N', True)
    """
    n, seed = checked_whole(n, "n", 1), checked_seed(seed)
    bidder = bidder_of(model)
    known = None if deal is None else Deal(deal)
    reading = bidder.read(auction, dealer, vulnerable, style=style, meanings=meanings)
    layouts = Sampler(reading, Constraints()).call_by_call(n, seed)
    return AuctionShown(
        tuple(call_shown(reading, turn, owners, known) for turn, owners in enumerate(layouts))
    )


def call_shown(
    reading: Reading, turn: int, owners: NDArray[np.uint8], deal: Deal | None = None
) -> CallShown:
    """Return what a call of an auction shows, from (n, 52) layouts that fit the calls up to it."""
    caller, call = reading.auction.caller(turn), reading.auction.calls[turn]
    hands = owners == caller
    mean = np.exp(reading.log_chances([turn], hands)[0]).mean(axis=0)
    others = [other for other in np.argsort(-mean) if other != call and mean[other] > 0][:2]
    chance = None
    if deal is not None:
        chance = float(np.exp(reading.log_chances([turn], deal[caller].cards[None])[0, 0, call]))
    return CallShown(
        CALLS[call],
        caller,
        **_counted(hands),
        chosen=float(mean[call]),
        instead=tuple((CALLS[other], float(mean[other])) for other in others),
        hand=None if deal is None else deal[caller],
        chance=chance,
    )


def _counted(hands: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the common features of (n, 52) hands."""
    points = hands @ CARD_HCP
    lengths = hands.reshape(-1, 4, 13).sum(axis=2)
    shapes = [tuple(row) for row in lengths.tolist()]
    patterns = (tuple(sorted(shape, reverse=True)) for shape in shapes)
    return {
        "points": _range(points),
        "lengths": tuple(_range(lengths[:, suit]) for suit in range(4)),
        "balanced": sum(pattern in _BALANCED for pattern in patterns) / len(hands),
        "typical": tuple(_typical(hands, points, shapes)),
    }


def _range(values: NDArray[Any]) -> Range:
    low, high = (np.quantile(values, end, method="nearest") for end in _ENDS)
    return Range(int(low), int(high))


def _typical(
    hands: NDArray[np.bool_], points: NDArray[np.int64], shapes: list[tuple[int, ...]]
) -> list[Hand]:
    """Return hands with few, usual and many points, each of the commonest shape for its points."""
    chosen = []
    common = Counter(shapes)
    for end in (0.2, 0.5, 0.8):
        near = np.flatnonzero(points == np.quantile(points, end, method="nearest"))
        best = max(near.tolist(), key=lambda row: common[shapes[row]])
        chosen.append(Hand.from_cards(hands[best]))
    return chosen
