"""What other packages add to trickcast, among them its own ``trickcast.papers``.

A plug-in is a module that an entry point of the group ``trickcast.plugins`` names. It may have any
of these, each a mapping from names to what Python's ``pkgutil.resolve_name`` finds, so that nothing
is loaded before it is asked for:

- ``COMMANDS``: commands of the command line;
- ``TRAININGS``: functions that take a name and return a ``Training``, or None for other names;
- ``MODELS``: names of model files, and the folder with each file and ``SHA256SUMS``;
- ``OPENINGS``: names of opening systems, and functions that take the name and load the system;
- ``RULE_FILES``: names of opening systems, and the path of the rule file of each;
- ``REFERENCES``: functions that return published results to show beside ours, as rows of text,
  for ``evaluate`` and for ``contest``;
- ``ERRORS``: types of errors whose text is for users, without a traceback.
"""

from functools import cache
from types import ModuleType
from typing import Any

GROUP = "trickcast.plugins"


@cache
def plugins() -> tuple[ModuleType, ...]:
    """Return the installed plug-ins, in the order of their names."""
    from importlib.metadata import entry_points  # an estimate by one of our models does without

    return tuple(entry.load() for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name))


def offered(kind: str) -> dict[str, str]:
    """Return what the plug-ins offer of a kind.

    Args:
        kind: Name of a table of plug-ins, such as ``"COMMANDS"``.

    Returns:
        Places, which ``load`` accepts, by name.

    Example:
        >>> "reproduce" in offered("COMMANDS")
        True
    """
    places: dict[str, str] = {}
    for plugin in plugins():
        places |= getattr(plugin, kind, {})
    return places


def load(place: str) -> Any:
    """Return the object at a place.

    Args:
        place: Module and name, such as ``trickcast.papers.reproduce:reproduce``.

    Returns:
        The object.

    Example:
        >>> load("trickcast.scoring:score") is tc.score
        True
    """
    from pkgutil import resolve_name

    return resolve_name(place)


def references(question: str) -> list[dict[str, str]]:
    """Return published results to show beside ours, from the plug-ins that have some.

    Args:
        question: Name of a question, such as ``"evaluate"``.

    Returns:
        Rows, by column.

    Example:
        >>> references("evaluate")[0]["contracts"]
        'suits'
    """
    places = (getattr(plugin, "REFERENCES", {}).get(question) for plugin in plugins())
    return [row for place in places if place is not None for row in load(place)()]
