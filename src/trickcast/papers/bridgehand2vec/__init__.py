"""BridgeHand2Vec 2023: the hand vectors, and what they are good for."""

from pathlib import Path

from ..experiments.paper import read_paper
from .one_deal import FINDING
from .printed_tables import TABLES
from .shown import show

PAPER = read_paper(Path(__file__).parent, tables=TABLES, show=show, of_deals=(FINDING,))
