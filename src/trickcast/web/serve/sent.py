"""The deals and hands of a question, as received."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from ...cards import UNKNOWN, Board, Deal, DealError, DealSet, Hand, Seat, Vulnerability
from ...questions.hands import hand_or_words
from .bodies import File

Tricks = NDArray[np.uint8]
Read = TypeVar("Read")


class Sent(NamedTuple):
    """The input of a question."""

    stream: bool = False
    """Whether the answer is sent part by part."""
    deals: Sequence[str] = ()
    file: File | None = None
    """The file with its deals, instead of ``deals``."""
    format: str | None = None
    """Format of the file."""
    strict: bool = False
    """Whether to refuse a file with an invalid entry."""
    hands: Sequence[str] = ()
    pairs: tuple[Sequence[str], Sequence[str]] = ((), ())
    """Hands, and their partners' hands."""

    @classmethod
    def of(cls, asked: BaseModel, file: File | None, *, stream: bool) -> "Sent":
        """Read it from a request."""
        said = dict(asked)
        return cls(
            stream=stream,
            deals=said.get("deals", ()),
            file=file,
            format=said.get("format"),
            strict=bool(said.get("strict")),
            hands=said.get("hands", ()),
            pairs=(said.get("north", ()), said.get("south", ())),
        )


class GivenDeal(NamedTuple):
    """A deal as received, with its data from the file."""

    deal: Deal
    board: Board | None = None
    tricks: Tricks | None = None
    """(5, 4), from the file: unknown ones are 255."""

    @property
    def whole(self) -> bool:
        """Whether the file has all tricks."""
        return self.tricks is not None and not bool((self.tricks == UNKNOWN).any())


def given_deal(
    text: str,
    number: int | None,
    dealer: str | None,
    vulnerable: str | None,
    tricks: list[list[int]],
) -> GivenDeal:
    """Return a deal of a file from the output of the job ``read``."""
    board = Board(
        number=number,
        dealer=None if dealer is None else Seat.parse(dealer),
        vulnerability=None if vulnerable is None else Vulnerability.parse(vulnerable),
    )
    return GivenDeal(Deal(text), board, np.array(tricks, dtype=np.uint8))


def read_deals(texts: Sequence[str]) -> DealSet:
    """Read deals. Raises DealError, naming the index of an invalid one if there are many."""
    return DealSet.from_deals([Deal(texts[0])] if len(texts) == 1 else texts)


def read_partners(texts: Sequence[str]) -> list[Hand | str]:
    """Read hands, or descriptions of them. Raises DealError like ``read_hands``."""
    return [_nth(texts, i, hand_or_words) for i in range(len(texts))]


def read_hands(texts: Sequence[str]) -> list[Hand]:
    """Read hands. Raises DealError, naming the index of an invalid one if there are many."""
    return [_nth(texts, i, Hand) for i in range(len(texts))]


def _nth(texts: Sequence[str], number: int, read: Callable[[str], Read]) -> Read:
    try:
        return read(texts[number])
    except DealError as error:
        raise DealError(f"hand {number}: {error}" if len(texts) > 1 else str(error)) from None
