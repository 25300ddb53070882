"""BridgeHand2Vec 2023: opening bids of Polish Club."""

from .tables import PAPER

__all__ = ["PAPER"]
