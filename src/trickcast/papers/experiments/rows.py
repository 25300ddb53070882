"""What is measured: the rows of the papers' tables, and the reader of their CSV files."""

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
"""The stored line of one row: its id, figures, seed, deals, seconds, note."""
Needs = Literal["", "labelled", "pairs", "training_pairs", "authors", "layouts"]
"""A field of Material, or nothing."""
NO_NETWORK = ", no network"
"""Ending of a line's network if it has none: points turned into tricks."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row, published or ours: which network, and what it is measured on.

    Raises ValueError for unknown contracts, leaders or deals.
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
    """What distinguishes it in the report from rows of the same network."""
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
    """A measure of how well the copies of a network agree; not an accuracy."""

    id: str
    net: Net
    contracts: str
    lead: Lead = "W"
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    """A row that cannot be measured again: human players."""

    id: str
    note: str


@dataclass(frozen=True, kw_only=True)
class Material:
    """Files that some rows are measured on; users may lack them, as most are other people's."""

    labelled: LabelledHands | None = None
    """Polish Club hands with the calls of players, of BridgeHand2Vec."""
    pairs: PairSet | None = None
    """The validation rows of BridgeHand2Vec: pairs of hands with mean tricks."""
    training_pairs: PairSet | None = None
    """Its training rows."""
    authors: Any = None
    """The network of BridgeHand2Vec by its authors' weights."""
    layouts: NDArray[np.uint8] | None = None
    """Solved layouts for its game, (pairs, 10, 5, 2) tricks; anyone can make them."""


@dataclass(frozen=True, kw_only=True)
class FunctionRow:
    """A row measured by a function of its paper's module, on hands that the function draws."""

    id: str
    """The id of a published row, or a name of ours that begins with the paper's."""
    measure: Callable[[Scale, Material], Line]
    """Returns the line without its name."""
    needs: Needs = ""
    """The field of Material that is required."""
    torch: bool = False
    """Whether torch is required too, to train or run a network."""


AnyRow = Row | RawRow | AgreementRow | PublishedRow | FunctionRow
BEYOND = "beyond"
"""The name of a table of networks that a paper mentions without figures."""


def read_rows(path: Path) -> dict[str, tuple[AnyRow, ...]]:
    """Return the tables of a paper from a CSV file, by their names in the published results.

    Each line is a row; its ``kind`` gives the class: ``network``, ``agreement``, ``points`` or
    ``published``. The other columns are the fields of that class and of its network. ``contracts``
    and ``lead`` say what is tested, and also what is trained on if ``trained_on`` is empty. An
    empty cell or a missing column leaves a field at its default. Without ``training`` (pretraining
    or comparison) a network is trained by Rprop. Raises ValueError, with the line, for an unknown
    column, kind or training, and for an invalid network or row.
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
    """Return a dataclass of ``parts``, its other fields taken from cells of the same names."""
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
