"""Every published row with ours beside it: facts as fields, and columns made from them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from statistics import mean, stdev
from typing import Literal

from ...published import published_results
from ..all_papers import PAPERS
from ..finished_figures import Store
from ..rows import AgreementRow, Line, PublishedRow, Row
from ..spec import CONTRACTS, LEADERS

MISSING = "not measured yet"
NOT_RUN = "not run yet"
FIGURES = ("within_2", "within_1", "exact")
Verdict = Literal["reached", "beyond", "lower", "no percentage", "not ours", "missing"]
_BEYOND = 1.0
"""Points above the printed exact figure's interval beyond which ours counts as beyond it."""
_TESTED = 100_000
"""Results behind a printed figure whose row states no number: the papers' test deals."""
_TESTED_ON = re.compile(r"deals=(\d+)|(?<!trained on )(?<!\d)(\d+) (?:\w+ )?(?:deals|hands|boards)")
"""How a row states the number; how many deals trained a network does not count."""
_QUOTED = "printed there from another paper, whose row it is"
_ONLY = "as printed alone"
_NEAR = 1.0
"""Points from the printed exact figure within which a row as printed is always near it."""
_BETWEEN_SUITS = 0.13
"""Correlation between two suits of a deal, of whether networks 52-25-1 are exact (Table IV)."""


def standard_error(percent: float, results: float) -> float:
    """Return the standard error of a share in percent, in points."""
    return sqrt(max(percent * (100 - percent), 0) / results)


def independent(line: Line, row: str) -> float:
    """Return how many independent results would have the variance of a row's line.

    With both leaders of a side it is half, as they get the same tricks in 92 to 93 % of deals. That
    also allows for four suits. With one leader, several suits of a deal count for fewer, too.
    """
    return int(line["n"]) / _excess().get(row, 1)


@cache
def _excess() -> dict[str, float]:
    """Return, by row id, how much results of one deal raise the variance: a factor."""
    rows = (row for paper in PAPERS.values() for row in paper.rows())
    factors: dict[str, float] = {}
    for row in rows:
        if isinstance(row, Row | AgreementRow):
            seats = LEADERS[row.lead]
            leaders = len(seats) // len({seat.side for seat in seats})
            strains = len(CONTRACTS[row.contracts])
            factors[row.id] = max(leaders, 1 + _BETWEEN_SUITS * (strains - 1))
    return factors


@dataclass(frozen=True, kw_only=True)
class Result:
    """A published row, and our figures if it was measured."""

    printed: Mapping[str, str]
    """The published row, from column to text."""
    line: Line | None
    """Our stored line, with the name of its scale; None if there is none."""
    remark: str
    """What replaces the figures: that it is of human players or quoted, or MISSING."""
    reason: str
    """Why ours are lower at scale standard, if they are; "" if nobody has explained it."""
    reason_apart: str = ""
    """Why it is not near as printed, if it is not; "" if nobody has explained it."""
    as_printed: Sequence[Line] = ()
    """The lines of the papers' own protocol, one a seed."""
    kept_apart: bool = False
    """Whether its kind has such lines: networks that are trained on solved deals."""

    @property
    def id(self) -> str:
        """The row's name."""
        return self.printed["id"]

    @property
    def ran(self) -> bool:
        """Whether any of our figures was measured."""
        return self.line is not None or bool(self.as_printed)

    @property
    def compared(self) -> bool:
        """Whether both have a figure for exact estimates."""
        return bool(self.printed["exact"]) and bool(self._judged("exact"))

    @property
    def first_line(self) -> Line:
        """Our line, or else the first by the papers' own protocol; empty if there is none."""
        return self.line or next(iter(self.as_printed), {})

    @property
    def comparison(self) -> tuple[object, ...]:
        """The key that rows share if they print one figure twice, measured by one network."""
        return self._comparison(self.first_line)

    @property
    def comparison_as_printed(self) -> tuple[object, ...]:
        """The same key for the network by the papers' own protocol, if it was run."""
        return self._comparison(next(iter(self.as_printed), {}))

    def _comparison(self, line: Line) -> tuple[object, ...]:
        shares = [self.printed[name] for name in FIGURES]
        tested = (self.printed["contracts"], line.get("n"), line.get("on"))
        return (*shares, *tested, line.get("network"))

    @property
    def difference(self) -> float:
        """Percent exact of ours minus published, of a compared row, both as shown."""
        return self._less("exact")

    def interval(self, name: str) -> float:
        """Return two standard errors of our figure minus the published, in points.

        Ours is a share of the line's results; the published of as many as its row states.
        """
        return 2 * sqrt(self._variance(name, float(self._judged(name)), self.first_line))

    def _variance(self, name: str, ours: float, line: Line) -> float:
        """Return the variance of ours minus published, due to the test deals of both."""
        stated = _TESTED_ON.search(self.printed["notes"])
        tested = int(stated.group(1) or stated.group(2)) if stated else _TESTED
        of_ours = standard_error(ours, independent(line, self.id))
        return of_ours**2 + standard_error(float(self.printed[name]), tested) ** 2

    @property
    def lower_in(self) -> Sequence[str]:
        """Which of a compared row's three figures are below the interval of the published."""
        both = [name for name in FIGURES if self.printed[name] and self._judged(name)]
        return [name for name in both if self._less(name) < -self.interval(name)]

    @property
    def verdict(self) -> Verdict:
        """Whether all three of our figures are within the interval of the published, or better."""
        if not self.compared:
            if self.ran:
                return "no percentage"
            return "missing" if self.remark == MISSING else "not ours"
        if self.lower_in:
            return "lower"
        far = self.difference > self.interval("exact") + _BEYOND
        return "beyond" if far else "reached"

    @property
    def apart(self) -> float | None:
        """Percent exact as printed, mean over the seeds, minus published; None without both."""
        return self.apart_in("exact")

    def apart_in(self, name: str) -> float | None:
        """Return the same difference for one of FIGURES."""
        ours = self.printed_figure(name)
        if not ours or not self.printed[name]:
            return None
        return float(ours) - float(self.printed[name])

    @property
    def near(self) -> bool:
        """Whether a row as printed is within a point of the published, or two standard errors.

        These cover both test sets and, with two or more seeds, first weights: the published is one
        training, ours the mean over the seeds. A row without both figures is not near.
        """
        if self.apart is None:
            return False
        seeds = [line["exact"] for line in self.as_printed]
        between = stdev(seeds) ** 2 * (1 + 1 / len(seeds)) if len(seeds) > 1 else 0.0
        variance = self._variance("exact", mean(seeds), self.as_printed[0]) + between
        return abs(self.apart) <= max(_NEAR, 2 * sqrt(variance))

    def _judged(self, name: str) -> str:
        """Return the figure behind the verdict: ours, or as printed if only that was run."""
        return self.figure(name) if self.line is not None else self.printed_figure(name)

    def _less(self, name: str) -> float:
        return float(self._judged(name)) - float(self.printed[name])

    @property
    def why_lower(self) -> str:
        """Why ours are lower than published; "" if they are not, or if nobody knows."""
        standard = self.line is not None and self.line["scale"] == "standard"
        return self.reason if standard and self.verdict == "lower" else ""

    @property
    def own_exact(self) -> str:
        """Percent exact on the library's own test deals, "" if the row has no others."""
        own = None if self.line is None else self.line.get("own")
        return "" if own is None else f"{own['exact']:.2f}"

    @property
    def first_note(self) -> str:
        """The first remark about the row."""
        if self.line is None:
            return _ONLY if self.as_printed else self.remark
        return str(self.line["note"])

    def figure(self, name: str) -> str:
        """Return a figure of ours as text, "" if there is none."""
        value = None if self.line is None else self.line.get(name)
        return "" if value is None else f"{value:.2f}"

    def printed_figure(self, name: str) -> str:
        """Return the mean over seeds by the papers' own protocol as text, "" without any."""
        values = [line[name] for line in self.as_printed if name in line]
        return f"{mean(values):.2f}" if values else ""

    @property
    def deviation(self) -> str:
        """The deviation of exact over the seeds as text, "" with fewer than two."""
        values = [line["exact"] for line in self.as_printed if "exact" in line]
        return f"{stdev(values):.2f}" if len(values) > 1 else ""

    def field(self, name: str) -> str:
        """Return any other field of ours as text, "" if there is none."""
        return "" if self.line is None else str(self.line.get(name, ""))

    def columns(self) -> dict[str, str]:
        """Return the row of reproduction.csv."""
        ours = {f"ours_{name}": self.figure(name) for name in FIGURES}
        ours["ours_n"] = self.field("n")
        ours |= {name: self.field(name) for name in ("seconds", "seed")}
        own_protocol = {f"printed_{name}": self.printed_figure(name) for name in FIGURES}
        own_protocol |= {
            "printed_sd": self.deviation,
            "printed_seeds": str(len(self.as_printed)) if self.as_printed else "",
            "printed_note": self._printed_note(),
        }
        return {**self.printed, **ours, "note": self._note(), **own_protocol}

    def _note(self) -> str:
        line = self.line
        if line is None:
            return self.first_note
        own, why = line.get("own"), self.why_lower
        parts = (
            line["note"],
            f"trained: {line['network']}",
            f"measured on {line['on'] if 'on' in line else line['test']}",
            own and f"on the library's test deals exact {own['exact']:.2f} (n {own['n']})",
            "training" in line and f"{line['training']}, {line['epochs']} epochs",
            "compression_error" in line and f"compression error {line['compression_error']}",
            why and f"lower: {why}",
        )
        return "; ".join(part for part in parts if part)

    def _printed_note(self) -> str:
        if not self.as_printed:
            return self.remark if self.remark != MISSING else NOT_RUN if self.kept_apart else ""
        seeds = ", ".join(str(line["seed"]) for line in self.as_printed)
        line = self.as_printed[0]
        parts = (
            line["note"],
            f"seeds {seeds}",
            f"measured on {line['on'] if 'on' in line else line['test']}",
            f"{line['training']} (the papers': GIB's), {line['epochs']} epochs",
        )
        return "; ".join(part for part in parts if part)


def read_results(known: Store) -> dict[str, Result]:
    """Return every published row by its id, in the order of the papers."""
    remarks: dict[str, str] = {}
    reasons: dict[str, str] = {}
    reasons_apart: dict[str, str] = {}
    kept_apart: set[str] = set()
    for paper in PAPERS.values():
        remarks |= dict.fromkeys(paper.quoted, _QUOTED)
        remarks |= {row.id: row.note for row in paper.rows() if isinstance(row, PublishedRow)}
        reasons |= paper.lower
        reasons_apart |= paper.apart
        kept_apart |= {row.id for row in paper.rows() if isinstance(row, Row | AgreementRow)}
    return {
        name: Result(
            printed=printed,
            line=known.get(name),
            remark=remarks.get(name, MISSING),
            reason=reasons.get(name, ""),
            reason_apart=reasons_apart.get(name, ""),
            as_printed=known.as_printed(name),
            kept_apart=name in kept_apart,
        )
        for name, printed in published_results().items()
    }
