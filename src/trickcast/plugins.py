"""What other packages add to trickcast, among them its own ``trickcast.papers``.

A plug-in is a module that an entry point of the group ``trickcast.plugins`` names. It may have any
of these, each a mapping from names to what Python's ``pkgutil.resolve_name`` finds, so that nothing
is loaded before it is asked for:

``COMMANDS`` commands of the command line; ``TRAININGS`` functions that take a name and return a
``Training``, or None where they know none of that name; ``OPENINGS`` functions that load an opening
system; ``MODELS`` paths of model files.
"""

from functools import cache
from importlib.metadata import entry_points
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

GROUP = "trickcast.plugins"


@cache
def plugins() -> tuple[ModuleType, ...]:
    """Return the installed plug-ins, in the order of their names."""
    return tuple(entry.load() for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name))


def offered(kind: str) -> dict[str, str]:
    """Return what the plug-ins offer of a kind: name to the place where it is.

    >>> "reproduce" in offered("COMMANDS")
    True
    """
    places: dict[str, str] = {}
    for plugin in plugins():
        places |= getattr(plugin, kind, {})
    return places


def load(place: str) -> Any:
    """Return the object at a place such as ``trickcast.papers.reproduce:reproduce``."""
    return resolve_name(place)
