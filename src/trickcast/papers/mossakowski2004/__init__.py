"""Mossakowski & Mańdziuk, "Artificial Neural Networks for Solving Double Dummy Bridge Problems".

ICAISC 2004. All in notrump with West on lead.
"""

from pathlib import Path

from ..experiments.paper import read_paper
from .findings import SHAPES

PAPER = read_paper(Path(__file__).parent, of_networks=(SHAPES,))
