"""The command line: parse, call the public API, show."""

import gc
import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit.

    Loaded modules stay until the end. Garbage-collecting them, while they load and again
    at the end, would take a third of a short command's own time.
    """
    gc.disable()
    try:
        from .app import run
    except KeyboardInterrupt:  # Ctrl-C before the command has begun
        os._exit(130)
    status = run()
    gc.freeze()
    sys.exit(status)


__all__ = ["main"]
