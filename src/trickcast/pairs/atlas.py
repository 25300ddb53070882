"""A map of hands as an HTML file: points that show their hand, coloured by strength or lengths."""

import json
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .._files import atomic_writer
from ..cards import Hand, HandsLike, as_hands
from .vectors import HandEmbedding

_TEMPLATE = Path(__file__).parent / "atlas.html"
_DATA = "/*DATA*/"
_SHOWN = 4_000


def principal_components(vectors: NDArray[np.float32], n: int = 2) -> NDArray[np.float64]:
    """Return (m, n) coordinates of (m, size) vectors along their directions of widest spread.

    Every direction points to where its largest weight is positive, which keeps maps stable.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    directions = np.linalg.eigh(centred.T @ centred).eigenvectors.T[::-1][:n]
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    coordinates: NDArray[np.float64] = centred @ (directions * signs[:, None]).T
    return coordinates


def write_map(
    embedding: HandEmbedding,
    path: str | os.PathLike[str],
    *,
    hands: HandsLike | None = None,
    marked: HandsLike = (),
    title: str = "A map of hands",
) -> None:
    """Write a map of hands: the first two principal components of their vectors.

    The page works without a network. It shows the hand under the pointer, and colours hands by
    high-card points or by the length of a suit.

    Args:
        embedding: The HandEmbedding.
        path: HTML file to write.
        hands: Hands to show: texts, Hands, or shape (n, 52), bool. Default: 4,000 seeded hands.
        marked: Hands to show with a ring.
        title: Title of the page.

    Raises:
        DealError: A hand is not valid.
        OSError: The file cannot be written.

    Example:
        >>> write_map(tc.HandEmbedding(), "map.html", marked=["AKQ2.QJT987.32.2"])
    """
    if hands is None:
        hands = embedding.searched.hands[:: len(embedding.searched) // _SHOWN]
    index = embedding.index(hands)
    extra, _ = as_hands(marked)
    cards = np.concatenate([index.hands, extra])
    vectors = np.concatenate([index.vectors, embedding.encode(extra)])
    places = principal_components(vectors)
    points = [
        [round(float(x), 3), round(float(y), 3), str(hand), hand.hcp, *hand.lengths, hand.pattern]
        for (x, y), hand in zip(places, map(Hand.from_cards, cards), strict=True)
    ]
    data = {"title": title, "points": points, "marked": len(extra)}
    script = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")  # no tag within
    page = _TEMPLATE.read_text("utf-8").replace(_DATA, script)
    with atomic_writer(path) as stream:
        stream.write(page.encode())
