"""The standard streams of a command: all can be read and written, and no text steers a terminal."""

import os
import re
import sys
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import Any

_STEERING = re.compile(
    r"(\x1b\[[0-9;]*m)|\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
"""Colours, and the other characters by which a terminal is steered or a line is turned round."""


def open_streams() -> None:
    """Make the standard streams such that all can be read and written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed by who started this process
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for name in ("stdout", "stderr"):
        output = getattr(sys, name)
        if type(output) is TextIOWrapper:  # not another's, such as that of a test
            setattr(sys, name, _safe(output))


def _safe(output: TextIOWrapper) -> TextIOWrapper:
    # suit signs, whatever a file's locale is; and names of files that are in no UTF-8
    encoding = output.encoding if output.isatty() else "utf-8"
    output.flush()
    buffer: Any = output.detach()
    if isinstance(buffer, RawIOBase):
        buffer = BufferedWriter(buffer)  # a raw output may take a part of what is written
    return SafeOutput(buffer, encoding, "backslashreplace", line_buffering=True)


class SafeOutput(TextIOWrapper):
    """A standard output on which text from a file steers no terminal: what would is escaped.

    Colours pass on a terminal, where they are ours, or harm nobody.
    """

    def write(self, text: str, /) -> int:
        """Write text."""
        super().write(_STEERING.sub(self._shown, text))
        return len(text)

    def _shown(self, found: re.Match[str]) -> str:
        if found[1] and self.isatty():
            return found[1]
        return found[0].encode("unicode_escape").decode()

    @property
    def steering(self) -> "_Steering":
        """The same output for what is ours, such as a bar of progress."""
        return _Steering(self)


class _Steering:
    def __init__(self, output: TextIOWrapper):
        self._output = output

    def write(self, text: str) -> int:
        return TextIOWrapper.write(self._output, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)
