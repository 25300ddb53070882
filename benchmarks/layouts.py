"""Layouts after an auction of eleven calls on one thread, beside solving two tables.

The tables are of random deals, and of the first layouts, which may be easier or harder.

Then 100,500 layouts are checked for any that breaks a known card or a condition. The means of each
500 show by their variance how many independent layouts they are worth, beside what is stated.
"""

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

import trickcast as tc
from trickcast.bidding.bidder import loaded

AUCTIONS: dict[str, tuple[str, Any]] = {
    "1N P 2C P 2H P 3N P P X P": ("west", "KJ95.J65.K32.T54"),
    "P 1S P 2S 3C 3S P 4S P P P": ("east", "KJ9532.A6.K3.Q54"),
    "1C 1H X 2H P P 3D P P 3H P": ("west", "AJ5.J65.KJ52.T54"),
}
POINTS = np.tile([4, 3, 2, 1] + 9 * [0], 4)
HONOURS = np.tile(np.arange(13) < 6, 4)
SPADES, _, _, CLUBS = np.eye(4, dtype=int).repeat(13, axis=1)
WORDS = [
    ("south", "hcp 8+", POINTS, 8),
    ("north", "clubs 6+", CLUBS, 6),
    ("south", "spades 4+", SPADES, 4),
]
"""For each of them a condition on another hand, what its cards count, and the least total."""
LAYOUTS = 500
ROUNDS = 5
LOOKED_THROUGH = 67  # times as many layouts of each auction


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def held(deals: tc.DealSet, seat: str) -> Any:
    """Return (n, 52) bool, the cards of a seat."""
    return deals.owners == tc.Seat.parse(seat)


def figures(deals: tc.DealSet) -> tuple[Any, Any]:
    """Return (n, 20) points and lengths of the seats, and (n, 96) their cards down to the nine."""
    hands = [deals.owners == seat for seat in tc.Seat]
    of_hands = [x for h in hands for x in (h @ POINTS, *h.reshape(-1, 4, 13).sum(axis=2).T)]
    return np.stack(of_hands, axis=1), np.concatenate([h[:, HONOURS] for h in hands], axis=1)


def worth(samples: list[Any]) -> float:
    """Return how many independent layouts samples of figures are worth, each (n, k)."""
    means = np.var([sample.mean(axis=0) for sample in samples], axis=0, ddof=1)
    inside = np.mean([sample.var(axis=0) for sample in samples], axis=0)
    return 1 / float(np.mean(means[inside > 0] / inside[inside > 0]))


def main() -> None:
    bidder = loaded(threads=1)
    tc.solve(tc.random_deals(2, seed=1), workers=1)  # loads the solver
    for text, (seat, hand) in AUCTIONS.items():
        drawn, solved, usual, effective = [], [], [], []
        for seed in range(ROUNDS):
            draw = partial(tc.deals_after, text, **{seat: hand}, n=LAYOUTS, seed=seed, model=bidder)
            drawn.append(seconds(draw))
            deals = draw()
            effective.append(deals.effective_size)
            solved.append(seconds(partial(tc.solve, deals[:2], workers=1)))
            usual.append(seconds(partial(tc.solve, tc.random_deals(2, seed=seed), workers=1)))
        print(
            f"{text}: {LAYOUTS} layouts {median(drawn):.2f} s, two random tables "
            f"{median(usual):.2f} s, ratio {median(drawn) / median(usual):.2f}; two of these "
            f"{median(solved):.2f} s; effective size {median(effective):.0f}"
        )
    good = 0
    for (text, (seat, hand)), said in zip(AUCTIONS.items(), WORDS, strict=True):
        other, words, counts, least = said
        of_hands, of_cards, stated = list[Any](), list[Any](), list[float]()
        for seed in range(LOOKED_THROUGH):
            hands: dict[str, Any] = {seat: hand, other: words}
            deals = tc.deals_after(text, **hands, n=LAYOUTS, seed=seed, model=bidder)
            known = (held(deals, seat) == tc.Hand(hand).cards).all(axis=1)
            good += int((known & (held(deals, other) @ counts >= least)).sum())
            for kept, of_deals in zip((of_hands, of_cards), figures(deals), strict=True):
                kept.append(of_deals)
            stated.append(deals.effective_size)
        print(
            f"{text}, {seat} known and {words} in {other}: {LAYOUTS} layouts are worth "
            f"{worth(of_hands):.0f} for points and lengths and {worth(of_cards):.0f} for single "
            f"cards; stated {np.mean(stated):.0f}"
        )
    every = len(AUCTIONS) * LOOKED_THROUGH * LAYOUTS
    print(f"{good:,} of {every:,} layouts keep the known cards and the words")


if __name__ == "__main__":
    main()
