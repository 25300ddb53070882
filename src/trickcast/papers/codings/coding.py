"""What every coding states of itself, and two codings side by side."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Inputs = NDArray[np.uint8] | NDArray[np.float32]
"""(n, size) rows: uint8 where all are 0 or 1, float32 else."""
Trumps = Literal["exchanged", "marked", "ignored"]
"""What a coding does with the trump suit: puts it in the place of spades, marks it, or nothing."""


class Coding(Protocol):
    """What a coding states of itself; name and version are stored in every model file."""

    @property
    def name(self) -> str:
        """The papers' name for it."""

    @property
    def version(self) -> int:
        """Goes up whenever the numbers change, so that no old model is fed new input."""

    @property
    def size(self) -> int:
        """Inputs a row."""

    @property
    def turned(self) -> bool:
        """Whether the deal is turned so that the leader always sits in one place."""

    @property
    def trumps(self) -> Trumps:
        """What becomes of the trump suit."""

    @property
    def negative(self) -> bool:
        """Whether inputs fall below zero; the papers then use tanh instead of the logistic."""

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return the (n, size) inputs of (n, 52) owners, for one or n strains and declarers."""


@dataclass(frozen=True)
class Joined:
    """The inputs of one coding, then those of another. Both must treat deals alike."""

    first: Coding
    second: Coding
    version = 1

    def __post_init__(self) -> None:
        if (self.first.turned, self.first.trumps) != (self.second.turned, self.second.trumps):
            raise ValueError(f"{self.first.name} and {self.second.name} treat deals differently")

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.first.name}+{self.second.name}"

    @property
    def size(self) -> int:
        """Inputs a row."""
        return self.first.size + self.second.size

    @property
    def turned(self) -> bool:
        """Whether the deal is turned to its leader."""
        return self.first.turned

    @property
    def trumps(self) -> Trumps:
        """What becomes of the trump suit."""
        return self.first.trumps

    @property
    def negative(self) -> bool:
        """Whether inputs fall below zero."""
        return self.first.negative or self.second.negative

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return (n, size) float32."""
        parts = [coding.encode(owners, strain, declarer) for coding in (self.first, self.second)]
        return np.concatenate(parts, axis=1, dtype=np.float32)
