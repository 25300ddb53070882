"""Settings: fields of frozen dataclasses, each with what it means and the values it may have."""

import math
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, NamedTuple

from ..cards import shorten


class Allowed(NamedTuple):
    """Values that a setting may have."""

    words: str
    fit: Callable[[Any], bool]


MORE_THAN_0 = Allowed("more than 0", lambda value: value > 0)
SHARE = Allowed("0 to less than 1", lambda value: 0 <= value < 1)
SEED = Allowed("0 to 2**64 - 1", lambda value: 0 <= value < 1 << 64)


def at_least(least: int) -> Allowed:
    """Allow numbers from ``least`` on."""
    return Allowed(f"{least} or more", lambda value: value >= least)


def one_of(*known: str) -> Allowed:
    """Allow these texts."""
    return Allowed(" or ".join(known), known.__contains__)


def setting(
    default: Any, help: str, allowed: Allowed | None = None, *, may_change: bool = False
) -> Any:
    """Return a field that a text can set; ``may_change`` in the middle of a training too.

    Other fields of a dataclass are for its callers alone.
    """
    metadata = {"help": help, "allowed": allowed, "may_change": may_change}
    return field(default=default, metadata=metadata)


def check_settings(config: Any) -> None:
    """Raise ValueError naming the first setting whose value is not allowed; infinity never is."""
    for option in fields(config):
        allowed, value = option.metadata.get("allowed"), getattr(config, option.name)
        if allowed is None:
            continue
        endless = isinstance(value, float) and math.isinf(value)
        if endless or not allowed.fit(value):
            words = f"{allowed.words}, and finite" if endless else allowed.words
            raise ValueError(f"{option.name} is {_shown(value)} (expected {words})")


def _shown(value: Any) -> str:
    return shorten(value) if isinstance(value, str) else repr(value)
