"""Make the pictures of the README: the output of commands, as SVG.

Run from the root of the repository: python docs/make_pictures.py
"""

import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURES = {
    "docs/estimate.svg": ["estimate", "--exact", "examples/deals.pbn"],
}
LINES = 20


def main() -> None:
    """Run each command and draw the beginning of its output."""
    for file, arguments in PICTURES.items():
        command = [sys.executable, "-m", "trickcast", *arguments]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        lines = output.splitlines()[:LINES]
        console = Console(record=True, width=78, file=StringIO())
        console.print(Text("\n".join(line.rstrip() for line in lines)))
        title = "trickcast " + " ".join(arguments)
        Path(file).write_text(console.export_svg(title=title), encoding="utf-8")


if __name__ == "__main__":
    main()
