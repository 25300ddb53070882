"""Does the auction lead to better leads? Decided before it was run, on boards kept apart.

    python docs/make_lead_study.py FOLDER-OF-PBN      # hours of a core; goes on where it stopped
    python docs/make_lead_study.py --table            # the table from docs/lead_study.csv alone

The boards are those that the training of the network of calls kept apart, one table a deal, in an
order drawn with seed 1; the first 2,000 count. For each the leader's hand is known, and 24 layouts
are drawn twice: all that the hand allows alike, and those that fit the auction. From each 24 a lead
is chosen twice: by the fewest tricks that declarer takes double dummy, and by the fewest that
experts take at the table after it. Of leads that are equal the highest card of the first suit is
taken. Every lead is then judged on the true deal: by what declarer takes after it double dummy, and
by what experts would take (the estimate of ``played``). The lead made at the table is judged too.
A row of docs/lead_study.csv is a board; differences have 95 % intervals by deal.
"""

import csv
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trickcast as tc
from trickcast.bidding import AuctionWarning, read_auction
from trickcast.cards import Hand, Strain, card_text, parse_card
from trickcast.dealing import constrained_deals
from trickcast.played import PlayedEstimator
from trickcast.solver import solve_lead_batches

ROWS = Path("docs/lead_study.csv")
BOARDS, LAYOUTS, SEED = 2_000, 24, 1
WAYS = ("alike, double dummy", "auction, double dummy", "alike, as played", "auction, as played")
COLUMNS = ["board", "contract", "table", *WAYS]
"""A column of leads each; beside each, in ``_dd`` and ``_played``, what declarer takes."""
FIELDS = [*COLUMNS, *(f"{way}_{kind}" for way in ("table", *WAYS) for kind in ("dd", "played"))]


def boards_apart(folder: Path) -> list[tuple[NDArray[np.uint8], Any]]:
    """Return the boards of the study in their order: owners and board."""
    from trickcast.training.bidding.auction_files import read_boards, split_boards

    parts = split_boards(read_boards(folder))
    owners = np.concatenate([parts[name].owners for name in ("deals", "events")])
    boards = [*parts["deals"].boards, *parts["events"].boards]
    seen, chosen = set[bytes](), []
    for row in np.random.default_rng(SEED).permutation(len(boards)):
        if boards[row].contract in (None, "PASS") or owners[row].tobytes() in seen:
            continue
        seen.add(owners[row].tobytes())
        chosen.append((owners[row], boards[row]))
    return chosen


def leads_played(
    estimator: PlayedEstimator, owners: NDArray[np.uint8], contract: str, by: Any, cards: list[int]
) -> NDArray[np.float64]:
    """Return what experts take after each lead in (n, 52) layouts: (n, cards)."""
    n, m = len(owners), len(cards)
    leads = [card_text(card) for card in cards] * n
    asked = owners.repeat(m, axis=0)
    return np.asarray(estimator(asked, contract, by, leads=leads).expected).reshape(n, m)


def study(owners: NDArray[np.uint8], board: Any, estimator: PlayedEstimator) -> dict[str, Any]:
    """Return the row of a board."""
    auction = read_auction(list(board.auction), board.dealer, board.vulnerability)
    contract, declarer = auction.contract
    assert contract is not None and declarer is not None
    strain, leader = Strain.parse(contract[1]), declarer.lho
    hand: dict[str, Any] = {leader.name.lower(): Hand.from_cards(owners == leader)}
    cards = np.flatnonzero(owners == leader).tolist()
    layouts = {
        "alike": constrained_deals(LAYOUTS, seed=SEED, **hand).owners,
        "auction": tc.deals_after(auction, n=LAYOUTS, seed=SEED, **hand).owners,
    }
    (truth,) = solve_lead_batches(owners[None], strain, declarer, workers=1)
    at_table = leads_played(estimator, owners[None], contract, declarer, cards)[0]
    row: dict[str, Any] = {"contract": f"{contract} {declarer}"}
    found: dict[str, int] = {}
    for name, drawn in layouts.items():
        after = np.concatenate([*solve_lead_batches(drawn, strain, declarer, workers=1)])
        dd = after[:, cards].mean(axis=0)
        played = leads_played(estimator, drawn, contract, declarer, cards).mean(axis=0)
        found[f"{name}, double dummy"] = int(dd.argmin())
        found[f"{name}, as played"] = int(played.argmin())
    if board.play and parse_card(board.play[0]) in cards:
        found["table"] = cards.index(parse_card(board.play[0]))
    for way, place in found.items():
        row[way] = card_text(cards[place])
        row[f"{way}_dd"] = int(truth[0, cards[place]])
        row[f"{way}_played"] = f"{at_table[place]:.4f}"
    return row


def table() -> None:
    """Print what the rows say."""
    with ROWS.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    print(f"{len(rows):,} boards")
    values = {name: np.array([float(row[name] or "nan") for row in rows]) for name in FIELDS[7:]}
    for kind, title in (("dd", "double dummy"), ("played", "as played")):
        print(f"\ndeclarer's tricks on the true deal, {title}")
        for way in ("table", *WAYS):
            print(f"  {way:<24}{np.nanmean(values[f'{way}_{kind}']):8.3f}")
        for by in ("double dummy", "as played"):
            gain = values[f"alike, {by}_{kind}"] - values[f"auction, {by}_{kind}"]
            half = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain))
            print(f"  the auction saves, leads chosen {by}: {gain.mean():+.3f} ± {half:.3f}")


def main() -> None:
    """Study what is left of the boards."""
    warnings.simplefilter("ignore", AuctionWarning)
    done = 0
    if ROWS.exists():
        done = max(0, len(ROWS.read_text().splitlines()) - 1)
    estimator = PlayedEstimator(threads=1)
    with ROWS.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, FIELDS)
        if not done:
            writer.writeheader()
        for number, (owners, board) in enumerate(boards_apart(Path(sys.argv[1]))[:BOARDS]):
            if number >= done:
                writer.writerow({"board": number} | study(owners, board, estimator))
                stream.flush()


if __name__ == "__main__":
    if sys.argv[1:] != ["--table"]:
        main()
    table()
