"""The console that tables of results are printed on, and how lines are wrapped for it."""

import re
import sys
from textwrap import fill
from typing import IO, Any

from rich.console import Console

_WIDTH = 80
_TRAILING = re.compile(" +$", re.MULTILINE)


class ResultConsole(Console):
    """The console for results: as wide as the terminal, 80 characters without one.

    It drops colours by itself if output is not a terminal.
    """

    def __init__(self, *, stderr: bool = False, file: IO[str] | None = None) -> None:
        output = file or (sys.stderr if stderr else sys.stdout)
        width = None if output.isatty() else _WIDTH
        super().__init__(highlight=False, markup=False, width=width, stderr=stderr, file=file)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; outside a terminal without the blanks that fill the last column of a table."""
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.write(_TRAILING.sub("", captured.get()))
        self.file.flush()

    def on_broken_pipe(self) -> None:
        """Let the command line handle a reader that goes away."""
        raise


def folded(text: str) -> str:
    """Wrap lines of a text that are longer than 80 characters, and indent the continuation."""
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        lines.append(fill(line, _WIDTH, subsequent_indent=indent) if len(line) > _WIDTH else line)
    return "\n".join(lines)
