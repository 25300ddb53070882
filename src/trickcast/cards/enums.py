"""Suit, strain, seat and vulnerability: the four small alphabets of the game.

Each is an ``IntEnum`` whose values index the package's arrays (suits and seats 0-3, strains 0-4).
``parse`` reads them leniently, and they print as the letter that PBN uses.
"""

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import Self

from .errors import DealError, shorten

RANKS = "AKQJT98765432"
"""The thirteen ranks in card order, highest first."""


class Alphabet(IntEnum):
    """An enum with a one-letter text form."""

    @classmethod
    @cache
    def _spellings(cls) -> Mapping[str, Self]:
        """Every accepted upper-case spelling: the letter and the member's name."""
        return {text: member for member in cls for text in (member.letter, member.name)}

    @classmethod
    def parse(cls, text: str | Self) -> Self:
        """Return the member that ``text`` names, by letter or word, in any case.

        Raises DealError for unknown names, and for anything but text or a member of this enum:
        members of another enum may have the same letter.
        """
        if isinstance(text, cls):
            return text
        spelling = text.strip().upper() if isinstance(text, str) else ""
        member = cls._spellings().get(spelling)
        if member is None:
            letters = " ".join(member.letter for member in cls)
            raise DealError(
                f"{shorten(text)} is not a {cls.__name__.lower()} (expected one of {letters})"
            )
        return member

    @property
    def letter(self) -> str:
        """The letter that stands for the member in text."""
        return self.name[0]

    def __str__(self) -> str:
        return self.letter

    def __format__(self, spec: str) -> str:
        return format(self.letter, spec)


class _OfSuits(Alphabet):
    """An enum that includes the suits; it also parses the suits of the other such enum."""

    @classmethod
    def parse(cls, text: "str | _OfSuits") -> Self:
        """Return the member that ``text`` names, by letter, word or sign, in any case.

        A suit and its strain are interchangeable. Raises DealError for an unknown name.
        """
        if isinstance(text, cls):
            return text
        return super().parse(text.letter if isinstance(text, _OfSuits) else text)


class Suit(_OfSuits):
    """Name the four suits: S H D C are 0 to 3.

    ``Suit.parse`` reads a letter, a name or a suit sign.

    Example:
        >>> Suit.parse("♥"), Suit.CLUBS.symbol
        (<Suit.HEARTS: 1>, '♣')
    """

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def symbol(self) -> str:
        """The suit's sign: ♠ ♥ ♦ ♣."""
        return "♠♥♦♣"[self]

    @classmethod
    @cache
    def _spellings(cls) -> Mapping[str, Self]:
        singular = {member.name[:-1]: member for member in cls}
        signs = {sign: member for member in cls for sign in (member.symbol, "♤♡♢♧"[member])}
        return {**super()._spellings(), **singular, **signs}


class Strain(_OfSuits):
    """Name the five strains: S H D C are 0 to 3, as for suits, and notrump is 4.

    ``Strain.parse`` reads a letter, a name or a suit sign.

    Example:
        >>> Strain.parse("nt") is Strain.NOTRUMP, int(Strain.HEARTS)
        (True, 1)
    """

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3
    NOTRUMP = 4

    @property
    def symbol(self) -> str:
        """The suit's sign, or NT."""
        return ("♠", "♥", "♦", "♣", "NT")[self]

    @classmethod
    @cache
    def _spellings(cls) -> Mapping[str, Self]:
        suits = {text: cls(suit) for text, suit in Suit._spellings().items()}
        return {**super()._spellings(), **suits, "NT": cls(4), "NOTRUMPS": cls(4)}


class Seat(Alphabet):
    """Name the four seats, clockwise: N E S W are 0 to 3.

    ``Seat.parse`` reads a letter or a name.

    Example:
        >>> str(Seat.parse("north").lho), Seat.WEST.partner.word
        ('E', 'East')
    """

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def word(self) -> str:
        """North, East, South or West."""
        return self.name.capitalize()

    @property
    def lho(self) -> "Seat":
        """The left-hand opponent; when this seat declares, the leader."""
        return Seat((self + 1) % 4)

    @property
    def partner(self) -> "Seat":
        """The seat opposite."""
        return Seat((self + 2) % 4)

    @property
    def rho(self) -> "Seat":
        """The right-hand opponent."""
        return Seat((self + 3) % 4)

    @property
    def side(self) -> int:
        """0 for North-South, 1 for East-West."""
        return self % 2


class Vulnerability(IntEnum):
    """Name the vulnerable sides, as two bits: North-South is 1, East-West 2.

    ``Vulnerability.parse`` reads none, ns, ew or both, and the spellings that files use.

    Example:
        >>> str(Vulnerability.parse("N-S")), bool(Vulnerability.BOTH & Vulnerability.EW)
        ('ns', True)
    """

    NONE = 0
    NS = 1
    EW = 2
    BOTH = 3

    @classmethod
    def parse(cls, text: "str | Vulnerability") -> "Vulnerability":
        """Return the vulnerability for any spelling in use (PBN, LIN, words).

        Raises DealError for other text, and for anything but text.
        """
        if isinstance(text, Vulnerability):
            return text
        spelling = text.strip().upper() if isinstance(text, str) else ""
        for member, spellings in _VULNERABILITY_SPELLINGS.items():
            if spelling in spellings:
                return member
        raise DealError(f"{shorten(text)} is not a vulnerability (expected none, ns, ew or both)")

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, spec: str) -> str:
        return format(self.name.lower(), spec)


_VULNERABILITY_SPELLINGS = {
    Vulnerability.NONE: ("NONE", "NEITHER", "NIL", "LOVE", "LOVE ALL", "-", "O", "0"),
    Vulnerability.NS: ("NS", "N-S", "N/S", "N"),
    Vulnerability.EW: ("EW", "E-W", "E/W", "E"),
    Vulnerability.BOTH: ("BOTH", "ALL", "GAME ALL", "B"),
}
