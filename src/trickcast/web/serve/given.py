"""The deals and hands of a question, as they were given."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from ...cards import UNKNOWN, Board, Deal, DealError, DealSet, Hand, Seat, Vulnerability
from .reading import File

Tricks = NDArray[np.uint8]


class Sent(NamedTuple):
    """What came with a question."""

    stream: bool = False
    """Whether the answer is sent part by part."""
    deals: Sequence[str] = ()
    file: File | None = None
    """Its deals are in the place of ``deals``."""
    format: str | None = None
    """Of the file."""
    strict: bool = False
    """Whether a file in which anything is no deal is refused."""
    hands: Sequence[str] = ()
    pairs: tuple[Sequence[str], Sequence[str]] = ((), ())
    """Hands, and those of their partners."""

    @classmethod
    def of(cls, asked: BaseModel, file: File | None, *, stream: bool) -> "Sent":
        """Take it from a request."""
        said = dict(asked)
        return cls(
            stream=stream,
            deals=said.get("deals", ()),
            file=file,
            format=said.get("format"),
            strict=said.get("strict", False),
            hands=said.get("hands", ()),
            pairs=(said.get("north", ()), said.get("south", ())),
        )


class Given(NamedTuple):
    """A deal that was given, and what its file says of it."""

    deal: Deal
    board: Board | None = None
    tricks: Tricks | None = None
    """(5, 4), as the file has them: unknown ones are 255."""

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
) -> Given:
    """Return a deal of a file from what the job ``read`` tells of it."""
    board = Board(
        number=number,
        dealer=None if dealer is None else Seat.parse(dealer),
        vulnerability=None if vulnerable is None else Vulnerability.parse(vulnerable),
    )
    return Given(Deal(text), board, np.array(tricks, dtype=np.uint8))


def read_deals(texts: Sequence[str]) -> DealSet:
    """Read deals. Raises DealError, naming the index of a bad one where they are many."""
    return DealSet.from_deals([Deal(texts[0])] if len(texts) == 1 else texts)


def read_hands(texts: Sequence[str]) -> list[Hand]:
    """Read hands. Raises DealError, naming the index of a bad one where they are many."""
    hands = []
    for i, text in enumerate(texts):
        try:
            hands.append(Hand(text))
        except DealError as error:
            raise DealError(f"hand {i}: {error}" if len(texts) > 1 else str(error)) from None
    return hands
