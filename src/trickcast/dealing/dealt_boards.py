"""Numbered boards to play, with dealer and vulnerability: by seed, at random, or on a theme."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..cards import (
    Board,
    DealSet,
    Seat,
    Vulnerability,
    board_dealer,
    board_vulnerability,
    checked_whole,
    shorten,
)
from .constraints import MAX_TRIES, Constraints, parts_of
from .language.conditions import Tricks
from .language.mistakes import ConstraintError
from .shuffling import SECURE, Seed, fresh_seed, random_turns

_SAID = re.compile(
    r"\s*(north|east|south|west|[nesw])(?:\s*:\s*|\s+)(?:(?:has|holds|is)\s+)?(.+)",
    re.IGNORECASE | re.DOTALL,
)
_OPENS = re.compile(r"opens?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DealtBoards:
    """Boards, and the seed that reproduces them."""

    deals: DealSet
    """Deals with their boards: number, dealer, vulnerability."""
    seed: int | None
    """The seed that gives the same boards again; None if they came from the system's randomness."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The topic of a lesson: hands of some seats, and the dealer."""

    hands: dict[Seat, list[str]]
    """Descriptions of hands, by seat."""
    dealer: Seat | None
    """The seat that opens; None if none is stated."""


def read_theme(text: str) -> Theme:
    """Read the theme of a lesson. The player who opens is the dealer.

    Args:
        text: Descriptions of hands, separated by semicolons: ``"South opens a weak two; North has
            15+ points"``. A colon may follow the seat.

    Returns:
        A Theme.

    Raises:
        ConstraintError: No seat is named, or a description cannot be read.

    Example:
        >>> from trickcast.dealing import read_theme
        >>> read_theme("South opens a weak two").dealer
        <Seat.SOUTH: 2>
    """
    hands: dict[Seat, list[str]] = {}
    dealer = None
    for part in [part for part in text.split(";") if part.strip()] or [""]:
        said = _SAID.fullmatch(part)
        if said is None:
            expected = "expected such as South opens a weak two"
            raise ConstraintError(f"theme {shorten(part.strip())}: whose hand? ({expected})")
        seat = Seat.parse(said[1])
        hands.setdefault(seat, []).append(said[2].strip())
        if dealer is None and _OPENS.match(said[2]):
            dealer = seat
    return Theme(hands, dealer)


def deal_boards(
    n: int = 1,
    *,
    seed: int | None = None,
    secure: bool = False,
    theme: str | None = None,
    north: Any = None,
    east: Any = None,
    south: Any = None,
    west: Any = None,
    condition: Any = None,
    dealer: str | Seat | None = None,
    vulnerable: str | Vulnerability | None = None,
    first: int = 1,
    rotate: Literal["any", "half"] | None = None,
    tricks: Tricks | None = None,
    max_tries: int = MAX_TRIES,
    among: Callable[[Constraints], Any] | None = None,
) -> DealtBoards:
    """Deal ``n`` numbered boards, all that fit equally likely.

    Args:
        n: Number of boards.
        seed: Seed, 0 to 2**64 - 1. Default: a fresh one, which is returned.
        secure: Whether to take every card from the system's randomness, for events; no seed repeats
            these boards.
        theme: What a lesson is about, such as ``"South opens a weak two; North has 15+ points"``.
            The player who opens is the dealer.
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these. Default: nothing.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
        dealer: Dealer of all boards. Default: by the board number.
        vulnerable: Vulnerable sides of all boards. Default: by the board number.
        first: Number of the first board.
        rotate: ``"any"`` to rotate each board by 0 to 3 seats, ``"half"`` by 0 or 2; a given dealer
            and vulnerability rotate with the cards. Default: none.
        tricks: As in ``Constraints``.
        max_tries: Most layouts to draw; a batch of them, 512 or more, is drawn in full.
        among: Function from the Constraints to an object with ``deals``, which chooses the layouts
                to draw from those that fit. Default: all.

    Returns:
        DealtBoards: ``deals`` and ``seed``.

    Raises:
        ValueError: ``seed`` and ``secure`` are given together, ``rotate`` is invalid, or a
            number is out of its range.
        DealError: A hand is not valid.
        ConstraintError: A text cannot be read, or contradicts itself.
        NoDealsError: Too few layouts fit.

    Example:
        >>> from trickcast.dealing import deal_boards
        >>> dealt = deal_boards(8, theme="South opens a weak two", rotate="any", seed=1)
        >>> len(dealt.deals), dealt.seed
        (8, 1)
    """
    if secure and seed is not None:
        raise ValueError("secure takes no seed (expected one or the other)")
    if rotate not in (None, "any", "half"):
        raise ValueError(f"rotate is {shorten(rotate)} (expected any or half)")
    checked_whole(first, "first", 1)
    asked = Theme({}, None) if theme is None else read_theme(theme)
    known = {
        seat.name.lower(): [*parts_of(value), *asked.hands.get(seat, ())]
        for seat, value in zip(Seat, (north, east, south, west), strict=True)
    }
    used: Seed = SECURE if secure else fresh_seed() if seed is None else seed
    constraints = Constraints(**known, condition=condition, tricks=tricks)
    source = constraints if among is None else among(constraints)
    owners = source.deals(n, used, max_tries).owners
    turns = np.zeros(len(owners), np.uint8)
    if rotate is not None:
        turns = random_turns(len(owners), used, half=rotate == "half")
    deals_first = asked.dealer if dealer is None else Seat.parse(dealer)
    side = None if vulnerable is None else Vulnerability.parse(vulnerable)
    boards = [
        Board(
            number=number,
            dealer=board_dealer(number) if deals_first is None else Seat((deals_first + turn) % 4),
            vulnerability=board_vulnerability(number) if side is None else _turned(side, turn),
        )
        for number, turn in enumerate(turns.tolist(), start=first)
    ]
    turned = DealSet((owners + turns[:, None]) % 4, None, boards)
    return DealtBoards(turned, None if used == SECURE else used)


def _turned(side: Vulnerability, turn: int) -> Vulnerability:
    """Return the vulnerability after a rotation: an odd one swaps the sides."""
    sides = (Vulnerability.NS, Vulnerability.EW)
    return sides[1 - sides.index(side)] if turn % 2 and side in sides else side
