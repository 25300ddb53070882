"""How a shard holds its deals: whole tables as in ``.zrd``, or one strain of each deal.

A ``.zrd`` record has a nibble for each of twenty results and none for "not known" (14 and 15 mean
nothing, and Pavlicek's readers would take them for tricks). So deals that are solved in one strain
have a record of their own, of 16 bytes:

- bytes 0-12: the owners, two bits a card, lowest bits first, N E S W = 0-3: spades from the ace to
  the two, then hearts, diamonds, clubs;
- byte 13: the strain, S H D C N = 0-4;
- bytes 14-15: the declarers' tricks N E S W, a nibble each, low nibble first.

The other sixteen results are unknown, 255 in arrays.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, DealSet, Strain
from ..formats import zrd

_CARD_BYTES, _BYTES = 13, 16
_SHIFTS = np.array([0, 2, 4, 6], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Record:
    """One way to write a shard."""

    name: str
    """What a manifest calls it."""
    suffix: str
    """Of the shards' files."""
    size: int
    """Bytes a deal."""
    strains: str
    """In how many strains a deal is solved: ``all`` or ``one``."""
    encode: Callable[[DealSet], bytes]
    """Raises ValueError for a deal of which something else is known."""
    decode: Callable[[bytes, str], DealSet]
    """The inverse, given a name for messages. Raises ValueError for what are no such records."""

    def __reduce__(self) -> tuple[Callable[[str], "Record"], tuple[str]]:
        return _record_named, (self.name,)  # in another process it is the one there is


def _encode_strain(deals: DealSet) -> bytes:
    tricks = deals.tricks_or_unknown
    known = (tricks != UNKNOWN).all(axis=2)
    if (known.sum(axis=1) != 1).any() or ((tricks != UNKNOWN) != known[:, :, None]).any():
        raise ValueError("not every deal is solved in one strain by four declarers")
    strains = known.argmax(axis=1)
    four = tricks[np.arange(len(deals)), strains]
    records = np.empty((len(deals), _BYTES), dtype=np.uint8)
    cards = deals.owners.reshape(-1, _CARD_BYTES, 4) << _SHIFTS
    records[:, :_CARD_BYTES] = np.bitwise_or.reduce(cards, axis=2)
    records[:, _CARD_BYTES] = strains
    records[:, _CARD_BYTES + 1 :] = four[:, 0::2] | four[:, 1::2] << 4
    return records.tobytes()


def _decode_strain(data: bytes, name: str) -> DealSet:
    if len(data) % _BYTES:
        raise ValueError(f"{name}: {len(data)} bytes (expected records of {_BYTES})")
    records = np.frombuffer(data, dtype=np.uint8).reshape(-1, _BYTES)
    strains, pairs = records[:, _CARD_BYTES], records[:, _CARD_BYTES + 1 :]
    four = np.stack([pairs & 15, pairs >> 4], axis=2).reshape(-1, 4)
    wrong = (strains >= len(Strain)) | (four > 13).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{name}: record {row}: strain {strains[row]}, tricks {four[row].tolist()} "
            "(expected 0 to 4, and 0 to 13)"
        )
    owners = records[:, :_CARD_BYTES, None] >> _SHIFTS & 3
    tricks = np.full((len(records), 5, 4), UNKNOWN, dtype=np.uint8)
    tricks[np.arange(len(records)), strains] = four
    return DealSet(owners.reshape(-1, 52), tricks)


def known_strains(tricks: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return the strain in which each deal of (n, 5, 4) tricks is solved, of deals with one."""
    strains: NDArray[np.intp] = (tricks[:, :, 0] != UNKNOWN).argmax(axis=1)
    return strains


WHOLE = Record(
    name="Pavlicek .zrd, 23 bytes a deal",
    suffix=".zrd",
    size=zrd.RECORD,
    strains="all",
    encode=lambda deals: zrd.encode(deals.owners, deals.tricks_or_unknown),
    decode=lambda data, name: DealSet(*zrd.decode(data, name)),
)
ONE_STRAIN = Record(
    name="one strain of a deal by four declarers, 16 bytes a deal",
    suffix=".strain",
    size=_BYTES,
    strains="one",
    encode=_encode_strain,
    decode=_decode_strain,
)
RECORDS = {record.name: record for record in (WHOLE, ONE_STRAIN)}


def _record_named(name: str) -> Record:
    return RECORDS[name]
