"""How often the clauses of a constraint are passed."""

from dataclasses import dataclass

from ..cards import DealSet
from .language.errors import ConstraintError, clip


@dataclass(frozen=True, slots=True)
class ClauseHits:
    """One clause, tried on random layouts of the unknown cards."""

    source: str
    """Whose clause it is: a seat's, or the condition's."""
    text: str
    hits: int
    """Layouts that passed it."""
    together: int
    """Layouts that passed it and all clauses before it."""
    tries: int
    exact: float | None
    """The share of all layouts that pass it, where it can be counted instead of tried."""

    @property
    def share(self) -> float:
        """The share of layouts that pass: exact where known, else hits by tries."""
        return self.exact if self.exact is not None else self.hits / max(1, self.tries)

    @property
    def passed_by(self) -> str:
        """Say how many pass: ``by 1 in 42 layouts``, ``by none of 20,000 random layouts``."""
        if self.share > 0:
            return f"by {_one_in(self.share)} layouts"
        return f"by none of {self.tries:,} random layouts"


@dataclass(frozen=True, slots=True)
class ConstraintReport:
    """How much a constraint asks: its acceptance rate, and each clause's share. ``print`` it."""

    clauses: tuple[ClauseHits, ...]
    layouts: int
    """In how many ways the unknown cards can be dealt."""
    drawn_from: float
    """The share of these that the sampler draws from, exact."""
    accepted: int
    """How many of the drawn layouts passed everything."""
    tried: int
    """How many were drawn."""

    @property
    def share(self) -> float:
        """The share of all layouts that fit: the acceptance rate of plain rejection."""
        return self.drawn_from * self.accepted / max(1, self.tried)

    @property
    def killer(self) -> ClauseHits | None:
        """The clause that is passed least often; None where there are no clauses."""
        return min(self.clauses, key=lambda clause: clause.share, default=None)

    def summary(self) -> str:
        """Say in one line how many layouts fit."""
        drawn = f"{self.accepted:,} of {self.tried:,} layouts drawn"
        if self.accepted == 0:
            limit = self.drawn_from * 3 / max(1, self.tried)  # the 95 % limit of no hits
            return f"no layout found: fewer than {_one_in(limit)} fits ({drawn})"
        return f"{_one_in(self.share)} layouts fits ({drawn} passed)"

    def __str__(self) -> str:
        lines = [self.summary()]
        texts = [clip(clause.text) for clause in self.clauses]
        width = max(map(len, texts), default=0)
        if self.clauses:
            tries = f"of {self.clauses[0].tries:,} random layouts"
            lines.append(f"{'':9} {'clause':{width}}  passed by  with those above  ({tries})")
        lines += [
            f"{clause.source:9} {text:{width}}  {_percent(clause.share):>9}"
            f"  {_percent(clause.together / max(1, clause.tries)):>16}"
            f"{'  exact' if clause.exact is not None else ''}"
            for clause, text in zip(self.clauses, texts, strict=True)
        ]
        return "\n".join(lines)


class NoDealsError(ConstraintError):
    """Too few layouts fit: fewer were found than were asked for."""

    def __init__(self, message: str, report: ConstraintReport, deals: DealSet):
        super().__init__(message)
        self.report = report
        """How often each clause is passed."""
        self.deals = deals
        """Those that were found."""


def _percent(share: float) -> str:
    return f"{share:.2%}" if share >= 0.001 or share == 0 else f"{share:.1e}"


def _one_in(share: float) -> str:
    if share <= 0:
        return "none of the"
    return f"1 in {1 / share:,.1f}" if share > 1e-2 else f"1 in {1 / share:,.0f}"
