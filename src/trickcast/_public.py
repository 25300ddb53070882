"""What ``dir`` and completion show of a room: what is public, and nothing else."""

import sys
from collections.abc import Callable
from types import ModuleType

_HELPERS = ("TYPE_CHECKING", "public_names")


def public_names(room: str) -> Callable[[], list[str]]:
    """Return a room's ``__dir__``: its ``__all__``, else what it took from the package's modules.

    >>> import trickcast.solver
    >>> "solve" in dir(trickcast.solver), "batches" in dir(trickcast.solver)
    (True, False)
    """

    def shown() -> list[str]:
        module = sys.modules[room]
        names = getattr(module, "__all__", None)
        if names is not None:
            return sorted(names)
        return sorted(name for name, value in vars(module).items() if _is_public(name, value))

    return shown


def _is_public(name: str, value: object) -> bool:
    if name.startswith("_") or name in _HELPERS or isinstance(value, ModuleType):
        return False
    home = getattr(value, "__module__", None)  # constants have none
    return not isinstance(home, str) or home.startswith("trickcast")
