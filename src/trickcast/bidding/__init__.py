"""Auctions: what calls show, hands that fit them, and the next call."""

from .auction import Auction, read_auction
from .bidder import Bidder, Reading
from .explain import AuctionShown, CallShown, explain_auction
from .layouts import AuctionDeals, AuctionError, AuctionWarning, deals_after

__all__ = [
    "Auction",
    "AuctionDeals",
    "AuctionError",
    "AuctionShown",
    "AuctionWarning",
    "Bidder",
    "CallShown",
    "Reading",
    "deals_after",
    "explain_auction",
    "read_auction",
]
