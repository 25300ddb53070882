"""The console that tables of results are printed on, and how lines are broken for it."""

import sys
from textwrap import fill
from typing import IO

from rich.console import Console

_WIDTH = 80


class ResultConsole(Console):
    """The console for results: as wide as the terminal, 80 characters where there is none.

    It drops colours by itself where output is no terminal.
    """

    def __init__(self, *, stderr: bool = False, file: IO[str] | None = None) -> None:
        output = file or (sys.stderr if stderr else sys.stdout)
        width = None if output.isatty() else _WIDTH
        super().__init__(highlight=False, markup=False, width=width, stderr=stderr, file=file)

    def on_broken_pipe(self) -> None:
        """Leave it to the command line what a reader that goes away means."""
        raise


def folded(text: str) -> str:
    """Break the lines of a text that are longer than 80 characters, and indent what goes on."""
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        lines.append(fill(line, _WIDTH, subsequent_indent=indent) if len(line) > _WIDTH else line)
    return "\n".join(lines)
