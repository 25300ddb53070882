"""Make the figures of a page again: run its commands, and put what they print in place.

    python docs/rerun.py docs/simulation.md

A code block that begins with ``$ trickcast`` holds a command, which may go on over lines that end
in a backslash, and its output. Where that ends in ``…`` only as many lines as before are kept. Run
it from the root of the repository.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"(```\n\$ )(trickcast (?:.*\\\n)*.*\n)((?:.*\n)*?)(```\n)")
MORE = "…"


def rerun(found: re.Match[str]) -> str:
    """Return a block with the output that its command has now."""
    start, command, before, end = found.groups()
    arguments = shlex.split(command.replace("\\\n", " "))[1:]
    ran = [sys.executable, "-m", "trickcast", *arguments]
    output = subprocess.run(ran, capture_output=True, text=True, check=True).stdout
    lines, kept = output.splitlines(), before.splitlines()
    if kept and kept[-1] == MORE:
        lines = [*lines[: len(kept) - 1], MORE]
    return start + command + "".join(f"{line.rstrip()}\n" for line in lines) + end


def main() -> None:
    """Rewrite the pages that are named."""
    for name in sys.argv[1:]:
        page = Path(name)
        text = BLOCK.sub(rerun, page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
