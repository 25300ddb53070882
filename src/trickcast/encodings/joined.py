"""Two codings side by side: the deal, and what people make of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .coding import Coding, Inputs, Trumps


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
