"""Sizes of array axes."""

SEATS = SUITS = 4
RANKS = 13
STRAINS = 5
COUNTS = 14
"""Numbers of tricks: 0 to 13."""
