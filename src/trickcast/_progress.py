"""A progress bar for whatever takes longer than a second."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Protocol

_PATIENCE = 1.0


class Advance(Protocol):
    """Called with the number of items just done, and perhaps a note to show beside the bar."""

    def __call__(self, done: int, /, note: str = "") -> None: ...


def nothing(done: int, /, note: str = "") -> None:
    """Show nothing."""


@contextmanager
def progress_bar(title: str, total: int | None, unit: str, *, show: bool) -> Iterator[Advance]:
    """Yield a function to be called with the number of items just done.

    The bar appears on standard error after a second, with the rate and the time left, and goes
    away at the end. It stays away when ``show`` is false or standard error is not a terminal.
    """
    if not (show and sys.stderr.isatty()):
        yield nothing
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        # a command's standard error escapes control characters, but not the bar's
        console=Console(file=getattr(sys.stderr, "steering", sys.stderr)),
        transient=True,
    )
    task = bar.add_task(title, total=total, rate="", note="")

    def advance(done: int, /, note: str = "") -> None:
        bar.advance(task, done)
        state = bar.tasks[task]
        if state.elapsed:
            bar.update(task, rate=f"{state.completed / state.elapsed:,.0f} a second", note=note)

    appear = Timer(_PATIENCE, bar.start)
    appear.daemon = True
    appear.start()
    try:
        yield advance
    finally:
        appear.cancel()
        appear.join()
        bar.stop()
