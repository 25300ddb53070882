"""Train the networks that ship: one entry point, one trainer, export to ONNX.

``train(Request(name="fast"))`` trains anything in the ``catalogue``, like ``trickcast train fast``.
Training needs torch, and an export also onnx: both come with the extra ``train``. Making a request
and listing its options needs neither.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .errors import TrainingError
from .request import Request

if TYPE_CHECKING:
    from .catalogue import find_training as find_training
    from .catalogue import listed as listed
    from .catalogue import train as train
    from .request import Answer as Answer
    from .settings import read_settings as read_settings

_MODULES = {
    "catalogue": ("find_training", "listed", "train"),
    "request": ("Answer",),
    "settings": ("read_settings",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["Request", "TrainingError", *_MODULE_OF]


def __getattr__(name: str) -> Any:
    """Load what needs torch on first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("torch") is None:
        raise ModuleNotFoundError(
            "training needs torch; install it with: pip install 'trickcast[train]'", name="torch"
        )
    return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
