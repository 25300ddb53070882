"""Neural estimates of double-dummy tricks, by pretrained networks run with ONNX Runtime.

The estimator check and the networks of other projects are loaded on access.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .estimator import Estimator, estimate, is_loaded, loaded
from .files import DEFAULT_MODEL, ModelError, ModelInfo, models
from .result import TrickEstimate

if TYPE_CHECKING:
    from .check import check_estimator
    from .peers import DEFAULT_LAYOUT, PeerModel, Side

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
    "is_loaded",
    "loaded",
    "models",
]

_ON_ACCESS = {
    "DEFAULT_LAYOUT": ".peers",
    "PeerModel": ".peers",
    "Side": ".peers",
    "check_estimator": ".check",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_ACCESS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_ACCESS[name], __name__), name)


def __dir__() -> list[str]:
    return __all__
