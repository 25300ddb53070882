"""Every published row with ours beside it: facts as fields, and the columns made of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...published import published_results
from ..catalogue import PAPERS
from ..rows import Line, PublishedRow
from ..store import Store

ALLOWED = 1.5
"""Percent exact by which ours may be lower before the report says why."""
MISSING = "not measured yet"
_FIGURES = ("within_2", "within_1", "exact")
_QUOTED = "printed there from another paper, whose row it is"
_UNEXPLAINED = "not explained yet"


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

    @property
    def id(self) -> str:
        """The row's name."""
        return self.printed["id"]

    @property
    def missing(self) -> bool:
        """Whether the row is ours to measure and has not been."""
        return self.line is None and self.remark == MISSING

    @property
    def compared(self) -> bool:
        """Whether both have a figure for exact estimates."""
        return bool(self.printed["exact"]) and self.line is not None and "exact" in self.line

    @property
    def difference(self) -> float:
        """Percent exact of ours less published, of a compared row: as both are printed."""
        return float(self.figure("exact")) - float(self.printed["exact"])

    @property
    def why_lower(self) -> str:
        """Why ours are lower than published; "" where they are not, or not of scale standard."""
        if not self.compared or self.line is None or self.line["scale"] != "standard":
            return ""
        # as they are printed: 31.47 is lower than 32.97 by exactly what is allowed
        if float(self.figure("exact")) >= float(self.printed["exact"]) - ALLOWED:
            return ""
        return self.reason or _UNEXPLAINED

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

    def field(self, name: str) -> str:
        """Return any other field of ours as text, "" where there is none."""
        return "" if self.line is None else str(self.line.get(name, ""))

    def columns(self) -> dict[str, str]:
        """Return the row of reproduction.csv."""
        ours = {f"ours_{name}": self.figure(name) for name in _FIGURES}
        ours["ours_n"] = self.field("n")
        ours |= {name: self.field(name) for name in ("seconds", "seed")}
        return {**self.printed, **ours, "note": self._note()}

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
        )
        for name, printed in published_results().items()
    }
