"""Draw the maps of hands of docs/hand-vectors.md: the vectors of 1,500 hands by t-SNE.

python docs/make_hand_maps.py     # needs the extra trickcast[train]; half a minute
"""

from pathlib import Path

from trickcast import HandEmbedding
from trickcast.experiments.bridgehand2vec import hand_places, places_svg

FOLDER = Path(__file__).parent


def main() -> None:
    """Write one picture coloured by points and one by the number of diamonds."""
    places, hands = hand_places(HandEmbedding())
    points = [hand.hcp for hand in hands]
    diamonds = [hand.lengths[2] for hand in hands]
    for name, values, title in (
        ("hands-by-points.svg", points, "high-card points"),
        ("hands-by-diamonds.svg", diamonds, "diamonds"),
    ):
        (FOLDER / name).write_text(places_svg(places, values, title), "utf-8")


if __name__ == "__main__":
    main()
