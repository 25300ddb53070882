"""Layouts after an auction of eleven calls on one thread, next to solving two tables of them."""

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import trickcast as tc
from trickcast.bidding.bidder import loaded

AUCTIONS: dict[str, tuple[str, Any]] = {
    "1N P 2C P 2H P 3N P P X P": ("west", "KJ95.J65.K32.T54"),
    "P 1S P 2S 3C 3S P 4S P P P": ("east", "KJ9532.A6.K3.Q54"),
    "1C 1H X 2H P P 3D P P 3H P": ("west", "AJ5.J65.KJ52.T54"),
}
LAYOUTS = 500
ROUNDS = 5


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    bidder = loaded(threads=1)
    tc.solve(tc.random_deals(2, seed=1), workers=1)  # the solver is loaded
    for text, (seat, hand) in AUCTIONS.items():
        drawn, solved, effective = [], [], []
        for seed in range(ROUNDS):
            draw = partial(tc.deals_after, text, **{seat: hand}, n=LAYOUTS, seed=seed, model=bidder)
            drawn.append(seconds(draw))
            deals = draw()
            effective.append(deals.effective_size)
            solved.append(seconds(partial(tc.solve, deals[:2], workers=1)))
        print(
            f"{text}: {LAYOUTS} layouts {median(drawn):.2f} s, two tables {median(solved):.2f} s, "
            f"ratio {median(drawn) / median(solved):.2f}; effective size {median(effective):.0f}"
        )


if __name__ == "__main__":
    main()
