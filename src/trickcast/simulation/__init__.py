"""Simulation: what a contract makes over all layouts that fit, with error bars."""

from .contracts import Cells, ContractValue, Simulation, simulate
from .controls import MINIMUM_EXACT, Means, means
from .layouts import Clock, SimulationError
from .leads import Lead, LeadSimulation, simulate_leads
from .outcomes import Value

__all__ = [
    "MINIMUM_EXACT",
    "Cells",
    "Clock",
    "ContractValue",
    "Lead",
    "LeadSimulation",
    "Means",
    "Simulation",
    "SimulationError",
    "Value",
    "means",
    "simulate",
    "simulate_leads",
]
