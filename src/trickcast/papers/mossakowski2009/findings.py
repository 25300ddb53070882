"""Findings of the 2009 paper beside its rows: leaders, weights, and the printed deals."""

from typing import TYPE_CHECKING

from ...cards import RANKS, DealSet, Seat, Strain
from ..codings import find_coding
from ..experiments.finished_figures import Store
from ..experiments.paper import DealsFinding, NetworkFinding
from ..experiments.rows import Line
from ..experiments.run_deals import Deals, ns_tricks
from ..experiments.scales import Scale
from ..experiments.spec import CONTRACTS, LEADERS
from ..neurons import BOUNDS, neurons, sees_cards, shares, table_vii
from ..published import SAMPLE_COLUMNS, sample_deals

if TYPE_CHECKING:  # torch is needed to train, not to list what is measured
    from ..experiments.trained import Trained

# ---- the leader ----------------------------------------------------------------------------------


_LEADER = "leader matters on the "


def leader_matters(deals: DealSet) -> Line:
    """Count how often it matters which hand of a side leads: percent, by strain and leading side.

    The 2009 paper says that in 7% of spade deals the number of tricks of North and South depends on
    whether West or East leads.
    """
    tricks = deals.tricks_or_unknown
    percent = {}
    for strain in Strain:
        west, east, north, south = (
            ns_tricks(tricks, strain, seat)
            for seat in (Seat.WEST, Seat.EAST, Seat.NORTH, Seat.SOUTH)
        )
        percent[strain.letter] = {
            "W or E": round(100 * float((west != east).mean()), 2),
            "N or S": round(100 * float((north != south).mean()), 2),
        }
    return {"deals": len(deals), "percent": percent}


def _test_deals(deals: Deals) -> Line:
    return {"split": "test deals", **leader_matters(deals.test)}


def _training_deals(deals: Deals) -> Line:
    return {"split": "training deals", **leader_matters(deals.training)}


def show_leaders(store: Store) -> str:
    """Return how often the leader matters on the deals of the run."""
    of_splits = store.findings(_LEADER)
    if not of_splits:
        return ""
    lines = [
        "## How often the leader matters\n",
        "Percent of deals in which the tricks of North and South depend on the leader of one "
        "side. Published (2009): 7 for West against East in spades.\n",
        "| deals | leaders | S | H | D | C | N |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in of_splits:
        for pair in ("W or E", "N or S"):
            cells = [f"{line['percent'][strain][pair]:.2f}" for strain in "SHDCN"]
            deals = f"{line['split']} ({line['deals']:,})"
            lines.append(f"| {deals} | {pair} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


LEADERS_MATTER = DealsFinding(
    measures={f"{_LEADER}test deals": _test_deals, f"{_LEADER}training deals": _training_deals},
    show=show_leaders,
)


# ---- the first layers ----------------------------------------------------------------------------

_TABLE_VII = {
    ("52", "notrump"): "notrump",
    ("52-marked", "all_suits"): "all_suits",
    ("52", "all_suits"): "spades",  # turned into spades, whichever suit it was
    ("52", "spades"): "spades",
}
"""Coding and training of a 52-1 network to its group in Table VII."""
_WEIGHTS, _PATTERNS = "Table VII: ", "patterns: "


def first_layer_findings(trained: "Trained", scale: Scale, deals: Deals) -> list[Line]:
    """Return what the first layer's neurons show and, for a 52-1 network, its Table VII weights.

    Nothing for networks whose first layer does not see cards one by one.
    """
    from ..experiments.trained_layers import open_trained

    net = trained.net
    if not sees_cards(find_coding(net.coding)):
        return []
    layers, lines = open_trained(trained), list[Line]()
    percent = {
        pattern: {whose: round(100 * share, 1) for whose, share in both.items()}
        for pattern, both in shares([neurons(layer) for layer in layers]).items()
    }
    if len(layers[0].weights) > 1:  # the only neuron of 52-1 is the output
        name = f"{_PATTERNS}{net.key}"
        lines.append({"finding": name, "network": net.key, "percent": percent})
    group = _TABLE_VII.get((net.coding, net.contracts))
    if net.network == "52-1" and group is not None:
        line = {"finding": f"{_WEIGHTS}{group}", "network": net.key, "group": group}
        lines.append(line | table_vii(layers[0], group))
    return lines


def _show_weights(store: Store) -> str:
    """Return our 52-1 weights beside Table VII."""
    of_groups = store.findings(_WEIGHTS)
    if not of_groups:
        return ""
    parts = [
        "## Table VII: the weights of 52-1\n",
        "Ours, scaled to the table by least squares (in brackets the published); suits S H D C.\n",
    ]
    for line in of_groups:
        parts.append(f"{line['group']}: correlation {line['correlation']:.4f}\n")
        parts.append("| rank | S | H | D | C |\n|---|---|---|---|---|")
        for rank, ours, theirs in zip(RANKS[::-1], line["ours"], line["published"], strict=True):
            pairs = zip(ours, theirs, strict=True)
            cells = (f"{weight:.2f} ({printed:.2f})" for weight, printed in pairs)
            parts.append(f"| {rank} | " + " | ".join(cells) + " |")
        parts.append("")
    return "\n".join(parts) + "\n"


def _show_patterns(store: Store) -> str:
    """Return the patterns of the first layers, as percent of their neurons (of networks).

    Networks of 2018 are measured too; their own page shows them.
    """
    of_networks = [line for line in store.findings(_PATTERNS) if "-2018" not in line["network"]]
    if not of_networks:
        return ""
    lines = [
        "## What the first layers show\n",
        "Percent of neurons; in brackets percent of the networks from different starts that "
        "show it at all. `trickcast explain` lists every neuron; the definitions are in "
        "`src/trickcast/papers/neurons/neuron_patterns.py`.\n",
        "| network | " + " | ".join(BOUNDS) + " |",
        "|---|" + "---|" * len(BOUNDS),
    ]
    for line in of_networks:
        of_patterns = (line["percent"][pattern] for pattern in BOUNDS)
        cells = (f"{share['neurons']:g} ({share['networks']:g})" for share in of_patterns)
        lines.append(f"| {line['network'].replace('|', '·')} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def show_first_layers(store: Store) -> str:
    """Return the weights of 52-1, and the patterns of all networks' first layers."""
    return "\n".join(part for part in (_show_weights(store), _show_patterns(store)) if part)


FIRST_LAYERS = NetworkFinding(measure=first_layer_findings, show=show_first_layers)


# ---- the printed deals ---------------------------------------------------------------------------


_SAMPLES = "samples: "


def estimates_of_printed_deals(trained: "Trained", scale: Scale, deals: Deals) -> list[Line]:
    """Return a network's estimates for the deals of Figures 9 to 11, where it can be asked."""
    net, samples = trained.net, sample_deals()
    ns_estimates = sample_estimates(trained, samples.deals, samples.leaders)
    if ns_estimates is None:
        return []
    line = {"finding": f"{_SAMPLES}{net.key}", "network": net.key, "printed_name": net.network}
    return [line | {"ns_tricks": ns_estimates}]


def sample_estimates(trained: "Trained", samples: DealSet, leaders: list[Seat]) -> list[int] | None:
    """Return the NS tricks that a network estimates for the papers' printed deals, in spades.

    None for a network that is not for spades, or that was not trained for such leaders.
    """
    if Strain.SPADES not in CONTRACTS[trained.net.contracts] or trained.net.copies > 1:
        return None
    coding, ns_estimates = find_coding(trained.net.coding), []
    for row, leader in enumerate(leaders):
        if leader not in LEADERS[trained.net.lead] and not coding.turned:
            return None
        inputs = coding.encode(samples.owners[row : row + 1], Strain.SPADES, leader.rho)
        declared = int(trained.tricks(inputs)[0])
        ns_declares = leader.rho.side == Seat.NORTH.side
        ns_estimates.append(declared if ns_declares else 13 - declared)
    return ns_estimates


def show_printed_deals(store: Store) -> str:
    """Return the estimates of the printed deals by the networks whose estimates are published."""
    samples = sample_deals()
    figures = " | ".join(row["figure"] for row in samples.rows)
    truth = " | ".join(row["ns_tricks"] for row in samples.rows)
    lines = [
        "## The printed deals\n",
        "Tricks of North and South in spades. Published estimates in brackets.\n",
        f"| | {figures} |",
        "|---|" + "---|" * len(samples.rows),
        f"| truth | {truth} |",
    ]
    for line in store.findings(_SAMPLES):
        column = SAMPLE_COLUMNS.get(line["printed_name"])
        if column is None or "-2018" in line["network"]:
            continue
        cells = [
            f"{ours} ({row[column]})"
            for ours, row in zip(line["ns_tricks"], samples.rows, strict=True)
        ]
        lines.append(f"| {line['network'].replace('|', '·')} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


PRINTED_DEALS = NetworkFinding(measure=estimates_of_printed_deals, show=show_printed_deals)
