"""What is measured: the rows of the papers' tables, and how a table of them is read."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...bidding import LabelledHands
from ...cards import shorten
from ...formats.hand2vec import PairSet
from .scales import Scale
from .spec import CONTRACTS, LEADERS, Comparison, Lead, Net, Pretraining

Line = dict[str, Any]
"""What is stored of one row: its id, figures, seed, deals, seconds, note."""
Needs = Literal["", "labelled", "pairs", "training_pairs", "authors", "layouts"]
"""A field of Material, or nothing."""
NO_NETWORK = ", no network"
"""How the network of a line ends that has none: points turned into tricks."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A published row, or one of ours that has none: which network, measured on what.

    Raises ValueError for contracts, leaders or deals that there are not.
    """

    id: str
    net: Net
    contracts: str
    """What it is tested on: a key of CONTRACTS."""
    lead: Lead
    on: Literal["test", "train"] = "test"
    tricks: int | None = None
    """Only the deals with this result, as in Table VI of 2009."""
    labels: tuple[str, ...] = ()
    """What sets it apart from rows of the same network, for the report."""
    note: str = ""

    def __post_init__(self) -> None:
        for value, known in (
            (self.contracts, CONTRACTS),
            (self.lead, LEADERS),
            (self.on, ("test", "train")),
        ):
            if value not in known:
                raise ValueError(f"{shorten(value)} is not one of {', '.join(known)}")


@dataclass(frozen=True, kw_only=True)
class RawRow:
    """A published row of points turned into tricks without any network."""

    id: str
    method: str
    contracts: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class AgreementRow:
    """How well the copies of a network agree; not an accuracy."""

    id: str
    net: Net
    contracts: str
    lead: Lead = "W"
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    """A row that nobody can measure again: human players."""

    id: str
    note: str


@dataclass(frozen=True, kw_only=True)
class Material:
    """Files that some rows are measured on, most of them other people's, where a user has them."""

    labelled: LabelledHands | None = None
    """Polish Club hands with the calls of players, of BridgeHand2Vec."""
    pairs: PairSet | None = None
    """The validation rows of BridgeHand2Vec: pairs of hands with mean tricks."""
    training_pairs: PairSet | None = None
    """Its training rows."""
    authors: Any = None
    """The network of BridgeHand2Vec by its authors' weights."""
    layouts: NDArray[np.uint8] | None = None
    """Solved layouts for its game, (pairs, 10, 5, 2) tricks; anybody can make them."""


@dataclass(frozen=True, kw_only=True)
class FunctionRow:
    """A row that a function of its paper's module measures, on hands that it draws itself."""

    id: str
    """That of a published row; else a name of ours that begins with the paper's."""
    measure: Callable[[Scale, Material], Line]
    """Returns the line without its name."""
    needs: Needs = ""
    """The field of Material that must be there."""
    torch: bool = False
    """Whether torch must be there too: it trains networks by it, or runs one."""


AnyRow = Row | RawRow | AgreementRow | PublishedRow | FunctionRow
BEYOND = "beyond"
"""The name of a table of networks that a paper mentions without figures."""


def read_rows(path: Path) -> dict[str, tuple[AnyRow, ...]]:
    """Return the tables of a paper, by their names in the published results, from a CSV file.

    A line is a row; its ``kind`` says of which class: ``network``, ``agreement``, ``points`` or
    ``published``. The other columns are the fields of that class and of its network; ``contracts``
    and ``lead`` are tested on, and trained on too where ``trained_on`` is empty. An empty
    cell, or a column that is not there, leaves the field as it is by default; without ``training``
    (pretraining or comparison) a network is trained by Rprop. Raises ValueError, with the line, for
    an unknown column, kind or training, and for a network or row that cannot be.
    """
    tables: dict[str, list[AnyRow]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        unknown = ", ".join(sorted({*(reader.fieldnames or ())} - _COLUMNS))
        if unknown:
            raise ValueError(
                f"{path}: no rows have {unknown} (known: {', '.join(sorted(_COLUMNS))})"
            )
        for cells in reader:
            filled = {column: text for column, text in cells.items() if text}
            try:
                tables.setdefault(filled["table"], []).append(_row(filled))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}, line {reader.line_num}: {error}") from None
    return {name: tuple(rows) for name, rows in tables.items()}


def _row(cells: Mapping[str, str]) -> AnyRow:
    kind = _KINDS[cells["kind"]]
    parts = {"net": _net(cells)} if kind in (Row, AgreementRow) else {}
    row: AnyRow = _read(kind, cells, **parts)
    return row


def _net(cells: Mapping[str, str]) -> Net:
    parts: dict[str, Any] = {"contracts": cells.get("trained_on", cells["contracts"])}
    if "training" in cells:
        parts[cells["training"]] = _read(_TRAININGS[cells["training"]], cells)
    net: Net = _read(Net, cells, **parts)
    return net


def _read(kind: Any, cells: Mapping[str, str], **parts: Any) -> Any:
    """Return a dataclass of ``parts``, its other fields those cells that have their names."""
    names = [field.name for field in fields(kind) if field.name in cells]
    return kind(**{name: _VALUES.get(name, str)(cells[name]) for name in names} | parts)


_COLUMNS = {
    *("table", "id", "kind", "network", "coding", "head", "contracts", "lead", "trained_on"),
    *("deals", "copies", "training", "rate", "frozen", "encoders", "loss", "decoder", "until"),
    "references",
    *("on", "tricks", "method", "labels", "note"),
}
"""Of a file of rows."""
_KINDS = {
    "network": Row,
    "agreement": AgreementRow,
    "points": RawRow,
    "published": PublishedRow,
}
_TRAININGS = {"pretraining": Pretraining, "comparison": Comparison}
_VALUES: Mapping[str, Callable[[str], Any]] = {
    "deals": int,
    "copies": int,
    "tricks": int,
    "encoders": int,
    "references": int,
    "rate": float,
    "until": float,
    "frozen": "yes".__eq__,
    "labels": lambda text: tuple(text.split("; ")),
}
