"""Compare what labels are worth a second of the solver, with small networks at equal cost.

Run from the root of the repository; needs torch and a C++ compiler:

    python docs/make_label_study.py                    # some half an hour of a core
    python docs/make_label_study.py "whole tables"     # one row

Every mixture costs as much as 10,904 whole tables, or the half or quarter of that in its name. An
example is a deal (or a position) in one strain. A step takes 1,280 examples, so all networks see
the same number of results in a step. Partly solved deals are whole ones with the rest hidden. A
doubtful strain is the one whose four results a network is least sure of (by the entropy of its
chances); that network learned from the whole tables of the same row. With leads, a network also
estimates how many tricks every card of the leader gives away. The leads are solved for this, in 40
minutes of a core, and kept in build/. Lines are three tricks of best play by all declarers of the
strain (15 minutes, kept too). A row of docs/label_study.csv is the evaluation with the lowest
log-loss, on 4,096 validation deals.
"""

import argparse
import csv
import math
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import process_time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from trickcast._files import atomic_writer
from trickcast.cards import UNKNOWN
from trickcast.cards.sizes import COUNTS, RANKS, SEATS, STRAINS, SUITS
from trickcast.library import Library, line_positions, read_positions
from trickcast.solver import dds, solve_line_batches
from trickcast.training.lessons import exchanged, from_arrays
from trickcast.training.soap import Soap
from trickcast.training.solved_deals import checksum
from trickcast.training.suit_networks import SeatLinear, SuitNetwork, SuitNetworkConfig, normalized
from trickcast.training.whole_deals import evaluate

ROWS = Path("docs/label_study.csv")
COLUMNS = [
    "labels", "deals", "examples", "best_step", "training_loss", "log_loss", "exact_suits",
    "exact_notrump", "seconds",
]  # fmt: skip
TABLES = 10_904
"""Cost limit of every mixture, in whole tables."""
QUARTER = TABLES / 4
STRAIN, DOUBTFUL, DECLARER, LEADS, ELEVEN, TEN = 0.2, 0.26, 0.12, 0.24, 0.16, 0.06
"""Prices in whole tables: a strain with its declarers, a doubtful one, one declarer in a strain,
the same with the tricks after each lead, and a position of 11 or of 10 cards a hand."""
LINES = 1.13
"""Price of a strain with its declarers if it is played on, where it costs 1 without."""
LINE_TRICKS = 3
GIVEN, UNTOLD = 4, 4
"""Classes of a lead: 0, 1, 2, 3 or more tricks given away; and the class of unrecorded cards."""
KEPT_IN, AT_ONCE = Path("build"), 2_000
"""Where solved leads are kept, and how many are solved between two saves."""
NETWORK = SuitNetworkConfig(width=96, heads=2, before=1, after=2)
STEPS, BATCH, WARM_UP, EVALUATIONS = 1_200, 1_280, 100, 6
RATE, DECAY, AVERAGE, LOWEST, CLIP = 2e-3, 0.05, 0.995, 3, 1.0
HIDDEN_BY = 5
"""Seed for what is hidden."""
Arrays = tuple[NDArray[np.uint8], NDArray[np.uint8]]


class OneStrain(SuitNetwork):
    """The suit network, for one strain of each deal, and optionally for its leads."""

    def __init__(self, config: SuitNetworkConfig, *, seed: int, leads: bool):
        super().__init__(config, seed=seed)
        self.leads = SeatLinear(config.seat_width, RANKS * GIVEN) if leads else None

    def forward(self, owners: Tensor, strains: Tensor | None = None) -> Any:
        """Turn (n, 52) owners and (n,) strains into (n, 4, 14) logits; without strains, for all.

        With strains it also returns logits of what a card gives away, (n, suit, declarer, rank,
        class), or None without leads.
        """
        if strains is None:
            return super().forward(owners)
        suits = normalized(self.before(self.tokens(owners).float()))
        trump, side, notrump = (self.roles[name](suits) for name in ("trump", "side", "notrump"))
        own = (torch.arange(4) == strains[:, None])[..., None]
        asked = torch.where(own, trump, side)
        asked = torch.where((strains == STRAINS - 1)[:, None, None], notrump, asked)
        asked = self.after(asked.float())
        logits = self.head(normalized(asked.mean(1))).float().view(-1, SEATS, COUNTS)
        if self.leads is None:
            return logits, None
        led = self.leads(normalized(asked)).float().view(-1, SUITS, SEATS, RANKS, GIVEN)
        return logits, led


@dataclass
class Pool:
    """Deals and their known results; positions are not whole, and keep their lowest cards."""

    owners: Tensor
    tricks: Tensor
    whole: Tensor
    given: Tensor | None = None
    """(n, 52) classes of what a lead of each card gives away; a pool with them has no positions."""

    @classmethod
    def of(cls, arrays: Arrays, whole: bool = True) -> "Pool":
        """Make a pool of (n, 52) owners and (n, 5, 4) tricks."""
        owners, tricks = (torch.from_numpy(part.copy()) for part in arrays)
        return cls(owners, tricks, torch.full((len(owners),), whole))

    def dealt(self, rows: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return owners of rows, and what leads give away, after exchanging the lowest cards."""
        owners = self.owners[rows]
        if self.given is None:
            whole = self.whole[rows][:, None]
            return torch.where(whole, exchanged(owners, LOWEST), owners), None
        both = exchanged(owners + SEATS * self.given[rows], LOWEST)  # a card keeps its class
        return both % SEATS, both // SEATS

    def __add__(self, other: "Pool") -> "Pool":
        return Pool(
            torch.cat([self.owners, other.owners]),
            torch.cat([self.tricks, other.tricks]),
            torch.cat([self.whole, other.whole]),
        )


def hidden(
    tricks: NDArray[np.uint8],
    strains: NDArray[np.integer[Any]] | None = None,
    *,
    declarer: bool = False,
) -> NDArray[np.uint8]:
    """Return tricks with only one strain (given or drawn) or one result of each deal left."""
    rng, rows = np.random.default_rng(HIDDEN_BY), np.arange(len(tricks))
    left = np.full_like(tricks, UNKNOWN)
    if strains is None:
        strains = rng.integers(STRAINS, size=len(tricks))
    if declarer:
        seats = rng.integers(4, size=len(tricks))
        left[rows, strains, seats] = tricks[rows, strains, seats]
    else:
        left[rows, strains] = tricks[rows, strains]
    return left


def leads(
    owners: NDArray[np.uint8], strains: NDArray[np.integer[Any]], seats: NDArray[np.integer[Any]]
) -> NDArray[np.uint8]:
    """Return (n, 52) classes of what each card of the leader gives away; solve missing ones."""
    asked_for = checksum(owners, strains.astype(np.uint8), seats.astype(np.uint8))
    file = KEPT_IN / f"label_study_leads_{asked_for[:16]}.npy"
    kept = np.load(file) if file.exists() else np.empty((0, 52), np.uint8)
    while len(kept) < len(owners):
        rows = slice(len(kept), min(len(kept) + AT_ONCE, len(owners)))
        parts = []
        for first in range(rows.start, rows.stop, dds.BOARDS):
            some = slice(first, min(first + dds.BOARDS, rows.stop))
            asked = owners[some], strains[some], (seats[some] + 1) % SEATS
            found = dds.leads(*asked, dds.MOST_TRICKS, dds.EVERY_CARD, 1, Event())
            parts.append(dds.scores_of_cards(found))
        scores = np.concatenate(parts)
        given = np.minimum(scores.max(1, keepdims=True) - scores, GIVEN - 1)
        kept = np.concatenate([kept, np.where(scores < 0, UNTOLD, given).astype(np.uint8)])
        KEPT_IN.mkdir(exist_ok=True)
        with atomic_writer(file) as stream:
            np.save(stream, kept)
    return kept


def lines(
    owners: NDArray[np.uint8], tricks: NDArray[np.uint8], strains: NDArray[np.integer[Any]]
) -> Arrays:
    """Return the positions along best play of deals, each in its strain; solve missing ones."""
    drawn: NDArray[np.uint8] = strains.astype(np.uint8)
    asked_for = checksum(owners, drawn)
    file = KEPT_IN / f"label_study_lines_{asked_for[:16]}.npy"
    kept = np.load(file) if file.exists() else np.empty((0, 4, 4 * LINE_TRICKS), np.uint8)
    while len(kept) < len(owners):
        some = slice(len(kept), min(len(kept) + AT_ONCE, len(owners)))
        parts = solve_line_batches(
            owners[some], LINE_TRICKS, strains=drawn[some], known=tricks[some], workers=1
        )
        cards = np.concatenate([cards for _, cards in parts])
        kept = np.concatenate([kept, cards[np.arange(len(cards)), drawn[some]]])
        KEPT_IN.mkdir(exist_ok=True)
        with atomic_writer(file) as stream:
            np.save(stream, kept)
    every = np.full((*tricks.shape, 4 * LINE_TRICKS), UNKNOWN, np.uint8)
    every[np.arange(len(owners)), strains] = kept
    return line_positions(owners, hidden(tricks, strains), every)


def doubtful(network: SuitNetwork, owners: NDArray[np.uint8]) -> NDArray[np.integer[Any]]:
    """Return the strain of each of (n, 52) owners whose results a network is least sure of."""
    strains = []
    for first in range(0, len(owners), 1_024):
        with torch.no_grad():
            chances = network(torch.from_numpy(owners[first : first + 1_024].copy())).softmax(-1)
        certainty = (chances * chances.clamp_min(1e-9).log()).sum((2, 3))
        strains.append(certainty.argmin(1))
    return torch.cat(strains).numpy()


def mixtures(library: Library, folder: Path, held_out: Any) -> dict[str, Callable[[], Pool]]:
    """Return functions that build the examples of each row."""
    deals = library.deals("train")
    owners, tricks = deals.owners, deals.tricks_or_unknown
    positions, results = read_positions(folder)
    sizes = 13 - (positions == UNKNOWN).sum(1) // 4

    def whole(tables: float) -> Pool:
        return Pool.of((owners[: int(tables)], tricks[: int(tables)]))

    def strain(tables: float) -> Pool:
        n = round(tables / STRAIN)
        return Pool.of((owners[:n], hidden(tricks[:n])))

    def later(tables: float, after: float, doubted_by: SuitNetwork | None = None) -> Pool:
        n = round(tables / (STRAIN if doubted_by is None else DOUBTFUL))
        rows = slice(int(after), int(after) + n)
        strains = None if doubted_by is None else doubtful(doubted_by, owners[rows])
        return Pool.of((owners[rows], hidden(tricks[rows], strains)))

    def doubted(tables: float) -> Pool:
        _, network = train("whole tables that tell what is doubtful", whole(tables), held_out)
        return whole(tables) + later(tables, tables, network)

    def declarer(tables: float) -> Pool:
        n = int(tables / DECLARER)
        return Pool.of((owners[:n], hidden(tricks[:n], declarer=True)))

    def led(tables: float) -> Pool:
        n = int(tables / LEADS)
        left = hidden(tricks[:n], declarer=True)
        _, strains, seats = np.nonzero(left != UNKNOWN)
        pool = Pool.of((owners[:n], left))
        pool.given = torch.from_numpy(leads(owners[:n], strains, seats))
        return pool

    def position(cards: int, price: float, tables: float) -> Pool:
        rows = np.flatnonzero(sizes == cards)[: int(tables / price)]
        return Pool.of((positions[rows], results[rows]), whole=False)

    def lined(tables: float) -> Pool:
        n = round(tables / (LINES * STRAIN))
        _, drawn, _ = np.nonzero(hidden(tricks[: round(QUARTER / STRAIN)]) != UNKNOWN)
        strains, most = drawn[::4], round(QUARTER / (LINES * STRAIN))
        asked = owners[:most], tricks[:most], strains[:most]
        found, values = lines(*asked)
        rows = np.flatnonzero(np.tile(np.arange(4 * most) // 4, LINE_TRICKS) < n)
        solved = Pool.of((owners[:n], hidden(tricks[:n], strains[:n])))
        return solved + Pool.of((found[rows], values[rows]), whole=False)

    half, eighth = TABLES / 2, QUARTER / 2
    return {
        "whole tables": lambda: whole(TABLES),
        "one strain": lambda: strain(TABLES),
        "one strain and declarer": lambda: declarer(TABLES),
        "one strain and declarer, each lead": lambda: led(TABLES),
        "the same without leads, at half the price": lambda: declarer(TABLES * DECLARER / LEADS),
        "half whole tables, half one strain": lambda: whole(half) + later(half, half),
        "half whole tables, half the most doubtful strain": lambda: doubted(half),
        "half whole tables, half positions of ten": lambda: whole(half) + position(10, TEN, half),
        "half one strain, half positions of ten": lambda: strain(half) + position(10, TEN, half),
        "half one strain, half positions of eleven": lambda: (
            strain(half) + position(11, ELEVEN, half)
        ),
        "a quarter: one strain": lambda: strain(QUARTER),
        "a quarter: one strain with lines": lambda: lined(QUARTER),
        "a quarter: half one strain, half positions of eleven": lambda: (
            strain(eighth) + position(11, ELEVEN, eighth)
        ),
        "a quarter: half one strain with lines, half positions of eleven": lambda: (
            lined(eighth) + position(11, ELEVEN, eighth)
        ),
    }


def train(name: str, pool: Pool, held_out: Any) -> tuple[dict[str, Any], SuitNetwork]:
    """Train a network on a pool; return its row, and the averaged network behind it."""
    torch.manual_seed(1)
    torch.compiler.reset()
    network = OneStrain(NETWORK, seed=1, leads=pool.given is not None)
    averaged = deepcopy(network).requires_grad_(False).eval()
    matrices = [weights for weights in network.parameters() if weights.ndim > 1]
    biases = [weights for weights in network.parameters() if weights.ndim == 1]
    groups = [{"params": matrices, "weight_decay": DECAY}, {"params": biases}]
    optimizer = Soap(groups, lr=RATE)  # type: ignore[arg-type]
    network.compile(dynamic=False)
    examples = (pool.tricks != UNKNOWN).any(-1).nonzero()
    rng, order = np.random.default_rng(1), torch.empty(0, dtype=torch.long)
    started, losses, best, kept = process_time(), list[float](), dict[str, Any](), averaged
    for step in range(STEPS):
        if len(order) < BATCH:
            order = torch.from_numpy(rng.permutation(len(examples)))
        rows, strains = examples[order[:BATCH]].T
        order = order[BATCH:]
        dealt, given = pool.dealt(rows)
        tricks = pool.tricks[rows, strains].long()
        known = tricks != UNKNOWN
        for group in optimizer.param_groups:
            rising, falling = min(1, (step + 1) / (WARM_UP + 1)), math.cos(math.pi * step / STEPS)
            group["lr"] = RATE * rising * (0.5 + 0.5 * falling)
        network.train()
        with torch.autocast("cpu", torch.bfloat16):
            logits, led = network(dealt, strains)
        each = functional.cross_entropy(
            logits.flatten(0, 1), torch.where(known, tricks, 0).flatten(), reduction="none"
        )
        loss = (each.view_as(known) * known).sum() / known.sum()
        losses.append(loss.item())
        if given is not None:
            ours = led[torch.arange(BATCH), :, known.long().argmax(1)]  # of the one declarer
            loss = loss + functional.cross_entropy(
                ours.flatten(0, 2), given.long().flatten(), ignore_index=UNTOLD
            )
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimizer.step()
        with torch.no_grad():
            for old, new in zip(averaged.parameters(), network.parameters(), strict=True):
                old.lerp_(new, 1 - min(AVERAGE, (2 + step) / (11 + step)))
        if (step + 1) % (STEPS // EVALUATIONS) == 0:
            figures = evaluate(averaged, held_out, precision="bfloat16")
            row = {"best_step": step + 1, "training_loss": float(np.mean(losses))} | figures
            print(name, row, file=sys.stderr, flush=True)
            if not best or row["log_loss"] < best["log_loss"]:
                best, kept = row, deepcopy(averaged)
            losses.clear()
    best |= {"labels": name, "deals": len(pool.owners), "examples": len(examples)}
    best |= {key: f"{best[key]:.3f}" for key in ("training_loss", "log_loss")}
    best |= {key: f"{best[key]:.1f}" for key in ("exact_suits", "exact_notrump")}
    return best | {"seconds": round(process_time() - started)}, kept


def main() -> None:
    """Train the named rows, or all that are missing."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("labels", nargs="*")
    options.add_argument("--library", type=Path, default=Path("data/library"))
    options.add_argument("--endings", type=Path, default=Path("data/endings"))
    given = options.parse_args()
    torch.set_num_threads(1)
    library = Library(given.library)
    validation = library.deals("validation")[:4_096]
    held_out = from_arrays(validation.owners.copy(), validation.tricks_or_unknown.copy())
    pools = mixtures(library, given.endings, held_out)
    if unknown := set(given.labels) - set(pools):
        options.error(f"no row {', '.join(sorted(unknown))} (expected {'; '.join(pools)})")
    made = {row["labels"] for row in rows()}
    for name in given.labels or [name for name in pools if name not in made]:
        row, _ = train(name, pools[name](), held_out)
        there = {row["labels"]: row for row in rows()} | {name: row}  # others may have added some
        with ROWS.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(there[name] for name in pools if name in there)


def rows() -> list[dict[str, Any]]:
    """Return the stored trainings."""
    if not ROWS.exists():
        return []
    with ROWS.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


if __name__ == "__main__":
    main()
