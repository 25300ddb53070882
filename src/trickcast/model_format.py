"""What every model file of whole deals states of itself: who writes one and who reads it agree."""

MODEL_FORMAT = "trickcast model 1"
OUTPUT_ORDER = "tricks of the declarer's side; strains S H D C N; declarers N E S W"
"""The order of a model's answers."""
