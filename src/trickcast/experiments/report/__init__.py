"""The report: reproduction.csv, one line a published row, and reproduction.md."""

from .page import write_report

__all__ = ["write_report"]
