"""Layouts after an auction of eleven calls on one thread, next to solving two tables.

The tables are of random deals, and of the first layouts, which may be easier or harder.

Then 100,500 layouts are looked through for a known card or a word that one does not keep.
"""

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

import trickcast as tc
from trickcast.bidding.bidder import loaded
from trickcast.cards import card_text

AUCTIONS: dict[str, tuple[str, Any]] = {
    "1N P 2C P 2H P 3N P P X P": ("west", "KJ95.J65.K32.T54"),
    "P 1S P 2S 3C 3S P 4S P P P": ("east", "KJ9532.A6.K3.Q54"),
    "1C 1H X 2H P P 3D P P 3H P": ("west", "AJ5.J65.KJ52.T54"),
}
WORDS = [("south", "hcp 8+", 0, 8), ("north", "clubs 6+", 3, 6), ("south", "spades 4+", 0, 4)]
"""For each of them words for another hand: at least so many points, or cards of a suit."""
LAYOUTS = 500
ROUNDS = 5
LOOKED_THROUGH = 67  # times so many layouts of each auction


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def kept(deals: tc.DealSet, seat: str, hand: str, words: tuple[str, str, int, int]) -> int:
    """Return how many layouts have the known hand, and another that is as the words say."""
    cards = np.array([card_text(card) in set(tc.Hand(hand)) for card in range(52)])
    own = (deals.owners == tc.Seat.parse(seat)) == cards
    other, text, suit, least = words
    held = (deals.owners == tc.Seat.parse(other)).reshape(-1, 4, 13)
    if text.startswith("hcp"):
        number = (held[:, :, :4] * np.array([4, 3, 2, 1])).sum((1, 2))
    else:
        number = held[:, suit].sum(1)
    return int((own.all(1) & (number >= least)).sum())


def main() -> None:
    bidder = loaded(threads=1)
    tc.solve(tc.random_deals(2, seed=1), workers=1)  # the solver is loaded
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
    for (text, (seat, hand)), words in zip(AUCTIONS.items(), WORDS, strict=True):
        for seed in range(LOOKED_THROUGH):
            said = {seat: hand, words[0]: words[1]}
            deals = tc.deals_after(text, **said, n=LAYOUTS, seed=seed, model=bidder)
            good += kept(deals, seat, hand, words)
    every = len(AUCTIONS) * LOOKED_THROUGH * LAYOUTS
    print(f"{good:,} of {every:,} layouts keep the known cards and the words")


if __name__ == "__main__":
    main()
