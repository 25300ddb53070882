"""The result of an estimate for two hands: a distribution over tricks for every strain."""

from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    COUNTS,
    PRINTED_STRAINS,
    DealError,
    LabelledArray,
    OneOrMany,
    Seat,
    Strain,
    TrickChances,
    cell_columns,
    chance_columns,
    checked_number,
    html_table,
    whole_percent,
)
from ..cards.columns import Columns

MILESTONES = {"game": (10, 10, 11, 11, 9), "slam": (12,) * 5, "grand": (13,) * 5}
"""Tricks needed for game, small slam and grand slam in spades, hearts, diamonds, clubs, notrump."""


class PairEstimate(OneOrMany, TrickChances):
    """Estimated tricks of two hands, the other two unknown; the first hand (North) declares.

    The distribution is over the layouts of the unseen cards. ``estimate.expected["H"]`` is the
    expected number of tricks in hearts (an array if there are many pairs). ``estimate[3]`` and
    ``estimate[2:5]`` are the estimates of those pairs. ``by_partner`` is the same with the second
    hand (South) as declarer.
    """

    named = ("estimate", "pair of hands", "pairs of hands")
    axes, example = 3, 'expected["H"]'

    both: NDArray[np.float32]
    """(5, 2, 14) or (n, 5, 2, 14) float32: strains S H D C N, declarer first hand or second."""

    def __init__(self, both: NDArray[np.float32]):
        if both.ndim not in (3, 4) or both.shape[-3:] != (5, 2, 14):
            raise ValueError(f"probabilities of shape {both.shape} (expected (…, 5, 2, 14))")
        self.both = both

    @property
    def probabilities(self) -> LabelledArray:  # type: ignore[override]
        """(5, 14) or (n, 5, 14) float32: strains S H D C N, 0 … 13 tricks."""
        return LabelledArray(self.both[..., 0, :], (Strain, None))

    @cached_property
    def expected(self) -> LabelledArray:
        """(5,) or (n, 5) float32, the mean of the distribution."""
        return LabelledArray((self.probabilities @ COUNTS).astype(np.float32), (Strain,))

    @property
    def by_partner(self) -> "PairEstimate":
        """The estimate with the other hand (South) as declarer."""
        return PairEstimate(self.both[..., ::-1, :])

    def at_least(
        self, tricks: Any, strain: str | Strain | None = None, by: str | Seat | None = None
    ) -> Any:
        """Return the chance of at least so many tricks: ``at_least(10, "H")``.

        ``tricks`` is one number, or (n,) of them, one for each pair. Without ``strain``, (5,) or
        (n, 5) for all. ``by`` is North, the first hand, or South. Raises DealError for an invalid
        strain or another seat, TypeError and ValueError for such tricks.
        """
        seat = Seat.NORTH if by is None else Seat.parse(by)
        if seat.side:
            raise DealError(f"{seat.word} declares (expected N, the first hand, or S, the second)")
        estimate = self.by_partner if seat is Seat.SOUTH else self
        return TrickChances.at_least(estimate, tricks, strain)

    def chances(self) -> dict[str, NDArray[np.float32]]:
        """Return the chances of game, slam and grand slam in each strain, (5,) or (n, 5) each."""
        return {
            name: np.stack(
                [self.at_least(k, s) for s, k in zip(Strain, tricks, strict=True)],
                axis=-1,
                dtype=np.float32,
            )
            for name, tricks in MILESTONES.items()
        }

    def interval(self, share: float = 0.8) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return the lowest and highest tricks, (5,) or (n, 5), that cover this share of layouts.

        At most half of the rest is on either side. Raises ValueError unless the share is
        above 0 and below 1.
        """
        if not 0 < checked_number(share, "share") < 1:
            raise ValueError(f"share is {share} (expected more than 0 and less than 1)")
        at_most = self.probabilities.cumsum(axis=-1)
        tail = (1 - share) / 2
        low, high = ((at_most < end).sum(axis=-1) for end in (tail, 1 - tail))
        return low.astype(np.uint8), np.minimum(high, 13).astype(np.uint8)

    @property
    def numbers(self) -> NDArray[np.float32]:
        """The probabilities, by either declarer."""
        return self.both

    def part(self, index: Any) -> "PairEstimate":
        """Return the estimates of one or some of many pairs."""
        return PairEstimate(self.both[index])

    def columns(self) -> Columns:
        """Return ``pair`` (its index), ``strain``, ``declarer`` (N the first hand, S the second),
        ``expected`` and the chances ``p0`` … ``p13``.
        """
        both = self.both.reshape(-1, 5, 2, 14)
        return cell_columns("pair", "NS", {"expected": both @ COUNTS} | chance_columns(both))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PairEstimate) and np.array_equal(self.both, other.both)

    def __hash__(self) -> int:
        return hash((self.both.shape, self.both.astype(np.float32).tobytes()))

    def rows(self) -> list[tuple[str, ...]]:
        """Return, for one pair, texts by strain: sign, tricks, 80 % interval, game, slam, grand."""
        low, high = self.interval()
        chances = self.chances()
        return [
            (
                strain.symbol,
                f"{self.expected[strain]:.1f}",
                f"{low[strain]}-{high[strain]}",
                *(whole_percent(float(chance[strain])) for chance in chances.values()),
            )
            for strain in PRINTED_STRAINS
        ]

    def text(self) -> str:
        """Draw the estimate of one pair: a line for each strain."""
        head = ("", "tricks", "80 %", *MILESTONES)
        return "\n".join(
            f"{row[0]:<3}" + "".join(f"{text:>8}" for text in row[1:])
            for row in (head, *self.rows())
        )

    def html(self) -> str:
        """Draw the estimate of one pair as HTML."""
        rows = [[escape(cell) for cell in row] for row in self.rows()]
        return html_table("expected tricks of two hands", ("tricks", "80 %", *MILESTONES), rows)
