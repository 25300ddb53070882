"""Test whether the auction leads to better leads: planned in advance, on held-out boards.

    python docs/make_lead_study.py FOLDER-OF-PBN [PROCESSES]    # an hour of a core or two; goes on
                                                                # where it stopped
    python docs/make_lead_study.py --table        # the table from docs/lead_study.csv alone

The boards are those that the training of the network of calls held out: all deals, in an order
drawn with seed 1, and for each up to three tables with different auctions. For each board the
leader's hand is known, and 24 layouts are drawn twice: from all that the hand allows, and from
those that fit the auction. From each 24 a lead is chosen twice: by the fewest tricks that declarer
takes double dummy, and by the fewest that experts take at the table after it. Among equal leads the
highest card of the first suit is taken. Every lead is then judged on the true deal: by declarer's
tricks after it double dummy, and by those that experts would take (the estimate of ``played``). The
lead made at the table is judged too. A row of docs/lead_study.csv is a board; differences have 95 %
intervals that count boards of one deal together.
"""

import csv
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trickcast as tc
from trickcast.bidding import AuctionWarning, read_auction
from trickcast.cards import Hand, Seat, Strain, card_text, parse_card
from trickcast.dealing import constrained_deals
from trickcast.played import PlayedEstimator
from trickcast.solver import solve_lead_batches

ROWS = Path("docs/lead_study.csv")
TABLES, LAYOUTS, SEED = 3, 24, 1
WAYS = ("alike, double dummy", "auction, double dummy", "alike, as played", "auction, as played")
COLUMNS = ["deal", "contract", "table", *WAYS]
"""One column of leads per way; beside each, in ``_dd`` and ``_played``, declarer's tricks."""
FIELDS = [*COLUMNS, *(f"{way}_{kind}" for way in ("table", *WAYS) for kind in ("dd", "played"))]


Deal = tuple[NDArray[np.uint8], list[Any]]
"""Owners, and the boards of the study with these owners."""


def deals_apart(folder: Path) -> list[Deal]:
    """Return the deals of the study in their order."""
    from trickcast.training.bidding.auction_files import read_boards, split_boards

    parts = split_boards(read_boards(folder))
    owners = np.concatenate([parts[name].owners for name in ("deals", "events")])
    boards = [*parts["deals"].boards, *parts["events"].boards]
    chosen: defaultdict[bytes, dict[Any, Any]] = defaultdict(dict)
    for row in np.random.default_rng(SEED).permutation(len(boards)):
        board, tables = boards[row], chosen[owners[row].tobytes()]
        if board.contract not in (None, "PASS") and len(tables) < TABLES:
            tables.setdefault((board.auction, board.dealer, board.vulnerability), board)
    return [
        (np.frombuffer(cards, dtype=np.uint8), list(tables.values()))
        for cards, tables in chosen.items()
        if tables
    ]


@cache
def experts() -> PlayedEstimator:
    """Return the estimator of experts' tricks, loaded once a process."""
    return PlayedEstimator(threads=1)


def leads_played(
    owners: NDArray[np.uint8], contract: str, by: Seat, cards: list[int]
) -> NDArray[np.float64]:
    """Return experts' tricks after each lead in (n, 52) layouts: (n, cards)."""
    n, m = len(owners), len(cards)
    leads = [card_text(card) for card in cards] * n
    asked = owners.repeat(m, axis=0)
    return np.asarray(experts()(asked, contract, by, leads=leads).expected).reshape(n, m)


def study(deal: Deal) -> list[dict[str, Any]]:
    """Return the rows of a deal."""
    warnings.simplefilter("ignore", AuctionWarning)
    owners, boards = deal

    @cache
    def without_auction(strain: Strain, declarer: Seat) -> tuple[NDArray[np.uint8], ...]:
        """Return the true tricks after each card, layouts, and the tricks in them."""
        leader = declarer.lho
        held: dict[str, Any] = {leader.name.lower(): Hand.from_cards(owners == leader)}
        drawn = constrained_deals(LAYOUTS, seed=SEED, **held).owners
        tricks = tricks_after(np.concatenate([owners[None], drawn]), strain, declarer)
        return tricks[0], drawn, tricks[1:]

    return [study_board(owners, board, without_auction) for board in boards]


def tricks_after(owners: NDArray[np.uint8], strain: Strain, declarer: Seat) -> NDArray[np.uint8]:
    """Return declarer's tricks after each lead: (n, 52)."""
    return np.concatenate([*solve_lead_batches(owners, strain, declarer, workers=1)])


def study_board(
    owners: NDArray[np.uint8],
    board: Any,
    without_auction: Callable[[Strain, Seat], tuple[NDArray[np.uint8], ...]],
) -> dict[str, Any]:
    """Return the row of a board."""
    auction = read_auction(list(board.auction), board.dealer, board.vulnerability)
    contract, declarer = auction.contract
    assert contract is not None and declarer is not None
    strain, leader = Strain.parse(contract[1]), declarer.lho
    cards = np.flatnonzero(owners == leader).tolist()
    truth, alike, alike_tricks = without_auction(strain, declarer)
    held: dict[str, Any] = {leader.name.lower(): Hand.from_cards(owners == leader)}
    fitting = tc.deals_after(auction, n=LAYOUTS, seed=SEED, **held).owners
    at_table = leads_played(owners[None], contract, declarer, cards)[0]
    row: dict[str, Any] = {"contract": f"{contract} {declarer}"}
    found: dict[str, int] = {}
    for name, drawn, tricks in (
        ("alike", alike, alike_tricks),
        ("auction", fitting, tricks_after(fitting, strain, declarer)),
    ):
        played = leads_played(drawn, contract, declarer, cards).mean(axis=0)
        found[f"{name}, double dummy"] = int(tricks[:, cards].mean(axis=0).argmin())
        found[f"{name}, as played"] = int(played.argmin())
    if board.play and parse_card(board.play[0]) in cards:
        found["table"] = cards.index(parse_card(board.play[0]))
    for way, place in found.items():
        row[way] = card_text(cards[place])
        row[f"{way}_dd"] = int(truth[cards[place]])
        row[f"{way}_played"] = f"{at_table[place]:.4f}"
    return row


def table() -> None:
    """Print the results of all rows."""
    with ROWS.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    deals = np.array([int(row["deal"]) for row in rows])
    print(f"{len(rows):,} boards of {len(set(deals)):,} deals")
    values = {name: np.array([float(row[name] or "nan") for row in rows]) for name in FIELDS[7:]}
    for kind, title in (("dd", "double dummy"), ("played", "as played")):
        print(f"\ndeclarer's tricks on the true deal, {title}")
        for way in ("table", *WAYS):
            print(f"  {way:<24}{np.nanmean(values[f'{way}_{kind}']):8.3f}")
        for by in ("double dummy", "as played"):
            without, fitting = values[f"alike, {by}_{kind}"], values[f"auction, {by}_{kind}"]
            print(f"  the auction saves, leads chosen {by}: {saved(without - fitting, deals)}")
        gain = values[f"table_{kind}"] - values[f"auction, as played_{kind}"]
        print(f"  with it, as played, saves against the table: {saved(gain, deals)}")


def saved(gain: NDArray[np.float64], deals: NDArray[np.int64]) -> str:
    """Return a mean with half of its 95 % interval, counting boards of a deal together."""
    known = ~np.isnan(gain)
    gain, deals = gain[known], deals[known]
    of_deals = np.bincount(deals, gain - gain.mean())
    half = 1.96 * np.sqrt((of_deals**2).sum()) / len(gain)
    return f"{gain.mean():+.3f} ± {half:.3f}"


def main(folder: Path, processes: int) -> None:
    """Study the remaining deals."""
    done = 0
    if ROWS.exists():
        with ROWS.open(newline="") as stream:
            done = max((int(row["deal"]) + 1 for row in csv.DictReader(stream)), default=0)
    left = deals_apart(folder)[done:]
    with ROWS.open("a", newline="") as stream, ProcessPoolExecutor(processes) as pool:
        writer = csv.DictWriter(stream, FIELDS)
        if not done:
            writer.writeheader()
        for number, rows in enumerate(pool.map(study, left), start=done):
            writer.writerows({"deal": number} | row for row in rows)
            stream.flush()


if __name__ == "__main__":
    if sys.argv[1:] != ["--table"]:
        main(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1)
    table()
