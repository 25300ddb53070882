"""What can be counted in a hand: points, lengths, controls, losers, every evaluator.

A count is the sum of the values of its four holdings, from tables over the 8,192 holdings of one
suit. Some methods add something for the hand as a whole.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cards import RANKS, DealError, Strain, Suit
from ...evaluators import Evaluator
from ...evaluators import get as evaluator
from ...evaluators import names as evaluator_names
from ...evaluators.holdings import HoldingIds, all_holdings, holding_table, lengths
from ...evaluators.kaplan_rubens import quality
from .mistakes import QUOTED, clip
from .shapes import LENGTHS

Table = NDArray[Any]
"""(8192,) int32 or float64, the value of each holding by its id (bit *r* set for rank *r*)."""

CARD_POINTS: dict[str, tuple[int, ...]] = {
    "hcp": (4, 3, 2, 1),
    "controls": (2, 1),
    "tens": (0, 0, 0, 0, 1),
    "jacks": (0, 0, 0, 1),
    "queens": (0, 0, 1),
    "kings": (0, 1),
    "aces": (1,),
    "top2": (1, 1),
    "top3": (1, 1, 1),
    "top4": (1, 1, 1, 1),
    "top5": (1, 1, 1, 1, 1),
    "c13": (6, 4, 2, 1),
}
"""Counts of Dealer that sum the values of cards, ace first."""

DEALER_POINTS = ("tens", "jacks", "queens", "kings", "aces", "top2", "top3", "top4", "top5", "c13")
"""What ``pt0`` to ``pt9`` count unless ``altcount`` changes it."""

CARD, HONOUR = 3.0, 2.0
"""What a card in a suit, and an honour in it, are worth in points."""

ORDERED_LENGTHS = ("longest_length", "second_length", "third_length", "shortest_length")
"""The lengths of a hand's suits in descending order."""

HUNDREDTHS = ("cccc", "quality")
"""Counts of Dealer in hundredths; under their other names, evaluators are in points."""

_PLURALS = {
    **dict.fromkeys(("hcps", "point", "points", "pts"), "hcp"),
    **{name[:-1]: name for name in ("tens", "jacks", "queens", "kings", "aces")},
    **{"loser": "losers", "control": "controls"},
}
_OWN = (*CARD_POINTS, "losers", "quality", "cccc")
_SUITS = tuple(suit.name.lower() for suit in Suit)
_CARDS = ("cards", "card")

_OTHER_FIRST_LETTER = 0.8
_DIGITS = 9
_LARGEST = 2.0**53 / 10**_DIGITS
"""Larger doubles have no digits to round, and rounding would itself be inexact."""


def rounded(values: Any) -> NDArray[Any]:
    """Return numbers rounded to nine decimals: 4 + 2.8 + 1.8 is 8.6, as it is printed."""
    numbers: NDArray[Any] = np.asanyarray(values)
    if numbers.dtype.kind != "f":
        return numbers
    return where(np.abs(numbers) < _LARGEST, np.round(numbers, _DIGITS), numbers)


def where(test: NDArray[Any], yes: NDArray[Any], no: NDArray[Any]) -> NDArray[Any]:
    """Return ``np.where`` for numbers; masked ones stay masked."""
    masked = any(isinstance(part, np.ma.MaskedArray) for part in (yes, no))
    chosen: NDArray[Any] = np.ma.where(test, yes, no) if masked else np.where(test, yes, no)  # type: ignore[no-untyped-call]
    return chosen


@dataclass(frozen=True, eq=False)
class Count:
    """One number that can be counted in a hand."""

    name: str
    tables: tuple[Table | None, Table | None, Table | None, Table | None]
    """The values of holdings in spades, hearts, diamonds, clubs; None for nothing."""
    whole: Callable[[HoldingIds], NDArray[Any]] | None = None
    """Added for the hand as a whole, from (n, 4) holding ids to (n,)."""
    scale: int = 1
    """Factor of the sum."""
    by_shape: Table | None = None
    """(560,) the count by shape, if the shape decides it: suit lengths and their order."""
    worth: float = 1.0
    """How many points a difference of one counts as, when near misses are compared."""
    limits: tuple[float, float] | None = None
    """The least and the greatest value that a hand can have, if the tables do not give them."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that a hand can have, or a wider range."""
        if self.limits is not None:
            return self.limits
        tables = [table for table in self.tables if table is not None]
        return float(sum(t.min() for t in tables)), float(sum(t.max() for t in tables))

    @property
    def suits(self) -> tuple[Suit, ...]:
        """The suits that the count depends on."""
        if self.whole is not None:
            return tuple(Suit)
        return tuple(suit for suit in Suit if self.tables[suit] is not None)

    def of(self, ids: HoldingIds) -> NDArray[Any]:
        """Return the (n,) count of hands given as (n, 4) holding ids."""
        total: NDArray[Any] = np.zeros(len(ids), dtype=np.int32)
        for suit, table in enumerate(self.tables):
            if table is not None:
                total = total + table[ids[:, suit]]
        if self.whole is not None:
            total = total + self.whole(ids)
        if self.scale != 1:
            total = np.rint(total * self.scale).astype(np.int32)
        return rounded(total)


@cache
def card_count(values: tuple[float, ...], suit: Suit | None = None, name: str = "") -> Count:
    """Return the count that sums ``values`` for ace, king, … in one suit or in all."""
    weights = np.zeros(13)
    weights[: len(values)] = values
    worth = HONOUR if set(values) <= {0, 1} else 1.0
    return _in_suits(name, all_holdings().cards @ weights, suit, worth)


def honours(ranks: str, suit: Suit) -> Count:
    """Return the count of cards with these ranks in ``suit``: ``AKQ``, ``A10``.

    Raises ValueError for text that is not ranks, and for a repeated rank.
    """
    wanted = ranks.upper().replace("10", "T")
    if not set(wanted) <= set(RANKS) or len(set(wanted)) < len(wanted):
        raise ValueError(f"{clip(ranks)} are not ranks (expected such as AKQ, each once)")
    return card_count(tuple(float(rank in wanted) for rank in RANKS), suit, f"of {wanted}")


@cache
def length(suit: Suit) -> Count:
    """Return the count of cards in ``suit``."""
    cards = card_count((1,) * 13, suit, suit.name.lower())
    return replace(cards, by_shape=LENGTHS[:, suit], worth=CARD)


def _ordered(place: int, ids: HoldingIds) -> NDArray[Any]:
    return np.sort(lengths(ids), axis=1)[:, 3 - place]


@cache
def ordered_length(place: int) -> Count:
    """Return the length of one suit, from the longest (``place`` 0) to the shortest (3)."""
    return Count(
        ORDERED_LENGTHS[place],
        (None, None, None, None),
        partial(_ordered, place),
        by_shape=np.sort(LENGTHS, axis=1)[:, 3 - place],
        worth=CARD,
        limits=(0, 13),
    )


@cache
def hcp(suit: Suit | None = None) -> Count:
    """Return high-card points, of the hand or in one suit."""
    return card_count(CARD_POINTS["hcp"], suit, "hcp")


def parse_suit(text: str) -> Suit:
    """Return the suit of a word. Raises ValueError, with the nearest word, for unknown words."""
    try:
        return Suit.parse(text)
    except DealError:
        close = nearest(text, _SUITS)
        hint = f"did you mean {close[0]}?" if close else "expected spades, hearts, diamonds, clubs"
        raise ValueError(f"{clip(text)} is not a suit ({hint})") from None


@cache
def find_count(name: str, suit: Suit | None = None) -> Count:
    """Return the count with this name, of the hand or in one suit.

    For evaluators that depend on trumps, ``suit`` is the trump suit. Raises ValueError that says
    what was expected, with the nearest name.
    """
    wanted = name.lower().replace("-", "_")
    wanted = _PLURALS.get(wanted, wanted)
    if wanted in CARD_POINTS:
        return card_count(CARD_POINTS[wanted], suit, wanted)
    if wanted in _CARDS:
        if suit is None:
            raise ValueError(f"{name} in what? (expected a suit, such as cards in spades)")
        return length(suit)
    if wanted in ("losers", "quality"):
        return _holding_count(wanted, suit)
    if wanted == "cccc" and suit is None:
        method = evaluator("cccc")
        low, high = method.hand_bounds
        tables = (holding_table(method.holding),) * 4
        return Count("cccc", tables, method.whole, 100, limits=(100 * low, 100 * high))
    of_suits = {word: s for s in Suit for word in (s.name.lower(), s.name.lower()[:-1], s.symbol)}
    if wanted in of_suits or wanted in ORDERED_LENGTHS:
        if suit is not None:
            raise ValueError(f"{name} is itself a number of cards (expected no suit)")
        if wanted in of_suits:
            return length(of_suits[wanted])
        return ordered_length(ORDERED_LENGTHS.index(wanted))
    try:
        method = evaluator(wanted)
    except ValueError:
        raise ValueError(unknown(name, known_counts())) from None
    return _evaluator_count(method, suit)


def known_counts() -> list[str]:
    """Return every name that ``find_count`` knows, without aliases."""
    return [*_OWN, *_SUITS, *ORDERED_LENGTHS, *evaluator_names()]


def count_words() -> list[str]:
    """Return every word that ``find_count`` knows, including aliases."""
    aliases = [alias for name in evaluator_names() for alias in evaluator(name).aliases]
    singular = [suit[:-1] for suit in _SUITS]
    symbols = [sign for suit in Suit for sign in suit.symbol]
    return [*known_counts(), *_PLURALS, *_CARDS, *aliases, *singular, *symbols]


def is_own_count(name: str) -> bool:
    """Return whether a name is a count of Dealer's own; names of evaluators may be redefined."""
    return name.lower() in (*_OWN, *_SUITS, *(suit[:-1] for suit in _SUITS))


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return the word of ``known`` that is closest to ``word``, if one is close.

    Words with another first letter must be closer.
    """
    if len(word) > QUOTED:  # no known word is this long, and comparing would take time
        return []
    first, known = word[:1].lower(), [*known]
    alike = [other for other in known if other.startswith(first)]
    return get_close_matches(word.lower(), alike, 1, cutoff) or get_close_matches(
        word.lower(), known, 1, max(cutoff, _OTHER_FIRST_LETTER)
    )


def unknown(name: str, known: Sequence[str], what: str = "a count") -> str:
    """Return the message that ``name`` is not ``what``, with the nearest of ``known``."""
    close = nearest(name, known)
    examples = "expected such as hcp, spades, controls, losers"
    return f"{clip(name)} is not {what} ({f'did you mean {close[0]}?' if close else examples})"


@cache
def half_losers(suit: Suit | None = None) -> Count:
    """Return losing tricks in hundredths; AQ alone and AQJ are half a loser each."""
    holdings = all_holdings()
    ace, king, queen, jack = (holdings.cards[:, rank].astype(np.bool_) for rank in range(4))
    losers = holding_table(evaluator("losers").holding)
    half = ace & ~king & queen & ((holdings.length == 2) | jack)
    return _in_suits("ltc", np.where(half, 50, 100 * losers), suit)


@cache
def _holding_count(name: str, suit: Suit | None) -> Count:
    if name == "losers":
        return _in_suits(name, holding_table(evaluator("losers").holding), suit)
    if suit is None:
        raise ValueError("quality is that of one suit (expected a suit)")
    hundredths = np.rint(quality(all_holdings()) * all_holdings().length * 10)
    return _in_suits(name, hundredths, suit)


@cache
def _evaluator_count(method: Evaluator, suit: Suit | None) -> Count:
    if suit is not None and not method.knows_trumps:
        ranks = method.name.upper()
        held = f", or 2 of {ranks} in {suit.name.lower()}" if set(ranks) <= set(RANKS) else ""
        message = f"{method.name} is the same whatever suit is trumps (expected no suit{held})"
        raise ValueError(message)
    side = method.holding if suit is None else method.side_holding or method.holding
    values = [method.trump_holding or side if s == suit else side for s in Suit]
    spades, hearts, diamonds, clubs = (_exact(holding_table(value)) for value in values)
    trump = None if suit is None else Strain(suit)
    tables = spades, hearts, diamonds, clubs
    limits = None if method.whole is None else method.bounds(trump)
    return Count(method.name, tables, method.whole, limits=limits)


def _in_suits(name: str, values: NDArray[Any], suit: Suit | None, worth: float = 1.0) -> Count:
    """Return the count that sums (8192,) values of holdings, in one suit or in all."""
    table = _exact(values)
    spades, hearts, diamonds, clubs = (table if suit in (None, s) else None for s in Suit)
    return Count(name, (spades, hearts, diamonds, clubs), worth=worth)


def _exact(values: NDArray[Any]) -> Table:
    """Return whole numbers as integers: they compare exactly, and faster."""
    whole = np.rint(values)
    return whole.astype(np.int32) if np.array_equal(whole, values) else values.astype(np.float64)


def parse_card_text(text: str) -> list[int]:
    """Return the cards of ``SAK2``, ``♥10`` or ``AS``. Raises ValueError for a repeated card."""
    clean = text.upper().replace("10", "T")
    for variation in "\ufe0e\ufe0f":
        clean = clean.replace(variation, "")
    if clean[-1] in "SHDC♠♥♦♣♤♡♢♧":  # rank first, as in Dealer
        clean = clean[-1] + clean[:-1]
    cards = [13 * Suit.parse(clean[0]) + RANKS.index(rank) for rank in clean[1:]]
    if len(set(cards)) < len(cards):
        raise ValueError(f"a card appears twice in {clip(text)}")
    return cards
