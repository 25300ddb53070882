"""The value types of the game: suits, strains, seats, hands, deals, sets of deals, trick tables.

Everything here follows one array convention: owners (n, 52) uint8 with cards from the ace of
spades to the two of clubs and seats N E S W = 0-3; tricks (n, 5, 4) uint8 with strains S H D C N
by declarers N E S W, always the tricks of the declarer's side.
"""

from .board import Board, Tag, board_dealer, board_vulnerability
from .chances import BOOK, COUNTS, TrickChances
from .columns import (
    BLANKS,
    DEAL_WIDTH,
    HAND_WIDTH,
    TRICK_COLUMNS,
    Tabular,
    cell_columns,
    chance_columns,
    write_deal_texts,
    write_deals,
)
from .deal import COUNT_OF_SEAT, FOUR_FULL_HANDS, Deal, check_owners
from .dealset import DealLike, DealSet, DealsLike, Skipped, as_dealset
from .enums import RANKS, Seat, Strain, Suit, Vulnerability
from .errors import (
    DealError,
    NoteWarning,
    checked_number,
    checked_whole,
    counted,
    cut,
    shorten,
)
from .grid import PRINTED_SEATS, PRINTED_STRAINS, Grid, html_table, whole_percent
from .hand import Hand, HandLike, HandsLike, as_hands, hands_of, hcp, lengths
from .labelled import TABLE, LabelledArray
from .one_or_many import OneOrMany
from .partial import HIDDEN, PartialDeals
from .table import UNKNOWN, TrickTable
from .text import card_text, declarer_of, parse_card, parse_contract

__all__ = [
    "BLANKS",
    "BOOK",
    "COUNTS",
    "COUNT_OF_SEAT",
    "DEAL_WIDTH",
    "FOUR_FULL_HANDS",
    "HAND_WIDTH",
    "HIDDEN",
    "PRINTED_SEATS",
    "PRINTED_STRAINS",
    "RANKS",
    "TABLE",
    "TRICK_COLUMNS",
    "UNKNOWN",
    "Board",
    "Deal",
    "DealError",
    "DealLike",
    "DealSet",
    "DealsLike",
    "Grid",
    "Hand",
    "HandLike",
    "HandsLike",
    "LabelledArray",
    "NoteWarning",
    "OneOrMany",
    "PartialDeals",
    "Seat",
    "Skipped",
    "Strain",
    "Suit",
    "Tabular",
    "Tag",
    "TrickChances",
    "TrickTable",
    "Vulnerability",
    "as_dealset",
    "as_hands",
    "board_dealer",
    "board_vulnerability",
    "card_text",
    "cell_columns",
    "chance_columns",
    "check_owners",
    "checked_number",
    "checked_whole",
    "counted",
    "cut",
    "declarer_of",
    "hands_of",
    "hcp",
    "html_table",
    "lengths",
    "parse_card",
    "parse_contract",
    "shorten",
    "whole_percent",
    "write_deal_texts",
    "write_deals",
]


def __dir__() -> list[str]:
    return __all__
