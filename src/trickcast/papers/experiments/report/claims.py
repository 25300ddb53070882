"""What a paper concludes, each sentence with a verdict computed from the measured figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, variance
from typing import Any, NamedTuple

from ..markdown import markdown_table
from ..rows import NO_NETWORK, Line
from ..store import Store
from .results import independent, standard_error

HOLDS, PART, UNDECIDED, FAILS = "holds", "holds in part", "undecided", "fails"
UNTESTED = "cannot be tested"
_WORDS = {HOLDS: "hold", PART: "hold in part", UNDECIDED: UNDECIDED, FAILS: "fail",
          UNTESTED: UNTESTED}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence of a paper, in our words, and the rule that tests it. One rule, or ``untested``.

    Rows are compared by their percent exact: by the papers' own protocol where both rows of a pair
    were run so, else by ours.
    """

    says: str
    where: str
    """Section or table of the paper."""
    more: Sequence[Sequence[str]] = ()
    """Pairs of rows: the first is more exact than the second, beyond the interval."""
    alike: Sequence[Sequence[str]] = ()
    """Pairs of rows that differ by no more than ``points``."""
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
    verdicts = [verdict for _, verdict, _ in judged]
    counts = ", ".join(
        f"{verdicts.count(name)} {word}" for name, word in _WORDS.items() if name in verdicts
    )
    rows = [[claim.says, claim.where, verdict, why] for claim, verdict, why in judged]
    table = markdown_table(["the paper", "where", "verdict", "figures"], rows)
    return (
        f"Of {len(judged)} sentences, of its text or told by its figures, in our words: {counts}. "
        "Percent exact and, after ±, two standard errors of the difference, as of two sets of "
        "deals; seeds are told where figures are as printed, others are of one seed.\n\n" + table
    )


def judge(claim: Claim, known: Store) -> tuple[str, str]:
    """Return the verdict on a claim, and the figures that it rests on."""
    if claim.untested:
        return UNTESTED, claim.untested
    if claim.value:
        return _judge_value(claim, known)
    pairs = claim.more or claim.alike
    judged = [_judge_pair(claim, first, second, known) for first, second in pairs]
    verdicts = {verdict for verdict, _ in judged}
    tested = verdicts - {UNTESTED}
    of_all = PART if HOLDS in tested else FAILS if FAILS in tested else UNDECIDED
    whole = of_all if len(verdicts) > 1 else verdicts.pop()
    return whole, "; ".join(dict.fromkeys(figures for _, figures in judged))


class _Share(NamedTuple):
    """Percent exact of a row."""

    percent: float
    variance: float
    """Of its deals and, from two seeds on, its first weights."""
    seeds: int
    """As printed; 0 where it is ours."""


def _judge_pair(claim: Claim, first: str, second: str, known: Store) -> tuple[str, str]:
    """Return the verdict of one pair of rows, and its figures."""
    both = [_as_printed(row, known) for row in (first, second)]
    if None in both:
        both = [_ours(row, known) for row in (first, second)]
        if claim.only_as_printed:
            return UNTESTED, "one network of ours serves both rows; as printed not run yet"
    a, b = both
    if a is None or b is None:
        return UNTESTED, "not measured yet"
    difference, interval = a.percent - b.percent, 2 * sqrt(a.variance + b.variance)
    protocol = _protocol(share.seeds for share in (a, b) if share.seeds)
    figures = f"{first} {a.percent:.2f}, {second} {b.percent:.2f} (± {interval:.2f}{protocol})"
    if claim.alike:
        far = FAILS if abs(difference) > claim.points + interval else UNDECIDED
        return HOLDS if abs(difference) <= claim.points else far, figures
    if abs(difference) <= interval:
        return UNDECIDED, figures
    return HOLDS if difference > 0 else FAILS, figures


def _protocol(seeds: Iterable[int]) -> str:
    """Say of how many seeds figures as printed are, of each where they differ; "" of none."""
    of_each = list(dict.fromkeys(seeds))
    if not of_each:
        return ""
    return f"; as printed, {' and '.join(map(str, of_each))} seed{'s' * (of_each != [1])}"


def _as_printed(row: str, known: Store) -> _Share | None:
    """Return the figure by the papers' own protocol; of points turned into tricks, the only one."""
    lines = [line for line in known.as_printed(row) if "exact" in line]
    if not lines:
        line = known.get(row)
        no_network = (
            line is not None and "exact" in line and line.get("network", "").endswith(NO_NETWORK)
        )
        return _ours(row, known) if no_network else None
    shares = [line["exact"] for line in lines]
    between = variance(shares) / len(shares) if len(shares) > 1 else 0.0
    return _Share(mean(shares), _of_deals(mean(shares), lines[0], row) + between, len(lines))


def _ours(row: str, known: Store) -> _Share | None:
    line = known.get(row)
    if line is None or "exact" not in line:
        return None
    return _Share(line["exact"], _of_deals(line["exact"], line, row), 0)


def _of_deals(percent: float, line: Line, row: str) -> float:
    """Return the variance of a share by the deals that it is of."""
    return standard_error(percent, independent(line, row)) ** 2


def _judge_value(claim: Claim, known: Store) -> tuple[str, str]:
    first = _number(claim.value, known)
    second = _number(claim.over, known) if claim.over else 0.0
    if first is None or second is None:
        return UNTESTED, "not measured yet"
    stated = f"{first:.4g} less {second:.4g}" if claim.over else f"{first:.4g}"
    asked = {"at least": claim.least, "at most": claim.most}
    bounds = " and ".join(f"{word} {x:g}" for word, x in asked.items() if abs(x) != float("inf"))
    holds = claim.least <= first - second <= claim.most
    source = str(claim.value[0]).replace("|", "·")  # which would end a cell of the table
    seeds = len(known.as_printed(claim.value[0]))
    protocol = _protocol([seeds] if seeds else [])
    return HOLDS if holds else FAILS, f"{stated}, {source} (asked: {bounds}{protocol})"


def _number(way: Sequence[Any], known: Store) -> float | None:
    """Return the number at the end of a way, mean over the seeds of a row as printed.

    None where nothing is measured, or by a run that was too small to have it.
    """
    name, *steps = way
    lines = known.as_printed(name)
    found = [_follow(line, steps) for line in lines] or [_follow(known.get(name), steps)]
    there = [number for number in found if number is not None]
    return mean(there) if len(there) == len(found) else None


def _follow(found: Any, steps: Sequence[Any]) -> float | None:
    for step in steps:
        if found is None or step not in (found if isinstance(found, dict) else range(len(found))):
            return None
        found = found[step]
    return None if found is None else float(found)
