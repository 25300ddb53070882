"""Mańdziuk & Suchan, ICONIP 2018."""

from .tables import PAPER

__all__ = ["PAPER"]
