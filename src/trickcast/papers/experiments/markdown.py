"""Tables in Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def markdown_table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a table as Markdown."""
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in cells) + "\n"


def fields_table(rows: Iterable[Mapping[str, Any]], *columns: tuple[str, str]) -> str:
    """Return a Markdown table; each column is a head and a template filled from a row's fields."""
    cells = [[text.format_map(row) for _, text in columns] for row in rows]
    return markdown_table([head for head, _ in columns], cells)
