"""Questions that the tests of simulation ask, and a solver that is interrupted."""

import numpy as np

from trickcast.simulation import contracts

SOUTH, NORTH = "AQ864.K75.A3.KJ4", "hcp 6-9, spades 3-4"
KNOWN = {"south": SOUTH, "north": NORTH}
SPADES = [("4S", "S")]
WEST = "KJ742.Q5.T983.K6"
AUCTION = {"south": "hcp 15-17, balanced", "north": "hcp 9-12, spades 3-, hearts 3-"}


def interrupted_after(monkeypatch, batches: int) -> None:
    """Press Ctrl-C while the layouts after the first batches are solved."""
    left = iter(range(batches))

    def solve(owners, *cell, workers=None):
        if next(left, None) is None:
            raise KeyboardInterrupt
        yield np.full(len(owners), 9, dtype=np.uint8)

    monkeypatch.setattr(contracts, "solve_cell_batches", solve)
