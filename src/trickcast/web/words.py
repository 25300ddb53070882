"""The words of hand records in each language: ranks, seats, and labels around a deal.

The table is the page's own, `page/words.js`: JSON from its first bracket on.
"""

import json
from dataclasses import dataclass
from importlib.resources import files

from ..cards import Seat, Strain


@dataclass(frozen=True)
class Words:
    """The words of a hand record in one language; placeholders are ``{}``."""

    code: str
    name: str
    ranks: str
    """Ace, king, queen, jack."""
    notrump: str
    seats: tuple[str, str, str, str]
    """North, East, South, West; their first letters are the abbreviations."""
    board: str
    deals: str
    """Label of the dealer."""
    vulnerable: str
    sides: tuple[str, str, str, str]
    """The vulnerabilities: nobody, North-South, East-West, all."""
    points: str
    makes: str
    par: str
    passed: str
    auction: str

    def cards(self, holding: str) -> str:
        """Return the cards of a suit as printed: ``KJT4`` as ``RV104``."""
        letters = dict(zip("AKQJT", (*self.ranks, "10"), strict=True))
        return "".join(letters.get(rank, rank) for rank in holding)

    def letter(self, seat: Seat) -> str:
        """Return the letter of a seat."""
        return self.seats[seat][0]

    def symbol(self, strain: Strain) -> str:
        """Return the sign of a suit, or the symbol for notrump."""
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
"""By language code."""
ENGLISH = LANGUAGES["en"]
