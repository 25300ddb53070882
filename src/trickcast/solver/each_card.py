"""The exact value of every card: of each opening lead, and of each card in a play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    UNKNOWN,
    DealError,
    DealsLike,
    Seat,
    Strain,
    as_dealset,
    check_owners,
    shorten,
)
from ..cards.card_play import Position, positions
from ..cards.text import card_text, declarer_of, parse_card, parse_contract
from . import dds
from .batches import beside, solve_lead_batches, thread_count

_PLAYS = 100
"""Most plays in one call of DDS: a second or two."""


def solve_leads(
    deals: DealsLike, contract: object, by: str | Seat | None = None, *, workers: int | None = None
) -> dict[str, int] | list[dict[str, int]]:
    """Return the tricks that declarer takes after each opening lead, exactly.

    Everybody plays double dummy. If hands are hidden, use ``simulate_leads``.

    Args:
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
        contract: The contract, such as ``"4H"``, ``"3NX"`` or a Contract.
        by: Declarer, whose left-hand opponent leads. Default: the Contract's.
        workers: Number of solver threads. Default: all cores.

    Returns:
        Tricks by card, such as ``{"SA": 9, …}``; a list of n of these for many deals.

    Raises:
        DealError: A deal, contract or seat is not valid, or the declarer is missing or another
            than the Contract's.
        ValueError: ``workers`` is below 1.

    Example:
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> tc.solve_leads(deal, "4H", by="N")["DQ"]
        10
    """
    dealset, single = as_dealset(deals)
    strain, declarer = _declared(contract, by)
    batches = solve_lead_batches(dealset.owners, strain, declarer, workers=workers)
    found = [_by_card(row) for batch in batches for row in batch]
    return found[0] if single else found


def solve_play(
    deal: DealsLike,
    contract: object,
    by: str | Seat | None = None,
    cards: str | Iterable[str | int] = (),
    *,
    workers: int | None = None,
) -> list[dict[str, int]]:
    """Return the tricks that declarer takes in all after each legal card, exactly.

    Everybody plays double dummy from there on.

    Args:
        deal: One deal: a Deal, its text, or owners of shape (52,).
        contract: The contract, such as ``"4H"``, ``"3NX"`` or a Contract.
        by: Declarer. Default: the Contract's.
        cards: Cards played so far, in order: ``"DQ D3 DA"``, or a list of texts or card numbers.
        workers: Number of solver threads. Default: all cores.

    Returns:
        A list of k + 1 dictionaries, tricks by card: one before each of the k cards, and one after
        the last. The last one is empty if all 52 cards are played.

    Raises:
        DealError: The deal, contract, seat or a card is not valid, or a card is illegal; the
            message names the first. Or the declarer is missing or another than the Contract's.
        ValueError: ``workers`` is below 1.

    Example:
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> first, second = tc.solve_play(deal, "4H", by="N", cards="DQ")
        >>> first["DQ"], sorted(second)
        (10, ['D3', 'DK'])
    """
    dealset, _ = as_dealset(deal)
    if len(dealset) != 1:
        raise DealError(
            f"{len(dealset)} deals (expected one; solve the play of each deal separately)"
        )
    strain, declarer = _declared(contract, by)
    played = cards.split() if isinstance(cards, str) else cards
    if not isinstance(played, Iterable):
        raise DealError(f"cards is {shorten(cards)} (expected cards such as 'DQ D3', or a list)")
    indices = [parse_card(card) if isinstance(card, str) else _number(card) for card in played]
    values = values_of_cards(dealset.owners[0], strain, declarer, indices, workers=workers)
    return [_by_card(row) for row in values]


def _number(card: Any) -> int:
    with suppress(TypeError):
        if not isinstance(card, bool) and 0 <= index(card) < 52:
            return index(card)
    raise DealError(f"card {shorten(card)} (expected 0 to 51, or a text such as SA)")


def _declared(contract: object, by: str | Seat | None) -> tuple[Strain, Seat]:
    _, strain, _ = parse_contract(str(contract))
    if strain is None:
        raise DealError("a passed-out deal is not played (expected a contract, such as 4H)")
    declarer = declarer_of(contract, by)
    if declarer is None:
        raise DealError(f"{contract} has no declarer (expected by)")
    return strain, declarer


def _by_card(values: NDArray[np.uint8]) -> dict[str, int]:
    return {card_text(int(card)): int(values[card]) for card in np.flatnonzero(values != UNKNOWN)}


def values_of_cards(
    owners: NDArray[np.uint8],
    strain: Strain,
    declarer: Seat,
    cards: Sequence[int] = (),
    *,
    leader: Seat | None = None,
    workers: int | None = None,
) -> NDArray[np.uint8]:
    """Return the value of each card before each card of a play, and after the last.

    Args:
        owners: Owners of a deal or position, shape (52,), uint8; 255 for played cards.
        strain: The strain.
        declarer: The declarer.
        cards: Card numbers in the order played.
        leader: Seat that leads first. Default: declarer's left-hand opponent.
        workers: Number of solver threads. Default: all cores.

    Returns:
        Tricks that declarer's side takes in all if the card is played next, double dummy: shape (k
        + 1, 52), uint8, 255 for illegal cards.

    Raises:
        DealError: ``owners`` is neither a deal nor a position.
        PlayError: A card is illegal.
        ValueError: ``workers`` is below 1.

    Example:
        >>> owners = tc.random_deals(1, seed=1).owners[0]
        >>> (values_of_cards(owners, Strain.SPADES, Seat.NORTH)[0] < 255).sum()
        np.int64(13)
    """
    reached = positions(owners, strain, declarer.lho if leader is None else leader, cards)
    return values_in(reached, strain, declarer, workers=workers)


def values_in(
    reached: Sequence[Position], strain: Strain, declarer: Seat, *, workers: int | None = None
) -> NDArray[np.uint8]:
    """Return the value of each card in k positions.

    Args:
        reached: The positions.
        strain: The strain.
        declarer: The declarer.
        workers: Number of solver threads. Default: all cores.

    Returns:
        Tricks that declarer's side takes in all, as from ``values_of_cards``: shape (k, 52), uint8.

    Raises:
        ValueError: ``workers`` is below 1.

    Example:
        >>> start = positions(tc.random_deals(1, seed=1).owners[0], Strain.SPADES, Seat.EAST, [])
        >>> (values_in(start, Strain.SPADES, Seat.NORTH) < 255).sum()
        np.int64(13)
    """
    open_ones = [number for number, now in enumerate(reached) if len(now.playable)]
    threads = thread_count(workers)
    values = np.full((len(reached), 52), UNKNOWN, dtype=np.uint8)
    for start in range(0, len(open_ones), dds.BOARDS):
        numbers = open_ones[start : start + dds.BOARDS]
        some = [reached[number] for number in numbers]
        boards = dds.boards(
            np.stack([now.owners for now in some]),
            np.array([strain] * len(some)),
            np.array([now.leader for now in some]),
            _tricks(some),
        )
        solved = beside(
            lambda given_up, boards=boards: dds.solve(  # type: ignore[misc]
                boards, dds.MOST_TRICKS, dds.EVERY_CARD, threads, given_up
            )
        )
        for number, mover in zip(numbers, dds.scores_of_cards(solved), strict=True):
            values[number] = _declarers(mover, reached[number], declarer)
    return values


def trace_plays(
    owners: NDArray[np.uint8],
    strains: Sequence[Strain],
    declarers: Sequence[Seat],
    plays: Sequence[Sequence[int]],
    *,
    workers: int | None = None,
) -> list[NDArray[np.uint8]]:
    """Return the tricks that declarer takes in all, before a play and after each of its cards.

    Everybody plays double dummy from there on. This is much faster than the value of every card
    (``values_of_cards``).

    Args:
        owners: Owners of n deals, shape (n, 52), uint8.
        strains: Strain of each deal.
        declarers: Declarer of each deal.
        plays: Card numbers of each deal, in the order played.
        workers: Number of solver threads. Default: all cores.

    Returns:
        For each deal an array of min(k, 48) + 1 numbers, if k cards were played.

    Raises:
        DealError: A row is not a deal.
        PlayError: A card is illegal.
        ValueError: ``workers`` is below 1.

    Example:
        >>> from trickcast.cards import Seat, Strain
        >>> from trickcast.solver import trace_plays
        >>> deal = tc.Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
        >>> trace_plays(deal.owners[None], [Strain.HEARTS], [Seat.NORTH], [[28]])[0].tolist()
        [10, 10]
    """
    check_owners(owners)
    for row, strain, declarer, cards in zip(owners, strains, declarers, plays, strict=True):
        positions(row, strain, declarer.lho, cards)
    threads = thread_count(workers)
    leaders = [declarer.lho for declarer in declarers]
    found = list[NDArray[np.uint8]]()
    for start in range(0, len(owners), _PLAYS):
        some = slice(start, start + _PLAYS)
        work = partial(
            dds.traces, owners[some], np.array(strains[some]), np.array(leaders[some]), plays[some]
        )
        found += beside(lambda given_up, work=work: work(threads, given_up))  # type: ignore[misc]
    return found


def _tricks(some: Sequence[Position]) -> NDArray[np.uint8]:
    """Return the cards on the tables, (n, 3), 255 for none."""
    tables = [now.trick + (UNKNOWN,) * (3 - len(now.trick)) for now in some]
    return np.array(tables, dtype=np.uint8)


def _declarers(mover: NDArray[np.int32], now: Position, declarer: Seat) -> NDArray[np.uint8]:
    """Turn (52,) tricks still to come for the side to play into declarer's total."""
    left = len(np.flatnonzero(now.owners == now.turn))
    playable = now.playable
    to_come = mover[playable]
    if to_come.min() < 0 or to_come.max() > left:
        raise RuntimeError(f"DDS answered {to_come.min()} to {to_come.max()} of {left} tricks")
    values = np.full(52, UNKNOWN, dtype=np.uint8)
    own = now.turn.side == declarer.side
    values[playable] = now.won[declarer.side] + (to_come if own else left - to_come)
    return values
