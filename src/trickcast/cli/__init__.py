"""The command line: parse, call the public API, show."""

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit."""
    try:
        from .app import run
    except KeyboardInterrupt:  # Ctrl-C before the command has begun
        os._exit(130)
    sys.exit(run())


__all__ = ["main"]
