"""The standard streams of a command: everything can be read and written, and text is harmless."""

import os
import re
import sys
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import Any

_STEERING = re.compile(
    r"(\x1b\[[0-9;]*m)|\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
"""Colours, and other characters that control a terminal or reverse the direction of text."""


def open_streams() -> None:
    """Make the standard streams able to read and write everything."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed by the parent process
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for name in ("stdout", "stderr"):
        output = getattr(sys, name)
        if type(output) is TextIOWrapper:  # not a replacement, such as that of a test
            setattr(sys, name, _safe(output))


def _safe(output: TextIOWrapper) -> TextIOWrapper:
    # suit signs, whatever the locale; and file names that are not UTF-8
    encoding = output.encoding if output.isatty() else "utf-8"
    output.flush()
    buffer: Any = output.detach()
    if isinstance(buffer, RawIOBase):
        buffer = BufferedWriter(buffer)  # a raw output may write only a part
    return SafeOutput(buffer, encoding, "backslashreplace", line_buffering=True)


class SafeOutput(TextIOWrapper):
    """A standard output on which text from a file cannot control the terminal: it is escaped.

    Colours pass on a terminal: they are ours, or harmless.
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
        """The same output for our own control characters, such as those of a progress bar."""
        return _Steering(self)


class _Steering:
    def __init__(self, output: TextIOWrapper):
        self._output = output

    def write(self, text: str) -> int:
        return TextIOWrapper.write(self._output, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)
