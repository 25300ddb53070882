"""Findings of the 2018 paper beside its rows: the errors of both phases, and comparing deals.

Tables 1 and 2 print a compression error and a fine-tuning error for every network. The comparator
is planned in the text.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_softmax, softmax

from ..codings import find_coding
from ..experiments.finished_figures import Store
from ..experiments.markdown import markdown_table
from ..experiments.paper import NetworkFinding
from ..experiments.rows import Line
from ..experiments.run_deals import Deals, all_results
from ..experiments.scales import Scale
from ..published import published_results

if TYPE_CHECKING:  # torch is needed to train, not to list what is measured
    from ..experiments.trained import Trained

_ERRORS, _PAIRS = "errors: ", "pairs: "
_ABOUT = """\
Compression is the cross-entropy of a deal in the last epoch of the first phase, summed over the 208
inputs, in nats. Fine tuning has two errors of a test result: the squared error, as the mean of the
fourteen outputs, and the cross-entropy, in nats. Those as printed have first weights of seed 1.
A cell is empty if a network was not run so, or was trained before this was measured.
"""
_PAIRINGS = 10
"""Results that every result is compared with."""


# ---- the errors of both phases -------------------------------------------------------------------


def errors_of_both_phases(trained: "Trained", scale: Scale, deals: Deals) -> list[Line]:
    """Return the errors of a network of this paper with fourteen outputs; nothing for others.

    Fine-tuning errors are measured on the test deals with North or South leading. The squared error
    is the mean over all results and outputs; cross-entropy, in nats, is the mean over all results.
    """
    net = trained.net
    if net.pretraining is None or net.outputs != 14:
        return []
    batch = all_results(deals.test, net.contracts, "NS", find_coding(net.coding))
    outputs, right = trained.outputs(batch.inputs), np.eye(14)[batch.tricks]
    line: Line = {
        "finding": f"{_ERRORS}{net.key}",
        "network": net.key,
        "n": len(right),
        "as_printed": scale.published and not scale.by_authors,
        "squared": round(float(np.square(softmax(outputs, axis=1) - right).mean()), 4),
        "cross_entropy": round(float(-log_softmax(outputs, axis=1)[right > 0].mean()), 4),
    }
    if "compression_error" in trained.record:
        line["compression"] = round(trained.record["compression_error"], 3)
    return [line]


def show_errors(store: Store) -> str:
    """Return the errors of both phases beside the published; networks of ours alone come last."""
    of_networks = {line["network"]: line for line in store.findings(_ERRORS)}
    shown, cells = set(), []
    for name, row in published_results().items():
        printed = _printed_errors(row["notes"])
        lines = store.get(name), next(iter(store.as_printed(name)), None)
        if not printed or lines == (None, None):
            continue
        shown |= {line["network"] for line in lines if line}
        ours, as_printed = (_measured(line, of_networks) for line in lines)
        cells.append(
            [
                name,
                *(printed.get("compression", ""), as_printed["compression"], ours["compression"]),
                *(printed.get("fine tuning", ""), as_printed["squared"], ours["squared"]),
                *(as_printed["cross_entropy"], ours["cross_entropy"]),
            ]
        )
    for network, errors in of_networks.items():
        if network not in shown and not errors.get("as_printed"):
            ours = _measured({"network": network}, of_networks)
            name = network.replace("|", "·")
            cells.append(
                [name, "", "", ours["compression"], "", "", ours["squared"], "",
                 ours["cross_entropy"]]
            )  # fmt: skip
    if not cells:
        return ""
    head = ["row, or network of ours", "compression, published", "as printed", "ours",
            "fine tuning, published", "squared, as printed", "ours",
            "cross-entropy, as printed", "ours"]  # fmt: skip
    return f"## The errors of both phases\n\n{_ABOUT}\n" + markdown_table(head, cells)


def _printed_errors(notes: str) -> Mapping[str, str]:
    """Return a published row's errors by phase, from its notes; empty for another paper's row."""
    return dict(re.findall(r"(compression|fine tuning) error=([\d.]+)", notes))


def _measured(line: Line | None, of_networks: Mapping[str, Line]) -> dict[str, str]:
    """Return the errors of a line's network as text, "" for each that is unknown."""
    known = of_networks.get(line["network"], {}) if line else {}
    compression = (line or {}).get("compression_error", known.get("compression"))
    texts = {"compression": "" if compression is None else f"{compression:.3f}"}
    return texts | {
        name: f"{known[name]:.4f}" if name in known else "" for name in ("squared", "cross_entropy")
    }


ERRORS = NetworkFinding(measure=errors_of_both_phases, show=show_errors)


# ---- which of two deals is better ----------------------------------------------------------------


def pairs_told_apart(trained: "Trained", scale: Scale, deals: Deals) -> list[Line]:
    """Return how often a comparator tells which of two deals takes more tricks.

    Each test result with North or South leading is compared with ten random others. By difference
    in tricks: the number of pairs, and the percent told apart correctly. Nothing for other
    networks.
    """
    import torch

    from ...training.exports import run_all
    from ..networks.comparator import Comparator

    net, network = trained.net, trained.network
    if not isinstance(network, Comparator):
        return []
    batch = all_results(deals.test, net.contracts, "NS", find_coding(net.coding))
    features = run_all(network.tower, batch.inputs)
    rng, tricks = np.random.default_rng(net.seed), batch.tricks.astype(int)
    differences, right = [], []
    for _ in range(_PAIRINGS):
        other = rng.permutation(len(tricks))
        with torch.inference_mode():
            pair = torch.from_numpy(features), torch.from_numpy(features[other])
            log_odds = network.compare(*pair).numpy()
        differences.append(tricks - tricks[other])
        right.append((log_odds > 0) == (differences[-1] > 0))
    apart, said = np.abs(np.concatenate(differences)), np.concatenate(right)
    return [
        {
            "finding": f"{_PAIRS}{net.contracts}",
            "network": net.key,
            "n": len(tricks),
            "by_difference": {
                str(d): [int((apart == d).sum()), round(100 * float(said[apart == d].mean()), 2)]
                for d in np.unique(apart[apart > 0])
            },
        }
    ]


def show_pairs(store: Store) -> str:
    """Return how often the comparators are right, by the difference in tricks."""
    lines = store.findings(_PAIRS)
    if not lines:
        return ""
    words = " | ".join(f"{line['finding'].removeprefix(_PAIRS)}, pairs | right" for line in lines)
    results = " and ".join(f"{line['n']:,}" for line in lines)
    text = [
        "## Which of two deals is better\n",
        "How often the comparator is right about which of two test deals takes more tricks, in "
        f"percent, by the difference in tricks. Each of {results} results is compared with "
        f"{_PAIRINGS} random others. The paper has no such figure.\n",
        f"| tricks apart | {words} |",
        "|---|" + "---|---|" * len(lines),
    ]
    for apart in sorted({int(d) for line in lines for d in line["by_difference"]}):
        pairs = [line["by_difference"].get(str(apart)) for line in lines]
        cells = [f"{pair[0]:,} | {pair[1]:.2f}" if pair else " | " for pair in pairs]
        text.append(f"| {apart} | " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


PAIRS = NetworkFinding(measure=pairs_told_apart, show=show_pairs)
