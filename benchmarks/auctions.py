"""How well layouts tell hidden hands, and calls their points, on held-out boards.

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
from trickcast.bidding.auction_layouts import AuctionWarning
from trickcast.bidding.auction_text import Auction, read_auction
from trickcast.bidding.bidder import loaded
from trickcast.bidding.explained import call_shown
from trickcast.cards import Hand
from trickcast.cards.auction import PASS
from trickcast.training.bidding.auction_files import read_boards, split_boards

LAYOUTS = 500
SEED = 1
Boards = list[tuple[NDArray[np.uint8], Auction]]
POINTS = np.tile(np.array([4, 3, 2, 1] + [0] * 9), 4)


def inside(values: NDArray[np.int64], truth: int, rng: np.random.Generator) -> bool:
    """Whether a true value lies in the central 95 % of others; ties are broken at random."""
    below, equal = int((values < truth).sum()), int((values == truth).sum())
    place = (below + rng.random() * (equal + 1)) / (len(values) + 1)
    return bool(0.025 <= place <= 0.975)


def leader_view(held: Boards, bidder: tc.Bidder, rng: np.random.Generator) -> None:
    """Print how near the mean points of three hands are, and how honest the spread is."""
    errors, plain, effective = list[float](), list[float](), list[float]()
    points, lengths = list[bool](), list[bool]()
    for i, (owners, auction) in enumerate(held):
        declarer = auction.contract[1]
        assert declarer is not None
        leader = declarer.lho
        known: dict[str, Any] = {leader.name.lower(): Hand.from_cards(owners == leader)}
        deals = tc.deals_after(auction, **known, n=LAYOUTS, seed=i, model=bidder)
        effective.append(deals.effective_size)
        for seat in {0, 1, 2, 3} - {int(leader)}:
            true, drawn = owners == seat, deals.owners == seat
            errors.append(abs((drawn @ POINTS).mean() - true @ POINTS))
            plain.append(abs((40 - (owners == leader) @ POINTS) / 3 - true @ POINTS))
            points.append(inside(drawn @ POINTS, int(true @ POINTS), rng))
            for suit in range(4):
                own = slice(13 * suit, 13 * suit + 13)
                lengths.append(inside(drawn[:, own].sum(axis=1), int(true[own].sum()), rng))
    error = np.std(errors) / np.sqrt(len(errors))
    print(
        f"{len(held)} boards, {LAYOUTS} layouts each, seed {SEED}: mean error of points "
        f"{np.mean(errors):.3f} ± {error:.3f} (without the auction {np.mean(plain):.2f})"
    )
    print(f"inside the central 95 %: points {np.mean(points):.2%}, lengths {np.mean(lengths):.2%}")
    low, middle, high = np.percentile(effective, [5, 50, 95])
    print(f"effective size: {middle:.0f} (5 to 95 %: {low:.0f} to {high:.0f})")


def calls_shown(held: Boards, bidder: tc.Bidder, rng: np.random.Generator) -> None:
    """Print how often the hand that made a call lies in the range that is shown for it."""
    found: dict[str, list[bool]] = {"passes": [], "other calls": []}
    for i, (owners, auction) in enumerate(held):
        turn = int(rng.integers(len(auction.calls)))
        shown = call_shown(bidder.read(auction), turn, LAYOUTS, i)
        hand = Hand.from_cards(owners == auction.caller(turn))
        kind = "passes" if auction.calls[turn] == PASS else "other calls"
        found[kind].append(shown.points.low <= hand.hcp <= shown.points.high)
    for kind, hits in found.items():
        print(
            f"points within what is shown, nine of ten: {kind} {np.mean(hits):.1%} of {len(hits)}"
        )


def main(folder: str, boards: int = 300) -> None:
    parts = split_boards(read_boards(Path(folder)))
    bidder = loaded(threads=1)
    for name in ("deals", "events"):
        calls = sum(len(board.auction) for board in parts[name].boards)
        scores = bidder.info.scores
        print(
            f"{name}: {len(parts[name].boards):,} auctions, {calls:,} calls; the model's file says "
            f"log-loss {scores[f'{name}_loss']:.4f}, right {scores[f'{name}_right']:.2%}"
        )
    rng = np.random.default_rng(SEED)
    held: Boards = []
    for name in ("deals", "events"):
        for owners, board in zip(parts[name].owners, parts[name].boards, strict=True):
            assert board.dealer is not None and board.vulnerability is not None
            auction = read_auction(board.auction, board.dealer, board.vulnerability)
            if auction.contract[1] is not None:
                held.append((owners, auction))
    chosen = [held[i] for i in rng.permutation(len(held))[:boards]]
    leader_view(chosen, bidder, rng)
    calls_shown(chosen, bidder, rng)


if __name__ == "__main__":
    warnings.simplefilter("ignore", AuctionWarning)
    main(sys.argv[1], *map(int, sys.argv[2:]))
