"""What the papers print, as tables (the CSV files of this folder), and the one way to read them.

``published_results.csv`` has every published figure with its id; the others are the hands, deals,
weights and frequencies that the papers print.
"""

from .reader import (
    SAMPLE_COLUMNS,
    PublishedError,
    Samples,
    best_results,
    published_results,
    read_table,
    sample_deals,
)

__all__ = [
    "SAMPLE_COLUMNS",
    "PublishedError",
    "Samples",
    "best_results",
    "published_results",
    "read_table",
    "sample_deals",
]
