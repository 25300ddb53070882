"""Deals a second that each coding of the papers turns into inputs on one core."""

import time

from trickcast.cards import Seat, Strain
from trickcast.dealing import random_deals
from trickcast.papers.codings import CODINGS, Coding


def rate(coding: Coding, deals: int) -> float:
    owners = random_deals(deals, seed=1).owners
    coding.encode(owners[:1000], Strain.HEARTS, Seat.EAST)
    start = time.process_time()
    coding.encode(owners, Strain.HEARTS, Seat.EAST)
    return deals / (time.process_time() - start)


def main() -> None:
    for coding in CODINGS.values():
        best = max(rate(coding, 100_000) for _ in range(3))
        print(f"{coding.name:22} {best:12,.0f} deals/s a core")


if __name__ == "__main__":
    main()
