"""Contracts for two hands: those with the highest expected score."""

from dataclasses import dataclass

import numpy as np

from ..cards import Strain, Vulnerability, checked_whole
from ..scoring import Contract, score
from .estimate import PairEstimate


@dataclass(frozen=True, slots=True)
class PairContract:
    """A contract for two hands, and its value over the layouts of the others."""

    contract: Contract
    by_first: bool
    """Whether the first hand (North) declares; otherwise the second does."""
    expected_score: float
    making: float
    """The chance that it makes."""


def best_contracts(
    estimate: PairEstimate, vulnerable: str | Vulnerability = "none", k: int = 1
) -> list[PairContract]:
    """Return the contracts with the highest expected score for one pair.

    North and South hold the hands. Play is double dummy, undoubled, with silent opponents. The
    better side declares each contract.

    Args:
        estimate: Estimate of one pair, as from ``PairEstimator``.
        vulnerable: Vulnerable side: ``"none"``, ``"ns"``, ``"ew"`` or ``"both"``.
        k: Number of contracts, 1 or more.

    Returns:
        PairContracts, best first.

    Raises:
        DealError: ``vulnerable`` has another value.
        ValueError: The estimate is of many pairs, or ``k`` is below 1.

    Example:
        >>> estimated = tc.PairEstimator(threads=1)("A.KQ9832.T94.AKT", "KJ95.J65.K3.J654")
        >>> [str(best.contract) for best in best_contracts(estimated, k=2)]
        ['4H', '1H']
    """
    if estimate.both.ndim != 3:
        raise ValueError(f"an estimate of {len(estimate)} pairs (expected one pair: estimate[i])")
    checked_whole(k, "k", 1)
    own = bool(Vulnerability.parse(vulnerable) & Vulnerability.NS)
    tricks = np.arange(14, dtype=np.uint8)
    contracts = []
    for strain in Strain:
        for level in range(1, 8):
            contract = Contract(f"{level}{strain}")
            means = estimate.both[strain] @ score(contract, tricks, own)
            declarer = int(means.argmax())
            making = float(estimate.both[strain, declarer, contract.tricks :].sum())
            contracts.append(PairContract(contract, declarer == 0, float(means[declarer]), making))
    return sorted(contracts, key=lambda pair_contract: -pair_contract.expected_score)[:k]
