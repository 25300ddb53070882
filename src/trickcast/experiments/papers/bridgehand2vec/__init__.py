"""BridgeHand2Vec 2023: hand vectors."""

from .tables import PAPER

__all__ = ["PAPER"]
