"""The command line: parse, call the public API, show."""

from .app import main

__all__ = ["main"]
