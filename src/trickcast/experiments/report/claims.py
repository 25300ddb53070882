"""What a paper concludes, each sentence with a verdict computed from the measured figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean
from typing import Any

from ..markdown import markdown_table
from ..store import Store
from .results import standard_error

HOLDS, FAILS, OPEN = "holds", "fails", "cannot be tested"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence of a paper, in our words, and the rule that tests it. One rule, or ``untested``.

    Rows are compared by their percent exact; by the papers' own protocol where all rows of the
    claim have been run so, else by ours.
    """

    says: str
    where: str
    """Section or table of the paper."""
    more: Sequence[Sequence[str]] = ()
    """Pairs of rows: the first is more exact than the second, beyond the interval."""
    alike: Sequence[Sequence[str]] = ()
    """Pairs of rows that differ by no more than ``points``, or the interval where it is wider."""
    points: float = 1.0
    value: Sequence[Any] = ()
    """Name of a finding or row and the way to a number in it."""
    over: Sequence[Any] = ()
    """Another, which is taken from ``value``."""
    least: float = float("-inf")
    most: float = float("inf")
    only_as_printed: bool = False
    """Whether ours, in which one network serves several rows, cannot test it."""
    untested: str = ""
    """Why nothing measured can test it."""


def table_of_claims(claims: Sequence[Mapping[str, Any]], known: Store) -> str:
    """Return the claims with their verdicts and figures as a table, how many hold before it.

    Raises TypeError for a claim with a field that claims have not.
    """
    judged = [(claim, *judge(claim, known)) for claim in (Claim(**fields) for fields in claims)]
    counts = ", ".join(
        f"{sum(verdict == name for _, verdict, _ in judged)} {word}"
        for name, word in ((HOLDS, "hold"), (FAILS, "fail"), (OPEN, OPEN))
    )
    rows = [[claim.says, claim.where, verdict, why] for claim, verdict, why in judged]
    table = markdown_table(["the paper", "where", "verdict", "figures"], rows)
    return (
        f"Of {len(judged)} sentences, of its text or told by its figures, in our words: {counts}. "
        "Percent exact and, after ±, two standard errors of the difference; seeds are told where "
        f"the figures are as printed, others are of one seed.\n\n{table}"
    )


def judge(claim: Claim, known: Store) -> tuple[str, str]:
    """Return the verdict on a claim, and the figures that it rests on."""
    if claim.untested:
        return OPEN, claim.untested
    if claim.value:
        return _judge_value(claim, known)
    pairs = claim.more or claim.alike
    rows = {row for pair in pairs for row in pair}
    printed = all(known.as_printed(row) for row in rows)
    if claim.only_as_printed and not printed:
        return OPEN, "ours share one network between these rows; as printed not run yet"
    shares = {row: _share(row, known, printed) for row in rows}
    if any(share is None for share in shares.values()):
        return OPEN, "not measured yet"
    verdicts, figures = set(), []
    for first, second in pairs:
        a, b = shares[first], shares[second]
        assert a is not None and b is not None
        interval = 2 * sqrt(standard_error(*a) ** 2 + standard_error(*b) ** 2)
        verdicts.add(_of_pair(a[0] - b[0], interval, claim))
        figures.append(f"{first} {a[0]:.2f}, {second} {b[0]:.2f} (± {interval:.2f})")
    of_all = next(name for name in (FAILS, OPEN, HOLDS) if name in verdicts)
    within = "; within the interval" if of_all == OPEN else ""
    seeds = min(len(known.as_printed(row)) for row in rows)
    protocol = f"; as printed, {seeds} seed{'s' * (seeds > 1)}" if printed else ""
    return of_all, "; ".join(figures) + within + protocol


def _of_pair(difference: float, interval: float, claim: Claim) -> str:
    if claim.alike:
        return HOLDS if abs(difference) <= max(interval, claim.points) else FAILS
    if abs(difference) <= interval:
        return OPEN
    return HOLDS if difference > 0 else FAILS


def _share(row: str, known: Store, printed: bool) -> tuple[float, int] | None:
    """Return percent exact and of how many results."""
    lines = known.as_printed(row) if printed else [known.get(row)]
    shares = [line for line in lines if line is not None and "exact" in line]
    return (mean(line["exact"] for line in shares), int(shares[0]["n"])) if shares else None


def _judge_value(claim: Claim, known: Store) -> tuple[str, str]:
    first = _number(claim.value, known)
    second = _number(claim.over, known) if claim.over else 0.0
    if first is None or second is None:
        return OPEN, "not measured yet"
    stated = f"{first:g} less {second:g}" if claim.over else f"{first:g}"
    asked = {"at least": claim.least, "at most": claim.most}
    bounds = " and ".join(f"{word} {x:g}" for word, x in asked.items() if abs(x) != float("inf"))
    holds = claim.least <= first - second <= claim.most
    source = str(claim.value[0]).replace("|", "·")  # which would end a cell of the table
    return HOLDS if holds else FAILS, f"{stated}, {source} (asked: {bounds})"


def _number(way: Sequence[Any], known: Store) -> float | None:
    """Return the number at the end of a way; None where a run was too small to have it."""
    name, *steps = way
    found: Any = known.get(name)
    if found is None:
        return None
    for step in steps:
        there = step in found if isinstance(found, dict) else step < len(found)
        if not there:
            return None
        found = found[step]
    return float(found)
