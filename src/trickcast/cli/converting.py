"""Writing the deals of a command to a file or to standard output."""

import sys
from collections.abc import Iterable

from ..cards import DealSet
from ..formats import FormatError, write_stream
from .inputs import CommandError


def write_deals(chunks: Iterable[DealSet], out: str | None, format: str | None) -> None:
    """Write deals as ``write_stream`` does, to standard output where ``out`` is None.

    For commands with an option ``--solve``, which errors about unsolved deals name.
    """
    try:
        write_stream(chunks, sys.stdout.buffer if out is None else out, format)
    except FormatError as error:
        text = str(error).replace("(solve them first)", "(solve them first: --solve)")
        raise CommandError(text) from None
