"""How many tricks will these cards take? Exact solving and neural estimates for bridge."""

from .cards import Deal, DealError, DealSet, Hand, Seat, Strain, Suit, TrickTable, Vulnerability
from .dealing import random_deals
from .solver import solve

__all__ = [
    "Deal",
    "DealError",
    "DealSet",
    "Hand",
    "Seat",
    "Strain",
    "Suit",
    "TrickTable",
    "Vulnerability",
    "random_deals",
    "solve",
]
