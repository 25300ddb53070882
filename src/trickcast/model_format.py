"""What every model file states of itself: who writes one and who reads it agree."""

MODEL_FORMAT, PAIR_MODEL_FORMAT = "trickcast model 1", "trickcast pair model 1"
"""The formats of models of whole deals, and of those of two hands."""
BIDDING_MODEL_FORMAT = "trickcast bidding model 1"
"""The format of models of calls."""
OUTPUT_ORDER = "tricks of the declarer's side; strains S H D C N; declarers N E S W"
"""The order of the answers of a model of whole deals."""
