"""Measure how many tricks championship players give away, and write the table that ships.

    python docs/make_norms.py ../shared/data/played/championships.pbn.gz --boards 400 --seed 1

Walks the recorded play of sampled boards card by card with the double-dummy solver, one table per
deal. The cost of a card is counted against the best card in its place.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np

from trickcast.cards import Board, DealError, parse_card, parse_contract
from trickcast.formats import iter_deals
from trickcast.played.norms import NORMS, ROLES, given_away
from trickcast.solver import values_of_cards

_LEAST_CARDS = 20  # a play that ends sooner shows little


def sample(path: Path, boards: int, seed: int) -> list[tuple[np.ndarray, Board]]:
    """Return sampled records with recorded play, one per deal, in random order."""
    by_deal: dict[bytes, list[tuple[np.ndarray, Board]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for deals in iter_deals(path):
            for owners, board in zip(deals.owners, deals.boards or (), strict=True):
                known = board.contract not in (None, "PASS") and board.declarer is not None
                if known and len(board.play) >= _LEAST_CARDS:
                    by_deal.setdefault(owners.tobytes(), []).append((owners, board))
    order = np.random.default_rng(seed)
    deals_found = sorted(by_deal)
    chosen = order.permutation(len(deals_found))[: 2 * boards]
    tables = [by_deal[deals_found[k]] for k in chosen]
    return [found[order.integers(len(found))] for found in tables]


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--boards", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    costs: list[dict[str, int]] = []
    for owners, board in sample(given.path, given.boards, given.seed):
        if len(costs) == given.boards:
            break
        assert board.contract is not None and board.declarer is not None
        _, strain, _ = parse_contract(board.contract)
        assert strain is not None
        cards = [parse_card(card) for card in board.play]
        try:
            values = values_of_cards(owners, strain, board.declarer, cards, workers=1)
        except DealError:
            continue  # an error in the record: a card that could not be played
        costs.append(given_away(owners, values, cards, board.declarer))
    with NORMS.open("w", encoding="ascii", newline="") as stream_out:
        table = csv.writer(stream_out, lineterminator="\n")
        table.writerow(("role", "tricks", "boards"))
        for role in ROLES:
            counts = np.bincount([cost[role] for cost in costs])
            table.writerows((role, tricks, count) for tricks, count in enumerate(counts))
            each = np.array([cost[role] for cost in costs])
            error = 1.96 * each.std(ddof=1) / len(each) ** 0.5
            print(f"{role}: {each.mean():.2f} ± {error:.2f} tricks a board, {len(each)} boards")


if __name__ == "__main__":
    main()
