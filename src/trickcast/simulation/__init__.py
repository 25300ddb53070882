"""Simulation: what a contract makes over all layouts that fit, with error bars."""

from .contracts import Cells, ContractValue, Simulation, simulate
from .controls import MINIMUM_EXACT, Means, means
from .layouts import Clock
from .leads import Lead, LeadSimulation, simulate_leads
from .making import MakingSimulation, simulate_making
from .outcomes import Value, Worth
from .plan import Plan, SimulationError

__all__ = [
    "MINIMUM_EXACT",
    "Cells",
    "Clock",
    "ContractValue",
    "Lead",
    "LeadSimulation",
    "MakingSimulation",
    "Means",
    "Plan",
    "Simulation",
    "SimulationError",
    "Value",
    "Worth",
    "means",
    "simulate",
    "simulate_leads",
    "simulate_making",
]
