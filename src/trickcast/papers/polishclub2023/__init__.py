"""BridgeHand2Vec 2023: the opening bids of Polish Club, Tables 9 and 10."""

from pathlib import Path

from ..experiments.paper import read_paper
from .printed_tables import TABLES, show

PAPER = read_paper(Path(__file__).parent, tables=TABLES, show=show)
