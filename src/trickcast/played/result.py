"""The result of an estimate of play at the table: a distribution of tricks for each contract."""

from collections.abc import Sequence
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    BOOK,
    COUNTS,
    DealError,
    LabelledArray,
    OneOrMany,
    Seat,
    Strain,
    TrickChances,
    Vulnerability,
    chance_columns,
    declarer_of,
    parse_contract,
)
from ..cards.columns import Columns
from ..cards.one_or_many import each_of
from ..scoring import score


class PlayedEstimate(OneOrMany, TrickChances):
    """Estimated tricks of a declarer at the table, for one deal and contract or for many.

    ``estimate[3]`` and ``estimate[2:5]`` are the estimates of those deals.

    >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
    >>> estimate = tc.estimate_played(deal, "4H", by="N")
    >>> estimate.making("3H") > estimate.making() > estimate.making("5H")
    True
    """

    named = ("estimate", "deal", "deals")
    axes, example = 1, "expected"

    probabilities: LabelledArray
    """(14,) or (n, 14) float32, 0 … 13 tricks."""
    contracts: NDArray[np.int64]
    """(4,) or (n, 4): level, strain, doubling and declarer of the request."""

    def __init__(self, probabilities: NDArray[np.float32], contracts: NDArray[np.int64]):
        if probabilities.shape[-1:] != (14,) or contracts.shape != (*probabilities.shape[:-1], 4):
            raise ValueError(
                f"probabilities of shape {probabilities.shape} with contracts of shape "
                f"{contracts.shape} (expected (…, 14) with (…, 4))"
            )
        self.probabilities = LabelledArray(probabilities, (None,))
        self.contracts = contracts

    @property
    def numbers(self) -> NDArray[np.float32]:
        """The probabilities."""
        return self.probabilities

    @cached_property
    def expected(self) -> Any:
        """A float, or (n,) float32: the mean of the distribution."""
        return _plain((self.probabilities @ COUNTS).astype(np.float32))

    def making(self, contract: object = None, by: str | Seat | None = None) -> Any:
        """Return the chance that the requested contract makes, a float or (n,).

        Pass ``contract`` for another level in its strain, such as ``"3H"``. The estimate stays
        that of the contract actually bid, by the declarer of the request. Raises DealError
        for another strain or declarer.
        """
        seat = declarer_of(contract, by)
        if seat is not None and (self.contracts[..., 3] != seat).any():
            raise DealError(f"{seat.word} is not the declarer of this estimate")
        if contract is None:
            return self.at_least(self.contracts[..., 0] + BOOK)
        level, strain, _ = parse_contract(str(contract))
        other = self.contracts[..., 1] != (-1 if strain is None else strain)
        if other.any():
            asked = Strain(int(np.atleast_1d(self.contracts[..., 1])[np.atleast_1d(other)][0]))
            raise DealError(
                f"{contract} is not in {asked.name.lower()}, the strain of this estimate "
                "(call estimate_played for it)"
            )
        return self.at_least(level + BOOK)

    def score(
        self, vulnerable: str | Vulnerability | Sequence[str | Vulnerability] = "none"
    ) -> Any:
        """Return declarer's expected score in the requested contract, a float or (n,).

        ``vulnerable`` is none, ns, ew or both, or a list of them, one a deal. Raises DealError for
        anything else, ValueError for a list of another length.
        """
        rows = self.contracts.reshape(-1, 4)
        told = each_of(vulnerable, len(rows), "vulnerable", Vulnerability, "deal")
        sides = np.array([int(Vulnerability.parse(each)) for each in told], dtype=np.int64)
        own = sides >> rows[:, 3] % 2 & 1
        asked = np.column_stack([rows, own])
        means = np.empty(len(rows))
        chances = self.probabilities.reshape(-1, 14)
        for each in np.unique(asked, axis=0):
            points = score(_bid(each[:4]), np.arange(14), bool(each[4]))
            same = (asked == each).all(axis=1)
            means[same] = chances[same] @ points
        return _plain(means.reshape(self.probabilities.shape[:-1]))

    def part(self, index: Any) -> "PlayedEstimate":
        """Return the estimates of one or some of many deals."""
        return PlayedEstimate(self.probabilities[index], self.contracts[index])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PlayedEstimate)
            and np.array_equal(self.contracts, other.contracts)
            and np.array_equal(self.probabilities, other.probabilities)
        )

    def __hash__(self) -> int:
        return hash((self.contracts.shape, self.contracts.tobytes()))

    def columns(self) -> Columns:
        """Return ``deal`` (its index), ``contract``, ``declarer``, ``expected`` and the chances
        ``p0`` … ``p13``.
        """
        rows = self.contracts.reshape(-1, 4)
        columns: Columns = {
            "deal": np.arange(len(rows)),
            "contract": [_bid(row) for row in rows],
            "declarer": [Seat(int(row[3])).letter for row in rows],
            "expected": np.reshape(self.expected, -1),
        }
        return columns | chance_columns(self.probabilities.reshape(-1, 14))

    def text(self) -> str:
        """Return the estimate of one deal as a line."""
        name = f"{_bid(self.contracts)} by {Seat(int(self.contracts[3])).word}"
        return f"{name}: {self.expected:.1f} tricks, makes {self.making():.0%}"

    def html(self) -> str:
        """Return the estimate of one deal as HTML."""
        return f"<p>{escape(self.text())}</p>"


def _bid(contract: NDArray[np.int64]) -> str:
    level, strain, doubling, _ = map(int, contract)
    return f"{level}{Strain(strain)}{'X' * doubling}"


def _plain(numbers: NDArray[Any]) -> Any:
    """Return a single number as a float."""
    return float(numbers) if np.ndim(numbers) == 0 else numbers
