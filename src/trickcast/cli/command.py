"""Commands from the signatures of functions, run by click.

A parameter's type and default say most of it: ``list`` may be given several times, ``None`` is left
out, ``bool`` is a flag, and what has no default must be there. ``Annotated`` with an ``Option`` or
an ``Argument`` says the rest.
"""

import math
import os
from collections.abc import Callable
from inspect import Parameter, getdoc, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_METAVARS = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


class Group(click.Group):
    """Commands that the help lists in the order in which they were added."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)


class Argument:
    """What an annotation says of a positional argument; shells complete it as a file.

    One that has to be ``filled`` is refused where it is empty.
    """

    def __init__(self, *, help: str, metavar: str, filled: bool = False):
        self.facts: dict[str, Any] = {"help": help, "metavar": metavar}
        self.filled = filled


class Option:
    """What an annotation says of an option: names other than its own, and bounds of a number.

    One that has to be ``filled`` is refused where it is empty.
    """

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        filled: bool = False,
    ):
        self.facts: dict[str, Any] = {"help": help, "metavar": metavar}
        self.names, self.bounds, self.filled = names, (min, max), filled


def command(function: Callable[..., None], name: str | None = None) -> click.Command:
    """Return a function as a command; the last paragraph of its docstring may be ``Example: …``."""
    text, _, example = (getdoc(function) or "").partition("\n\nExample: ")

    def call(**values: Any) -> None:
        listed = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
        function(**values | listed)

    first = text.partition("\n\n")[0].replace("\n", " ").split(": ")[0].split(". ")[0]
    return click.Command(
        name or function.__name__,
        short_help=first.rstrip(".") + ".",
        callback=call,
        params=[_parameter(each) for each in signature(function).parameters.values()],
        help=text,
        epilog=f"\b\nExample: {example}" if example else None,
    )


def _parameter(parameter: Parameter) -> click.Parameter:
    """Return a parameter of a function as click's."""
    declared, said = parameter.annotation.__origin__, parameter.annotation.__metadata__[0]
    optional = get_args(declared) if isinstance(declared, UnionType) else (declared,)
    (kind,) = (each for each in optional if each is not NoneType)
    several = get_origin(kind) is list
    if several:
        (kind,) = get_args(kind)
    facts = said.facts | {"required": parameter.default is Parameter.empty}
    if not facts["required"]:
        facts["default"] = parameter.default
    if said.filled or kind is float:
        facts["callback"] = _filled if said.filled else _finite
    if isinstance(said, Option):
        names = said.names or ("--" + parameter.name.replace("_", "-"),)
        if kind is bool:
            return click.Option([parameter.name, *names], is_flag=True, **facts)
        facts["metavar"] = facts["metavar"] or _METAVARS[kind]
        facts |= {"type": _type(kind, *said.bounds), "multiple": several}
        return click.Option([parameter.name, *names], **facts)
    facts["metavar"] = facts["metavar"] + "..." * several
    if not facts["required"]:
        facts["metavar"] = f"[{facts['metavar']}]"
    facts |= {"type": _type(kind, None, None), "nargs": -1 if several else 1}
    return click.Argument([parameter.name], shell_complete=_file, **facts)


def _type(kind: type, low: Any, high: Any) -> Any:
    """Return what click makes a value of."""
    if kind is Path:
        return _Path(path_type=Path)
    if (low, high) == (None, None):
        return kind
    number = click.IntRange(low, high) if kind is int else click.FloatRange(low, high)
    number.name = "number"  # of which click says that something is none
    return number


class _Path(click.Path):
    """A path, which an empty text is not: Python takes that for the working folder."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        """Return what was given as a path."""
        _filled(ctx, param, os.fspath(value))
        return super().convert(value, param, ctx)


def _filled(context: click.Context | None, parameter: click.Parameter | None, text: str) -> str:
    """Pass on what was given. Raises click.BadParameter where it is empty."""
    if not text.strip():
        raise click.BadParameter("it is empty", context, parameter)
    return text


def _finite(
    context: click.Context | None, parameter: click.Parameter | None, number: float | None
) -> float | None:
    """Pass on a number. Raises click.BadParameter where it is infinite, or nan."""
    if number is not None and not math.isfinite(number):
        raise click.BadParameter(f"{number} is not a finite number", context, parameter)
    return number


def _file(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]
