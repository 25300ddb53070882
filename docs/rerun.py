"""Make the figures of a page again: run its commands, and put what they print in place.

    python docs/rerun.py docs/simulation.md

A code block that begins with ``$ `` holds commands, which may go on over lines that end
in a backslash, each with its output. Where that ends in ``…`` only as many lines as before are
kept. Run it from the root of the repository. A server's block is left as it is, and what asks one
needs it running.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

BLOCK = re.compile(r"(?:(?<=```\n)|(?<=```console\n))\$ .*?(?=^```$)", re.MULTILINE | re.DOTALL)
MORE = "…"
SERVER = "trickcast serve"
"""A command that ends when it is told to."""
SKIPPED = 3
"""The status of a command that answered, but for what was no deal in a file."""
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)


def commands_of(block: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a block, each with what it prints."""
    yield from _COMMAND.findall(block)


def rerun(block: re.Match[str]) -> str:
    """Return a block with the output that its commands have now."""
    parts = []
    for command, before in commands_of(block[0]):
        if command.startswith(SERVER):
            return block[0]
        arguments = ["bash", "-euo", "pipefail", "-c", command]
        ran = subprocess.run(arguments, stdout=subprocess.PIPE, text=True)
        if ran.returncode not in (0, SKIPPED):
            sys.exit(f"{command}: ended with {ran.returncode}")
        lines, kept = ran.stdout.splitlines(), before.splitlines()
        if kept and kept[-1] == MORE:
            lines = [*lines[: len(kept) - 1], MORE]
        parts += [f"$ {command}", *(line.rstrip() for line in lines)]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Rewrite the pages that are named."""
    for name in sys.argv[1:]:
        page = Path(name)
        text = BLOCK.sub(rerun, page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
