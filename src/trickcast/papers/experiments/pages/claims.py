"""The conclusions of a paper, each with a verdict computed from the measured figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, variance
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..finished_figures import Store
from ..intervals import ONE_SIDE, Spread, half_width
from ..markdown import markdown_table
from ..measured_rows import exact_by_deal
from ..rows import NO_NETWORK, Line
from .results import independent, standard_error

HOLDS, PART, UNDECIDED, FAILS = "holds", "holds in part", "undecided", "fails"
NOT_YET, UNTESTED = "not tested yet", "cannot be tested"
_PLURALS = {HOLDS: "hold", PART: "hold in part", UNDECIDED: UNDECIDED, FAILS: "fail",
            NOT_YET: NOT_YET, UNTESTED: UNTESTED}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A conclusion of a paper, in our words, and the rule that tests it, or why it has none.

    Rows are compared by their percent exact on all test deals. The figures are by their authors'
    program if both rows of a pair have them from equally many deals (the most, if several), else as
    printed if both have them, else ours.
    """

    says: str
    where: str
    """Section or table of the paper."""
    more: Sequence[Sequence[str]] = ()
    """Pairs of rows: the first is more exact than the second, by more than the interval."""
    alike: Sequence[Sequence[str]] = ()
    """Pairs of rows that differ by no more than ``points``, even allowing for their interval
    (Schuirmann's two one-sided tests, 1987)."""
    points: float = 1.0
    value: Sequence[Any] = ()
    """Name of a finding or row, and the path to a number in it."""
    over: Sequence[Any] = ()
    """Another number, which is subtracted from ``value``."""
    least: float = float("-inf")
    most: float = float("inf")
    within: float = 0.0
    """Margin around a bound within which sampling leaves the verdict open. If it is 0, several
    seeds give it: for a row as printed, by the spread of one more network, like the paper's; for a
    list, by that of its mean."""
    each: bool = False
    """Whether ``value`` leads to a list, such as one number a seed, and each is judged alone."""
    only_as_printed: bool = False
    """Whether ours cannot test it, because one of our networks serves several rows."""
    only_by_authors: bool = False
    """Whether only the authors' program can test it, because other trainings may differ."""
    only_ours: bool = False
    """Whether only ours can test it, because one of its networks does not learn as printed."""
    waiting: str = ""
    """A test that would decide it but was not run."""
    untested: str = ""
    """Why nothing measured can test it."""
    certain: str = ""
    """Why it holds without a measurement."""
    besides: str = ""
    """Further evidence that does not decide it."""
    ours: bool = False
    """Whether the sentence is ours, and not in the paper."""


def table_of_claims(claims: Sequence[Mapping[str, Any]], known: Store) -> str:
    """Return the claims with their verdicts and figures as a table, after a count of verdicts.

    Raises TypeError for a claim with an unknown field.
    """
    judged = [(claim, *judge(claim, known)) for claim in (Claim(**fields) for fields in claims)]
    rows = [
        [claim.says, claim.where, verdict, "; ".join(filter(None, (why, claim.besides)))]
        for claim, verdict, why in judged
    ]
    table = markdown_table(["the paper", "where", "verdict", "figures"], rows)
    of_paper, of_ours = (
        [verdict for claim, verdict, _ in judged if claim.ours == ours] for ours in (False, True)
    )
    return (
        _counted(of_paper, "sentences from the paper's text or figures, in our words")
        + (_counted(of_ours, "more are ours") if of_ours else "")
        + "Figures of networks that estimate tricks are percent exact. They are measured on the "
        "test deals, and where the library's own test deals were measured for both rows, on both "
        "sets together. "
        "Other claims name their measure. "
        "After ± comes the 95 % interval of the difference, or a margin of ours. It covers "
        "the deals, compared one by one if both networks recorded which results they have "
        "right, and otherwise as two sets, which makes it wider. It also covers first weights. "
        "These are measured by the seeds of the row as printed, or by the seeds of similar rows "
        "if it has only one. With two or three seeds they are not known well. The interval, by "
        "Student's t, allows for that. Where a paper finds two rows alike, the table says how far "
        "apart they may be at most, by a one-sided test at 5 %.\n\n" + table
    )


def _counted(verdicts: Sequence[str], what: str) -> str:
    """Return how many verdicts there are, and of each kind: "3 more are ours: 2 hold, 1 fails."."""
    counts = {name: verdicts.count(name) for name in _PLURALS if name in verdicts}
    kinds = (f"{n} {name if n == 1 else _PLURALS[name]}" for name, n in counts.items())
    return f"{len(verdicts)} {what}: {', '.join(kinds)}. "


def judge(claim: Claim, known: Store) -> tuple[str, str]:
    """Return the verdict on a claim, and the figures behind it."""
    told = {UNTESTED: claim.untested, NOT_YET: claim.waiting, HOLDS: claim.certain}
    for verdict, why in told.items():
        if why:
            return verdict, why
    if claim.value:
        return _judge_value(claim, known)
    pairs = claim.more or claim.alike
    judged = [_judge_pair(claim, first, second, known) for first, second in pairs]
    verdicts = {verdict for verdict, _ in judged}
    tested = verdicts - {UNTESTED, NOT_YET}
    of_all = PART if HOLDS in tested else FAILS if FAILS in tested else UNDECIDED
    if len(verdicts) == 1:
        return verdicts.pop(), "; ".join(dict.fromkeys(figures for _, figures in judged))
    return of_all, "; ".join(dict.fromkeys(f"{verdict}: {figures}" for verdict, figures in judged))


class _Share(NamedTuple):
    """Percent exact of a row."""

    percent: float
    of_deals: float
    """Variance due to the deals."""
    of_weights: Spread
    """Variance due to the first weights."""
    by_network: Mapping[str, float]
    """The share of each network as printed, or by the authors' program; empty for ours."""
    by_deal: NDArray[np.float64] | None = None
    """The share of each test deal, if its lines recorded that."""


def _judge_pair(claim: Claim, first: str, second: str, known: Store) -> tuple[str, str]:
    """Return the verdict on a pair of rows, and its figures."""
    lines, by = [_lines_of_ours(row, known) for row in (first, second)], ""
    runs = () if claim.only_ours else _runs((first, second), known)
    whole = next((run for run in runs if all(run[1])), None)
    if whole:
        by, lines = whole
    elif claim.only_as_printed:
        return UNTESTED, "one network of ours serves both rows; as printed not run yet"
    if not all(lines):
        return UNTESTED, "not measured yet"
    if not all("own" in line for of_row in lines for line in of_row):
        lines = [[_on_first_set(line) for line in of_row] for of_row in lines]
    a, b = (_share(*of_row, known) for of_row in zip((first, second), lines, strict=True))
    difference, of_weights = a.percent - b.percent, [a.of_weights, b.of_weights]
    if a.by_network and a.by_network.keys() == b.by_network.keys():
        apart = [a.by_network[network] - b.by_network[network] for network in a.by_network]
        # the shared part of the weights' effect cancels, and with one network all of it
        of_weights = [_of_mean(apart)] if len(apart) > 1 else []
    of_deals = a.of_deals + b.of_deals
    if a.by_deal is not None and b.by_deal is not None and len(a.by_deal) == len(b.by_deal):
        of_deals = float(np.var(a.by_deal - b.by_deal, ddof=1)) / len(a.by_deal)
        by += " in pairs"
    parts = [Spread(of_deals), *of_weights]
    interval, most = half_width(parts), abs(difference) + half_width(parts, ONE_SIDE)
    protocol = _protocol((n for share in (a, b) if (n := len(share.by_network))), by)
    waiting = claim.only_by_authors and not by.startswith("by their program")
    protocol += ", not by its authors' program" if waiting else ""
    bound = f"at most {most:.2f} apart, asked: {claim.points:g}"
    sure = bound if claim.alike else f"± {interval:.2f}"
    figures = f"{first} {a.percent:.2f}, {second} {b.percent:.2f} ({sure}{protocol})"
    if waiting:
        return NOT_YET, figures
    if claim.alike:
        far = FAILS if abs(difference) > claim.points + interval else UNDECIDED
        return HOLDS if most <= claim.points else far, figures
    if abs(difference) <= interval:
        return UNDECIDED, figures
    return HOLDS if difference > 0 else FAILS, figures


def _runs(rows: Sequence[str], known: Store) -> Iterator[tuple[str, list[list[Line]]]]:
    """Yield how rows were trained, and the lines of each: first by their authors' program.

    Points turned into tricks, which nothing trains, have their only line.
    """
    of_rows = [known.by_authors(row) for row in rows]
    of_all = set.intersection(*({line["deals"] for line in lines} for lines in of_rows))
    for deals in sorted(of_all, reverse=True):
        like = [[line for line in lines if line["deals"] == deals] for lines in of_rows]
        yield f"by their program from {deals:,} deals", like
    printed = [[line for line in known.as_printed(row) if "exact" in line] for row in rows]
    untrained = [
        [
            line
            for line in _lines_of_ours(row, known)
            if line.get("network", "").endswith(NO_NETWORK)
        ]
        for row in rows
    ]
    yield "as printed", [one or other for one, other in zip(printed, untrained, strict=True)]


def _lines_of_ours(row: str, known: Store) -> list[Line]:
    line = known.get(row)
    return [] if line is None or "exact" not in line else [line]


def _on_first_set(line: Line) -> Line:
    """Return a line without its figures on the library's own test deals."""
    return {name: value for name, value in line.items() if name != "own"}


def _protocol(seeds: Iterable[int], by: str) -> str:
    """Return words for the protocol and its seeds, per row if they differ; "" without any."""
    of_each = list(dict.fromkeys(seeds))
    if not of_each:
        return ""
    return f"; {by}, {' and '.join(map(str, of_each))} seed{'s' * (of_each != [1])}"


def _share(row: str, lines: Sequence[Line], known: Store) -> _Share:
    """Return the mean of lines, one a seed; a line of ours may have several seeds itself."""
    shares = [pooled(line)[0] for line in lines]
    of_seeds = [figures[-1] for figures in lines[0].get("of_seeds", {}).values()]
    several = shares if len(shares) > 1 else of_seeds
    weights = _of_mean(several) if len(several) > 1 else of_first_weights(lines[0], known)
    by_network = {
        f"{line.get('network', row)}, {line['seed']}": share
        for line, share in zip(lines, shares, strict=True)
        if "row" not in line
    }
    deals = _of_deals(mean(shares), lines[0], row)
    return _Share(mean(shares), deals, weights, by_network, _by_deal(lines))


def _by_deal(lines: Sequence[Line]) -> NDArray[np.float64] | None:
    """Return percent exact of each deal on all test sets, mean over lines that all recorded it."""
    kept = list[NDArray[np.float64]]()
    for line in lines:
        own = [line["own"]] if "own" in line else []
        parts = [exact_by_deal(part) for part in (line, *own)]
        there = [part for part in parts if part is not None]
        if len(there) < len(parts):
            return None
        kept.append(np.concatenate(there))
    of_all: NDArray[np.float64] = np.mean(kept, axis=0)
    return of_all


def _of_deals(percent: float, line: Line, row: str) -> float:
    """Return the variance of a share due to the deals."""
    both = independent(line, row) * pooled(line)[1] / int(line["n"])
    return standard_error(percent, both) ** 2


def pooled(line: Line) -> tuple[float, int]:
    """Return a line's percent exact on both sets of test deals together, and how many results."""
    own = line.get("own", {"exact": 0.0, "n": 0})
    results = int(line["n"]) + own["n"]
    return (line["exact"] * int(line["n"]) + own["exact"] * own["n"]) / results, results


def _of_mean(numbers: Sequence[float]) -> Spread:
    """Return the variance of the mean of several numbers."""
    return Spread(variance(numbers) / len(numbers), len(numbers) - 1)


def of_first_weights(line: Line, known: Store) -> Spread:
    """Return the variance of percent exact due to first weights, for the coding of a line.

    It is the mean over all rows of that coding that were run as printed with several seeds. It is 0
    if nothing is trained, or if there is no such row.
    """
    coding = _coding(line)
    of_rows: dict[str, list[float]] = {}
    for other in known.lines():
        if "printed" in other and "exact" in other and _coding(other) == coding:
            of_rows.setdefault(other["printed"], []).append(pooled(other)[0])
    several = [shares for shares in of_rows.values() if len(shares) > 1]
    if not coding or not several:
        return Spread()
    return Spread(mean(map(variance, several)), sum(len(shares) - 1 for shares in several))


def _coding(line: Line) -> str:
    """Return the family of a line's coding, 52x4 or 52x4-2018; "" without a network."""
    parts = str(line.get("network", "")).split(" | ")
    name = parts[1].split("+")[0] if len(parts) > 1 else ""
    return name if name.endswith("2018") else name.split("-")[0]


def _judge_value(claim: Claim, known: Store) -> tuple[str, str]:
    if claim.each:
        return _judge_each(claim, known)
    first = _number(claim.value, known)
    second = _number(claim.over, known) if claim.over else _Number(0.0, Spread())
    if first is None or second is None:
        return UNTESTED, "not measured yet"
    stated = f"{first.mean:.4g}" + (f" less {second.mean:.4g}" if claim.over else "")
    asked = {"at least": claim.least, "at most": claim.most}
    bounds = " and ".join(f"{word} {x:g}" for word, x in asked.items() if abs(x) != float("inf"))
    found = first.mean - second.mean
    verdict = HOLDS if claim.least <= found <= claim.most else FAILS
    within = claim.within or half_width([first.spread, second.spread])
    if within and min(abs(found - claim.least), abs(found - claim.most)) <= within:
        verdict = UNDECIDED
    source = str(claim.value[0]).replace("|", "·")  # a bar would end a cell of the table
    seeds = len(known.as_printed(claim.value[0]))
    protocol = _protocol([seeds] if seeds else [], "as printed")
    sampling = f", ± {within:.3g}" if within else ""
    return verdict, f"{stated}, {source} (asked: {bounds}{sampling}{protocol})"


def _judge_each(claim: Claim, known: Store) -> tuple[str, str]:
    """Judge every number of a list: the claim holds, or fails, if it does for all of them."""
    name, *steps = claim.value
    found = _follow(known.get(name), steps)
    if not found:
        return UNTESTED, "not measured yet"
    hold = [claim.least <= number <= claim.most for number in found]
    verdict = HOLDS if all(hold) else PART if any(hold) else FAILS
    asked = {"at least": claim.least, "at most": claim.most}
    bounds = " and ".join(f"{word} {x:g}" for word, x in asked.items() if abs(x) != float("inf"))
    return verdict, f"each of {', '.join(f'{x:g}' for x in found)}, {name} (asked: {bounds})"


class _Number(NamedTuple):
    """A number that a claim refers to."""

    mean: float
    spread: Spread
    """The variance due to its seeds."""


def _number(way: Sequence[Any], known: Store) -> _Number | None:
    """Return the number at the end of a path, as the mean over seeds.

    None if nothing is measured, or if the run was too small to have it.
    """
    name, *steps = way
    lines = known.as_printed(name)
    found: Any = [_follow(line, steps) for line in lines] or _follow(known.get(name), steps)
    numbers = found if isinstance(found, list) else [found]
    if not numbers or None in numbers:
        return None
    if len(numbers) == 1:
        return _Number(numbers[0], Spread())
    # the paper's row is one more such network, whose first weights count too
    of_sum = variance(numbers) * (bool(lines) + 1 / len(numbers))
    return _Number(mean(numbers), Spread(of_sum, len(numbers) - 1))


def _follow(found: Any, steps: Sequence[Any]) -> Any:
    """Return the value at the end of a path, None if the path leads nowhere."""
    for step in steps:
        if found is None or step not in (found if isinstance(found, dict) else range(len(found))):
            return None
        found = found[step]
    return found
