"""What an estimate of play at the table gives: a distribution over tricks for each contract."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import DealError, Seat, Strain, Vulnerability, parse_contract
from ..scoring import score

_COUNTS = np.arange(14)
_BOOK = 6
_SHOWN = 10


class PlayedEstimate:
    """Estimated tricks of a declarer at the table, for one deal and contract or for many.

    ``estimate[3]`` and ``estimate[2:5]`` are the estimates of those deals.

    >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
    >>> estimate = tc.estimate_played(deal, "4H", by="N")
    >>> bool(estimate.making("3H") > estimate.making() > estimate.making("5H"))
    True
    """

    probabilities: NDArray[np.float32]
    """(14,) or (n, 14) float32, 0 … 13 tricks."""
    contracts: NDArray[np.int64]
    """(4,) or (n, 4): level, strain, doubling and declarer that were asked about."""

    def __init__(self, probabilities: NDArray[np.float32], contracts: NDArray[np.int64]):
        if probabilities.shape[-1:] != (14,) or contracts.shape != (*probabilities.shape[:-1], 4):
            raise ValueError(
                f"probabilities of shape {probabilities.shape} with contracts of shape "
                f"{contracts.shape} (expected (…, 14) with (…, 4))"
            )
        self.probabilities, self.contracts = probabilities, contracts

    @cached_property
    def expected(self) -> Any:
        """A float, or (n,) float32: the mean of the distribution."""
        return _plain((self.probabilities @ _COUNTS).astype(np.float32))

    def at_least(self, tricks: Any) -> Any:
        """Return the chance of so many tricks or more, a float or (n,).

        ``tricks`` is a number, or n of them.
        """
        reached = np.asarray(tricks)[..., None] <= _COUNTS
        return _plain((self.probabilities * reached).sum(axis=-1, dtype=np.float32))

    def making(self, contract: Any = None) -> Any:
        """Return the chance that the contract asked about makes, a float or (n,).

        ``contract`` names one of another level in its strain, such as ``"3H"``. The estimate stays
        that of the contract which was bid. Raises DealError for another strain.
        """
        if contract is None:
            return self.at_least(self.contracts[..., 0] + _BOOK)
        level, strain, _ = parse_contract(str(contract))
        other = self.contracts[..., 1] != (-1 if strain is None else strain)
        if other.any():
            asked = Strain(int(np.atleast_1d(self.contracts[..., 1])[np.atleast_1d(other)][0]))
            raise DealError(
                f"{contract} is not a contract in {asked.name.lower()}, which the estimate is for "
                "(ask estimate_played about it)"
            )
        return self.at_least(level + _BOOK)

    def score(self, vulnerable: Any = "none") -> Any:
        """Return declarer's expected score of the contract asked about, a float or (n,).

        ``vulnerable`` is none, ns, ew or both. Raises DealError for anything else.
        """
        sides = int(Vulnerability.parse(vulnerable))
        rows = self.contracts.reshape(-1, 4)
        means = np.empty(len(rows))
        chances = self.probabilities.reshape(-1, 14)
        for contract in np.unique(rows, axis=0):
            level, strain, doubling, declarer = map(int, contract)
            bid = f"{level}{Strain(strain)}{'X' * doubling}"
            points = score(bid, _COUNTS, vul=bool(sides >> declarer % 2 & 1))
            same = (rows == contract).all(axis=1)
            means[same] = chances[same] @ points
        return _plain(means.reshape(self.probabilities.shape[:-1]))

    def __len__(self) -> int:
        if self.probabilities.ndim == 1:
            raise TypeError("the estimate of one deal has no length")
        return len(self.probabilities)

    def __getitem__(self, index: Any) -> "PlayedEstimate":
        if self.probabilities.ndim == 1:
            raise TypeError("the estimate of one deal has no parts")
        return PlayedEstimate(self.probabilities[index], self.contracts[index])

    def __str__(self) -> str:
        many = self.probabilities.ndim > 1
        shown = [self[i] for i in range(min(len(self), _SHOWN))] if many else [self]
        lines = [part._line() for part in shown]
        return "\n".join(lines + ["…"] * (many and len(self) > _SHOWN))

    def __repr__(self) -> str:
        number = "one deal" if self.probabilities.ndim == 1 else f"{len(self):,} deals"
        return f"<PlayedEstimate of {number}>"

    def _line(self) -> str:
        level, strain, doubling, declarer = map(int, self.contracts)
        name = f"{level}{Strain(strain)}{'X' * doubling} by {Seat(declarer).word}"
        return f"{name}: {self.expected:.1f} tricks, makes {self.making():.0%}"


def _plain(numbers: NDArray[Any]) -> Any:
    """Return one number as a float."""
    return float(numbers) if np.ndim(numbers) == 0 else numbers
