"""Every published row with ours beside it: facts as fields, and the columns made of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Literal

from ...published import published_results
from ..catalogue import PAPERS
from ..rows import Line, PublishedRow
from ..store import Store

MISSING = "not measured yet"
NOT_RUN = "not run yet"
FIGURES = ("within_2", "within_1", "exact")
Verdict = Literal["reached", "beyond", "lower", "no percentage", "missing"]
_BEYOND = 1.0
"""Points above the interval of the printed exact figure from which ours is beyond it."""
_TESTED = 100_000
"""Results behind a printed figure whose row does not say how many: the papers' test deals."""
_QUOTED = "printed there from another paper, whose row it is"


def standard_error(percent: float, results: int) -> float:
    """Return the standard error of a share in percent, in points."""
    return sqrt(max(percent * (100 - percent), 0) / results)


@dataclass(frozen=True, kw_only=True)
class Result:
    """A published row, and what ours gave where it was measured."""

    printed: Mapping[str, str]
    """The published row: column to text."""
    line: Line | None
    """The stored line of ours, with the name of its scale; None without one."""
    remark: str
    """What stands in place of figures: that of human players, a quotation, or MISSING."""
    reason: str
    """Why ours are lower at scale standard, should they be; "" if nobody has said it."""
    as_printed: Sequence[Line] = ()
    """The lines of the papers' own protocol, one a seed."""

    @property
    def id(self) -> str:
        """The row's name."""
        return self.printed["id"]

    @property
    def ran(self) -> bool:
        """Whether anything of ours was measured."""
        return self.line is not None or bool(self.as_printed)

    @property
    def compared(self) -> bool:
        """Whether both have a figure for exact estimates."""
        return bool(self.printed["exact"]) and bool(self._judged("exact"))

    @property
    def first_line(self) -> Line:
        """Our line, or else the first of the papers' own protocol; empty without any."""
        return self.line or next(iter(self.as_printed), {})

    @property
    def comparison(self) -> tuple[object, ...]:
        """What two rows share that print one figure twice, measured by one network."""
        shares = [self.printed[name] for name in FIGURES]
        line = self.first_line
        tested = (self.printed["contracts"], line.get("n"), line.get("on"))
        return (*shares, *tested, line.get("network"))

    @property
    def difference(self) -> float:
        """Percent exact of ours less published, of a compared row: as both are printed."""
        return self._less("exact")

    def interval(self, name: str) -> float:
        """Return two standard errors of a compared row's figure of ours less published, in points.

        Ours are shares of its n, the published of as many results as its row says.
        """
        stated = re.search(r"deals=(\d+)|(\d+) (?:\w+ )?(?:deals|hands|boards)",
                           self.printed["notes"])  # fmt: skip
        tested = int(stated.group(1) or stated.group(2)) if stated else _TESTED
        ours = standard_error(float(self._judged(name)), int(self.first_line["n"]))
        return 2 * sqrt(ours**2 + standard_error(float(self.printed[name]), tested) ** 2)

    @property
    def verdict(self) -> Verdict:
        """Whether ours are within the interval of the published figures or better, in all three."""
        if not self.compared:
            missing = not self.ran and self.remark == MISSING
            return "missing" if missing else "no percentage"
        for name in FIGURES:
            both = self.printed[name] and self._judged(name)
            if both and self._less(name) < -self.interval(name):
                return "lower"
        far = self.difference > self.interval("exact") + _BEYOND
        return "beyond" if far else "reached"

    def _judged(self, name: str) -> str:
        """Return the figure that the verdict is of: ours, or as printed where only that was run."""
        return self.figure(name) if self.line is not None else self.printed_figure(name)

    def _less(self, name: str) -> float:
        return float(self._judged(name)) - float(self.printed[name])

    @property
    def why_lower(self) -> str:
        """Why ours are lower than published; "" where they are not, or where nobody knows."""
        standard = self.line is not None and self.line["scale"] == "standard"
        return self.reason if standard and self.verdict == "lower" else ""

    @property
    def own_exact(self) -> str:
        """Percent exact on the library's own test deals, "" for a row of no others."""
        own = None if self.line is None else self.line.get("own")
        return "" if own is None else f"{own['exact']:.2f}"

    @property
    def first_note(self) -> str:
        """What is said of the row before all else."""
        return self.remark if self.line is None else str(self.line["note"])

    def figure(self, name: str) -> str:
        """Return a figure of ours as text, "" where there is none."""
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
        """Return any other field of ours as text, "" where there is none."""
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
            return self.remark
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
            return self.remark if self.remark != MISSING else NOT_RUN
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
    for paper in PAPERS.values():
        remarks |= dict.fromkeys(paper.quoted, _QUOTED)
        remarks |= {row.id: row.note for row in paper.rows() if isinstance(row, PublishedRow)}
        reasons |= paper.lower
    return {
        name: Result(
            printed=printed,
            line=known.get(name),
            remark=remarks.get(name, MISSING),
            reason=reasons.get(name, ""),
            as_printed=known.as_printed(name),
        )
        for name, printed in published_results().items()
    }
