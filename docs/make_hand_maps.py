"""Draw the maps of hands of docs/hand-vectors.md: the vectors of 1,500 hands by t-SNE.

python docs/make_hand_maps.py     # needs the extra trickcast[docs]; half a minute
"""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from sklearn.manifold import TSNE

from trickcast import HandEmbedding

FOLDER = Path(__file__).parent
HANDS = 1_500


def main() -> None:
    """Write one picture coloured by points and one by the number of diamonds."""
    index = HandEmbedding().searched
    chosen = range(0, len(index), len(index) // HANDS)
    hands = [index.hand(row) for row in chosen]
    x, y = TSNE(perplexity=30, random_state=1).fit_transform(index.vectors[chosen]).T
    mpl.rcParams["svg.hashsalt"] = "trickcast"  # the same bytes every time
    for name, values, title in (
        ("hands-by-points.svg", [hand.hcp for hand in hands], "high-card points"),
        ("hands-by-diamonds.svg", [hand.lengths[2] for hand in hands], "diamonds"),
    ):
        figure = Figure(figsize=(6, 5), layout="constrained")
        axes = figure.add_subplot()
        figure.colorbar(axes.scatter(x, y, c=values, s=7), label=title)
        axes.set_axis_off()
        figure.savefig(FOLDER / name, metadata={"Date": None})


if __name__ == "__main__":
    main()
