"""Yegnanarayana, Khemani & Sarkar, Sadhana 1996: opening bids."""

from .tables import PAPER

__all__ = ["PAPER"]
