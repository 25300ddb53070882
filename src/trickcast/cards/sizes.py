"""How many there are of what arrays are shaped by."""

SEATS = SUITS = 4
RANKS = 13
STRAINS = 5
COUNTS = 14
"""Of tricks: 0 to 13."""
