"""The papers, repeated: every network and table, ours beside the published.

One module a paper declares its networks and tables as data; ``reproduce`` trains and measures what
is missing, and ``write_report`` puts it beside the published figures. Needs torch.
"""

from .data import Deals, ExperimentError, gather, ns_tricks
from .report import write_report
from .runner import PAPERS, need_deals, planned, reproduce, rows_of, waiting
from .scales import SCALES, Scale
from .spec import CONTRACTS, LEADERS, FunctionRow, Material, Net, Paper, Pretraining, Row
from .store import Store, agreed_deals

__all__ = [
    "CONTRACTS",
    "LEADERS",
    "PAPERS",
    "SCALES",
    "Deals",
    "ExperimentError",
    "FunctionRow",
    "Material",
    "Net",
    "Paper",
    "Pretraining",
    "Row",
    "Scale",
    "Store",
    "agreed_deals",
    "gather",
    "need_deals",
    "ns_tricks",
    "planned",
    "reproduce",
    "rows_of",
    "waiting",
    "write_report",
]
