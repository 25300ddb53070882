"""How a question is declared: a frozen dataclass, from which the command and the address are made.

A field's type and default say most of it: ``list`` may be given several times, ``None`` is left
out, ``bool`` is a flag, and what has no default must be there. ``Annotated`` with an ``Option`` or
an ``Argument`` says the rest.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, NamedTuple, Self, cast, get_args, get_origin

MISSING_DEFAULT = MISSING
"""The default of what must be there."""
MOST_SHOWN = 1_000_000
"""A bound above it tells a reader nothing."""


class QuestionError(ValueError):
    """A question that cannot be answered as it is; the message says what was expected."""


class Option:
    """What an annotation says of an option: names other than its own, and what it may be.

    A number is between ``min`` and ``max``, or ``above`` a number; a text one of ``choices``. One
    that has to be ``filled`` is refused where it is empty. A server takes no number above
    ``served``, and no option of which that is False. ``format`` (deal, hand) and ``example`` stand
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
        """Return a value as it is meant. Raises QuestionError for one that cannot be."""
        if isinstance(value, list):
            return [self.check(name, each) for each in value]
        if isinstance(value, str) and self.choices:
            for choice in self.choices:
                if value.lower() == choice.lower():
                    return choice
            expected = " or ".join(filter(None, (", ".join(self.choices[:-1]), self.choices[-1])))
            raise QuestionError(f"{name} is {value[:60]!r} (expected {expected})")
        if isinstance(value, str) and self.filled and not value.strip():
            raise QuestionError(f"{name} is empty")
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
        raise QuestionError(f"{name} is {str(value)[:60]} (expected {expected})")


class Argument(Option):
    """What an annotation says of a positional argument; shells complete it as a file."""


class Parameter(NamedTuple):
    """A field of a question, or a parameter of a command, taken apart."""

    name: str
    kind: type
    """Of one value."""
    several: bool
    optional: bool
    """Whether it may be None."""
    said: Option
    default: Any

    @property
    def required(self) -> bool:
        """Whether it must be there."""
        return self.default is MISSING_DEFAULT


def parameter(name: str, annotation: Any, default: Any) -> Parameter:
    """Take an annotation apart."""
    declared, said = annotation.__origin__, annotation.__metadata__[0]
    kinds = get_args(declared) if isinstance(declared, UnionType) else (declared,)
    (kind,) = (each for each in kinds if each is not NoneType)
    several = get_origin(kind) is list
    if several:
        (kind,) = get_args(kind)
    return Parameter(name, kind, several, NoneType in kinds, said, default)


class Question:
    """What all questions have in common.

    Its docstring says what is asked, for people; the last paragraph may be ``Example: …``, a
    command. What a question is about, deals or hands, is given to it in other ways, by files or
    in a body.
    """

    about: ClassVar[str | None] = None
    """What has to come with it: deals, hands or pairs of them."""
    most: ClassVar[int] = 1000
    """Of these, how many a server takes in a request."""
    filed: ClassVar[str | None] = None
    """An option in whose place a file of boards can come; ``-`` then stands for the file."""
    needed: ClassVar[tuple[str, ...]] = ()
    """Options without which a server cannot answer."""

    given: frozenset[str]
    """The names of what was said: None and False say nothing."""

    def __new__(cls, **values: Any) -> Self:
        """Note what is given."""
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
        """Refuse what does not go together. Raises QuestionError, and DealError for its texts."""

    def but(self, **changes: Any) -> Self:
        """Return the question with other values for some names."""
        return type(self)(**{name: getattr(self, name) for name in self.given} | changes)


def parameters(question: type[Question]) -> tuple[Parameter, ...]:
    """Return what can be said to a question, in the order of its fields."""
    return _parameters(cast(Hashable, question))


@cache
def _parameters(question: Any) -> tuple[Parameter, ...]:
    every = fields(question)  # every question is a dataclass
    return tuple(parameter(field.name, field.type, field.default) for field in every)


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """How an answer is worked out, which changes nothing of it."""

    workers: int | None = None
    """Threads; None for all cores."""
    cluster: str | None = None
    """The cluster on which it is worked out."""
    bar: bool = False
    """Whether progress is shown."""
    watch: Callable[[Any], object] | None = None
    """Who is told of results so far."""
    keep_on_interrupt: bool = False
    """Whether Ctrl-C gives the result so far."""
    until: float | None = None
    """The time, as of ``time.time``, at which the result so far is given."""
