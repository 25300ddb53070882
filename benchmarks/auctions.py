"""Measure how well calls, hidden hands and the points of calls are estimated, on held-out boards.

    python benchmarks/auctions.py FOLDER-OF-PBN [BOARDS]

The boards are those that the training of the network of calls held out.
"""

import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trickcast as tc
from trickcast.bidding import Auction, AuctionReading, read_auction
from trickcast.bidding.auction_layouts import AuctionWarning, Sampler
from trickcast.bidding.bidder import loaded
from trickcast.cards import Hand, Seat
from trickcast.cards.auction import PASS
from trickcast.cards.styles import PairStyles, style_over
from trickcast.dealing import Constraints
from trickcast.training.bidding.auction_files import BoardSet, read_boards, split_boards

LAYOUTS = 500
SEED = 1
Boards = list[tuple[NDArray[np.uint8], Auction]]
POINTS = np.tile(np.array([4, 3, 2, 1] + [0] * 9), 4)


def inside(values: NDArray[np.int64], truth: int, rng: np.random.Generator) -> bool:
    """Return whether a true value is in the central 95 % of others; ties are broken at random."""
    below, equal = int((values < truth).sum()), int((values == truth).sum())
    place = (below + rng.random() * (equal + 1)) / (len(values) + 1)
    return bool(0.025 <= place <= 0.975)


def leader_view(held: Boards, bidder: tc.Bidder, rng: np.random.Generator) -> None:
    """Print how near the mean points of three hands are, and whether the spread is honest."""
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
        shown = tc.explain_auction(auction.first(turn + 1), n=LAYOUTS, seed=i, model=bidder)[turn]
        hand = Hand.from_cards(owners == auction.caller(turn))
        kind = "passes" if auction.calls[turn] == PASS else "other calls"
        found[kind].append(shown.points.low <= hand.hcp <= shown.points.high)
    for kind, hits in found.items():
        print(
            f"points within what is shown, nine of ten: {kind} {np.mean(hits):.1%} of {len(hits)}"
        )


def call_by_call(held: Boards, bidder: tc.Bidder) -> None:
    """Print what updating layouts call by call saves against drawing them anew for each."""

    def anew(reading: AuctionReading, seed: int) -> list[NDArray[np.uint8]]:
        turns = range(1, len(reading.auction.calls) + 1)
        return [Sampler(reading.first(k), Constraints()).sample(LAYOUTS, seed)[0] for k in turns]

    def led(reading: AuctionReading, seed: int) -> list[NDArray[np.uint8]]:
        return Sampler(reading, Constraints()).call_by_call(LAYOUTS, seed)

    taken: list[float] = []
    for way in (anew, led):
        seconds, apart = 0.0, list[float]()
        for _, auction in held:
            reading, means = bidder.read(auction), []
            for seed in (0, 1):
                start = time.process_time()
                layouts = way(reading, seed)
                seconds += time.process_time() - start
                means.append([
                    ((owners == auction.caller(turn)) @ POINTS).mean()
                    for turn, owners in enumerate(layouts)
                ])  # fmt: skip
            apart += [one - other for one, other in zip(*means, strict=True)]
        taken.append(seconds / len(held) / 2)
        error = np.sqrt(np.mean(np.square(apart)) / 2)
        print(
            f"{LAYOUTS} layouts for every call of a board, {way.__name__}: {taken[-1]:.2f} s of a "
            f"thread, mean points of the caller ± {error:.2f}"
        )
    print(f"{taken[0] / taken[1]:.1f} times as fast on the same {len(held)} boards")


def calls_made(boards: BoardSet, pairs: PairStyles, bidder: tc.Bidder) -> None:
    """Print how likely the calls were with the pairs' styles unknown, and as others show them."""
    found = np.zeros((len(boards.boards), 2, 2))  # (boards; unknown, shown; loss and right)
    calls, told = np.zeros(len(boards.boards)), 0
    for i, (owners, board) in enumerate(zip(boards.owners, boards.boards, strict=True)):
        assert board.dealer is not None and board.vulnerability is not None
        auction = read_auction(board.auction, board.dealer, board.vulnerability)
        calls[i] = len(auction.calls)
        shown = style_over(None, pairs.of(owners, board))
        told += bool(shown)
        for way, style in enumerate(("", shown)):
            if way and not style:
                found[i, 1] = found[i, 0]
                continue
            reading = bidder.read(auction, style=style)
            for seat in Seat:
                turns, made = reading.turns(seat)
                if turns:
                    logs = reading.log_chances(turns, (owners == seat)[None])[:, 0]
                    found[i, way] += (
                        -logs[np.arange(len(made)), made].sum(),
                        (logs.argmax(axis=1) == made).sum(),
                    )
    _, deals = np.unique(boards.owners, axis=0, return_inverse=True)
    for name, values in (
        ("unknown", found[:, 0]),
        ("of other boards", found[:, 1]),
        ("difference", found[:, 1] - found[:, 0]),
    ):
        means = values.sum(axis=0) / calls.sum()
        off = values - means * calls[:, None]
        of_deals = np.stack([np.bincount(deals, column) for column in off.T])
        loss, right = 1.96 * np.sqrt((of_deals**2).sum(axis=1)) / calls.sum()
        print(
            f"  style {name:<16}log-loss {means[0]:.4f} ± {loss:.4f}, "
            f"right {means[1]:.2%} ± {right:.2%}"
        )
    print(f"  (the style of a pair is shown on {told / len(boards.boards):.0%} of the boards)")


def main(folder: str, boards: int = 300) -> None:
    whole = read_boards(Path(folder))
    parts, bidder = split_boards(whole), loaded(threads=1)
    pairs = PairStyles(zip(whole.owners, whole.boards, strict=True))
    for name in ("deals", "events"):
        calls = sum(len(board.auction) for board in parts[name].boards)
        print(f"{name}: {len(parts[name].boards):,} auctions, {calls:,} calls")
        calls_made(parts[name], pairs, bidder)
    rng = np.random.default_rng(SEED)
    held: Boards = []
    for name in ("deals", "events"):
        for owners, board in zip(parts[name].owners, parts[name].boards, strict=True):
            assert board.dealer is not None and board.vulnerability is not None
            auction = read_auction(board.auction, board.dealer, board.vulnerability)
            if auction.contract[1] is not None:
                held.append((owners, auction))
    chosen = [held[i] for i in rng.permutation(len(held))[:boards]]
    call_by_call(chosen[:20], bidder)
    leader_view(chosen, bidder, rng)
    calls_shown(chosen, bidder, rng)


if __name__ == "__main__":
    warnings.simplefilter("ignore", AuctionWarning)
    main(sys.argv[1], *map(int, sys.argv[2:]))
