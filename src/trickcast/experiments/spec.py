"""What an experiment is: a network to be trained as a paper says, and the rows measured on it."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from ..cards import Seat, Strain
from ..encodings import find_coding, find_head
from ..formats.hand2vec import PairSet
from ..networks import NetworkName
from ..openings import LabelledHands

if TYPE_CHECKING:
    from .scales import Scale

Line = dict[str, Any]
"""What is stored of one row: its id, figures, seed, deals, seconds, note."""

Lead = Literal["W", "both", "NS", "any"]
"""Who leads: West; West and East, each deal twice (2009); North and South (2018); every seat."""
LEADERS: dict[Lead, tuple[Seat, ...]] = {
    "W": (Seat.WEST,),
    "both": (Seat.WEST, Seat.EAST),
    "NS": (Seat.NORTH, Seat.SOUTH),
    "any": tuple(Seat),
}
CONTRACTS: dict[str, tuple[Strain, ...]] = {
    "notrump": (Strain.NOTRUMP,),
    "spades": (Strain.SPADES,),
    "hearts": (Strain.HEARTS,),
    "diamonds": (Strain.DIAMONDS,),
    "clubs": (Strain.CLUBS,),
    "all_suits": (Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS),
    "notrump+all_suits": tuple(Strain),
}
"""The strains of each word in the column ``contracts`` of the published results."""


@dataclass(frozen=True, kw_only=True)
class Pretraining:
    """That a network is trained as in 2018, and how; see ``AutoencoderConfig``."""

    rate: float
    """Of the fine tuning."""
    frozen: bool = False
    encoders: int = 1
    loss: str = "cross-entropy"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """That a network is a comparator, and how it is trained; see ``ComparatorConfig``."""

    references: int = 20
    rate: float = 0.001


@dataclass(frozen=True, kw_only=True)
class Net:
    """A network to be trained. Raises ValueError for one that cannot be."""

    network: str
    """Printed name; with a dedicated first layer written as groups, ``(52x4)-(26x4)-52-13-14``."""
    coding: str
    contracts: str
    """What it is trained on: a key of CONTRACTS."""
    lead: Lead = "W"
    deals: int = 100_000
    """Training deals of the paper."""
    head: str = "equal"
    pretraining: Pretraining | None = None
    comparison: Comparison | None = None
    """Without either it is trained by Rprop."""
    copies: int = 1
    """Networks from different first weights, trained together."""
    seed: int = 1

    def __post_init__(self) -> None:
        name, coding, head = NetworkName(self.network), find_coding(self.coding), self.outputs
        if name.layers[0].neurons != coding.size:
            raise ValueError(
                f"network {self.network} has {name.layers[0].neurons} inputs and the coding "
                f"{self.coding} gives {coding.size}"
            )
        if name.layers[-1].neurons != head:
            raise ValueError(
                f"network {self.network} has {name.layers[-1].neurons} outputs and the head "
                f"{self.head} needs {head}"
            )
        for given, known in ((self.contracts, CONTRACTS), (self.lead, LEADERS)):
            if given not in known:
                raise ValueError(f"{given!r} is not one of {', '.join(known)}")

    @property
    def outputs(self) -> int:
        """Output neurons; a comparator has one and is asked for each number of tricks."""
        return 1 if self.comparison is not None else find_head(self.head).outputs

    @property
    def key(self) -> str:
        """Everything that sets it apart from other networks, for people to read."""
        parts = [self.network, self.coding, self.contracts, f"lead {self.lead}"]
        parts += [f"{self.deals:,} deals"] if self.deals else []
        parts += [f"head {self.head}"] if self.head != "equal" else []
        for how in (self.pretraining, self.comparison):
            if how is not None:
                parts += [f"{f.name} {getattr(how, f.name)}" for f in fields(how)]
        parts += [f"{self.copies} copies"] if self.copies > 1 else []
        return " | ".join([*parts, f"seed {self.seed}"])

    @property
    def slug(self) -> str:
        """A file name: its name without odd characters, and a digest of all of it."""
        digest = hashlib.sha256(repr(sorted(asdict(self).items())).encode()).hexdigest()[:8]
        plain = re.sub(r"[^0-9A-Za-z]+", "-", f"{self.network} {self.contracts}").strip("-")
        return f"{plain}-{digest}"

    @property
    def family(self) -> str:
        """Which kind of inputs it has, on which the number of epochs depends: 26x4, 52x4 or 52."""
        found = re.match(r"26x4|52x4", self.coding)
        return found.group() if found else "52"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A published row, or one of ours that has none: which network, measured on what."""

    id: str
    net: Net
    contracts: str
    """What it is tested on: a key of CONTRACTS."""
    lead: Lead
    on: Literal["test", "train"] = "test"
    tricks: int | None = None
    """Only the deals with this result, as in Table VI of 2009."""
    note: str = ""


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
    """Files of other people that some rows are measured on, where a user has them."""

    labelled: LabelledHands | None = None
    """Polish Club hands with the calls of players, of BridgeHand2Vec."""
    pairs: PairSet | None = None
    """The validation rows of BridgeHand2Vec: pairs of hands with mean tricks."""
    training_pairs: PairSet | None = None
    """Its training rows."""


@dataclass(frozen=True, kw_only=True)
class FunctionRow:
    """A row that a function of its paper's module measures, on hands that it draws itself."""

    id: str
    """That of a published row; else a name of ours that begins with the paper's."""
    measure: "Callable[[Scale, Material], Line]"
    """Returns the line without its name."""
    needs: Literal["", "labelled", "pairs", "training_pairs"] = ""
    """The field of Material that must be there."""


def markdown_table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a table as Markdown."""
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in cells) + "\n"


Show = Callable[[str, Sequence[Line]], str]
AnyRow = Row | RawRow | AgreementRow | PublishedRow | FunctionRow


@dataclass(frozen=True)
class Paper:
    """A paper's tables, and what it mentions without figures."""

    name: str
    title: str
    tables: dict[str, tuple[AnyRow, ...]]
    """Name of a table or section, as in the published results, to its rows."""
    beyond: tuple[AnyRow, ...] = ()
    """Networks that the paper names without accuracy; reported beside the tables."""
    show: Show | None = None
    """For a paper of FunctionRows: turns the name of a table (or "beyond") and its finished lines
    into Markdown."""

    def rows(self, table: str | None = None) -> tuple[AnyRow, ...]:
        """Return the rows of one table ("V", "Table V", "beyond") or of the whole paper.

        Raises ValueError for a table that the paper has not, naming those that it has.
        """
        if table is None:
            return tuple(row for rows in self.tables.values() for row in rows) + self.beyond
        for name, rows in (*self.tables.items(), ("beyond", self.beyond)):
            if table.strip().lower() in (name.lower(), name.lower().split()[-1]):
                return rows
        known = ", ".join([*self.tables, "beyond"])
        raise ValueError(f"{self.name} has no table {table!r} (there are: {known})")
