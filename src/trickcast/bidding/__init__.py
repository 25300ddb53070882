"""Bidding: what calls show, hands that fit an auction, the next call, and opening systems.

Opening systems consist of readable rules, or are networks that learned to open. The network of
calls and everything built on it handle whole auctions.
"""

from ..cards.auction import BIDS
from ..cards.auction_text import Auction, AuctionLike, read_auction
from ..cards.styles import StyleError
from ..dealing.language.calls import CALLS, PASS, UNKNOWN, parse_call
from ..dealing.language.rulefile import Rule, RuleError
from ..dealing.language.systems import rule_file
from .auction_layouts import AuctionDeals, AuctionError, AuctionLayouts, AuctionWarning, deals_after
from .bidder import Bidder
from .bidder import Reading as AuctionReading
from .bidder import loaded as loaded_bidder
from .calling import (
    CallValue,
    ComparedCalls,
    SuggestedCall,
    SuggestedCalls,
    bid_deals,
    compare_calls,
    suggest_calls,
)
from .drawing import hands_meeting, hands_opened, random_hands
from .explained import AuctionShown, CallShown, explain_auction
from .labelled_hands import LabelledError, LabelledHands, read_labelled
from .meanings import Meaning, MeaningError, MeaningsLike, read_meanings
from .nearest import NearestSystem, Neighbour, code_counts, own_labelled
from .registry import USUAL_SYSTEMS, RuleWarning, load, names, open_by
from .review import Overlap, Review, review
from .rules import RuleExplanation, RuleSystem, RunnerUp
from .softrules import Shading, SoftRuleSystem, fit_shading
from .system import Explanation, OpeningSystem

__all__ = [
    "BIDS",
    "CALLS",
    "PASS",
    "UNKNOWN",
    "USUAL_SYSTEMS",
    "Auction",
    "AuctionDeals",
    "AuctionError",
    "AuctionLayouts",
    "AuctionLike",
    "AuctionReading",
    "AuctionShown",
    "AuctionWarning",
    "Bidder",
    "CallShown",
    "CallValue",
    "ComparedCalls",
    "Explanation",
    "LabelledError",
    "LabelledHands",
    "Meaning",
    "MeaningError",
    "MeaningsLike",
    "NearestSystem",
    "Neighbour",
    "OpeningSystem",
    "Overlap",
    "Review",
    "Rule",
    "RuleError",
    "RuleExplanation",
    "RuleSystem",
    "RuleWarning",
    "RunnerUp",
    "Shading",
    "SoftRuleSystem",
    "StyleError",
    "SuggestedCall",
    "SuggestedCalls",
    "bid_deals",
    "code_counts",
    "compare_calls",
    "deals_after",
    "explain_auction",
    "fit_shading",
    "hands_meeting",
    "hands_opened",
    "load",
    "loaded_bidder",
    "names",
    "open_by",
    "own_labelled",
    "parse_call",
    "random_hands",
    "read_auction",
    "read_labelled",
    "read_meanings",
    "review",
    "rule_file",
    "suggest_calls",
]


def __dir__() -> list[str]:
    return __all__
