"""Size and kind of a suit network, without torch: what it costs can be asked anywhere."""

from dataclasses import dataclass, field

from ..cards import shorten
from ..cards.sizes import COUNTS, RANKS, SEATS, STRAINS, SUITS

RELATIONS = 7
"""Inputs a card with ``inputs="relations"``; ``suits.relations`` says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitNetworkConfig:
    """Everything that decides a network besides its weights. Raises ValueError for a bad value."""

    width: int = field(default=256, metadata={"help": "features of a token, of all four seats"})
    heads: int = field(
        default=2, metadata={"help": "attention heads a seat; 0: every suit sees the suits' mean"}
    )
    before: int = field(default=2, metadata={"help": "layers before the strain is known"})
    after: int = field(default=3, metadata={"help": "layers on the four suits of each strain"})
    pooled: int = field(default=0, metadata={"help": "layers on the suits' mean of each strain"})
    ratio: int = field(default=4, metadata={"help": "hidden units of a layer over its width"})
    inputs: str = field(
        default="relations", metadata={"help": "cards, or relations too (who beats whom)"}
    )
    rotation: str = field(
        default="exact", metadata={"help": "exact, or learned from randomly turned deals"}
    )
    activation: str = field(default="gelu", metadata={"help": "gelu or relu"})
    dropout: float = field(default=0.0, metadata={"help": "share of hidden units dropped"})
    layer_drop: float = field(
        default=0.0, metadata={"help": "chance that a row skips the last layer; earlier ones less"}
    )

    def __post_init__(self) -> None:
        for name, known in (
            ("inputs", ("cards", "relations")),
            ("rotation", ("exact", "learned")),
            ("activation", ("gelu", "relu")),
        ):
            if (value := getattr(self, name)) not in known:
                raise ValueError(f"{name} is {shorten(value)} (expected {' or '.join(known)})")
        for name, least in (("heads", 0), ("before", 0), ("after", 0), ("pooled", 0), ("ratio", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)} (expected {least} or more)")
        parts = SEATS * max(1, self.heads)
        if self.width < parts or self.width % parts:
            raise ValueError(
                f"width is {self.width} (expected a multiple of {parts}: seats times heads)"
            )
        if self.after + self.pooled == 0:
            raise ValueError("after and pooled are 0 (expected a layer that knows the strain)")
        for name in ("dropout", "layer_drop"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} (expected 0 to less than 1)")

    @property
    def seat_width(self) -> int:
        """Features of a token at one seat."""
        return self.width // SEATS

    @property
    def depth(self) -> int:
        """Layers in all."""
        return self.before + self.after + self.pooled

    @property
    def card_inputs(self) -> int:
        """Inputs of a token that are computed from its cards, of all four seats."""
        return SEATS * RANKS * (RELATIONS if self.inputs == "relations" else 1)

    @property
    def products(self) -> int:
        """Products of a weight and a feature for one deal; an evaluation is twice as many FLOP.

        Those of features with features, in attention, are left out: they are few.
        """
        square = self.width**2
        mixing = 4 * SUITS if self.heads else 2
        layer = (mixing + 2 * SUITS * self.ratio) * square  # on four suits
        entering = self.card_inputs * self.ratio * self.width
        return (
            SUITS * (entering + self.ratio * square)
            + self.before * layer
            + SUITS * 3 * square  # roles
            + STRAINS * self.after * layer
            + STRAINS * self.pooled * 2 * self.ratio * square
            + STRAINS * self.width * SEATS * COUNTS
        )
