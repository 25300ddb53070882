"""Draw the weights of first layers, for the pages of the papers of 2009 and 2018.

    python docs/make_weights.py FOLDER…     # needs trickcast[docs]

Each FOLDER is an --out of trickcast reproduce. For a network trained at both scales, the one as
printed is drawn. A picture is left as it is if no folder has its networks. Prints the figures that
the pages state about the pictures. How many strong weights stay by the authors' program of 2018 is
stored in docs/reproduction.jsonl.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trickcast.cards import Suit
from trickcast.papers.experiments.all_papers import SCALES, rows_of
from trickcast.papers.experiments.finished_figures import Store
from trickcast.papers.experiments.rows import Row
from trickcast.papers.experiments.trained import Trained, build, load
from trickcast.papers.experiments.trained_layers import open_file, open_trained
from trickcast.papers.neurons import Opened, open_model

DOCS = Path(__file__).parent
HANDS = ("dummy", "leader's\npartner", "declarer", "leader")
"""Names of the blocks of 52x4's first layer, in order: the fourth hand leads."""
DRAWN_2018 = ("(52x4)-(26x4)-52-13-14", "all_suits")


def trained_of(row: Row, folders: list[Path]) -> Path | None:
    """Return the file of a row's network, None if no folder has it."""
    files = (
        folder / scale / f"{SCALES[scale].plan(row.net).slug}.network"
        for folder in folders
        for scale in ("full", "standard")
    )
    return next((file for file in files if file.is_file()), None)


def order_of(opened: Opened) -> np.ndarray:
    """Return the neurons by their hand, then by the suit with the greatest weights, S H D C."""
    weights = opened.weights[:, 0]
    hands = np.arange(len(weights)) // (26 if len(weights) == 104 else len(weights))
    suits = np.square(weights).reshape(-1, 4, 13).sum(axis=2)
    return np.lexsort((-suits.max(axis=1) / suits.sum(axis=1), suits.argmax(axis=1), hands))


def draw(axes: Axes, weights: np.ndarray, title: str) -> None:
    """Draw (neurons, 52) weights: a row a neuron, a column a card."""
    strong = np.quantile(np.abs(weights), 0.97)
    drawn = axes.imshow(
        weights, cmap="RdBu_r", vmin=-strong, vmax=strong, aspect="auto", interpolation="nearest"
    )
    axes.set_title(title, fontsize=9)
    axes.set_xticks([13 * suit + 6 for suit in Suit], [suit.letter for suit in Suit])
    axes.tick_params(length=0, labelsize=8)
    for suit in (1, 2, 3):
        axes.axvline(13 * suit - 0.5, color="black", linewidth=0.5)
    if len(weights) == 104:
        axes.set_yticks([26 * hand + 13 for hand in range(4)], HANDS)
        for hand in (1, 2, 3):
            axes.axhline(26 * hand - 0.5, color="black", linewidth=0.5)
    else:
        axes.set_yticks([])
        axes.set_ylabel(f"{len(weights)} neurons", fontsize=8)
    axes.figure.colorbar(drawn, ax=axes, orientation="horizontal", pad=0.06, aspect=30)


def save(panels: dict[str, np.ndarray], name: str) -> None:
    """Write a picture of panels side by side."""
    figure = Figure(figsize=(3.1 * len(panels), 5.2), layout="constrained")
    for axes, (title, weights) in zip(figure.subplots(1, len(panels)), panels.items(), strict=True):
        draw(axes, weights, title)
    figure.savefig(DOCS / name, metadata={"Date": None}, dpi=150)


def suit_shares(weights: np.ndarray) -> str:
    """Return the share of squared weights in each neuron's strongest suit, in words."""
    suits = np.square(weights).reshape(-1, 4, 13).sum(axis=2)
    return f"the strongest suit has {np.median(suits.max(axis=1) / suits.sum(axis=1)):.0%}"


def draw_2018(folders: list[Path]) -> None:
    """Write the first layer of D/104 in suits before and after both phases (Figure 2 of 2018)."""
    rows = {row.id: row for row in rows_of("mandziuk2018", "1") if isinstance(row, Row)}
    frozen, tuned = (trained_of(rows[name], folders) for name in ("m18-T1-06", "m18-T1-05"))
    if frozen is None or tuned is None:
        return
    net = SCALES["standard"].plan(rows["m18-T1-05"].net)
    layers = [open_trained(Trained(net, build(net), {})), open_file(frozen), open_file(tuned)]
    weights = [opened.weights[:, 0] for (opened,) in layers]
    order = order_of(layers[2][0])
    titles = ("before pretraining", "after pretraining", "after fine tuning")
    save(dict(zip(titles, (of[order] for of in weights), strict=True)), "weights-2018.svg")
    for title, of in zip(titles, weights, strict=True):
        spread = f"deviation {of.std():.2f}, greatest {np.abs(of).max():.1f}"
        print(f"2018, {title}: {spread}; {suit_shares(of)}")
    before, after = weights[1], weights[2]
    same = (np.sign(before) == np.sign(after))[strongest(before)].mean()
    alike = np.corrcoef(before.ravel(), after.ravel())[0, 1]
    print(
        f"2018, pretrained beside fine-tuned: correlation {alike:.2f}; of the strongest tenth "
        f"{staying(before, after):.0%} stay in it, {same:.0%} keep their sign"
    )


def strongest(weights: np.ndarray) -> np.ndarray:
    """Return which weights are among the strongest tenth."""
    strong: np.ndarray = np.abs(weights) >= np.quantile(np.abs(weights), 0.9)
    return strong


def staying(before: np.ndarray, after: np.ndarray) -> float:
    """Return the share of the strongest tenth of the weights that stays in it."""
    return float(strongest(after)[strongest(before)].mean())


def stay_by_authors(folders: list[Path]) -> None:
    """Store the percent of strong weights of D/104 in suits that stay, by the authors' program.

    The first layer of a frozen encoder is that of the first phase. Each network of a folder is
    compared with the frozen one of its seed.
    """
    first_layers: dict[tuple[int, int, bool], np.ndarray] = {}
    for path in sorted(path for folder in folders for path in folder.glob("authors/*.network")):
        trained = load(path)
        net, how = trained.net, trained.net.pretraining
        if how is not None and how.encoders and (net.network, net.contracts) == DRAWN_2018:
            layers: Any = trained.network.layers
            first_layers[net.deals, net.seed, how.frozen] = layers[0].weight.detach().numpy()
    of_deals: dict[int, list[float]] = {}
    for (deals, seed, frozen), weights in sorted(first_layers.items()):
        before = first_layers.get((deals, seed, True))
        if not frozen and before is not None:
            of_deals.setdefault(deals, []).append(round(100 * staying(before, weights), 1))
    for deals, stay in of_deals.items():
        line = {"finding": f"strong weights: {deals:,} deals", "scale": "authors", "stay": stay}
        print(line)
        Store(DOCS, "reproduction").add([line])


def draw_2009(folders: list[Path]) -> None:
    """Write the first layers of 52-25-1 and of the best 52x4 network (Figures 2 to 5 of 2009)."""
    rows = {row.id: row for row in rows_of("mossakowski2009") if isinstance(row, Row)}
    panels = {}
    for name, title in (
        ("m09-TIV-01", "notrump"),
        ("m09-TIV-04", "suits"),
        ("m09-TV-05", "spades"),
    ):
        file = trained_of(rows[name], folders)
        if file is not None:
            panels[f"52-25-1, {title}"] = open_file(file)[0]
    if not panels:
        return
    panels["(52x4)-(26x4)-26-13-1, suits"] = open_model("(52x4)-(26x4)-26-13-1")[0]
    ordered = {title: opened.weights[order_of(opened), 0] for title, opened in panels.items()}
    save(ordered, "weights-2009.svg")
    for title, weights in ordered.items():
        aces = np.sort(np.abs(weights[:, ::13]).max(axis=0))
        others = np.abs(np.delete(weights, np.s_[::13], axis=1)).max()
        print(f"2009, {title}: aces up to {aces.round(1)}, other cards {others:.1f}")


def main() -> None:
    """Write the pictures."""
    mpl.rcParams["svg.hashsalt"] = "trickcast"
    folders = [Path(name) for name in sys.argv[1:]]
    draw_2018(folders)
    stay_by_authors(folders)
    draw_2009(folders)


if __name__ == "__main__":
    main()
