"""The README's Python and commands, run as by somebody who installed the package and has no clone.

``python installed.py README.md`` in an empty folder, by the Python of the installation.
"""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import trickcast

WITHOUT_FILES = r"trickcast (?:estimate|hand|open|doctor)(?: [^`…\n]*)?"
"""The README's commands that name no file of the reader's."""


def main(page: Path) -> None:
    package = Path(trickcast.__file__)
    assert "site-packages" in package.parts, f"{package} is no installation"
    assert (package.parent / "py.typed").exists()
    failed, tried = doctest.testfile(str(page.resolve()), module_relative=False)
    assert tried and not failed
    commands = re.findall(
        rf"(?:`|^)(?:\$ )?({WITHOUT_FILES})", page.read_text("utf-8"), re.MULTILINE
    )
    commands = [words for words in map(shlex.split, commands) if not words[-1].endswith(".pbn")]
    assert len(commands) >= 3
    for words in [*commands, ["trickcast", "--version"]]:
        command = [str(Path(sys.executable).with_name("trickcast")), *words[1:]]
        ended = subprocess.run(command, capture_output=True, encoding="utf-8")
        assert (ended.returncode, ended.stderr) == (0, ""), (words, ended.stderr)
        assert ended.stdout
        print("works:", shlex.join(words)[:80])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
