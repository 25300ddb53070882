"""The report: reproduction.csv, one line per published row, and a page for each paper."""

from .paper_pages import table_of_rows, write_report

__all__ = ["table_of_rows", "write_report"]
