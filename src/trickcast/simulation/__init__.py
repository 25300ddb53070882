"""Simulation: the results of a contract over all layouts that fit, with error bars."""

from .as_played import AsPlayed
from .beating import BeatingLead, beating_leads
from .comparing import Choice, ChoiceLike, Compared, Comparison
from .contracts import ContractValue, Simulation
from .controls import MINIMUM_EXACT, Means, means
from .layouts import Clock
from .leads import Lead, LeadSimulation
from .making import ContractChance
from .next_card import CardValue, NextCard, simulate_play
from .outcomes import Interval, Result, Value, Worth
from .pictures import trick_picture
from .plan import Plan, SimulationError
from .simulating import compare, contract_chance, simulate, simulate_leads
from .texts import bars
from .tricks import TrickFinder, trick_finder

__all__ = [
    "MINIMUM_EXACT",
    "AsPlayed",
    "BeatingLead",
    "CardValue",
    "Choice",
    "ChoiceLike",
    "Clock",
    "Compared",
    "Comparison",
    "ContractChance",
    "ContractValue",
    "Interval",
    "Lead",
    "LeadSimulation",
    "Means",
    "NextCard",
    "Plan",
    "Result",
    "Simulation",
    "SimulationError",
    "TrickFinder",
    "Value",
    "Worth",
    "bars",
    "beating_leads",
    "compare",
    "contract_chance",
    "means",
    "simulate",
    "simulate_leads",
    "simulate_play",
    "trick_finder",
    "trick_picture",
]


def __dir__() -> list[str]:
    return __all__
