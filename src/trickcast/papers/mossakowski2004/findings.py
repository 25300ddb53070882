"""Table 2 of the 2004 paper: its network's errors, and how long the suits of the deals are."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..codings import find_coding
from ..experiments.finished_figures import Store
from ..experiments.paper import NetworkFinding
from ..experiments.rows import Line
from ..experiments.run_deals import Deals, all_results
from ..experiments.scales import Scale
from ..experiments.spec import Net

if TYPE_CHECKING:  # torch is needed to train, not to list what is measured
    from ..experiments.trained import Trained

DEEP_26X4 = Net(
    network="(26x4)-(13x4)-(7x4)-13-1",
    coding="26x4-2004",
    contracts="notrump",
    head="linear",
    deals=10_000,
)
"""The network of Figure 1a and Table 2."""
_SHAPES = "shape deviations"


def shapes_of_the_deep_network(trained: "Trained", scale: Scale, deals: Deals) -> list[Line]:
    """Return the shape deviations of the network of Table 2; nothing for other networks."""
    if trained.net != scale.plan(DEEP_26X4):
        return []
    return [{"finding": _SHAPES, **shape_deviations(trained, deals)}]


def shape_deviations(trained: "Trained", deals: Deals) -> Line:
    """Count a network's errors, and measure how long the suits of their deals are (2004, Table 2).

    For each difference, network minus truth: the number of deals, and the mean standard deviation
    (n - 1) of their sixteen suit lengths. On the first 10,000 training deals, with West leading.
    """
    coding = find_coding(trained.net.coding)
    few = deals.training[:10_000]
    batch = all_results(few, "notrump", "W", coding)
    differences = trained.tricks(batch.inputs).astype(int) - batch.tricks
    deviations = suit_length_deviations(few.owners)
    return {
        "network": trained.net.key,
        "deals": len(few),
        "by_difference": {
            str(d): [
                int((differences == d).sum()),
                round(float(deviations[differences == d].mean()), 4),
            ]
            for d in np.unique(differences)
        },
    }


def suit_length_deviations(owners: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return (n,) standard deviations (n - 1) of each deal's sixteen suit lengths."""
    held = owners.reshape(-1, 4, 13)[:, None] == np.arange(4)[:, None, None]  # (n, seat, suit, 13)
    deviations: NDArray[np.float64] = held.sum(axis=3).reshape(-1, 16).std(axis=1, ddof=1)
    return deviations


def show_shapes(store: Store) -> str:
    """Return the network's errors beside the suit lengths of their deals."""
    line = store.get(_SHAPES)
    if line is None:
        return ""
    head = ["## Errors and long suits\n",
            "Deals by the network's error, and the mean standard deviation of their sixteen suit "
            f"lengths. The network is {line['network'].replace('|', '·')}, the deals are "
            f"{line['deals']:,} training deals (2004, Table 2).\n",
            "| network less truth | deals | deviation |", "|---|---|---|"]  # fmt: skip
    body = [f"| {d} | {n} | {mean} |" for d, (n, mean) in line["by_difference"].items()]
    return "\n".join([*head, *body]) + "\n"


SHAPES = NetworkFinding(measure=shapes_of_the_deep_network, show=show_shapes)
