"""The console that tables of results are printed on."""

import sys

from rich.console import Console

_FILE_WIDTH = 160


class ResultConsole(Console):
    """The console for results: as wide as the terminal, wide enough where there is none.

    It drops colours by itself where output is no terminal.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        width = None if (sys.stderr if stderr else sys.stdout).isatty() else _FILE_WIDTH
        super().__init__(highlight=False, markup=False, width=width, stderr=stderr)

    def on_broken_pipe(self) -> None:
        """Leave it to the command line what a reader that goes away means."""
        raise
