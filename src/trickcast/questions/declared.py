"""How to declare a question: a frozen dataclass, which defines the command and the HTTP query.

A field's type and default say most. ``list`` may be given several times, ``None`` means optional,
``bool`` is a flag, and a field without default is required. ``Annotated`` with an ``Option`` or
an ``Argument`` adds the rest.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, NamedTuple, Self, cast, get_args, get_origin

MISSING_DEFAULT = MISSING
"""The default of a required value."""
MOST_SHOWN = 1_000_000
"""Larger bounds are not worth showing."""


class QuestionError(ValueError):
    """A question that cannot be answered; the message says what was expected.

    Each ``{}`` in it stands for the next of ``keys``, for which a command names its options.
    """

    def __init__(self, message: str, *keys: str):
        super().__init__(message, *keys)
        self.message, self.keys = message, keys

    def __str__(self) -> str:
        return self.with_names(*self.keys)

    def with_names(self, *names: str) -> str:
        """Return the message with other names for the keys."""
        text = self.message
        for name in names:
            text = text.replace("{}", name, 1)
        return text


class Option:
    """Annotation of an option: other names, and the values it allows.

    A number is between ``min`` and ``max``, or ``above`` a number; a text is one of ``choices``. An
    option that must be ``filled`` is refused if empty. A server accepts no number above
    ``served``, and omits an option if that is False. ``format`` (deal, hand) and ``example`` appear
    in its schema.
    """

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        above: float | None = None,
        choices: tuple[str, ...] = (),
        filled: bool = False,
        served: float | bool = True,
        format: str | None = None,
        example: Any = None,
    ):
        self.names, self.help, self.metavar = names, help, metavar
        self.min, self.max, self.above, self.choices = min, max, above, choices
        self.filled, self.served, self.format, self.example = filled, served, format, example

    def check(self, name: str, value: Any) -> Any:
        """Return a value in its final form. Raises QuestionError for an invalid one."""
        if isinstance(value, list):
            return [self.check(name, each) for each in value]
        if isinstance(value, str) and self.choices:
            for choice in self.choices:
                if value.lower() == choice.lower():
                    return choice
            expected = " or ".join(filter(None, (", ".join(self.choices[:-1]), self.choices[-1])))
            raise QuestionError(f"{{}} is {value[:60]!r} (expected {expected})", name)
        if isinstance(value, str) and self.filled and not value.strip():
            raise QuestionError("{} is empty", name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self._check_number(name, value)
        return value

    def _check_number(self, name: str, value: float) -> None:
        low, high = self.min, self.max
        if isinstance(value, float) and not math.isfinite(value):
            expected = "a finite number"
        elif self.above is not None and value <= self.above:
            expected = f"a number above {self.above:g}"
        elif (low is not None and value < low) or (high is not None and value > high):
            far = high is None or (high > MOST_SHOWN and low is not None and value < low)
            ends = f"{low:g} or more" if far else f"{low} to {high}"
            expected = f"at most {high}" if low is None else ends
        else:
            return
        raise QuestionError(f"{{}} is {str(value)[:60]} (expected {expected})", name)


class Argument(Option):
    """Annotation of a positional argument; shells complete it as a file."""


class Parameter(NamedTuple):
    """A parsed field of a question, or a parsed parameter of a command."""

    name: str
    kind: type
    """Type of a single value."""
    several: bool
    optional: bool
    """Whether it may be None."""
    said: Option
    default: Any

    @property
    def required(self) -> bool:
        """Whether a value is required."""
        return self.default is MISSING_DEFAULT


def parameter(name: str, annotation: Any, default: Any) -> Parameter:
    """Parse an annotation."""
    declared, said = annotation.__origin__, annotation.__metadata__[0]
    kinds = get_args(declared) if isinstance(declared, UnionType) else (declared,)
    (kind,) = (each for each in kinds if each is not NoneType)
    several = get_origin(kind) is list
    if several:
        (kind,) = get_args(kind)
    return Parameter(name, kind, several, NoneType in kinds, said, default)


class Question:
    """Base class of all questions.

    Its docstring describes the question for people; the last paragraph may be ``Example: …``, a
    command. The subject of a question, deals or hands, is given separately, in files or
    in a body.
    """

    about: ClassVar[str | None] = None
    """The subject it needs: deals, hands or pairs of hands."""
    most: ClassVar[int] = 1000
    """The most of these that a server accepts in a request."""
    filed: ClassVar[str | None] = None
    """An option that may be replaced by a file of boards; ``-`` then stands for the file."""
    needed: ClassVar[tuple[str, ...]] = ()
    """Options that a server requires."""

    given: frozenset[str]
    """The names of the options that were given; None and False count as not given."""

    def __new__(cls, **values: Any) -> Self:
        """Record which options are given."""
        self = super().__new__(cls)
        given = frozenset(
            name for name, value in values.items() if value is not None and value is not False
        )
        object.__setattr__(self, "given", given)
        return self

    def __post_init__(self) -> None:
        for declared in parameters(type(self)):
            name, value = declared.name, getattr(self, declared.name)
            object.__setattr__(self, name, declared.said.check(name, value))
        self.check()

    def check(self) -> None:
        """Refuse contradictory options. Raises QuestionError, and DealError for invalid texts."""

    def but(self, **changes: Any) -> Self:
        """Return the question with some values replaced."""
        return type(self)(**{name: getattr(self, name) for name in self.given} | changes)


def parameters(question: type[Question]) -> tuple[Parameter, ...]:
    """Return the parameters of a question, in the order of its fields."""
    return _parameters(cast(Hashable, question))


@cache
def _parameters(question: Any) -> tuple[Parameter, ...]:
    every = fields(question)  # every question is a dataclass
    return tuple(parameter(field.name, field.type, field.default) for field in every)


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """How to compute an answer; nothing here changes the result."""

    workers: int | None = None
    """Threads; None for all cores."""
    cluster: str | None = None
    """The cluster to compute on."""
    bar: bool = False
    """Whether to show progress."""
    watch: Callable[[Any], object] | None = None
    """Function that receives intermediate results."""
    keep_on_interrupt: bool = False
    """Whether Ctrl-C gives the result so far."""
    until: float | None = None
    """The time, as from ``time.time``, at which to return the result so far."""
