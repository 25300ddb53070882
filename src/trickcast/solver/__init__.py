"""Exact double-dummy results by Bo Haglund's DDS."""

from .batches import (
    BATCH,
    BOARDS,
    MOST_LINE_TRICKS,
    makes_batches,
    search_batches,
    solve_batches,
    solve_cell_batches,
    solve_lead_batches,
    solve_line_batches,
    solve_position_batches,
    solve_strain_batches,
    solver_version,
    thread_count,
)
from .each_card import solve_leads, solve_play, trace_plays, values_in, values_of_cards
from .processes import SolverCrash, SolverProcesses
from .solving import solve, solved_chunks

__all__ = [
    "BATCH",
    "BOARDS",
    "MOST_LINE_TRICKS",
    "SolverCrash",
    "SolverProcesses",
    "makes_batches",
    "search_batches",
    "solve",
    "solve_batches",
    "solve_cell_batches",
    "solve_lead_batches",
    "solve_leads",
    "solve_line_batches",
    "solve_play",
    "solve_position_batches",
    "solve_strain_batches",
    "solved_chunks",
    "solver_version",
    "thread_count",
    "trace_plays",
    "values_in",
    "values_of_cards",
]


def __dir__() -> list[str]:
    return __all__
