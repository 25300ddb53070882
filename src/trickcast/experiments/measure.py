"""Measuring: rows of figures from trained networks, point counts and the deals themselves."""

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, Seat, Strain
from ..encodings import RANGE, find_coding, find_head
from ..evaluation import Score, compare
from ..evaluators import raw_tricks
from ..inside import neurons, sees_cards, shares, table_vii
from .data import Deals, all_results, ns_tricks
from .first_layers import open_trained
from .spec import CONTRACTS, LEADERS, AgreementRow, Line, RawRow, Row
from .trained import Trained


def measure_row(row: Row, trained: Trained, deals: Deals) -> Line:
    """Return the figures of one row, as the papers count them.

    With test deals from outside, what is exact on the library's own stands beside them.
    """
    on = deals.test if row.on == "test" else deals.training[: _trained_on(trained, deals)]
    score = _score(row, trained, on)
    if score is None:
        return _line(row.id, trained, deals, None, f"no test deal has {row.tricks} tricks")
    line = _line(row.id, trained, deals, score, row.note)
    if row.on == "train":
        return line | {"on": f"training deals 0 to {len(on) - 1}"}
    own = None if deals.own_test is None else _score(row, trained, deals.own_test)
    return line if own is None else line | {"own": {"exact": round(own.exact, 2), "n": own.n}}


def _score(row: Row, trained: Trained, on: DealSet) -> Score | None:
    """Score a network on the results of these deals that a row is about; None without any."""
    batch = all_results(on, row.contracts, row.lead, find_coding(trained.net.coding))
    estimated, real = trained.tricks(batch.inputs), batch.tricks
    if row.tricks is not None:
        chosen = real == row.tricks
        estimated, real = estimated[chosen], real[chosen]
    return compare(estimated, real) if len(real) else None


def _trained_on(trained: Trained, deals: Deals) -> int:
    """How many training deals the training row is measured on: all, up to the papers' 100,000."""
    return min(int(trained.record["deals"]), 100_000)


def _line(name: str, trained: Trained, deals: Deals, score: Score | None, note: str) -> Line:
    record = trained.record
    line: Line = {"row": name, "network": trained.net.key}
    if score is not None:
        line |= _figures(score)
    line |= {
        "seconds": round(record["seconds"], 1),
        "seed": trained.net.seed,
        "note": note,
        "epochs": record["epochs"],
        "epochs_per_second": record["epochs_per_second"],
    }
    if "compression_error" in record:
        line["compression_error"] = round(record["compression_error"], 3)
    return line | deals.describe(record["deals"])


def _figures(score: Score) -> Line:
    shares = (score.within_2, score.within_1, score.exact)
    names = ("within_2", "within_1", "exact")
    return {name: round(share, 2) for name, share in zip(names, shares, strict=True)} | {
        "n": score.n
    }


def measure_raw(row: RawRow, deals: Deals) -> Line:
    """Return the figures of points turned into tricks of North and South, with West on lead."""
    (strain,) = CONTRACTS[row.contracts]
    estimated = raw_tricks(row.method, deals.test, None if strain == Strain.NOTRUMP else strain)
    real = ns_tricks(deals.test.tricks_or_unknown, strain, Seat.WEST)
    described = deals.describe(0)
    return {
        "row": row.id,
        "network": f"{row.method}, no network",
        **_figures(compare(estimated, real)),
        "note": row.note,
        "test": described["test"],
        "test_sha256": described["test_sha256"],
    }


def measure_agreement(row: AgreementRow, trained: Trained, deals: Deals) -> Line:
    """Return how often the copies of a network say the same, on training and on test deals.

    Shares are percent: of training deals by the spread of the counts, of test deals whose outputs
    lie within 0.06 of each other.
    """
    coding, head = find_coding(trained.net.coding), find_head(trained.net.head)
    seen = deals.training[: _trained_on(trained, deals)]
    outputs = trained.outputs(all_results(seen, row.contracts, row.lead, coding).inputs)
    counts = np.stack([head.tricks(outputs[:, [k]]) for k in range(outputs.shape[1])], axis=1)
    spread = counts.max(axis=1).astype(int) - counts.min(axis=1)
    shares = [round(100 * float((spread == k).mean()), 2) for k in range(4)]
    unseen = trained.outputs(all_results(deals.test, row.contracts, row.lead, coding).inputs)
    near = round(100 * float((np.ptp(unseen, axis=1) < 0.06).mean()), 2)
    said = ", ".join(f"{k} tricks apart {share}%" for k, share in enumerate(shares) if k)
    note = (
        f"{trained.net.copies} networks; on training deals the same count {shares[0]}%, {said}; "
        f"outputs within 0.06 of each other (a range is {RANGE:.3f}) in {near}% of test deals"
    )
    line = _line(row.id, trained, deals, None, note)
    return line | {"n": len(spread), "same": shares, "within_0.06": near}


def leader_matters(deals: DealSet) -> Line:
    """Count how often it matters which hand of a side leads: percent, by strain and leading side.

    The paper of 2009 says that in 7% of spade deals the leader, West against East, changes the
    number of tricks of North and South.
    """
    tricks = deals.tricks_or_unknown
    shares = {}
    for strain in Strain:
        west, east, north, south = (
            ns_tricks(tricks, strain, seat)
            for seat in (Seat.WEST, Seat.EAST, Seat.NORTH, Seat.SOUTH)
        )
        shares[strain.letter] = {
            "W or E": round(100 * float((west != east).mean()), 2),
            "N or S": round(100 * float((north != south).mean()), 2),
        }
    return {"deals": len(deals), "percent": shares}


def shape_deviations(trained: Trained, deals: Deals) -> Line:
    """Count errors of a network and how long the suits of their deals are (2004, Table 2).

    For each difference, network minus truth: deals, and their mean standard deviation (n - 1) of
    the sixteen suit lengths. On the first 10,000 training deals, West leading.
    """
    coding = find_coding(trained.net.coding)
    few = deals.training[:10_000]
    batch = all_results(few, "notrump", "W", coding)
    differences = trained.tricks(batch.inputs).astype(int) - batch.tricks
    deviations = suit_length_deviations(few.owners)
    return {
        "network": trained.net.key,
        "deals": len(few),
        "by_difference": {
            str(d): [
                int((differences == d).sum()),
                round(float(deviations[differences == d].mean()), 4),
            ]
            for d in np.unique(differences)
        },
    }


def suit_length_deviations(owners: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return (n,) standard deviations (n - 1) of a deal's sixteen suit lengths."""
    held = owners.reshape(-1, 4, 13)[:, None] == np.arange(4)[:, None, None]  # (n, seat, suit, 13)
    deviations: NDArray[np.float64] = held.sum(axis=3).reshape(-1, 16).std(axis=1, ddof=1)
    return deviations


def sample_estimates(trained: Trained, samples: DealSet, leaders: list[Seat]) -> list[int] | None:
    """Return the NS tricks that a network says of the papers' printed deals, in spades.

    None for a network that is not for spades, or that was not trained for such leaders.
    """
    if Strain.SPADES not in CONTRACTS[trained.net.contracts] or trained.net.copies > 1:
        return None
    coding, said = find_coding(trained.net.coding), []
    for row, leader in enumerate(leaders):
        if leader not in LEADERS[trained.net.lead] and not coding.turned:
            return None
        inputs = coding.encode(samples.owners[row : row + 1], Strain.SPADES, leader.rho)
        declared = int(trained.tricks(inputs)[0])
        said.append(declared if leader.rho.side == Seat.NORTH.side else 13 - declared)
    return said


def first_layer_findings(trained: Trained) -> list[Line]:
    """Return what the neurons of the first layer show, and of a 52-1 network Table VII's weights.

    Nothing for networks whose first layer does not see cards one by one.
    """
    net = trained.net
    if not sees_cards(find_coding(net.coding)):
        return []
    layers, lines = open_trained(trained), list[Line]()
    found = {
        pattern: {name: round(100 * share, 1) for name, share in both.items()}
        for pattern, both in shares([neurons(layer) for layer in layers]).items()
    }
    if len(layers[0].weights) > 1:  # the one neuron of 52-1 is the output
        name = f"patterns: {net.key}"
        lines.append({"finding": name, "network": net.key, "percent": found})
    group = _TABLE_VII.get((net.coding, net.contracts))
    if net.network == "52-1" and group is not None:
        compared = table_vii(layers[0], group)
        lines.append({"finding": f"Table VII: {group}", "network": net.key, **compared})
    return lines


_TABLE_VII = {
    ("52", "notrump"): "notrump",
    ("52-marked", "all_suits"): "all_suits",
    ("52", "all_suits"): "spades",  # turned into spades, whatever the suit
    ("52", "spades"): "spades",
}
"""Coding and training of a 52-1 network to its group in Table VII of 2009."""
