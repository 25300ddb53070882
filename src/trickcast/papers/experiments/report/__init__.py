"""The report: reproduction.csv, one line a published row, and a page for each paper."""

from .page import table_of_rows, write_report

__all__ = ["table_of_rows", "write_report"]
