"""Draw the maps of docs/log/pairs.md: vectors of hands by t-SNE and by principal components.

python docs/make_hand_maps.py [--labelled FILE]     # needs trickcast[docs]; half a minute

Without FILE, the hands of BridgeHand2Vec with the players' calls, the openings are not drawn.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from sklearn.manifold import TSNE

from trickcast import HandEmbedding
from trickcast.bidding import LabelledHands, read_labelled
from trickcast.pairs.atlas import principal_components

FOLDER = Path(__file__).parent
HANDS = 1_500
COLOURS = {
    "P": "#b0b0b0", "C": "#2e8b57", "D": "#e08a00", "H": "#d62728", "S": "#1f4e9c", "N": "#8e44ad"
}  # fmt: skip
"""Colours by the call's strain; P is PASS."""
MARKERS = {"1": "o", "2": "^", "3": "s", "4": "D", "P": "."}


def tsne(vectors: np.ndarray) -> np.ndarray:
    """Return (n, 2) positions."""
    places: np.ndarray = TSNE(perplexity=30, random_state=1).fit_transform(vectors)
    return places


def save(figure: Figure, name: str) -> None:
    """Write a picture, with its points as pixels, which take fewer bytes."""
    figure.savefig(FOLDER / name, metadata={"Date": None}, dpi=100)


def draw_hands(embedding: HandEmbedding) -> None:
    """Write one picture coloured by points and one by the number of diamonds."""
    index = embedding.searched
    chosen = range(0, len(index), len(index) // HANDS)
    hands, vectors = [index.hand(row) for row in chosen], index.vectors[chosen]
    places = {"t-SNE": tsne(vectors), "principal components": principal_components(vectors)}
    for name, values, title in (
        ("hands-by-points.svg", [hand.hcp for hand in hands], "high-card points"),
        ("hands-by-diamonds.svg", [hand.lengths[2] for hand in hands], "diamonds"),
    ):
        figure = Figure(figsize=(9, 4), layout="constrained")
        for axes, (way, points) in zip(figure.subplots(1, 2), places.items(), strict=True):
            drawn = axes.scatter(*points.T, c=values, s=7, rasterized=True)
            axes.set_title(way)
            axes.set_axis_off()
        figure.colorbar(drawn, label=title)
        save(figure, name)


def draw_openings(embedding: HandEmbedding, labelled: LabelledHands) -> None:
    """Write the hands that players opened, marked by their calls."""
    places, calls = tsne(embedding.encode(labelled.hands)), np.array(labelled.calls)
    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = figure.add_subplot()
    for call in sorted(set(labelled.calls), key=lambda call: (call != "PASS", call)):
        across, up = places[calls == call].T
        axes.scatter(
            across,
            up,
            c=COLOURS[call[1] if call != "PASS" else "P"],
            marker=MARKERS[call[0]],
            s=22,
            label=f"{call} ({(calls == call).sum()})",
            rasterized=True,
        )
    axes.set_axis_off()
    figure.legend(loc="outside right upper", frameon=False)
    save(figure, "hands-by-opening.svg")


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labelled", type=Path)
    given = parser.parse_args()
    mpl.rcParams["svg.hashsalt"] = "trickcast"
    embedding = HandEmbedding()
    draw_hands(embedding)
    if given.labelled is not None:
        draw_openings(embedding, read_labelled(given.labelled))


if __name__ == "__main__":
    main()
