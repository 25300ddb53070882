"""The report: reproduction.csv, one line a published row, and a page for each paper."""

from .page import write_report

__all__ = ["write_report"]
