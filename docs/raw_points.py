"""Turn points into tricks by several factors, on all deals of the library.

    python docs/raw_points.py data/library

For 13/40 of the points, with West on lead, the 2009 paper prints 86.44 | 62.07 | 22.76 in notrump
and 74.64 | 48.25 | 16.41 in spades. This tries 13/40 and some guesses at the factor.
"""

import sys

import numpy as np

from trickcast.cards import DealSet, Seat, Strain
from trickcast.evaluation import compare
from trickcast.evaluators import evaluate
from trickcast.library import USES, Library

FACTORS = {"13/40": 13 / 40, "0.33": 0.33, "1/3": 1 / 3, "0.32": 0.32}


def main(place: str) -> None:
    """Print percent within two, within one and exact for each factor."""
    library = Library(place)
    deals = DealSet.concatenate([library.deals(use) for use in USES])
    points = sum(evaluate("work_points", deals.owners == seat) for seat in (0, 2))
    real = deals.tricks_or_unknown[:, :, Seat.SOUTH]
    for strain in (Strain.NOTRUMP, Strain.SPADES):
        for name, factor in FACTORS.items():
            tricks = np.rint(np.asarray(points) * factor)
            print(strain.name.lower(), name, compare(tricks, real[:, strain]), f"{len(real):,}")


if __name__ == "__main__":
    main(sys.argv[1])
