"""What a paper declares of itself: tables, settings, findings of its own, and words for them."""

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

if TYPE_CHECKING:  # torch is needed to train, not to say what is measured
    from .trained import Trained

SUBJECTS = ("double dummy", "opening bids", "hand vectors")
"""What papers are about, in the order of the report; those of one subject follow by year."""
Show = Callable[[str, Sequence[Line]], str]


@dataclass(frozen=True, kw_only=True)
class DealsFinding:
    """Something that a paper says of deals, without any network."""

    measures: Mapping[str, Callable[[Deals], Line]]
    """Name of a finding to what measures it."""
    show: Callable[[Store], str]
    """Returns a section of the report, "" where nothing is measured."""


@dataclass(frozen=True, kw_only=True)
class NetworkFinding:
    """Something that a paper says of trained networks, other than the figures of its rows."""

    measure: Callable[["Trained", Scale, Deals], list[Line]]
    """Returns what it finds of one network, of any paper: nothing where it says nothing of it."""
    show: Callable[[Store], str]
    """Returns a section of the report, "" where nothing is measured."""


@dataclass(frozen=True)
class Settings:
    """Settings that networks of a paper have at one scale in place of those of all."""

    schedules: Mapping[str, Schedule] = field(default_factory=dict)
    """As ``Scale.schedules``."""
    pretraining_epochs: Mapping[str, int] = field(default_factory=dict)
    """As ``Scale.pretraining_epochs``."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper's tables, and what it mentions without figures."""

    name: str
    title: str
    subject: str
    """One of SUBJECTS."""
    year: int
    tables: Mapping[str, tuple[AnyRow, ...]]
    """Name of a table or section, as in the published results, to its rows."""
    caution: str = ""
    """What to know of its printed figures, a sentence or two."""
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
    """Id of a published row to the reason why ours at scale standard falls short of it."""
    apart: Mapping[str, str] = field(default_factory=dict)
    """Id of a published row to the reason why it is not near as printed."""
    quoted: tuple[str, ...] = ()
    """Ids of rows that the paper prints from another, whose rows they are."""
    choices: str = ""
    """What the paper leaves open and what was chosen here: a list in Markdown."""
    claims: tuple[Mapping[str, Any], ...] = ()
    """What the paper concludes: the fields of ``report.claims.Claim``."""
    pictures: str = ""
    """Pictures of its networks, and what is seen on them: Markdown."""
    later: str = ""
    """What the paper leaves for later, and what there is of it here: a list in Markdown."""
    fitted: str = ""
    """What was fitted to the printed figures, or is ours alone: a list in Markdown."""
    left_out: str = ""
    """What of it cannot be repeated, and why: a list in Markdown."""

    def rows(self, table: str | None = None) -> tuple[AnyRow, ...]:
        """Return the rows of one table ("V", "Table V", "beyond") or of the whole paper.

        Raises ValueError for a table that the paper has not, naming those that it has.
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

    ``paper.toml`` has its title, subject and year, and may have a caution. Every other file may be
    missing: ``rows.csv``, ``settings.toml``, ``claims.toml``, ``reasons.toml``, ``choices.md``,
    ``fitted.md``, ``later.md``, ``left_out.md``, ``pictures.md``. ``tables`` are those of a paper
    that is measured by functions; one named BEYOND has what the paper gives no figures of.
    Raises ValueError for a subject that is none of SUBJECTS.
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
    """Return the text of a file that a paper may have, "" of one that it has not."""
    return path.read_text("utf-8") if path.exists() else ""
