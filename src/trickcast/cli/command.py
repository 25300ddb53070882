"""Commands from the signatures of functions, run by click.

A parameter's type and default say most of it: ``list`` may be given several times, ``None`` is left
out, ``bool`` is a flag, and what has no default must be there. ``Annotated`` with an ``Option`` or
an ``Argument`` says the rest.
"""

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
    """What an annotation says of a positional argument; shells complete it as a file."""

    def __init__(self, *, help: str, metavar: str):
        self.facts: dict[str, Any] = {"help": help, "metavar": metavar}


class Option:
    """What an annotation says of an option: names other than its own, and bounds of a number."""

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
    ):
        self.facts: dict[str, Any] = {"help": help, "metavar": metavar}
        self.names, self.bounds = names, (min, max)


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
        return click.Path(path_type=Path)
    if (low, high) == (None, None):
        return kind
    number = click.IntRange(low, high) if kind is int else click.FloatRange(low, high)
    number.name = "number"  # of which click says that something is none
    return number


def _file(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]
