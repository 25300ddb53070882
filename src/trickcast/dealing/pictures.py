"""The tables of a Dealer script as a picture: bars for one number, a map for two."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import atomic_writer
from .tables import Average, Axis, Frequency

SUFFIXES = (".svg", ".png", ".pdf")
"""What pictures are written as."""
_INK, _PALE, _BAR = "#22262b", "#6b7280", "#1f7a5c"
_WIDE, _TALL = 6.4, 3.4
"""Inches of a table."""
_NAMED = 24
"""Values that are named below an axis, at most."""


def write_picture(
    tables: Sequence[tuple[Average | Frequency, Any]], title: str, path: Path
) -> None:
    """Draw tables, each with what it counted, one below the other; averages stand under the title.

    Raises ModuleNotFoundError without matplotlib, OSError for a file that cannot be written.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    averages = [
        f"{table.label or 'average'}: {value:.6g}"
        for table, value in tables
        if isinstance(table, Average)
    ]
    counted = [(table, counts) for table, counts in tables if isinstance(table, Frequency)]
    height = _TALL * max(1, len(counted)) + 0.3 * len(averages)
    figure = Figure(figsize=(_WIDE, height), layout="constrained")
    figure.suptitle("\n".join([title, *averages]), color=_INK, fontsize=11, wrap=True)
    for place, (table, counts) in enumerate(counted):
        axes = figure.add_subplot(len(counted), 1, place + 1)
        (_bars if counts.ndim == 1 else _map)(axes, table, counts)
        axes.set_title(table.label, color=_INK, fontsize=10)
        axes.tick_params(colors=_PALE, labelsize=8)
    form = path.suffix[1:].lower() or "svg"
    dated = {"Date": None} if form == "svg" else {}  # the same tables, the same bytes
    with rc_context({"svg.hashsalt": "trickcast"}), atomic_writer(path) as file:
        figure.savefig(file, format=form, dpi=150, metadata=dated)


def _shown(axis: Axis, counts: NDArray[np.int64]) -> tuple[slice, list[str]]:
    """Return the places from the first to the last that occurs, and their labels."""
    seen = np.flatnonzero(counts)
    places = slice(int(seen[0]), int(seen[-1]) + 1)
    return places, axis.labels[places]


def _bars(axes: Any, table: Frequency, counts: NDArray[np.int64]) -> None:
    places, labels = _shown(table.axes[0], counts)
    shares = 100 * counts[places] / counts.sum()
    bars = axes.bar(range(len(labels)), shares, color=_BAR)
    if len(labels) <= _NAMED / 2:
        axes.bar_label(bars, [f"{share:.1f}" for share in shares], fontsize=8, color=_PALE)
    _name(axes.xaxis, labels)
    axes.set_xlabel(table.axes[0].number.text, color=_PALE, fontsize=9)
    axes.set_ylabel("percent of boards", color=_PALE, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


def _map(axes: Any, table: Frequency, counts: NDArray[np.int64]) -> None:
    """Draw two numbers as a map with the percent of each pair."""
    rows, down = _shown(table.axes[0], counts.sum(axis=1))
    columns, across = _shown(table.axes[1], counts.sum(axis=0))
    shares = 100 * counts[rows, columns] / counts.sum()
    image = axes.imshow(shares, cmap="Greens", aspect="auto", vmin=0)
    if shares.size > _NAMED**2 / 2:
        axes.figure.colorbar(image)
    else:
        for (row, column), share in np.ndenumerate(shares):
            ink = "white" if share > shares.max() / 2 else _INK
            axes.text(column, row, f"{share:.1f}" if share else "", ha="center", va="center",
                      fontsize=7, color=ink)  # fmt: skip
    _name(axes.yaxis, down)
    _name(axes.xaxis, across)
    axes.set_ylabel(table.axes[0].number.text, color=_PALE, fontsize=9)
    axes.set_xlabel(f"{table.axes[1].number.text} (percent of boards)", color=_PALE, fontsize=9)


def _name(axis: Any, labels: list[str]) -> None:
    step = -(-len(labels) // _NAMED)
    axis.set_ticks(range(0, len(labels), step), labels[::step])
