"""The words of hand records, a table for each language: ranks, seats, what stands around a deal.

The table is that of the page, `page/words.js`: JSON from its first bracket on.
"""

import json
from dataclasses import dataclass
from importlib.resources import files

from ..cards import Seat, Strain


@dataclass(frozen=True)
class Words:
    """What a hand record says, in one language; places are ``{}``."""

    code: str
    name: str
    ranks: str
    """Ace, king, queen, jack."""
    notrump: str
    seats: tuple[str, str, str, str]
    """North, East, South, West; their first letters stand for them."""
    board: str
    deals: str
    """Of the dealer."""
    vulnerable: str
    sides: tuple[str, str, str, str]
    """Who is vulnerable: nobody, North-South, East-West, all."""
    points: str
    makes: str
    par: str
    passed: str
    auction: str

    def cards(self, holding: str) -> str:
        """Return the cards of a suit as they are printed: ``KJT4`` as ``RV104``."""
        letters = dict(zip("AKQJT", (*self.ranks, "10"), strict=True))
        return "".join(letters.get(rank, rank) for rank in holding)

    def letter(self, seat: Seat) -> str:
        """Return the letter of a seat."""
        return self.seats[seat][0]

    def symbol(self, strain: Strain) -> str:
        """Return the sign of a suit, or what stands for notrump."""
        return self.notrump if strain is Strain.NOTRUMP else strain.symbol


def _languages() -> dict[str, Words]:
    text = files(__package__).joinpath("page", "words.js").read_text("utf-8")
    tables = json.loads(text[text.index("{") :].rstrip().removesuffix(";"))
    return {
        code: Words(
            code=code,
            name=table["name"],
            ranks=table["cards"]["ranks"],
            notrump=table["cards"]["symbol"],
            **table["record"] | {key: tuple(table["record"][key]) for key in ("seats", "sides")},
        )
        for code, table in tables.items()
    }


LANGUAGES = _languages()
"""By the code of the language."""
ENGLISH = LANGUAGES["en"]
