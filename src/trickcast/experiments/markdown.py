"""Tables in Markdown."""

from collections.abc import Sequence


def markdown_table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a table as Markdown."""
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in cells) + "\n"
