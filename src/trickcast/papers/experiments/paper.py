"""A paper's own declarations: tables, settings, findings, and the text around them."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cards import shorten
from .finished_figures import Store
from .rows import BEYOND, AnyRow, Line, read_rows
from .run_deals import Deals
from .scales import Scale, Schedule, read_schedules

if TYPE_CHECKING:  # torch is needed to train, not to list what is measured
    from .trained import Trained

SUBJECTS = ("double dummy", "opening bids", "hand vectors")
"""Subjects of papers, in the order of the report; papers of one subject are sorted by year."""
Show = Callable[[str, Sequence[Line]], str]


@dataclass(frozen=True, kw_only=True)
class DealsFinding:
    """A statement of a paper about deals, without any network."""

    measures: Mapping[str, Callable[[Deals], Line]]
    """Name of a finding to the function that measures it."""
    show: Callable[[Store], str]
    """Returns a section of the report, "" if nothing is measured."""


@dataclass(frozen=True, kw_only=True)
class NetworkFinding:
    """A statement of a paper about trained networks, beyond the figures of its rows."""

    measure: Callable[["Trained", Scale, Deals], list[Line]]
    """Returns its findings on one network of any paper; empty if it has none."""
    show: Callable[[Store], str]
    """Returns a section of the report, "" if nothing is measured."""


@dataclass(frozen=True)
class Settings:
    """Settings of a paper's networks at one scale, in place of the common ones."""

    schedules: Mapping[str, Schedule] = field(default_factory=dict)
    """As ``Scale.schedules``."""
    pretraining_epochs: Mapping[str, int] = field(default_factory=dict)
    """As ``Scale.pretraining_epochs``."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper's tables, and the networks that it mentions without figures."""

    name: str
    title: str
    subject: str
    """One of SUBJECTS."""
    year: int
    tables: Mapping[str, tuple[AnyRow, ...]]
    """Name of a table or section, as in the published results, to its rows."""
    caution: str = ""
    """A warning about its printed figures, a sentence or two."""
    beyond: tuple[AnyRow, ...] = ()
    """Networks that the paper names without accuracy; reported beside the tables."""
    show: Show | None = None
    """For a paper of FunctionRows: turns the name of a table (or BEYOND) and its finished lines
    into Markdown."""
    of_deals: tuple[DealsFinding, ...] = ()
    of_networks: tuple[NetworkFinding, ...] = ()
    settings: Mapping[str, Settings] = field(default_factory=dict)
    """By scale."""
    lower: Mapping[str, str] = field(default_factory=dict)
    """Id of a published row to the reason why ours is below it at scale standard."""
    apart: Mapping[str, str] = field(default_factory=dict)
    """Id of a published row to the reason why it is not near as printed."""
    quoted: tuple[str, ...] = ()
    """Ids of rows that the paper quotes from another paper, to which they belong."""
    choices: str = ""
    """What the paper leaves open and what we chose: a list in Markdown."""
    claims: tuple[Mapping[str, Any], ...] = ()
    """The paper's conclusions: the fields of ``pages.claims.Claim``."""
    pictures: str = ""
    """Pictures of its networks, and what they show: Markdown."""
    later: str = ""
    """What the paper leaves for later, and what of it is done here: a list in Markdown."""
    fitted: str = ""
    """What was fitted to the printed figures, or is ours alone: a list in Markdown."""
    left_out: str = ""
    """What of it cannot be repeated, and why: a list in Markdown."""

    def rows(self, table: str | None = None) -> tuple[AnyRow, ...]:
        """Return the rows of one table ("V", "Table V", "beyond") or of the whole paper.

        Raises ValueError for a table that the paper does not have, listing the ones it has.
        """
        if table is None:
            return tuple(row for rows in self.tables.values() for row in rows) + self.beyond
        for name, rows in (*self.tables.items(), (BEYOND, self.beyond)):
            if table.strip().lower() in (name.lower(), name.lower().split()[-1]):
                return rows
        known = ", ".join([*self.tables, BEYOND])
        raise ValueError(f"{self.name} has no table {shorten(table)} (there are: {known})")


def read_paper(
    folder: Path,
    *,
    tables: Mapping[str, tuple[AnyRow, ...]] | None = None,
    show: Show | None = None,
    of_deals: tuple[DealsFinding, ...] = (),
    of_networks: tuple[NetworkFinding, ...] = (),
) -> Paper:
    """Return the paper of a folder, whose name is the paper's.

    ``paper.toml`` has its title, subject and year, and may have a caution. The other files are
    optional: ``rows.csv``, ``settings.toml``, ``claims.toml``, ``reasons.toml``, ``choices.md``,
    ``fitted.md``, ``later.md``, ``left_out.md``, ``pictures.md``. ``tables`` are those of a paper
    that is measured by functions; one named BEYOND holds what the paper gives no figures for.
    Raises ValueError for a subject that is not in SUBJECTS.
    """
    facts = tomllib.loads((folder / "paper.toml").read_text("utf-8"))
    if facts["subject"] not in SUBJECTS:
        raise ValueError(
            f"{folder / 'paper.toml'}: no subject {facts['subject']!r} (expected one of "
            f"{', '.join(SUBJECTS)})"
        )
    declared = dict(tables or read_rows(folder / "rows.csv"))
    reasons = _toml(folder / "reasons.toml")
    return Paper(
        name=folder.name,
        title=facts["title"],
        subject=facts["subject"],
        year=facts["year"],
        caution=facts.get("caution", ""),
        quoted=tuple(facts.get("quoted", ())),
        beyond=declared.pop(BEYOND, ()),
        tables=declared,
        show=show,
        of_deals=of_deals,
        of_networks=of_networks,
        settings={
            scale: Settings(
                read_schedules(fields.get("schedules", {})), fields.get("pretraining_epochs", {})
            )
            for scale, fields in _toml(folder / "settings.toml").items()
        },
        lower=_by_row(reasons.get("lower", ())),
        apart=_by_row(reasons.get("apart", ())),
        claims=tuple(_toml(folder / "claims.toml").get("claim", ())),
        pictures=_text(folder / "pictures.md"),
        later=_text(folder / "later.md"),
        fitted=_text(folder / "fitted.md"),
        choices=_text(folder / "choices.md"),
        left_out=_text(folder / "left_out.md"),
    )


def _by_row(reasons: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {row: reason["why"] for reason in reasons for row in reason["rows"]}


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(_text(path))


def _text(path: Path) -> str:
    """Return the text of an optional file of a paper, "" if it is missing."""
    return path.read_text("utf-8") if path.exists() else ""
