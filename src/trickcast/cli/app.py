"""The ``trickcast`` command: its sub-commands, and how each of them ends.

Exit status 0; 3 if there are answers but an invalid entry of a file was skipped; 2 with at
most three plain lines on standard error; 130 after Ctrl-C.
"""

import gc
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from ..cards import DealError, cut
from ..plugins import load, offered
from .command import Group, command
from .inputs import CommandError, forget_skipped, tell_skipped
from .standard_streams import open_streams

_ERROR_LINES, _LONGEST = 3, 1000
"""Limits of an error message: lines, and characters of each."""
_IN_PYTHON = re.compile(r'format="[^"]*" or (?=--)|trickcast\.solve\(deals\), or ')
"""What messages suggest to programs, before they name an option or a command."""
_SKIPPED = 3
_INTERRUPTED = 130
_COMPLETION = "_TRICKCAST_COMPLETE"
"""The variable by which a shell asks for completions (click's convention)."""
_COMMANDS: dict[str, dict[str, tuple[str, ...]]] = {
    "Answers": {
        "deals": ("estimate", "solve"),
        "hands": ("par", "hand"),
        "opening": ("open",),
        "vectors": ("pair", "nearest"),
        "simulations": ("simulate", "compare", "leads"),
        "play": ("play",),
        "played": ("played",),
        "auctions": ("auction", "bid"),
    },
    "Files": {
        "dealing": ("deal",),
        "converting": ("convert",),
        "session": ("session",),
        "report": ("report",),
    },
    "Library": {"libraries": ("generate", "library")},
    "Models": {
        "networks": ("models",),
        "evaluating": ("evaluate",),
        "bench": ("bench",),
        "train": ("train",),
    },
    "Serving": {"serve": ("serve",), "site": ("site",)},
    "Installation": {"doctor": ("doctor",)},
}
"""The headings of the help, and under each the modules of its commands. Only the requested
command's module is loaded; the help, and an unknown name, load all of them."""
_HEADINGS = {"": "Papers and plug-ins"} | {
    name: heading
    for heading, modules in _COMMANDS.items()
    for names in modules.values()
    for name in names
}


def build(arguments: Sequence[str]) -> click.Group:
    """Return the command line with the commands needed for these arguments."""
    group = Group(
        "trickcast",
        help="How many tricks will these cards take? Exact double-dummy tables and neural "
        "estimates.",
        callback=_root,
        invoke_without_command=True,
        params=[
            click.Option(
                ["--version"], is_flag=True, help="Show the versions that affect results, and exit."
            ),
            click.Option(
                ["--completion"],
                metavar="[bash|zsh|fish]",
                help="Print the shell's completion script, and exit.",
            ),
        ],
        headings=_HEADINGS,
        context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    )
    named = next((word for word in arguments if not word.startswith("-")), None)
    modules = {module: names for part in _COMMANDS.values() for module, names in part.items()}
    needed = {module: names for module, names in modules.items() if named in names}
    parts = [
        getattr(import_module(f".{module}", __package__), name)
        for module, names in (needed or modules).items()
        for name in names
    ]
    if not needed:
        added = offered("COMMANDS")
        parts += [load(added[name]) for name in ([named] if named in added else added)]
    for part in parts:
        group.add_command(part if isinstance(part, click.Command) else command(part))
    return group


def _root(version: bool, completion: str | None) -> None:
    context = click.get_current_context()
    if version:
        from .doctor import versions

        click.echo("\n".join(versions()))
    elif completion is not None:
        _complete(context.command, f"{completion}_source")
    elif context.invoked_subcommand is None:
        click.echo(context.get_help())


def _complete(group: click.Command, instruction: str) -> int:
    """Answer a shell that completes a line, or that asks for the completion script."""
    from click.shell_completion import shell_complete

    if shell_complete(group, {}, "trickcast", _COMPLETION, instruction):
        shell = instruction.partition("_")[0]
        raise click.BadParameter(f"no completion for {shell!r} (expected bash, zsh or fish)")
    return 0


def run() -> int:
    """Run the command line and return its exit status."""
    open_streams()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _show_note  # type: ignore[assignment]
        status = _run()
    if status == _INTERRUPTED:
        print("interrupted", file=sys.stderr, flush=True)
        os._exit(_INTERRUPTED)  # without waiting for the batch that DDS is solving
    return status


def _run() -> int:
    """Run the command that the arguments name, and return the exit status."""
    forget_skipped()
    try:  # not app(), which handles some of these errors in its own way
        if instruction := os.environ.get(_COMPLETION):
            return _complete(build(os.environ.get("COMP_WORDS", "").split()[1:]), instruction)
        group = build(sys.argv[1:])
        gc.freeze()
        gc.enable()
        with group.make_context("trickcast", sys.argv[1:]) as context:
            group.invoke(context)
        skipped = tell_skipped("--json" in sys.argv[1:], _offers_json(group, context))
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.UsageError as error:
        of_option = getattr(error, "param", None) or not isinstance(error, click.BadParameter)
        return _complain(error.format_message() if of_option else error.message)
    except BrokenPipeError:  # the reader of our output has gone: no error
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        return _complain(f"{error.filename or 'output'}: {error.strerror or error}")
    except (KeyboardInterrupt, click.Abort):
        return _INTERRUPTED
    except Exception as error:
        if not isinstance(error, _answers()):
            raise
        return _complain(error)
    return _SKIPPED if skipped else 0


def _offers_json(group: click.Group, context: click.Context) -> bool:
    """Return whether the command that ran has the option --json."""
    ran = group.commands.get(context.invoked_subcommand or "")
    return ran is not None and any("--json" in each.opts for each in ran.params)


def _answers() -> tuple[type[Exception], ...]:
    """Return the errors that are shown as they are, without a traceback."""
    from .._pieces import ClusterError
    from ..dealing import ConstraintError
    from ..estimator import ModelError  # late import: successful commands need not wait for it
    from ..evaluation import AnswersError
    from ..formats import FormatError
    from ..library import LibraryError
    from ..questions import QuestionError

    return (
        AnswersError,
        ClusterError,
        CommandError,
        ConstraintError,
        DealError,
        FormatError,
        LibraryError,
        ModelError,
        ModuleNotFoundError,
        QuestionError,
        *map(load, offered("ERRORS").values()),
    )


def _complain(error: object) -> int:
    """Print an error in at most three plain lines, and return the exit status."""
    text = _IN_PYTHON.sub("", str(error))
    lines = [cut(line, _LONGEST) for line in text.splitlines() if line.strip()] or ["failed"]
    print("\n".join([f"trickcast: {lines[0]}", *lines[1:_ERROR_LINES]]), file=sys.stderr)
    return 2


def _show_note(message: Warning | str, category: type[Warning], *place: Any) -> None:
    """Print a note on standard error; other warnings are not for users."""
    from ..cards import NoteWarning

    if issubclass(category, NoteWarning):
        text = _IN_PYTHON.sub("", str(message))
        print(f"note: {text}", file=sys.stderr)


def _discard_output() -> None:
    """Prevent another failure when the interpreter flushes standard output at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
