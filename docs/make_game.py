"""Draw the rewards of the agents of BridgeHand2Vec's game while they learn (Figure 8 of 2023).

python docs/make_game.py     # needs trickcast[docs]; reads docs/reproduction.jsonl
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from trickcast.papers.experiments.finished_figures import Store

DOCS = Path(__file__).parent
LOOKS = {"cards": ("#0072b2", "-", "sees 52 cards"), "vectors": ("#d55e00", "--", "sees 8 numbers")}
"""Colours that colour-blind readers can tell apart, and line styles that work without colour."""


def main() -> None:
    """Write the picture."""
    mpl.rcParams["svg.hashsalt"] = "trickcast"
    line = Store(DOCS, "reproduction").get("bridgehand2vec: Table 11")
    assert line is not None, "trickcast reproduce bridgehand2vec --table 11 comes first"
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for kind, (colour, style, label) in LOOKS.items():
        mean, deviation = np.array(line["learning"][kind]).T
        steps = line["every"] * (np.arange(len(mean)) + 1)
        axes.plot(steps, mean, style, color=colour, label=label)
        axes.fill_between(
            steps, mean - deviation, mean + deviation, color=colour, alpha=0.2, linewidth=0
        )
    axes.set_xlabel("step")
    axes.set_ylabel("mean reward, points")
    axes.legend(loc="lower right", frameon=False)
    axes.grid(alpha=0.3)
    figure.savefig(DOCS / "game-2023.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
