"""The papers' pictures of weights: one circle a card, sized by its weight, dark if positive."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..._files import atomic_writer
from ...cards import RANKS, Suit
from .first_layer import Opened, OpenedError

_CELL, _GAP, _COLUMNS = 12, 22, 5
_WIDTH, _HEIGHT = 13 * _CELL, 4 * _CELL


def weights_svg(opened: Opened) -> str:
    """Return a picture of a first layer, as in Figures 2 to 5 of 2009 and Figure 2 of 2018.

    Each neuron is four rows (S H D C) of thirteen circles from the two to the ace, with one such
    block below the other for each part of the coding. A circle's area is its weight's share of the
    greatest in the layer. Positive weights are dark, negative ones light.

    Args:
        opened: The first layer, as from ``open_model``.

    Returns:
        The picture as SVG.

    Example:
        >>> from trickcast.papers.neurons import open_model
        >>> weights_svg(open_model("(52x4)-(26x4)-26-13-1")[0])[:4]
        '<svg'
    """
    greatest = float(np.abs(opened.weights).max()) or 1.0
    count, parts = opened.weights.shape[:2]
    tall = parts * (_HEIGHT + _CELL) + _GAP
    rows = -(-count // _COLUMNS)
    width, height = _COLUMNS * (_WIDTH + _GAP) + _GAP, rows * tall + 2 * _GAP
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="9">',
        f"<title>{escape(opened.name)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_GAP}" y="14">{escape(opened.name)}</text>',
    ]
    for number in range(count):
        left = _GAP + number % _COLUMNS * (_WIDTH + _GAP)
        top = 2 * _GAP + number // _COLUMNS * tall
        for part, name in enumerate(opened.parts[number]):
            y = top + part * (_HEIGHT + _CELL)
            label = f"{number + 1} {name}"
            body.append(f'<text x="{left}" y="{y - 2}">{escape(label)}</text>')
            body += _circles(opened.weights[number, part] / greatest, left, y)
    return "\n".join([*body, "</svg>"]) + "\n"


def write_svg(opened: Opened, path: Path) -> None:
    """Write the picture of a first layer as SVG.

    Args:
        opened: The first layer, as from ``open_model``.
        path: File to write.

    Raises:
        OSError: The file cannot be written.

    Example:
        >>> from trickcast.papers.neurons import open_model
        >>> write_svg(open_model("(52x4)-(26x4)-26-13-1")[0], Path("suits.svg"))
    """
    with atomic_writer(path) as stream:
        stream.write(weights_svg(opened).encode())


def write_png(opened: Opened, path: Path) -> None:
    """Write the picture of a first layer as PNG, two pixels for each unit of the SVG.

    Args:
        opened: The first layer, as from ``open_model``.
        path: File to write.

    Raises:
        OpenedError: CairoSVG, or the Cairo library that it needs, is not installed.
        OSError: The file cannot be written.

    Example:
        >>> from trickcast.papers.neurons import open_model
        >>> layers = open_model("(52x4)-(26x4)-26-13-1")
        >>> write_png(layers[0], Path("suits.png"))  # doctest: +SKIP
    """
    try:
        import cairosvg
    except (ImportError, OSError) as error:  # OSError: the package is there, but libcairo is not
        reason = str(error).splitlines()[0]
        raise OpenedError(
            f"{path}: a PNG needs CairoSVG (pip install 'trickcast[plots]'), an SVG needs nothing "
            f"({reason})"
        ) from None
    picture = cairosvg.svg2png(weights_svg(opened).encode(), scale=2)
    with atomic_writer(path) as stream:
        stream.write(picture)


def _circles(weights: NDArray[np.float64], left: int, top: int) -> Iterator[str]:
    """Yield the circles of 52 weights in [-1, 1], each named by its card."""
    for suit, row in zip(Suit, weights.reshape(4, 13)[:, ::-1], strict=True):
        for place, (rank, weight) in enumerate(zip(RANKS[::-1], row.tolist(), strict=True)):
            x, y = left + (place + 0.5) * _CELL, top + (suit + 0.5) * _CELL
            radius = 0.5 * _CELL * abs(weight) ** 0.5
            shade = "#222" if weight > 0 else "#fff"
            yield (
                f'<circle cx="{x:g}" cy="{y:g}" r="{radius:.2f}" fill="{shade}" stroke="#222" '
                f'stroke-width="0.5"><title>{suit.letter}{rank} {weight:+.3f}</title></circle>'
            )
