"""Mossakowski & Mańdziuk, IEEE Transactions on Neural Networks 2009."""

from .tables import PAPER

__all__ = ["PAPER"]
