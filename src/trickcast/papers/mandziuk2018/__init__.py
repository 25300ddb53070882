"""Mańdziuk & Suchan, "Solving the Double Dummy Bridge Problem with Shallow Autoencoders".

ICONIP 2018. Leads by North and South only, so North-South defend.
"""

from pathlib import Path

from ..experiments.paper import read_paper
from .findings import ERRORS, PAIRS

PAPER = read_paper(Path(__file__).parent, of_networks=(ERRORS, PAIRS))
