"""Measurement of the rows: figures from trained networks and point counts."""

from base64 import b85decode, b85encode
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...cards import DealSet, Seat, Strain
from ...evaluation import Score, compare
from ...evaluators import raw_tricks
from ..codings import RANGE, find_coding, find_head
from .rows import NO_NETWORK, AgreementRow, Line, RawRow, Row
from .run_deals import Deals, all_results, ns_tricks
from .spec import CONTRACTS

if TYPE_CHECKING:  # points are measured without torch
    from .trained import Trained

_LEADERS = 2
"""A line stores which results are exact for at most this many per deal, to keep it short."""


def measure_row(row: Row, trained: "Trained", deals: Deals) -> Line:
    """Return the figures of one row, as the papers count them.

    With test deals from outside, the percent exact on the library's own is stored beside it.
    """
    on = deals.test if row.on == "test" else deals.training[: _trained_on(trained)]
    score, right = _score(row, trained, on)
    if score is None:
        return _line(row.id, trained, deals, None, f"no test deal has {row.tricks} tricks")
    others = trained.net.deals not in (0, row.net.deals)
    told = f"the paper has {row.net.deals:,} training deals" if others else ""
    line = _line(row.id, trained, deals, score, "; ".join(filter(None, (row.note, told))))
    if row.on == "train":
        return line | {"on": f"training deals 0 to {len(on) - 1}"}
    line |= right
    if deals.own_test is None:
        return line
    own, right = _score(row, trained, deals.own_test)
    if own is None:
        return line
    return line | {"own": {"exact": round(own.exact, 2), "n": own.n} | right}


def _score(row: Row, trained: "Trained", on: DealSet) -> tuple[Score | None, Line]:
    """Score a network on the results that a row is about; None if these deals have none.

    The returned line says which of them are exact, unless that would be long.
    """
    batch = all_results(on, row.contracts, row.lead, find_coding(trained.net.coding))
    estimated, real = trained.tricks(batch.inputs), batch.tricks
    if row.tricks is not None:
        chosen = real == row.tricks
        estimated, real = estimated[chosen], real[chosen]
    if not len(real):
        return None, {}
    if row.tricks is not None or len(real) > _LEADERS * len(on):
        return compare(estimated, real), {}
    return compare(estimated, real), recorded(estimated == real, len(on))


def recorded(right: NDArray[np.bool_], deals: int) -> Line:
    """Return which results are exact, for a line: one deal after the other, again and again.

    If the line has several seeds, all of them follow one another.
    """
    bits = b85encode(np.packbits(right).tobytes()).decode()
    return {"deals_tested": deals, "right": bits}


def exact_by_deal(line: Line) -> NDArray[np.float64] | None:
    """Return percent exact of each deal, (deals,); None if the line does not record them."""
    if "right" not in line:
        return None
    results = int(line["n"]) * max(1, len(line.get("of_seeds", ())))
    bits = np.unpackbits(np.frombuffer(b85decode(line["right"]), np.uint8), count=results)
    shares: NDArray[np.float64] = 100 * bits.reshape(-1, line["deals_tested"]).mean(0)
    return shares


def _trained_on(trained: "Trained") -> int:
    """Return how many training deals are measured: all, up to the papers' 100,000."""
    return min(int(trained.record["deals"]), 100_000)


def _line(name: str, trained: "Trained", deals: Deals, score: Score | None, note: str) -> Line:
    record = trained.record
    line: Line = {"row": name, "network": trained.net.key}
    if score is not None:
        line |= _figures(score)
    line |= {
        "seconds": round(record["seconds"], 1),
        "seed": trained.net.seed,
        "note": note,
        "deals": record["deals"],
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
    """Return the figures of points turned into tricks of North and South, with West leading."""
    (strain,) = CONTRACTS[row.contracts]
    estimated = raw_tricks(row.method, deals.test, None if strain == Strain.NOTRUMP else strain)
    real = ns_tricks(deals.test.tricks_or_unknown, strain, Seat.WEST)
    described = deals.describe(0)
    return {
        "row": row.id,
        "network": row.method + NO_NETWORK,
        **_figures(compare(estimated, real)),
        "note": row.note,
        "test": described["test"],
        "test_sha256": described["test_sha256"],
    }


def measure_agreement(row: AgreementRow, trained: "Trained", deals: Deals) -> Line:
    """Return how often the copies of a network agree, on training and on test deals.

    Shares are percent: of training deals by the spread of the counts, and of test deals whose
    outputs lie within 0.06 of each other.
    """
    coding, head = find_coding(trained.net.coding), find_head(trained.net.head)
    seen = deals.training[: _trained_on(trained)]
    outputs = trained.outputs(all_results(seen, row.contracts, row.lead, coding).inputs)
    counts = np.stack([head.tricks(outputs[:, [k]]) for k in range(outputs.shape[1])], axis=1)
    spread = counts.max(axis=1).astype(int) - counts.min(axis=1)
    shares = [round(100 * float((spread == k).mean()), 2) for k in range(4)]
    unseen = trained.outputs(all_results(deals.test, row.contracts, row.lead, coding).inputs)
    near = round(100 * float((np.ptp(unseen, axis=1) < 0.06).mean()), 2)
    others = ", ".join(f"{k} tricks apart {share}%" for k, share in enumerate(shares) if k)
    note = (
        f"{trained.net.copies} networks; on training deals the same count {shares[0]}%, {others}; "
        f"outputs within 0.06 of each other (a range is {RANGE:.3f}) in {near}% of test deals"
    )
    line = _line(row.id, trained, deals, None, note)
    return line | {"n": len(spread), "same": shares, "within_0.06": near}
