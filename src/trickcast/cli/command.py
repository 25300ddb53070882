"""Build click commands from the signatures of functions and the fields of questions.

Both are declared in the same way (``questions.declared``).
"""

import inspect
import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from inspect import getdoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..questions.declared import (
    MISSING_DEFAULT,
    MOST_SHOWN,
    Argument,
    Option,
    Parameter,
    Question,
    QuestionError,
    parameter,
    parameters,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["METAVARS", "Argument", "Group", "Option", "command"]

METAVARS = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


class Group(click.Group):
    """Commands listed in the help in the order in which they were added, under their headings."""

    def __init__(self, *args: Any, headings: Mapping[str, str] | None = None, **facts: Any):
        """``headings`` maps command names to headings; '' is used for the others."""
        super().__init__(*args, **facts)
        self._headings = headings or {"": "Commands"}

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Read the arguments. Raises UsageError, which names the commands, if there are none."""
        if not args and context.parent is not None and not context.resilient_parsing:
            names = ", ".join(self.commands)
            raise click.UsageError(f"a command is missing (expected one of {names})", context)
        return super().parse_args(context, args)

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under each heading."""
        headings = {name: self._headings.get(name, self._headings[""]) for name in self.commands}
        width = max(map(len, self.commands))
        for heading in dict.fromkeys(headings.values()):
            with formatter.section(heading):
                formatter.write_dl([
                    (f"{name:{width}}", part.short_help or "")
                    for name, part in self.commands.items()
                    if headings[name] == heading
                ])  # fmt: skip


class Command(click.Command):
    """A command that names the argument that is really missing, and a text given twice."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Read the arguments. Of IN... OUT, click calls IN missing where one is given.

        Of an option given twice click keeps the last value: it may replace the default of a script.
        Of two texts, such as conditions, it would drop one.
        """
        given = bool(args)
        if not context.resilient_parsing:
            _, _, named = self.make_parser(context).parse_args(list(args))
            for option, times in Counter(named).items():
                once = isinstance(option, click.Option) and not option.multiple
                if once and times > 1 and option.type is click.STRING:
                    told = f"{_name(option)} is given {times} times (expected once)"
                    raise click.UsageError(told, context)
        try:
            return super().parse_args(context, args)
        except click.MissingParameter as error:
            arguments = [each for each in self.params if isinstance(each, click.Argument)]
            if given and error.param in arguments[:1] and arguments[0].nargs < 0:
                error.param = arguments[-1]
            raise

    def invoke(self, context: click.Context) -> Any:
        """Run the command. A QuestionError names its options in place of their keys."""
        try:
            return super().invoke(context)
        except QuestionError as error:
            names = {each.name: _name(each) for each in self.params}
            told = error.with_names(*(names.get(key, key) for key in error.keys))
            raise QuestionError(told) from None


def command(function: Callable[..., None], name: str | None = None) -> click.Command:
    """Return a function as a command; the last paragraph of its docstring may be ``Example: …``.

    A parameter that is a question stands for its fields. Then the help text comes from the
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
    return Command(
        name or function.__name__,
        short_help=first.rstrip(".") + ".",
        callback=call,
        params=[each for part in declared for each in _parameters(part)],
        help=text,
        epilog=f"\b\nExample: {example}" if example else None,
    )


def _parameters(part: inspect.Parameter) -> list[click.Parameter]:
    """Return click's version of a parameter, or of the fields of a question."""
    if isinstance(part.annotation, type):
        return [_click(each, checked=True) for each in parameters(part.annotation)]
    default = MISSING_DEFAULT if part.default is part.empty else part.default
    return [_click(parameter(part.name, part.annotation, default), checked=False)]


def _click(declared: Parameter, *, checked: bool) -> click.Parameter:
    """Return click's version of a parameter; values of a ``checked`` one are checked elsewhere."""
    said, kind = declared.said, declared.kind
    facts: dict[str, Any] = {
        "help": _help(said),
        "metavar": said.metavar,
        "required": declared.required,
    }
    if not declared.required:
        facts["default"] = declared.default
    if not checked:
        facts["callback"] = partial(_check, said)
    if not isinstance(said, Argument):
        names = said.names or ("--" + declared.name.replace("_", "-"),)
        if kind is bool:
            return click.Option([declared.name, *names], is_flag=True, **facts)
        choices = f"[{'|'.join(said.choices)}]" if said.choices else METAVARS[kind]
        facts["metavar"] = facts["metavar"] or choices
        facts |= {"type": _type(kind), "multiple": declared.several}
        return click.Option([declared.name, *names], **facts)
    facts["metavar"] = facts["metavar"] + "..." * declared.several
    if not declared.required:
        facts["metavar"] = f"[{facts['metavar']}]"
    facts |= {"type": _type(kind), "nargs": -1 if declared.several else 1}
    return click.Argument([declared.name], shell_complete=_file, **facts)


def _help(said: Option) -> str:
    """Return the help of an option, with its bounds if they are informative."""
    if said.min is None or said.max is None or said.max > MOST_SHOWN:
        return said.help
    return f"{said.help.removesuffix('.')} ({said.min:,} to {said.max:,})."


def _type(kind: type) -> Any:
    """Return click's type for a value."""
    return _Path(path_type=Path) if kind is Path else kind


class _Path(click.Path):
    """A path; rejects an empty text, which Python takes for the working folder."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        """Return the given value as a path."""
        if not os.fspath(value).strip():
            raise click.UsageError(f"{_name(param)} is empty", ctx)
        return super().convert(value, param, ctx)


def _check(said: Option, context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Return a value, or several, in final form. Raises click.UsageError for an invalid one."""
    name = _name(parameter)
    try:
        if isinstance(value, tuple):
            return tuple(said.check(name, each) for each in value)
        return value if value is None else said.check(name, value)
    except QuestionError as error:
        raise click.UsageError(str(error), context) from None


def _name(parameter: click.Parameter | None) -> str:
    """Return the name by which users know an option or an argument."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)  # --boards, not -n
    return "" if parameter is None else parameter.human_readable_name.strip("[].")


def _file(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]
