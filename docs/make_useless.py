"""Count the useless neurons of 52-8-1, 52-25-1 and 52-52-1 in notrump, and measure their value.

    python docs/natively.py reproduce mossakowski2009 --row m09-TIV-03 \\
        --row m09-beyond-52-8-1-notrump --row m09-beyond-52-52-1-notrump --scale full --seeds 3 \\
        --first-weights 1 --test gib-10000.txt --out trained/useless
    python docs/make_useless.py trained/useless gib-10000.txt --first-weights 1

The 2009 paper calls neurons useless that have "very small absolute values of output connections".
Here that means less than a tenth of the network's greatest. Percent exact is measured again without
the neurons below a twentieth, whose mean goes into the bias of the output. Figures go to
docs/reproduction.jsonl.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch

from trickcast import read
from trickcast.cards import DealSet
from trickcast.evaluation import compare
from trickcast.papers.codings import find_coding, find_head
from trickcast.papers.experiments.finished_figures import Store
from trickcast.papers.experiments.run_deals import all_results
from trickcast.papers.experiments.trained import Trained, load
from trickcast.papers.networks.layered_network import ACTIVATIONS

DOCS = Path(__file__).parent
_NETWORKS = ("52-8-1", "52-25-1", "52-52-1")
_SMALL, _LEAST = 1 / 10, 1 / 20


def main() -> None:
    """Measure the networks of a folder; print and store the findings."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("test", type=Path)
    options.add_argument("--first-weights", default="0.3", help="what the networks began with")
    given = options.parse_args()
    deals, of_networks = read(given.test), dict[str, list[Trained]]()
    for path in sorted((given.folder / "full").glob("*.network")):
        trained = load(path)
        of_networks.setdefault(trained.net.network, []).append(trained)
    store = Store(DOCS, "reproduction")
    for name in _NETWORKS:
        runs = sorted(of_networks[name], key=lambda trained: trained.net.seed)
        useless, removed, before, after = zip(*(of_one(run, deals) for run in runs), strict=True)
        line = {"finding": f"useless: {name}, first weights {given.first_weights}", "scale": "full",
                "useless": useless, "removed": removed, "exact": before, "without": after,
                "n": len(deals)}  # fmt: skip
        print(line)
        store.add([line])


def of_one(trained: Trained, deals: DealSet) -> tuple[int, int, float, float]:
    """Return the numbers of useless and removed neurons, and percent exact before and after."""
    network: Any = trained.network
    first, last = network.layers
    sizes = last.weight.detach().abs().ravel()
    least = sizes < _LEAST * sizes.max()
    batch = all_results(deals, "notrump", "W", find_coding(trained.net.coding))
    head, inputs = find_head(trained.net.head), torch.from_numpy(np.asarray(batch.inputs)).float()
    with torch.no_grad():
        before = head.tricks(network(inputs).numpy())
        means = ACTIVATIONS[network.activation](first(inputs.t())).mean(1)
        last.bias += (last.weight[0, :, least] @ means[least]).reshape(last.bias.shape)
        last.weight[0, :, least] = 0
        after = head.tricks(network(inputs).numpy())
    shares = [round(compare(tricks, batch.tricks).exact, 2) for tricks in (before, after)]
    useless = int((sizes < _SMALL * sizes.max()).sum())
    return useless, int(least.sum()), shares[0], shares[1]


if __name__ == "__main__":
    main()
