"""Mossakowski & Mańdziuk, ICAISC 2004."""

from .tables import PAPER

__all__ = ["PAPER"]
