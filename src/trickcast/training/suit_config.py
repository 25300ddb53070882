"""Size and kind of a suit network, without torch: what it costs can be asked anywhere."""

from dataclasses import dataclass

from ..cards.sizes import COUNTS, RANKS, SEATS, STRAINS, SUITS
from .fields import SHARE, at_least, check_settings, one_of, setting

RELATIONS = 7
"""Inputs a card with ``inputs="relations"``; ``suits.relations`` says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitNetworkConfig:
    """Everything that decides a network besides its weights. Raises ValueError for a bad value."""

    width: int = setting(256, "features of a token, of all four seats")
    heads: int = setting(
        2, "attention heads a seat; 0: every suit sees the suits' mean", at_least(0)
    )
    before: int = setting(2, "layers before the strain is known", at_least(0))
    after: int = setting(3, "layers on the four suits of each strain", at_least(0))
    pooled: int = setting(0, "layers on the suits' mean of each strain", at_least(0))
    ratio: int = setting(4, "hidden units of a layer over its width", at_least(1))
    inputs: str = setting(
        "relations", "cards, or relations too (who beats whom)", one_of("cards", "relations")
    )
    rotation: str = setting(
        "exact", "exact, or learned from randomly turned deals", one_of("exact", "learned")
    )
    activation: str = setting("gelu", "gelu or relu", one_of("gelu", "relu"))
    dropout: float = setting(0.0, "share of hidden units dropped", SHARE)
    layer_drop: float = setting(
        0.0, "chance that a row skips the last layer; earlier ones less", SHARE
    )

    def __post_init__(self) -> None:
        check_settings(self)
        parts = SEATS * max(1, self.heads)
        if self.width < parts or self.width % parts:
            raise ValueError(
                f"width is {self.width} (expected a multiple of {parts}: seats times heads)"
            )
        if self.after + self.pooled == 0:
            raise ValueError("after and pooled are 0 (expected a layer that knows the strain)")

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
