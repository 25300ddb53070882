"""Neural estimates of double-dummy tricks, by pretrained networks that ONNX Runtime runs."""

from .check import check_estimator
from .estimator import Estimator, estimate
from .files import DEFAULT_MODEL, ModelError, ModelInfo, models
from .peers import DEFAULT_LAYOUT, PeerModel, Side
from .result import TrickEstimate

__all__ = [
    "DEFAULT_LAYOUT",
    "DEFAULT_MODEL",
    "Estimator",
    "ModelError",
    "ModelInfo",
    "PeerModel",
    "Side",
    "TrickEstimate",
    "check_estimator",
    "estimate",
    "models",
]
