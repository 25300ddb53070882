"""Commands from the signatures of functions and the fields of questions, run by click.

Both are declared in one way (``questions.declared``).
"""

import inspect
import math
import os
from collections.abc import Callable
from inspect import getdoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..questions.declared import (
    MISSING_DEFAULT,
    Argument,
    Option,
    Parameter,
    Question,
    parameter,
    parameters,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["Argument", "Group", "Option", "command"]

_METAVARS = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


class Group(click.Group):
    """Commands that the help lists in the order in which they were added."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)


def command(function: Callable[..., None], name: str | None = None) -> click.Command:
    """Return a function as a command; the last paragraph of its docstring may be ``Example: …``.

    A parameter that is a question stands for its fields; what the command does is then said by the
    question's docstring.
    """
    declared = signature(function).parameters.values()
    asked = next((each for each in declared if isinstance(each.annotation, type)), None)
    question: type[Question] | None = None if asked is None else asked.annotation
    text, _, example = (getdoc(question or function) or "").partition("\n\nExample: ")

    def call(**values: Any) -> None:
        values = {name: list(value) if isinstance(value, tuple) else value
                  for name, value in values.items()}  # fmt: skip
        if asked is not None and question is not None:
            own = {each.name: values.pop(each.name) for each in parameters(question)}
            context = click.get_current_context()
            values[asked.name] = question(**{
                name: value
                for name, value in own.items()
                if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            })  # fmt: skip
        function(**values)

    first = text.partition("\n\n")[0].replace("\n", " ").split(": ")[0].split(". ")[0]
    return click.Command(
        name or function.__name__,
        short_help=first.rstrip(".") + ".",
        callback=call,
        params=[each for part in declared for each in _parameters(part)],
        help=text,
        epilog=f"\b\nExample: {example}" if example else None,
    )


def _parameters(part: inspect.Parameter) -> list[click.Parameter]:
    """Return a parameter of a function as click's, or the fields of one that is a question."""
    if isinstance(part.annotation, type):
        return [_click(each, checked=True) for each in parameters(part.annotation)]
    default = MISSING_DEFAULT if part.default is part.empty else part.default
    return [_click(parameter(part.name, part.annotation, default), checked=False)]


def _click(declared: Parameter, *, checked: bool) -> click.Parameter:
    """Return a parameter as click's; the values of one that is ``checked`` are so elsewhere."""
    said, kind = declared.said, declared.kind
    facts: dict[str, Any] = {
        "help": said.help,
        "metavar": said.metavar,
        "required": declared.required,
    }
    if not declared.required:
        facts["default"] = declared.default
    if not checked and (said.filled or kind is float):
        facts["callback"] = _filled if said.filled else _finite
    if not isinstance(said, Argument):
        names = said.names or ("--" + declared.name.replace("_", "-"),)
        if kind is bool:
            return click.Option([declared.name, *names], is_flag=True, **facts)
        facts["metavar"] = facts["metavar"] or "|".join(said.choices) or _METAVARS[kind]
        low, high = (None, None) if checked else (said.min, said.max)
        facts |= {"type": _type(kind, low, high), "multiple": declared.several}
        return click.Option([declared.name, *names], **facts)
    facts["metavar"] = facts["metavar"] + "..." * declared.several
    if not declared.required:
        facts["metavar"] = f"[{facts['metavar']}]"
    facts |= {"type": _type(kind, None, None), "nargs": -1 if declared.several else 1}
    return click.Argument([declared.name], shell_complete=_file, **facts)


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
