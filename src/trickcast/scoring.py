"""Duplicate scores, IMPs, matchpoints, victory points, and the par of a trick table.

Based on the Laws of Duplicate Bridge 2017: law 77 (scores) and law 78 (IMPs, matchpoints). Victory
points follow the continuous scale of the World Bridge Federation of 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cards import (
    BOOK,
    UNKNOWN,
    DealError,
    Seat,
    Strain,
    TrickTable,
    Vulnerability,
    checked_whole,
    parse_contract,
    shorten,
)

__all__ = [
    "BIDDING_ORDER",
    "IMP_STEPS",
    "Contract",
    "Par",
    "ParContract",
    "cross_imps",
    "datum",
    "imps",
    "matchpoints",
    "par",
    "score",
    "victory_points",
]

BIDDING_ORDER = (Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP)
"""Strains from the lowest bid of a level to the highest."""
IMP_STEPS = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""Smallest differences of scores that are worth 1, 2, … 24 IMPs."""

_BIDS_FROM_THE_TOP = [
    (level, strain) for level in range(7, 0, -1) for strain in reversed(BIDDING_ORDER)
]
_NEVER = 10**6  # more than any score


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Contract:
    """Hold a contract: level, strain, doubling and, if known, the declarer.

    Immutable, and compared by value. ``str`` gives the text without the declarer.

    Args:
        text: The contract, such as ``"4SX"``, ``"3NT"`` or ``"4 ♠ x"``; ``"PASS"`` for a passed-out
            board.
        by: Seat of the declarer, or its letter or name; it replaces that of a Contract. Default: a
            Contract's own, or unknown.

    Raises:
        DealError: The text is not a contract, or ``by`` is not a seat.

    Example:
        >>> tc.Contract("4 ♠ x"), tc.Contract("3NT", by="south").tricks
        (Contract('4SX'), 9)
    """

    level: int
    """1 to 7; 0 when passed out."""
    strain: Strain | None
    """None when passed out."""
    doubling: int
    """0, 1 for doubled, 2 for redoubled."""
    by: Seat | None
    """The declarer; None if it is not given."""

    def __init__(self, text: str | Contract, by: str | Seat | None = None):
        level, strain, doubling = (
            (text.level, text.strain, text.doubling)
            if isinstance(text, Contract)
            else parse_contract(text)
        )
        object.__setattr__(self, "level", level)
        object.__setattr__(self, "strain", strain)
        object.__setattr__(self, "doubling", doubling)
        declarer = text.by if by is None and isinstance(text, Contract) else by
        object.__setattr__(self, "by", None if declarer is None else Seat.parse(declarer))

    @property
    def tricks(self) -> int:
        """Tricks needed to make it."""
        return BOOK + self.level if self.level else 0

    def __str__(self) -> str:
        return f"{self.level}{self.strain}{'X' * self.doubling}" if self.level else "PASS"

    def __repr__(self) -> str:
        by = "" if self.by is None else f", by={self.by.letter!r}"
        return f"Contract({str(self)!r}{by})"


def score(contract: str | Contract, tricks: ArrayLike, vulnerable: bool) -> Any:
    """Return the score of declarer's side for a contract and the tricks it took.

    Args:
        contract: The contract, such as ``"4H"``, ``"3NX"`` or a Contract. A passed-out board scores
            0.
        tricks: Tricks taken, 0 to 13: a number or an array of any shape.
        vulnerable: Whether declarer's side is vulnerable.

    Returns:
        The score in points, duplicate scoring: an int, or an int64 array of the shape of
        ``tricks``.

    Raises:
        DealError: ``contract`` is not a contract.
        ValueError: A number of tricks is not from 0 to 13.
        TypeError: ``vulnerable`` is not a bool.

    Source:
        Laws of Duplicate Bridge 2017, law 77.

    Example:
        >>> tc.score("3N", 9, vulnerable=True), tc.score("4SX", tricks=8, vulnerable=False)
        (600, -300)
    """
    if not isinstance(vulnerable, bool | np.bool_):
        raise TypeError(
            f"vulnerable is {shorten(vulnerable)} (expected True or False, for declarer's side)"
        )
    bid = Contract(contract)
    taken = np.asarray(tricks)
    if taken.size and (taken.dtype.kind not in "ui" or ((taken < 0) | (taken > 13)).any()):
        raise ValueError(f"tricks {shorten(str(tricks))} (expected whole numbers 0 to 13)")
    scores = _score_by_tricks(bid, bool(vulnerable))[
        taken.astype(np.int64)
    ]  # NumPy would return floats
    return int(scores) if scores.ndim == 0 else scores


@cache
def _score_by_tricks(contract: Contract, vulnerable: bool) -> NDArray[np.int64]:
    """Return (14,) scores for 0 to 13 tricks."""
    if contract.strain is None:
        return np.zeros(14, dtype=np.int64)
    over = np.arange(14) - contract.tricks
    made = _made(contract, contract.strain, vulnerable) + over * _overtrick(contract, vulnerable)
    down = np.maximum(-over, 0)
    scores: NDArray[np.int64] = np.where(down, -_penalty(down, contract.doubling, vulnerable), made)
    return scores


def _made(contract: Contract, strain: Strain, vulnerable: bool) -> int:
    """Return the score of the contract made exactly."""
    trick_points = contract.level * _trick(strain) + 10 * (strain is Strain.NOTRUMP)
    trick_points <<= contract.doubling
    game = (500 if vulnerable else 300) if trick_points >= 100 else 50
    slam = {6: 750 if vulnerable else 500, 7: 1500 if vulnerable else 1000}.get(contract.level, 0)
    return trick_points + game + slam + 50 * contract.doubling


def _trick(strain: Strain) -> int:
    return 20 if strain in (Strain.DIAMONDS, Strain.CLUBS) else 30


def _overtrick(contract: Contract, vulnerable: bool) -> int:
    if contract.doubling:
        return 100 * contract.doubling * (1 + vulnerable)
    return _trick(contract.strain) if contract.strain is not None else 0


def _penalty(down: NDArray[np.int64], doubling: int, vulnerable: bool) -> NDArray[np.int64]:
    """Return the penalty for undertricks. Doubled, each costs 300, except the first, which is 200;
    each of the first three costs 100 less when not vulnerable.
    """
    if not doubling:
        return down * (100 if vulnerable else 50)
    doubled: NDArray[np.int64] = 300 * down - 100 * np.minimum(down, 1)
    if not vulnerable:
        doubled -= 100 * np.minimum(down, 3)
    doubled *= doubling
    return doubled


def imps(diff: ArrayLike) -> Any:
    """Return the IMPs for a difference of scores, with its sign.

    Args:
        diff: Difference in points: a number or an array of any shape.

    Returns:
        An int, or an int64 array of the same shape.

    Raises:
        ValueError: A number is not finite.

    Source:
        Laws of Duplicate Bridge 2017, law 78.

    Example:
        >>> from trickcast.scoring import imps
        >>> imps(420 - -50), imps([-10, -20])
        (10, array([ 0, -1]))
    """
    difference = _finite(diff, "difference of scores")
    won = np.sign(difference) * np.searchsorted(IMP_STEPS, np.abs(difference), side="right")
    return int(won) if won.ndim == 0 else won.astype(np.int64)


def _finite(numbers: ArrayLike, what: str) -> NDArray[np.float64]:
    """Return numbers as float64. Raises ValueError for other values, or if not finite."""
    array = np.asarray(numbers)
    if array.size and (array.dtype.kind not in "iuf" or not np.isfinite(array).all()):
        raise ValueError(f"{what} {shorten(str(numbers))} (expected finite numbers)")
    return array.astype(np.float64)


def matchpoints(scores: ArrayLike) -> NDArray[np.float64]:
    """Return matchpoints: for each score of a board the share of the others that it beats.

    A tie counts one half.

    Args:
        scores: Two or more scores of one side, in points.

    Returns:
        Shares from 0 to 1, shape (n,), float64.

    Raises:
        ValueError: There are fewer than two scores, or a number is not finite.

    Source:
        Laws of Duplicate Bridge 2017, law 78.

    Example:
        >>> from trickcast.scoring import matchpoints
        >>> matchpoints([420, 450, 420, -50])
        array([0.5, 1. , 0.5, 0. ])
    """
    compared = _finite(scores, "scores")
    if compared.ndim != 1 or len(compared) < 2:
        raise ValueError(f"scores of shape {compared.shape} (expected two or more in a row)")
    ordered = np.sort(compared)
    beaten = np.searchsorted(ordered, compared, side="left")
    not_better = np.searchsorted(ordered, compared, side="right")
    shares: NDArray[np.float64] = (beaten + not_better - 1) / (2 * (len(compared) - 1))
    return shares


def cross_imps(scores: ArrayLike) -> NDArray[np.float64]:
    """Return cross-IMPs: for each score of a board the mean IMPs against each of the others.

    Args:
        scores: Two or more scores of one side, in points.

    Returns:
        IMPs, shape (n,), float64.

    Raises:
        ValueError: There are fewer than two scores, or a number is not finite.

    Example:
        >>> from trickcast.scoring import cross_imps
        >>> cross_imps([420, 450, -50]).tolist()
        [4.5, 6.0, -10.5]
    """
    compared = _finite(scores, "scores")
    if compared.ndim != 1 or len(compared) < 2:
        raise ValueError(f"scores of shape {compared.shape} (expected two or more in a row)")
    distinct, place, count = np.unique(compared, return_inverse=True, return_counts=True)
    won = imps(distinct[:, None] - distinct) @ count / (len(compared) - 1)
    means: NDArray[np.float64] = won[place.ravel()]
    return means


def datum(scores: ArrayLike, *, left_out: int = 0) -> int:
    """Return the datum of a board: the mean score, rounded to tens away from zero.

    ``imps(score - datum(scores))`` is the Butler score of a table.

    Args:
        scores: Scores of one side, in points.
        left_out: How many of the highest and of the lowest scores to leave out.

    Returns:
        The datum in points.

    Raises:
        ValueError: No score is left, a number is not finite, or ``left_out`` is below 0.
        TypeError: ``left_out`` is not a whole number.

    Example:
        >>> from trickcast.scoring import datum
        >>> datum([620, 650, 620, -100, 1430], left_out=1)
        630
    """
    ordered = np.sort(_finite(scores, "scores").ravel())
    left_out = checked_whole(left_out, "left_out", 0)
    kept = ordered[left_out : len(ordered) - left_out]
    if not len(kept):
        raise ValueError(f"{len(ordered)} scores of which {left_out} are left out at each end")
    mean = float(kept.mean())
    return int(np.sign(mean) * 10 * np.floor(abs(mean) / 10 + 0.5))


def victory_points(diff: float, boards: int) -> tuple[float, float]:
    """Return the victory points of a match, ours and theirs.

    With τ = (√5 - 1) / 2 and a blitz of B = 15 √boards IMPs, a margin M below B is worth 10 + 10 (1
    - τ^(3M/B)) / (1 - τ³), rounded to hundredths. From B on it is worth 20. If rounding would make
    an IMP worth more than the one before, the value between the two is raised by a hundredth. A
    fractional margin, as with a carry-over, is interpolated.

    Args:
        diff: Our IMPs minus theirs, one number.
        boards: Number of boards in the match.

    Returns:
        Two numbers that add up to 20.

    Raises:
        ValueError: ``diff`` is not one finite number, or there is less than one board.
        TypeError: ``boards`` is not a whole number.

    Source:
        Continuous scale of the World Bridge Federation.

    Example:
        >>> from trickcast.scoring import victory_points
        >>> victory_points(10, 16), victory_points(-60, 16)
        ((12.8, 7.2), (0.0, 20.0))
    """
    margins = _finite(diff, "difference of IMPs")
    if margins.ndim:
        raise ValueError(f"difference of IMPs {shorten(str(diff))} (expected one number)")
    margin, boards = abs(float(margins)), checked_whole(boards, "boards", 1)
    scale = _victory_points(boards)
    won = round(float(np.interp(margin, np.arange(len(scale)), scale / 100)), 2)
    lost = round(20 - won, 2)
    return (lost, won) if diff < 0 else (won, lost)


@cache
def _victory_points(boards: int) -> NDArray[np.int64]:
    """Return the winner's victory points in hundredths by whole margins, up to the blitz."""
    blitz = 15 * boards**0.5
    margins = np.arange(int(np.ceil(blitz)) + 1)
    golden = (5**0.5 - 1) / 2
    exact = 10 + 10 * (1 - golden ** (3 * margins / blitz)) / (1 - golden**3)
    scale: NDArray[np.int64] = np.rint(100 * np.minimum(exact, 20)).astype(np.int64)
    while len(growing := np.flatnonzero(np.diff(scale, 2) > 0)):
        scale[growing[0] + 1] += 1
    return scale


@dataclass(frozen=True, slots=True)
class ParContract:
    """A contract that neither side can improve on."""

    contract: Contract
    declarers: tuple[Seat, ...]
    """One seat, or both of a side if either can play it."""
    tricks: int

    def __str__(self) -> str:
        seats = "".join(seat.letter for seat in self.declarers)
        return f"{self.contract} {seats} {self.tricks - self.contract.tricks:+d}".replace("+0", "=")

    @property
    def words(self) -> str:
        """Text for people: ``4♥ by N or S``, ``5♦X by E, down 2``."""
        over = self.tricks - self.contract.tricks
        return self.bid + (f", down {-over}" if over < 0 else f", {over:+d}" if over else "")

    @property
    def bid(self) -> str:
        """The same without the result: ``4♥ by N or S``."""
        seats = " or ".join(seat.letter for seat in self.declarers)
        strain = self.contract.strain
        assert strain is not None  # a pass is never a par contract
        sign = "NT" if strain is Strain.NOTRUMP else strain.symbol
        doubled = "X" * self.contract.doubling
        return f"{self.contract.level}{sign}{doubled} by {seats}"


@dataclass(frozen=True, slots=True)
class Par:
    """The score if both sides bid perfectly with all cards seen, and the contracts behind it."""

    score: int
    """Points for North-South; negative if they go to East-West."""
    contracts: tuple[ParContract, ...]
    """Every contract that gives it, lowest first; none if the board is passed out."""

    def __str__(self) -> str:
        contracts = "; ".join(contract.words for contract in self.contracts)
        return f"NS {self.score:+d}: {contracts or 'PASS'}"


def par(table: TrickTable | ArrayLike, dealer: str | Seat, vulnerable: str | Vulnerability) -> Par:
    """Return the par of one deal, given its tricks.

    ``trickcast.par`` takes deals, and many at once. Each side in turn bids on or lets the other
    play, whichever scores better. Contracts that fail are doubled. The dealer's side bids first,
    which matters if both sides can make the same contract.

    Args:
        table: Tricks, shape (5, 4), all known: strains S H D C N by declarers N E S W.
        dealer: Seat of the dealer.
        vulnerable: Vulnerable sides: none, ns, ew or both.

    Returns:
        A Par: ``score`` in points for North-South, and the contracts that score it.

    Raises:
        DealError: The table is not valid, or has unknown results.

    Example:
        >>> from trickcast import scoring
        >>> table = [[10, 3, 10, 3]] * 4 + [[9, 4, 9, 4]]
        >>> print(scoring.par(table, "N", "none"))
        NS +420: 4♥ by N or S; 4♠ by N or S
    """
    tricks = (table if isinstance(table, TrickTable) else TrickTable(table)).tricks
    if tricks.shape != (5, 4):
        raise DealError(f"tricks of shape {tricks.shape} (expected (5, 4))")
    if (tricks == UNKNOWN).any():
        strain, declarer = np.argwhere(tricks == UNKNOWN)[0]
        raise DealError(
            f"the result of {Strain(strain)} by {Seat(declarer)} is not known (expected all twenty "
            "results, as trickcast.solve gives them)"
        )
    vulnerability = Vulnerability.parse(vulnerable)
    best_above = [-_NEVER, -_NEVER]  # what each side can get by bidding still higher
    final: list[tuple[int, Contract, int]] = []
    for level, strain in _BIDS_FROM_THE_TOP:
        values = []
        for side in (0, 1):
            taken = max(int(tricks[strain, side]), int(tricks[strain, side + 2]))
            contract = _contract(level, strain, taken < BOOK + level)
            played = int(_score_by_tricks(contract, bool(vulnerability >> side & 1))[taken])
            answered = -best_above[1 - side]
            values.append(min(played, answered))
            if played < answered:  # the other side would lose by bidding on
                final.append((played, contract, side))
        best_above = [max(pair) for pair in zip(best_above, values, strict=True)]
    first = Seat.parse(dealer).side
    par_score = max(best_above[first], -max(0, best_above[1 - first]))
    scores = (par_score, -par_score) if first == 0 else (-par_score, par_score)
    contracts = [
        _par_contract(contract, side, tricks)
        for played, contract, side in reversed(final)
        if played == scores[side]
    ]
    return Par(scores[0], tuple(contracts))


@cache
def _contract(level: int, strain: Strain, doubled: bool) -> Contract:
    return Contract(f"{level}{strain}{'X' * doubled}")


def _par_contract(contract: Contract, side: int, tricks: NDArray[np.uint8]) -> ParContract:
    """Return a par contract with the partners who take most tricks."""
    partners = (Seat(side), Seat(side + 2))
    taken = [int(tricks[contract.strain, seat]) for seat in partners]
    declarers = tuple(
        seat for seat, count in zip(partners, taken, strict=True) if count == max(taken)
    )
    return ParContract(contract, declarers, max(taken))


def __dir__() -> list[str]:
    return __all__
