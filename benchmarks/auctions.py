"""How well layouts tell hidden hands: a leader's view of held-out boards after the whole auction.

    python benchmarks/auctions.py FOLDER-OF-PBN [BOARDS]

The boards are those that the training of the network of calls kept apart.
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trickcast as tc
from trickcast.bidding.auction import read_auction
from trickcast.bidding.bidder import loaded
from trickcast.bidding.layouts import AuctionWarning
from trickcast.cards import Hand
from trickcast.training.bidding.boards import auctions_of, read_boards, split_boards

LAYOUTS = 500
SEED = 1
POINTS = np.tile(np.array([4, 3, 2, 1] + [0] * 9), 4)


def inside(values: NDArray[np.int64], truth: int, rng: np.random.Generator) -> bool:
    """Whether a true value lies in the central 95 % of others; ties are broken at random."""
    below, equal = int((values < truth).sum()), int((values == truth).sum())
    place = (below + rng.random() * (equal + 1)) / (len(values) + 1)
    return bool(0.025 <= place <= 0.975)


def main(folder: str, boards: int = 300) -> None:
    parts = split_boards(read_boards(Path(folder)))
    bidder = loaded(threads=1)
    for name in ("deals", "events"):
        auctions = auctions_of(parts[name])
        print(
            f"{name}: {len(auctions):,} auctions, {len(auctions.calls):,} calls; the file says "
            f"log-loss {bidder.info.scores[f'{name}_loss']:.4f}, right "
            f"{bidder.info.scores[f'{name}_right']:.2%}"
        )
    rng = np.random.default_rng(SEED)
    held = [(part, i) for part in ("deals", "events") for i in range(len(parts[part].boards))]
    rng.shuffle(held)
    errors, plain, effective = list[float](), list[float](), list[float]()
    points, lengths = list[bool](), list[bool]()
    for name, i in held:
        board, owners = parts[name].boards[int(i)], parts[name].owners[int(i)]
        assert (
            board.dealer is not None and board.vulnerability is not None
        )  # split_boards sees to it
        auction = read_auction(board.auction, board.dealer, board.vulnerability)
        declarer = auction.contract[1]
        if declarer is None or len(effective) == boards:
            continue
        leader = declarer.lho
        known: dict[str, Any] = {leader.name.lower(): Hand.from_cards(owners == leader)}
        deals = tc.deals_after(auction, **known, n=LAYOUTS, seed=len(effective), model=bidder)
        effective.append(deals.effective_size)
        for seat in range(4):
            if seat == leader:
                continue
            true, drawn = owners == seat, deals.owners == seat
            errors.append(abs((drawn @ POINTS).mean() - true @ POINTS))
            plain.append(abs((40 - (owners == leader) @ POINTS) / 3 - true @ POINTS))
            points.append(inside(drawn @ POINTS, int(true @ POINTS), rng))
            for suit in range(4):
                own = slice(13 * suit, 13 * suit + 13)
                lengths.append(inside(drawn[:, own].sum(axis=1), int(true[own].sum()), rng))
    error = np.std(errors) / np.sqrt(len(errors))
    print(
        f"{len(effective)} boards, {LAYOUTS} layouts each, seed {SEED}: mean error of points "
        f"{np.mean(errors):.3f} ± {error:.3f} (without the auction {np.mean(plain):.2f})"
    )
    print(f"inside the central 95 %: points {np.mean(points):.2%}, lengths {np.mean(lengths):.2%}")
    low, middle, high = np.percentile(effective, [5, 50, 95])
    print(f"effective size: {middle:.0f} (5 to 95 %: {low:.0f} to {high:.0f})")


if __name__ == "__main__":
    warnings.simplefilter("ignore", AuctionWarning)
    main(sys.argv[1], *map(int, sys.argv[2:]))
