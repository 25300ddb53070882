"""Training the estimators: examples, loop, checkpoints, export to ONNX.

Needs torch; an export needs onnx too. Both come with the extra ``train``.
"""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "training needs torch; install it with: pip install 'trickcast[train]'", name="torch"
    )

from .checkpoints import TrainingError
from .examples import (
    Contracts,
    Examples,
    all_examples,
    deals_checksum,
    draw_examples,
    draw_views,
    known_tricks,
)
from .export.layered import export_layered
from .export.thresholds import Thresholds, fit_thresholds
from .loop import Trained, TrainingConfig, train
from .model import train_model

__all__ = [
    "Contracts",
    "Examples",
    "Thresholds",
    "Trained",
    "TrainingConfig",
    "TrainingError",
    "all_examples",
    "deals_checksum",
    "draw_examples",
    "draw_views",
    "export_layered",
    "fit_thresholds",
    "known_tricks",
    "train",
    "train_model",
]
