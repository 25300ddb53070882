"""Training a whole model: a network for suit contracts, one for notrump, one file of both."""

import os
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from ..cards import DealSet
from .examples import Contracts
from .export import export
from .loop import TrainingConfig, train

KINDS: tuple[Contracts, ...] = ("suit", "notrump")


def train_model(
    training: DealSet,
    validation: DealSet,
    folder: str | os.PathLike[str],
    *,
    report: Callable[[Contracts, dict[str, float]], None] = lambda contracts, line: None,
    speed: str = "",
    threads: int = 1,
    **settings: Any,
) -> Path:
    """Train both networks of a model and export them; return the ONNX file.

    ``settings`` are those of ``TrainingConfig`` and hold for both networks. The folder gets a
    checkpoint of each (``suit.checkpoint``, ``notrump.checkpoint``), from which an interrupted
    training goes on, and at the end the files that ``export`` writes. ``report`` is called with
    each line of ``train``'s reports.

    ``threads`` are the processor threads of torch. The networks are small: one thread runs some 10
    epochs of 131,072 examples a second, and two are hardly faster, or slower where other programs
    want the processor too.

    Raises what ``train`` and ``export`` raise; ValueError for a wrong setting, before training.
    """
    if find_spec("onnx") is None:  # found now rather than after the training
        raise ModuleNotFoundError(
            "a model is exported by onnx; install it with: pip install 'trickcast[train]'",
            name="onnx",
        )
    root = Path(folder)
    configs = [TrainingConfig(contracts=contracts, **settings) for contracts in KINDS]
    threads_before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        suit, notrump = (
            train(
                config,
                training,
                validation,
                root / f"{config.contracts}.checkpoint",
                partial(report, config.contracts),
            )
            for config in configs
        )
    finally:
        torch.set_num_threads(threads_before)
    path = root / f"{suit.config.network}.onnx"
    export(suit, notrump, validation, path, speed=speed)
    return path
