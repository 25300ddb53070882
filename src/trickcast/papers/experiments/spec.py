"""What an experiment trains: a network as a paper describes it."""

import hashlib
import re
from dataclasses import asdict, dataclass, fields
from typing import Literal

from ...cards import Seat, Strain, shorten
from ..codings import find_coding, find_head
from ..networks import NetworkName

Lead = Literal["W", "both", "NS", "any"]
"""The leader: West; West and East, each deal twice (2009); North and South (2018); every seat."""
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
BATCH = 256
"""Examples in a batch of the 2018 trainings, which the paper does not state."""
_APART = ("decoder", "until", "by_authors")
"""Fields of a pretraining that a network's key puts in its own words."""
_USUAL = {"epochs": 0, "first_weights": 1.0, "flat_weights": False, "steps_back": False,
          "batch": BATCH}  # fmt: skip
"""Usual values, which a file's name leaves out: some files are older than these fields."""


@dataclass(frozen=True, kw_only=True)
class Pretraining:
    """Pretraining of a network as in 2018; see ``AutoencoderConfig``."""

    rate: float
    """Learning rate of the fine tuning."""
    frozen: bool = False
    encoders: int = 1
    loss: str = "cross-entropy"
    decoder: str = "joined"
    until: float = 0.0
    """Compression error to stop at, as printed for the network; 0 for none."""
    by_authors: bool = False
    """Whether to train by its authors' program, which is not all printed; see ``AuthorsConfig``."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Training of a network as a comparator; see ``ComparatorConfig``."""

    references: int = 20
    rate: float = 0.001


@dataclass(frozen=True, kw_only=True)
class Net:
    """A network to train. Raises ValueError for an impossible one."""

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
    """If this and ``pretraining`` are None, the network is trained by Rprop."""
    copies: int = 1
    """Networks from different first weights, trained together."""
    seed: int = 1
    epochs: int = 0
    """Most epochs of a training by Rprop; 0 for those of the scale."""
    first_weights: float = 1.0
    """Range of the first weights: uniform on ± this / √inputs."""
    flat_weights: bool = False
    """Whether they are uniform on ± ``first_weights`` instead, whatever the inputs."""
    steps_back: bool = False
    """Whether Rprop takes back a step that went too far."""
    batch: int = BATCH
    """Examples between two changes of the weights, if it is pretrained."""

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
        for value, known in ((self.contracts, CONTRACTS), (self.lead, LEADERS)):
            if value not in known:
                raise ValueError(f"{shorten(value)} is not one of {', '.join(known)}")

    @property
    def outputs(self) -> int:
        """Output neurons; a comparator has one, and is asked for each number of tricks."""
        return 1 if self.comparison is not None else find_head(self.head).outputs

    @property
    def by_rprop(self) -> bool:
        """Whether it is trained by Rprop, and so uses ``epochs`` and first weights."""
        return self.pretraining is None and self.comparison is None

    @property
    def key(self) -> str:
        """Everything that distinguishes it from other networks, for people to read."""
        parts = [self.network, self.coding, self.contracts, f"lead {self.lead}"]
        parts += [f"{self.deals:,} deals"] if self.deals else []
        parts += [f"head {self.head}"] if self.head != "equal" else []
        for how in (self.pretraining, self.comparison):
            if how is not None:
                shown = [f.name for f in fields(how) if f.name not in _APART]
                parts += [f"{name} {getattr(how, name)}" for name in shown]
        if self.pretraining is not None and self.pretraining.decoder != "joined":
            parts += [f"decoder {self.pretraining.decoder}"]
        if self.pretraining is not None and self.pretraining.until:
            parts += [f"until {self.pretraining.until:g}"]
        if self.pretraining is not None and self.pretraining.by_authors:
            parts += ["by its authors' program"]
        parts += [f"{self.copies} copies"] if self.copies > 1 else []
        parts += [f"{self.epochs:,} epochs"] if self.epochs else []
        if self.flat_weights:
            parts += [f"first weights on ±{self.first_weights:g}"]
        elif self.first_weights != 1:
            parts += [f"first weights times {self.first_weights:g}"]
        parts += ["steps taken back"] if self.steps_back else []
        parts += [f"batches of {self.batch}"] if self.batch != BATCH else []
        return " | ".join([*parts, f"seed {self.seed}"])

    @property
    def slug(self) -> str:
        """A file name: its name without odd characters, and a digest of all of it."""
        told = asdict(self)
        for name, usual in _USUAL.items():
            if told[name] == usual:
                del told[name]
        for name in ("until", "by_authors") if self.pretraining is not None else ():
            if not told["pretraining"][name]:
                del told["pretraining"][name]
        digest = hashlib.sha256(repr(sorted(told.items())).encode()).hexdigest()[:8]
        plain = re.sub(r"[^0-9A-Za-z]+", "-", f"{self.network} {self.contracts}").strip("-")
        return f"{plain}-{digest}"

    @property
    def family(self) -> str:
        """The family of its inputs, which decides the number of epochs: 26x4, 52x4 or 52."""
        hands_apart = re.match(r"26x4|52x4", self.coding)
        return hands_apart.group() if hands_apart else "52"
