"""The papers, repeated: every network and table, ours beside the published.

A folder of ``papers`` for each declares its networks and tables as data; ``reproduce`` trains and
measures what is missing, and ``write_report`` puts it beside the published figures. Needs torch.
"""

from .catalogue import PAPERS, SCALES, chosen_rows, rows_of
from .data import Deals, ExperimentError, gather, ns_tricks
from .paper import Paper
from .report import table_of_rows, write_report
from .rows import FunctionRow, Material, Row
from .runner import has_pretraining, has_rprop, need_deals, options_of, planned, reproduce, waiting
from .scales import Scale
from .spec import CONTRACTS, LEADERS, Net, Pretraining
from .store import Store, agreed_deals
