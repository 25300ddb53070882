"""Yegnanarayana, Khemani & Sarkar, "Neural Networks for Contract Bridge Bidding".

Sadhana 21(3), 1996.
"""

from pathlib import Path

from ..experiments.paper import read_paper
from .printed_tables import TABLES, show

PAPER = read_paper(Path(__file__).parent, tables=TABLES, show=show)
