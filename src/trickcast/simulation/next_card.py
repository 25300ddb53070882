"""Compare the legal cards of a play, over layouts that fit the auction and the play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bidding import AuctionDeals, AuctionLike, Bidder, MeaningsLike, deals_after, read_auction
from ..bidding.cards_played import seats_played
from ..cards import (
    UNKNOWN,
    DealError,
    DealSet,
    Hand,
    HandLike,
    Seat,
    Strain,
    Vulnerability,
    card_text,
    checked_whole,
    parse_card,
)
from ..cards.card_play import PlayError, Position, positions
from ..cards.columns import Columns, Tabular
from ..cards.one_or_many import Rows
from ..played import loaded_played
from ..played.estimate import check_players
from ..scoring import Contract, score
from ..solver import values_in
from .as_played import summed
from .controls import MINIMUM_EXACT, Floats, Means, means
from .outcomes import Value, intervals, is_vulnerable, values
from .texts import DOUBLE_DUMMY


@dataclass(frozen=True)
class CardValue:
    """What a card is worth, or several equivalent cards in sequence."""

    cards: tuple[str, ...]
    """Highest first: ``("SK", "SQ")``."""
    tricks: Value
    """Declarer's tricks in all."""
    making: Value
    """The chance that the contract makes."""
    points: Value
    """Score of the side that plays the card."""
    loss: Value
    """Tricks lost compared with the best card of this list, layout by layout."""
    as_played: Value | None = None
    """Declarer's tricks at the table after this opening lead; None for later cards."""


class NextCard(Rows[CardValue], Tabular):
    """The legal cards, best first; prints as a table."""

    deals: DealSet
    """The layouts."""
    after: NDArray[np.uint8]
    """(n, 52) uint8, declarer's tricks after each card in each layout; 255 for other cards."""

    def __init__(
        self,
        contract: Contract,
        declarer: Seat,
        seat: Seat,
        deals: DealSet,
        effective_size: float,
        after: NDArray[np.uint8],
        cards: Sequence[CardValue],
    ):
        self.contract, self.by, self.seat, self.deals = contract, declarer, seat, deals
        self.effective_size, self.after, self.cards = effective_size, after, tuple(cards)

    @property
    def best(self) -> str:
        """The card with the best mean result."""
        return self.cards[0].cards[0]

    @property
    def _rows(self) -> tuple[CardValue, ...]:
        return self.cards

    def _answers(self, row: CardValue, name: str) -> bool:
        return name.upper() in row.cards

    def __repr__(self) -> str:
        return f"<NextCard {self.best} by {self.seat.word}>"

    def columns(self) -> Columns:
        """Return a row per card: ``cards``, ``tricks``, ``making``, ``points``, ``loss``."""
        names = ("tricks", "making", "points", "loss")
        columns: Columns = {"cards": [" ".join(each.cards) for each in self.cards]}
        for name in names:
            columns[name] = np.array([getattr(each, name).mean for each in self.cards])
        return columns

    def __str__(self) -> str:
        lead = self.cards[0].as_played is not None
        lines = [
            f"{self.seat.word} to play, {self.contract} by {self.by.word}: {len(self.deals):,} "
            f"layouts (as good as {self.effective_size:,.0f} independent ones)",
            f"{'card':<10}{'declarer takes':>16}{'makes':>8}{'gives away':>16}"
            + ("        as played" if lead else ""),
        ]
        for each in self.cards:
            name = each.cards[0] + "".join(card[1] for card in each.cards[1:])
            tricks, loss = _with_error(each.tricks), _with_error(each.loss)
            line = f"{name:<10}{tricks:>16}{each.making.mean:>8.0%}{loss:>16}"
            if each.as_played is not None:
                line += f"{_with_error(each.as_played):>17}"
            lines.append(line)
        if len(self.deals) < MINIMUM_EXACT:
            lines.append(f"no intervals: fewer than {MINIMUM_EXACT} layouts")
        return "\n".join([*lines, DOUBLE_DUMMY])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def simulate_play(
    hand: HandLike,
    dummy: HandLike | None = None,
    *,
    auction: AuctionLike,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    played: str | Sequence[str] = "",
    n: int = 100,
    seed: int = 0,
    players: str = "expert",
    style: str | None = None,
    meanings: MeaningsLike = (),
    model: Bidder | None = None,
    workers: int | None = None,
) -> NextCard:
    """Compare the legal cards of a play, over layouts that fit the auction and the play.

    Every card is solved in every layout. Cards in sequence count as one.

    Args:
        hand: The whole hand, as dealt, of the player to play; declarer's hand if dummy is to play.
        dummy: Dummy's hand, once the opening lead is made.
        auction: The whole auction, dealer first.
        dealer: Seat of the dealer, or its letter or name.
        vulnerable: Vulnerable sides: none, ns, ew or both.
        played: Cards played so far, in order: ``"H4 H2 HK"``.
        n: Number of layouts. From fewer than 20 there are no intervals (NaN).
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        players: ``"expert"`` or ``"club"``: whose results after an opening lead ``as_played``
            estimates.
        style: What is known of the players' methods: ``"weak-notrump"``, or ``"ns precision, ew
            strong-notrump"``.
        meanings: What calls mean in your system, such as ``"1N: hcp 12-14, balanced"``, or a file
            of meanings; see ``trickcast.bidding.read_meanings``.
        model: A Bidder. Default: the one that ships.
        workers: Number of solver threads. Default: all cores.

    Returns:
        A NextCard: the cards, best first, with declarer's tricks and the chance to make or set the
        contract.

    Raises:
        CallError: A call is not valid, or the laws forbid it.
        DealError: A hand or seat is not valid, or the auction has not ended.
        PlayError: A card cannot have been played.
        NoDealsError: No layout fits.
        ValueError: ``n`` is below 1, or ``players`` has another value.

    Example:
        >>> hand, dummy = "KJ95.J65.K32.T54", "A84.Q92.J854.K93"
        >>> told = tc.simulate_play(hand, auction="1N P 3N P P P", dealer="E", n=20)
        >>> told.seat.word, len(told) > 5
        ('South', True)
    """
    checked_whole(n, "n", 1)
    check_players(players)
    read = read_auction(auction, dealer, vulnerable)
    bid, declarer = read.contract
    if bid is None:
        raise DealError(f"the auction {read} has not ended: the contract is not known yet")
    if declarer is None:
        raise DealError("the board was passed out: no card is played")
    contract, strain = Contract(bid), Strain.parse(bid[1])
    cards = seats_played(played, strain, declarer)
    known = _known(hand, dummy, next_seat(cards, strain, declarer), declarer, cards)
    deals = deals_after(
        read, **known, played=[card for _, card in cards] or None, n=n, seed=seed, style=style,
        meanings=meanings, model=model,
    )  # fmt: skip
    indices = [parse_card(card) for _, card in cards]
    reached = [positions(owners, strain, declarer.lho, indices)[-1] for owners in deals.owners]
    after = values_in(reached, strain, declarer, workers=workers)
    asked = _CardQuestion(contract, declarer, read.vulnerable, deals, None if cards else players)
    return asked.told(after, reached[0])


@dataclass(frozen=True)
class _CardQuestion:
    """The question put to solved layouts."""

    contract: Contract
    declarer: Seat
    vulnerable: Vulnerability
    deals: AuctionDeals
    players: str | None
    """Who plays on after an opening lead; None for later cards."""

    def told(self, after: NDArray[np.uint8], now: Position) -> NextCard:
        """Return the value of each card."""
        own = 1 if now.turn.side == self.declarer.side else -1
        points = own * score(self.contract, np.arange(14), self._danger).astype(float)
        groups = _alike(after, now)
        taken = after[:, [group[0] for group in groups]]
        scores = points[taken]
        best = int(scores.mean(axis=0).argmax())
        lost = own * (taken[:, [best]].astype(float) - taken)
        step = abs(float(np.diff(points)[self.contract.tricks - 1]))
        losses = intervals(self._means(lost, 1.0))
        if len(after) >= MINIMUM_EXACT:
            losses[best] = Value(0.0, 0.0, 0.0)
        figures = zip(
            intervals(self._means(taken, 1.0)),
            values(self._means(taken >= self.contract.tricks, 1.0).chances()),
            intervals(self._means(scores, step)),
            losses,
            strict=True,
        )
        cards = [
            CardValue(tuple(map(card_text, group)), *worth, as_played=self._as_played(group[0]))
            for group, worth in zip(groups, figures, strict=True)
        ]
        cards.sort(key=lambda each: -each.points.mean)
        effective = self.deals.effective_size
        return NextCard(self.contract, self.declarer, now.turn, self.deals, effective, after, cards)

    @property
    def _danger(self) -> bool:
        return is_vulnerable(self.vulnerable, self.declarer)

    @property
    def _effect(self) -> float:
        return max(1.0, len(self.deals) / self.deals.effective_size)

    def _means(self, exact: NDArray[Any], unit: float) -> Means:
        """Return the means of (n, m) outcomes in whole steps of ``unit``."""
        return means(_sample(exact), None, unit=unit, effect=self._effect)

    def _as_played(self, lead: int) -> Value | None:
        if self.players is None:
            return None
        estimate = loaded_played(1)(
            self.deals,
            str(self.contract),
            self.declarer,
            players=self.players,
            leads=[card_text(lead)] * len(self.deals),
        )
        return summed(
            _sample(estimate.probabilities), self.contract, self._danger, self._effect
        ).tricks


def _known(
    hand: Any, dummy: Any, turn: Seat, declarer: Seat, cards: Sequence[tuple[Seat, str]]
) -> dict[str, Any]:
    """Return the known hands by seat. Raises DealError if they do not fit the play."""
    if len(cards) == 52:
        raise PlayError("all 52 cards are played", 52)
    holder = declarer if turn == declarer.partner else turn
    known = {holder.name.lower(): Hand(hand)}
    if cards and dummy is None:
        raise DealError("dummy is missing (expected its hand, because the opening lead was made)")
    if not cards and dummy is not None:
        raise DealError(
            "dummy is given before the opening lead (expected none: nobody has seen it yet)"
        )
    if dummy is not None:
        known[declarer.partner.name.lower()] = Hand(dummy)
    for seat, card in cards:
        for name, held in known.items():
            if held.mask >> parse_card(card) & 1 and name != seat.name.lower():
                raise DealError(
                    f"{seat.word} played {card}, but {name.title()} holds it (hand is that of "
                    f"{holder.word}: {turn.word} is to play)"
                )
    return known


def next_seat(cards: Sequence[tuple[Seat, str]], strain: Strain, declarer: Seat) -> Seat:
    """Return who plays the next card; the leader once all are played."""
    if not cards or len(cards) == 52:
        return declarer.lho
    return seats_played([*(card for _, card in cards), _unplayed(cards)], strain, declarer)[-1][0]


def _unplayed(cards: Sequence[tuple[Seat, str]]) -> str:
    gone = {card for _, card in cards}
    return next(text for text in map(card_text, range(52)) if text not in gone)


def _alike(after: NDArray[np.uint8], now: Position) -> list[list[int]]:
    """Group cards of one suit with no card still in play between them: they are equivalent."""
    there = set(np.flatnonzero(now.owners != UNKNOWN).tolist()) | set(now.trick)
    groups: list[list[int]] = []
    for card in np.flatnonzero((after != UNKNOWN).any(axis=0)).tolist():
        last = groups[-1][-1] if groups else -1
        between = there.intersection(range(last + 1, card))
        if groups and last // 13 == card // 13 and not between:
            groups[-1].append(card)
        else:
            groups.append([card])
    return groups


def _sample(results: Any) -> Floats:
    """Return (n, m) results; too few for intervals become one row, which has none."""
    rows = np.asarray(results, dtype=float)
    return rows if len(rows) >= MINIMUM_EXACT else rows.mean(axis=0, keepdims=True)


def _with_error(value: Value) -> str:
    """Show a mean, and half its interval if it has one."""
    half = value.high - value.mean
    return f"{value.mean:.2f}" if np.isnan(half) else f"{value.mean:.2f} ± {half:.2f}"
