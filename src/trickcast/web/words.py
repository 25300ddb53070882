"""The words of hand records, a table for each language: ranks, seats, what stands around a deal."""

from dataclasses import dataclass

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


ENGLISH = Words(
    code="en",
    name="English",
    ranks="AKQJ",
    notrump="NT",
    seats=("North", "East", "South", "West"),
    board="Board {}",
    deals="{} deals",
    vulnerable="vulnerable: {}",
    sides=("none", "N–S", "E–W", "both"),
    points="{} HCP",
    makes="makes",
    par="Par",
    passed="PASS",
    auction="auction",
)

LANGUAGES = {
    "en": ENGLISH,
    "fr": Words(
        code="fr",
        name="français",
        ranks="ARDV",
        notrump="SA",
        seats=("Nord", "Est", "Sud", "Ouest"),
        board="Donne {}",
        deals="{} donneur",
        vulnerable="vul. {}",
        sides=("personne", "N–S", "E–O", "tous"),
        points="{} H",
        makes="contrats gagnés",
        par="Par",
        passed="passe général",
        auction="enchères",
    ),
    "de": Words(
        code="de",
        name="Deutsch",
        ranks="AKDB",
        notrump="SA",
        seats=("Nord", "Ost", "Süd", "West"),
        board="Board {}",
        deals="Teiler {}",
        vulnerable="Gefahr: {}",
        sides=("niemand", "N–S", "O–W", "alle"),
        points="{} FP",
        makes="erfüllbar",
        par="Par",
        passed="durchgepasst",
        auction="Reizung",
    ),
    "nl": Words(
        code="nl",
        name="Nederlands",
        ranks="AHVB",
        notrump="SA",
        seats=("Noord", "Oost", "Zuid", "West"),
        board="Spel {}",
        deals="{} gever",
        vulnerable="kwetsb. {}",
        sides=("niemand", "N–Z", "O–W", "allen"),
        points="{} punten",
        makes="te maken",
        par="Par",
        passed="rondpas",
        auction="bieding",
    ),
    "pl": Words(
        code="pl",
        name="polski",
        ranks="AKDW",
        notrump="BA",
        seats=("N", "E", "S", "W"),
        board="Rozdanie {}",
        deals="rozdaje {}",
        vulnerable="po partii: {}",
        sides=("nikt", "N–S", "E–W", "obie strony"),
        points="{} PC",
        makes="do wygrania",
        par="Minimaks",
        passed="4 pasy",
        auction="licytacja",
    ),
}
"""By the code of the language."""
