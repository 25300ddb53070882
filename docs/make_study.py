"""Study what the accuracy of an estimator depends on: small networks, one change at a time.

Run from the root of the repository; needs torch and, for the picture, matplotlib:

    python docs/make_study.py          # some 40 minutes of a core; goes on where it stopped
    python docs/make_study.py --draw   # the tables and the picture again, from docs/study.csv

A row of docs/study.csv is one training: of its evaluations on 4,096 validation deals, the one with
the lowest log-loss. The networks are small, width 96 and 1 + 2 layers, so that each takes about a
minute. The shipped `accurate` learns fifteen times as much in a step, and needs a hundred times as
much computing in all.
"""

import argparse
import csv
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROWS, PAGE, PICTURE = Path("docs/study.csv"), Path("docs/log/estimator.md"), Path("docs/study.svg")
COLUMNS = [
    "part", "name", "deals", "steps", "weights", "products", "best_step",
    "training_loss", "log_loss", "exact_suits", "exact_notrump", "seconds",
]  # fmt: skip
COLOURS = {"suits": "#1f5f8b", "notrump": "#b5541c"}
FIGURES = ["training_loss", "log_loss", "exact_suits", "exact_notrump"]
PARTS = {
    "deals": ["deals", "best_step", *FIGURES],
    "compute": ["steps", *FIGURES, "seconds"],
    "size": ["name", "weights", "products", *FIGURES, "seconds"],
    "ideas": ["name", *FIGURES, "seconds"],
    "few deals": ["name", "best_step", *FIGURES],
}
"""The tables of the page and their columns."""
HEADS = {
    "name": "", "best_step": "best step", "training_loss": "training loss",
    "log_loss": "log-loss", "exact_suits": "suits", "exact_notrump": "notrump",
    "products": "products a deal",
}  # fmt: skip
VALIDATION = 4_096
DEALS = (3_448, 10_904, 34_481, 109_040)
"""A decade and a half, in equal ratios."""
STEPS = (160, 506, 1_600, 5_060)
"""The same range of compute; each has a schedule of its own, with the learning rate to zero."""
BASE = {
    "network.width": "96", "network.before": "1", "network.after": "2", "steps": "1000",
    "learning_rate": "0.002", "warm_up": "100", "weight_decay": "0.05", "average": "0.995",
    "compile": "true", "optimizer": "adam", "exchanged": "0", "network.dropout": "0",
    "network.layer_drop": "0",
}  # fmt: skip
"""Changes that every training makes to the preset `accurate`."""


@dataclass(frozen=True)
class Trial:
    """One training: the part of the study, a name, the number of deals, the changed settings."""

    part: str
    name: str
    deals: int = DEALS[-1]
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings; two underscores stand for a dot."""

    @property
    def training(self) -> str:
        """Everything that decides the training."""
        return f"{self.deals} {sorted((BASE | self.settings).items())}"

    @property
    def settings(self) -> dict[str, str]:
        """The changes in the form that ``configured`` takes."""
        return {key.replace("__", "."): str(value) for key, value in self.changes.items()}


def trials() -> Iterator[Trial]:
    """Yield every training of the study."""
    for deals, steps in zip(DEALS, (800, 1_600, 3_200, STEPS[-1]), strict=True):
        yield Trial("deals", f"{deals:,}", deals, {"steps": steps})
    for steps in STEPS:
        yield Trial("compute", f"{steps:,}", changes={"steps": steps})
    for width in (48, 96, 192):
        yield Trial("size", f"width {width}", changes={"network__width": width})
    for before, after in ((1, 1), (0, 3), (2, 1), (1, 4), (3, 2), (5, 2)):
        layers = {"network__before": before, "network__after": after}
        yield Trial("size", f"{before} + {after} layers", changes=layers)
    shape: dict[str, Any] = {
        "width": 128,
        "heads": 0,
        "before": 3,
        "after": 2,
        "pooled": 2,
        "ratio": 1,
    }
    shape |= {"inputs": "cards", "activation": "relu"}
    as_fast = {f"network__{key}": value for key, value in shape.items()}
    yield Trial("size", "that of `fast`", changes=as_fast)
    ideas: dict[str, dict[str, Any]] = {
        "as it is": {},
        "inputs: cards alone": {"network__inputs": "cards"},
        "means of suits, no attention": {"network__heads": 0},
        "SOAP, not AdamW": {"optimizer": "soap"},
        "dropout 0.1": {"network__dropout": 0.1},
        "ordered outcomes besides": {"ordered": 1.0},
        "half of the rows are positions": {"batch": 128, "endings": 128},
    }
    for name, changes in ideas.items():
        yield Trial("ideas", name, changes=changes)
    yield Trial("few deals", "as it is", DEALS[1], {"steps": 1_600})
    for ranks in (3, 4, 5, 6):
        changes = {"steps": 1_600, "exchanged": ranks}
        yield Trial("few deals", f"{ranks} lowest ranks exchanged", DEALS[1], changes)


def main() -> None:
    """Train what is missing, one row after another; then draw."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--draw", action="store_true", help="train nothing")
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--part", help="only this part: " + ", ".join(dict.fromkeys(PARTS)))
    options.add_argument("--library", type=Path, default=Path("data/library"))
    options.add_argument("--endings", type=Path, default=Path("data/endings"))
    given = options.parse_args()
    if not given.draw:
        there = {(row["part"], row["name"]): row for row in rows()}
        # keyed by training, because two parts may share one
        seen: dict[str, dict[str, Any]] = {
            trial.training: there[trial.part, trial.name]
            for trial in trials()
            if (trial.part, trial.name) in there
        }
        for trial in trials():
            if (trial.part, trial.name) in there or given.part not in (None, trial.part):
                continue
            if trial.training not in seen:
                seen[trial.training] = trained(trial, given)
            add({**seen[trial.training], "part": trial.part, "name": trial.name})
    write_tables(rows())
    draw(rows())


def rows() -> list[dict[str, str]]:
    """Return the stored trainings."""
    if not ROWS.exists():
        return []
    with ROWS.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def add(row: dict[str, Any]) -> None:
    """Append a row."""
    new = not ROWS.exists()
    with ROWS.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def trained(trial: Trial, given: argparse.Namespace) -> dict[str, Any]:
    """Train one network and return its row."""
    import torch

    from trickcast.library import Library, read_positions
    from trickcast.training import find_training
    from trickcast.training.lessons import labelled_positions
    from trickcast.training.suit_networks import SuitNetwork
    from trickcast.training.whole_deals import train

    torch.set_num_threads(given.threads)
    torch.compiler.reset()  # it compiles a function for at most eight networks
    settings = BASE | trial.settings
    settings.setdefault("evaluate_every", str(max(int(settings["steps"]) // 8, 1)))
    config = find_training("accurate").configured(settings)
    library = Library(given.library)
    seen: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        train(
            config,
            library.deals("train")[: trial.deals],
            library.deals("validation")[:VALIDATION],
            Path(folder) / "study.checkpoint",
            endings=labelled_positions(*read_positions(given.endings)) if config.endings else None,
            report=seen.append,
        )
    best = min(seen, key=lambda line: line["log_loss"])
    row: dict[str, Any] = {
        "part": trial.part,
        "name": trial.name,
        "deals": trial.deals,
        "steps": config.steps,
        "weights": SuitNetwork(config.network, seed=0).weights,
        "products": config.network.products,
        "best_step": int(best["step"]),
        "seconds": round(seen[-1]["seconds"]),
    }
    for name in ("training_loss", "log_loss"):
        row[name] = f"{best[name]:.3f}"
    for name in ("exact_suits", "exact_notrump"):
        row[name] = f"{best[name]:.1f}"
    print(" ".join(f"{row[name]}" for name in COLUMNS), file=sys.stderr, flush=True)
    return row


def write_tables(found: list[dict[str, str]]) -> None:
    """Write the parts' tables into the page, each between the comments with its name."""
    page = PAGE.read_text("utf-8")
    for part, columns in PARTS.items():
        mine = [row for row in found if row["part"] == part]
        lines = [
            "| " + " | ".join(HEADS.get(name, name) for name in columns) + " |",
            "|" + "---|" * len(columns),
        ]
        lines += ["| " + " | ".join(shown(row, name) for name in columns) + " |" for row in mine]
        pattern = re.compile(rf"(<!-- {part} -->\n).*?(<!-- end -->)", re.DOTALL)
        marks = pattern.search(page)
        if marks is None:
            raise SystemExit(f"{PAGE}: no <!-- {part} --> with its <!-- end -->")
        table = "\n".join(["", *lines, "", ""])
        page = page[: marks.end(1)] + table + page[marks.start(2) :]
    PAGE.write_text(page, "utf-8")


def shown(row: dict[str, str], column: str) -> str:
    """Return a number as the tables show it."""
    if column in ("deals", "weights", "best_step"):
        return f"{int(row[column]):,}"
    if column == "products":
        return f"{int(row[column]) / 1e6:.1f} M"
    return row[column]


def draw(found: list[dict[str, str]]) -> None:
    """Draw percent exact against deals and against compute, with lines through their ends."""
    from matplotlib import pyplot, ticker

    pyplot.rcParams["svg.hashsalt"] = "trickcast"
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    for axis, part, of in zip(axes, ("deals", "compute"), (deals_of, compute_of), strict=True):
        mine = [row for row in found if row["part"] == part]
        for kind, colour in COLOURS.items():
            exact = [float(row[f"exact_{kind}"]) for row in mine]
            axis.plot([of(row) for row in mine], exact, "o-", color=colour, label=kind)
        axis.set_xscale("log")
        axis.grid(alpha=0.3)
    axes[1].xaxis.set_minor_formatter(ticker.NullFormatter())
    axes[1].set_xlim(1e12, 1e14)
    axes[0].set(xlabel="training deals", ylabel="percent exact, validation deals")
    axes[1].set(xlabel="FLOP of the training")
    axes[0].legend(frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None})
    pyplot.close(figure)


def deals_of(row: dict[str, str]) -> float:
    """Return the training deals."""
    return float(row["deals"])


def compute_of(row: dict[str, str]) -> float:
    """Return the compute: six FLOP a product, in every step of 256 deals."""
    return 6.0 * float(row["products"]) * 256 * float(row["steps"])


if __name__ == "__main__":
    main()
