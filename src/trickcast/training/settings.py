"""Settings of trainings: frozen dataclasses, whose fields can be changed by ``NAME=VALUE``."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, field, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar, cast, get_type_hints

from ..cards import checked_number, checked_whole, shorten


class Settings(Protocol):
    """A frozen dataclass of all settings of a training, apart from its data."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def seed(self) -> int:
        """Seed of the first weights and the order of lessons."""

    @property
    def evaluate_every(self) -> int:
        """Steps between two evaluations."""

    @property
    def checkpoint_seconds(self) -> float:
        """Seconds between two checkpoints if no evaluation has written one."""


S = TypeVar("S")
_LONGEST = 30
"""Most characters of a number."""


def read_settings(texts: Iterable[str]) -> dict[str, str]:
    """Read settings, each ``NAME=VALUE``.

    Args:
        texts: The settings.

    Returns:
        Values, as text, by name.

    Raises:
        ValueError: A text has no ``=``.

    Example:
        >>> read_settings(["steps=10"])
        {'steps': '10'}
    """
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"{shorten(text)} is not a setting (expected NAME=VALUE)")
        pairs[name.strip()] = value
    return pairs


def settings_of(config: Any) -> dict[str, tuple[Any, str]]:
    """Return every setting with its value and meaning, those of a part as ``part.name``."""
    listed: dict[str, tuple[Any, str]] = {}
    for option in fields(config):
        value = getattr(config, option.name)
        if "help" in option.metadata:
            listed[option.name] = value, option.metadata["help"]
        elif is_dataclass(value):
            inner = settings_of(value)
            listed |= {f"{option.name}.{name}": meaning for name, meaning in inner.items()}
    return listed


def changed(config: S, texts: Mapping[str, str], **others: Any) -> S:
    """Return ``config`` with some settings changed: ``{"steps": "10", "network.width": "64"}``.

    ``others`` are fields that no text can change. Raises ValueError for an unknown setting or an
    invalid value, naming it, and TypeError for a value that is not text.
    """
    known = settings_of(config)
    for name in texts:
        if name not in known:
            raise ValueError(f"no setting {shorten(name)} (expected {', '.join(known)})")
    return _replaced(config, {name: (name, text) for name, text in texts.items()}, **others)


def _replaced(config: S, texts: Mapping[str, tuple[str, str]], **others: Any) -> S:
    """Return a dataclass with new values, given as field name: (full name, text)."""
    kinds, values = get_type_hints(type(config)), dict(others)
    parts: dict[str, dict[str, tuple[str, str]]] = {}
    for name, (whole, text) in texts.items():
        part, dot, rest = name.partition(".")
        if dot:
            parts.setdefault(part, {})[rest] = whole, text
        else:
            values[name] = _value(whole, text, kinds[name])
    values |= {name: _replaced(getattr(config, name), given) for name, given in parts.items()}
    return cast(S, replace(cast(Any, config), **values))


def _value(name: str, text: str, kind: Any) -> Any:
    """Read ``text`` as a value of the setting's type."""
    if kind is bool:
        if text not in ("true", "false"):
            raise ValueError(f"{name} is {shorten(text)} (expected true or false)")
        return text == "true"
    if not isinstance(text, str):
        raise TypeError(
            f"{name} is {shorten(text)} (expected its text, such as {shorten(str(text))})"
        )
    if kind is str:
        return text
    try:
        if len(text) > _LONGEST:
            raise ValueError(text)
        return kind(text)
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise ValueError(f"{name} is {shorten(text)} (expected {expected})") from None


# Settings: fields of frozen dataclasses, each with its meaning and allowed values.


class Allowed(NamedTuple):
    """Values that a setting may have."""

    words: str
    fit: Callable[[Any], bool]


MORE_THAN_0 = Allowed("more than 0", lambda value: value > 0)
SHARE = Allowed("0 to less than 1", lambda value: 0 <= value < 1)
SEED = Allowed("0 to 2**64 - 1", lambda value: 0 <= value < 1 << 64)


def at_least(least: int) -> Allowed:
    """Allow numbers of at least ``least``."""
    return Allowed(f"{least} or more", lambda value: value >= least)


def one_of(*known: str) -> Allowed:
    """Allow these texts."""
    return Allowed(" or ".join(known), known.__contains__)


def setting(
    default: Any, help: str, allowed: Allowed | None = None, *, may_change: bool = False
) -> Any:
    """Return a field that a text can set; ``may_change`` allows it in the middle of a training too.

    Other fields of a dataclass can only be set by its callers.
    """
    metadata = {"help": help, "allowed": allowed, "may_change": may_change}
    return field(default=default, metadata=metadata)


_CHECKS: dict[Any, Callable[[Any, str], object]] = {
    int: checked_whole,
    int | None: checked_whole,
    float: checked_number,
    float | None: checked_number,
}


def check_settings(config: Any) -> None:
    """Raise ValueError naming the first setting whose value is not allowed; infinity never is.

    Raises TypeError for a value that is not a number, or not a whole one, where it should be.
    """
    for option in fields(config):
        allowed, value = option.metadata.get("allowed"), getattr(config, option.name)
        if allowed is None:
            continue
        if value is not None and (check := _CHECKS.get(option.type)):
            check(value, option.name)
        endless = isinstance(value, float) and math.isinf(value)
        if endless or not allowed.fit(value):
            words = f"{allowed.words}, and finite" if endless else allowed.words
            raise ValueError(f"{option.name} is {_shown(value)} (expected {words})")


def _shown(value: Any) -> str:
    return shorten(value) if isinstance(value, str) else repr(value)
