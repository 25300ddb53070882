"""Mossakowski & Mańdziuk, "Learning Without Human Expertise".

"A Case Study of the Double Dummy Bridge Problem", IEEE Transactions on Neural Networks 20(2), 2009.
"""

from pathlib import Path

from ..experiments.paper import read_paper
from .findings import FIRST_LAYERS, LEADERS_MATTER, PRINTED_DEALS

PAPER = read_paper(
    Path(__file__).parent,
    of_deals=(LEADERS_MATTER,),
    of_networks=(FIRST_LAYERS, PRINTED_DEALS),
)
