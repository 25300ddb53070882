"""The ``trickcast`` command: its sub-commands, and how every one of them ends.

Exit status 0; 3 where answers stand but something in a file was no deal and was skipped; 2 with at
most three plain lines on standard error; 130 after Ctrl-C.
"""

import os
import sys
import warnings
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import Any

import typer

from ..cards import DealError
from ..estimator import ModelError
from ..formats import FormatError, FormatWarning
from ..library import LibraryError
from . import (
    deals,
    evaluating,
    experiments,
    hands,
    libraries,
    networks,
    opening,
    simulations,
    training,
    vectors,
)
from .inputs import CommandError, forget_skipped, tell_skipped

_ERROR_LINES = 3
_SKIPPED = 3
_INTERRUPTED = 130
_UsageError: Any = typer.BadParameter.__bases__[0]  # click's; typer does not export its name
_TROUBLE = (CommandError, DealError, FormatError, LibraryError, ModelError, ModuleNotFoundError)

app = typer.Typer(
    name="trickcast",
    help="How many tricks will these cards take? Exact double-dummy tables and neural estimates.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
deals.register(app)
hands.register(app)
opening.register(app)
libraries.register(app)
networks.register(app)
evaluating.register(app)
simulations.register(app)
vectors.register(app)
training.register(app)
experiments.register(app)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    if version:
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as installed

        try:
            typer.echo(f"trickcast {installed('trickcast')}")
        except PackageNotFoundError:
            typer.echo("trickcast (not installed)")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run() -> int:
    """Run the command line and return its exit status."""
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, RawIOBase):
        whole = BufferedWriter(sys.stdout.buffer)  # a raw output may take a part of what is written
        sys.stdout = TextIOWrapper(whole, sys.stdout.encoding, line_buffering=True)
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, TextIOWrapper) and not output.isatty():
            output.reconfigure(encoding="utf-8")  # suit signs, whatever a file's locale is
    with warnings.catch_warnings():
        warnings.simplefilter("always", FormatWarning)
        warnings.showwarning = _show_note  # type: ignore[assignment]
        status = _run()
    if status == _INTERRUPTED:
        print("interrupted", file=sys.stderr, flush=True)
        os._exit(_INTERRUPTED)  # without waiting for the batch that DDS has in hand
    return status


def _run() -> int:
    """Run the command that the arguments name, and return the exit status."""
    command = typer.main.get_command(app)
    forget_skipped()
    try:  # not app(), which turns some of these errors into messages and statuses of its own
        with command.make_context("trickcast", sys.argv[1:]) as context:
            command.invoke(context)
        skipped = tell_skipped(as_json="--json" in sys.argv[1:])
        sys.stdout.flush()
    except typer.Exit as ended:
        return ended.exit_code
    except _UsageError as error:
        return _complain(error.format_message())
    except BrokenPipeError:  # the reader of our output has gone: nothing is wrong
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        return _complain(f"{error.filename or 'output'}: {error.strerror or error}")
    except _TROUBLE as error:
        return _complain(error)
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    return _SKIPPED if skipped else 0


def _complain(error: object) -> int:
    """Print an error in at most three plain lines, and return the exit status."""
    lines = [line for line in str(error).splitlines() if line.strip()] or ["failed"]
    print("\n".join([f"trickcast: {lines[0]}", *lines[1:_ERROR_LINES]]), file=sys.stderr)
    return 2


def _show_note(message: Warning | str, category: type[Warning], *place: Any) -> None:
    """Show what a reader or writer has to say as a plain line; other warnings are not for users."""
    if issubclass(category, FormatWarning):
        print(f"note: {message}", file=sys.stderr)


def _discard_output() -> None:
    """Keep the interpreter from failing again when it flushes standard output at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
