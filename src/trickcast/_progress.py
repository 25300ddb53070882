"""A progress bar for whatever takes longer than a second."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

_PATIENCE = 1.0


@contextmanager
def progress_bar(
    title: str, total: int | None, unit: str, *, show: bool
) -> Iterator[Callable[[int], None]]:
    """Yield a function to be called with the number of items just done.

    The bar appears on standard error after a second, with the rate and the time left, and goes
    away at the end. It stays away when ``show`` is false or standard error is not a terminal.
    """
    if not (show and sys.stderr.isatty()):
        yield lambda done: None
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
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(title, total=total, rate="")

    def advance(done: int) -> None:
        bar.advance(task, done)
        state = bar.tasks[task]
        if state.elapsed:
            bar.update(task, rate=f"{state.completed / state.elapsed:,.0f} a second")

    appear = Timer(_PATIENCE, bar.start)
    appear.daemon = True
    appear.start()
    try:
        yield advance
    finally:
        appear.cancel()
        appear.join()
        bar.stop()
