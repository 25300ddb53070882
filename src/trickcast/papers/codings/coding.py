"""The interface of every coding, its checks, and two codings side by side."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...cards import Seat, Strain
from .deal_views import exchange

Inputs = NDArray[np.uint8] | NDArray[np.float32]
"""(n, size) rows: uint8 if all are 0 or 1, float32 otherwise."""
Trumps = Literal["exchanged", "marked", "ignored"]
"""How a coding treats the trump suit: put in the place of spades, marked, or ignored."""


class Coding(Protocol):
    """A coding's description of itself; name and version are stored in every model file."""

    @property
    def name(self) -> str:
        """The papers' name for the coding."""

    @property
    def version(self) -> int:
        """The version, raised whenever the numbers change, so that no old model gets new input."""

    @property
    def size(self) -> int:
        """Inputs a row."""

    @property
    def turned(self) -> bool:
        """Whether the deal is turned so that the leader always sits in one place."""

    @property
    def trumps(self) -> Trumps:
        """How the trump suit is treated."""

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
        """How the trump suit is treated."""
        return self.first.trumps

    @property
    def negative(self) -> bool:
        """Whether inputs fall below zero."""
        return self.first.negative or self.second.negative

    def encode(self, owners: NDArray[np.uint8], strain: ArrayLike, declarer: ArrayLike) -> Inputs:
        """Return (n, size) float32."""
        parts = [coding.encode(owners, strain, declarer) for coding in (self.first, self.second)]
        return np.concatenate(parts, axis=1, dtype=np.float32)


_ROWS = 8


def check_coding(coding: Coding) -> None:
    """Check that a coding keeps the rules of all codings.

    Rows have the stated size and sign, keep their order, and are the same alone as in a batch. If
    the coding says so, a row does not change when the deal is turned with its declarer, or when
    trumps and spades are exchanged. Otherwise the row shows the leader, or the trump suit.

    Args:
        coding: The coding.

    Raises:
        AssertionError: A rule is broken; the message says which.

    Example:
        >>> from trickcast.papers.codings import find_coding
        >>> check_coding(find_coding("52x4"))
    """
    rng = np.random.default_rng(0)
    owners = rng.permuted(np.tile(np.repeat(np.arange(4, dtype=np.uint8), 13), (_ROWS, 1)), axis=1)
    before = owners.copy()
    for strain in Strain:
        for declarer in Seat:
            rows = coding.encode(owners, strain, declarer)
            require(rows.shape == (_ROWS, coding.size), f"{rows.shape} is not (8, {coding.size})")
            require(rows.dtype in (np.uint8, np.float32), f"{rows.dtype}, not uint8 or float32")
            negative = bool((rows < 0).any())
            require(negative == coding.negative, "the sign of the inputs is another")
            alone = coding.encode(owners[5:6], strain, declarer)
            require(np.array_equal(rows[5:6], alone), "a row depends on its batch")
            each = coding.encode(owners, np.full(_ROWS, strain), np.full(_ROWS, declarer))
            require(np.array_equal(rows, each), "n strains and declarers differ from one")
            if coding.turned:
                turned = coding.encode((owners + 1) % 4, strain, declarer.lho)
                require(np.array_equal(rows, turned), "turning the deal changes the input")
            else:
                other = coding.encode(owners, strain, declarer.lho)
                require(_all_differ(rows, other), "the input does not tell the leader")
            _check_trumps(coding, owners, strain, declarer)
    require(np.array_equal(owners, before), "the deals were changed")
    none = coding.encode(owners[:0], 0, 0)
    require(none.shape == (0, coding.size), "an empty batch fails")


def require(claim: bool | np.bool_, words: str) -> None:
    """Raise AssertionError with these words if a claim does not hold."""
    if not claim:  # ``python -O`` would drop an assert
        raise AssertionError(words)


def _all_differ(rows: Inputs, others: Inputs) -> bool:
    return bool((rows != others).any(axis=1).all())


def _check_trumps(
    coding: Coding, owners: NDArray[np.uint8], strain: Strain, declarer: Seat
) -> None:
    rows = coding.encode(owners, strain, declarer)
    if coding.trumps == "exchanged":
        trumps = strain if strain == Strain.NOTRUMP else Strain.SPADES
        exchanged = coding.encode(exchange(owners, strain), trumps, declarer)
        require(np.array_equal(rows, exchanged), "exchanging the trumps changes the input")
        return
    other = coding.encode(owners, (strain + 1) % 5, declarer)
    if coding.trumps == "marked":
        require(_all_differ(rows, other), "the input does not tell the trumps")
    else:
        require(np.array_equal(rows, other), "the input tells the trumps")
