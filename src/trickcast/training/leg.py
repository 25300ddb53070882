"""One leg of a training, where only torch and numpy are: ``python -m trickcast.training.leg``."""

import argparse
import json
import sys
from pathlib import Path

import torch
from torch import distributed

from ..library import Library
from .distill import besides
from .presets import PRESETS, configured
from .snapshots import load_weights
from .supervised import train


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="trickcast.training.leg", description=__doc__)
    parser.add_argument("name", choices=PRESETS, help="which training")
    parser.add_argument("--out", type=Path, required=True, help="folder of checkpoint and log")
    parser.add_argument("--library", type=Path, default=Path("data/library"))
    parser.add_argument("--deals", type=int, help="train on the first so many (default: all)")
    parser.add_argument("--minutes", type=float, help="end the leg after so long")
    parser.add_argument("--weights", type=Path, help="16-bit weights to go on from")
    parser.add_argument("--anew", action="store_true", help="take the weights into step 0")
    parser.add_argument("--teacher", type=Path, action="append", default=[], help="16-bit weights")
    parser.add_argument("--taught", type=Path, help="folder of deals that teachers labelled")
    parser.add_argument("--endings", type=Path, help="folder of endings to learn besides")
    parser.add_argument("--set", action="append", default=[], metavar="SETTING=VALUE")
    parser.add_argument("--validation", type=int, default=20_480, help="deals to validate on")
    parser.add_argument("--device", help="torch's name of it, as cpu or cuda")
    parser.add_argument("--threads", type=int, help="processor threads")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Train for one leg and print each evaluation as a line of JSON."""
    given = _arguments(arguments)
    if given.threads:
        torch.set_num_threads(given.threads)
    if any("=" not in setting for setting in given.set):
        raise ValueError(f"--set is {given.set} (expected settings as steps=1000)")
    config = configured(given.name, dict(setting.split("=", 1) for setting in given.set))
    library = Library(given.library)
    training = library.deals("train")[: given.deals]
    leg = train(
        config,
        training,
        library.deals("validation")[: given.validation],
        given.out / f"{given.name}.checkpoint",
        weights=given.weights,
        anew=given.anew,
        teachers=[load_weights(path)[0] for path in given.teacher],
        taught=besides(given.taught, given.endings),
        minutes=given.minutes,
        device=given.device,
        report=lambda line: print(json.dumps(line), flush=True),
    )
    if distributed.is_initialized():
        first = distributed.get_rank() == 0
        distributed.destroy_process_group()
        if not first:
            return
    print(
        f"{given.name}: step {leg.progress.step:,} of {config.steps:,} on {len(training):,} deals; "
        f"{leg.network.weights:,} weights, {config.network.products:,} products a deal",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
