"""Run the code blocks of the pages: a pytest plugin, by Sybil.

    python -m pytest -p docs.blocks README.md CONTRIBUTING.md docs [--slow] [--rewrite]

Blocks of ``python`` are run, and examples after ``>>>`` compared. Blocks of commands, each after
``$ ``, are run by bash, and their output is compared, ignoring blanks; ``…`` matches anything.
Blocks of ``sh`` are run. A comment before a block, such as
``<!--- skip: next if(quick, reason="a minute") -->``, says when to skip it. Each page runs in a new
folder that holds ``examples``, ``docs``, ``benchmarks`` and the library of deals.

With ``--rewrite`` the new output replaces the old one in the page, as after a new model. An output
that begins or ends with ``…`` keeps its number of lines; one with ``…`` inside is left as it is.
"""

import doctest
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.integration import pytest as of_pytest
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
PORT = "8000"
"""Port that pages use for their server; a free one replaces it."""
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SKIPPED = 3
"""Exit status of a command that answered, but skipped invalid entries of a file."""
MORE = "…"
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)
_SECONDS = 3600
"""Time limit for a command: long enough for a slow machine, but a hang is still found."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that also runs what takes longer than ten seconds."""
    parser.addoption("--slow", action="store_true", help="run also what takes over ten seconds")
    parser.addoption("--rewrite", action="store_true", help="put what is printed into the pages")


def pytest_configure(config: pytest.Config) -> None:
    """Tell the blocks whether to be quick, and whether to rewrite their pages."""
    _BASE["quick"] = not config.getoption("--slow")
    _BASE["rewrite"] = config.getoption("--rewrite")


_BASE: dict[str, Any] = {"shared": SHARED.is_dir()}


def _setup(namespace: dict[str, Any]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="trickcast-docs-"))
    work = folder / "work"
    for name in ("docs", "examples", "benchmarks"):
        shutil.copytree(ROOT / name, work / name)
    for name in ("data", "src", "tests"):
        (work / name).symlink_to(ROOT / name)
    if SHARED.is_dir():
        (folder / "shared").symlink_to(SHARED)
        for file in (SHARED / "data/openings").glob("*.csv"):
            (work / file.name).symlink_to(file)
    namespace |= _BASE | {"folder": folder, "before": Path.cwd(), "servers": [], "changes": []}
    os.chdir(work)


def _teardown(namespace: dict[str, Any]) -> None:
    for server in namespace["servers"]:
        server.terminate()
        server.communicate()
    os.chdir(namespace["before"])
    _write(namespace["changes"])
    shutil.rmtree(namespace["folder"])


def _write(changes: list[tuple[Path, str, str]]) -> None:
    """Replace the old outputs by the new ones; all changes are in one page, in order."""
    at = 0
    for page, before, now in changes:
        text = page.read_text("utf-8")
        at = text.index(before, at)
        page.write_text(text[:at] + now + text[at + len(before) :], "utf-8")
        at += len(now)


def _changed(example: Example, asked: str, before: str, now: str) -> bool:
    """Record that a page should show a new output after ``asked``, unless it is shortened."""
    lines, kept = [line.rstrip() for line in now.splitlines()], before.splitlines()
    if kept and kept[-1] == MORE:
        lines, kept = [*lines[: len(kept) - 1], MORE], kept[:-1]
    elif kept and kept[0] == MORE:
        lines, kept = [MORE, *lines[len(lines) - len(kept) + 1 :]], kept[1:]
    if not example.namespace["rewrite"] or MORE in "".join(kept) or "..." in "".join(kept):
        return False
    change = Path(example.path), asked + before, asked + "\n".join(lines) + "\n"
    example.namespace["changes"].append(change)
    return True


def _environment() -> dict[str, str]:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": programs, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80"}


def _run(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        env=_environment(),
    )


def _serve(command: str, namespace: dict[str, Any]) -> str:
    """Start a server on a free port, and return its first line as if it had the usual one."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        namespace["port"] = str(free.getsockname()[1])
    arguments = [*command.split(), "--port", namespace["port"]]
    server = subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=_environment(),
    )
    namespace["servers"].append(server)
    assert server.stdout is not None
    return server.stdout.readline().replace(namespace["port"], PORT)


def _console(example: Example) -> str | None:
    """Run the commands of a block, and return where an output differs from the page's."""
    text = str(example.parsed)
    if not text.startswith("$ "):
        first = text.split(maxsplit=1)[0]
        assert first not in ("trickcast", "python", "make", "pip"), f"what is no sh runs {first}"
        return None
    for command, printed in commands_of(text):
        if command.startswith("trickcast serve"):
            output = _serve(command, example.namespace)
        else:
            port = example.namespace.get("port", PORT)
            ran = _run(command.replace(f":{PORT}/", f":{port}/"))
            if ran.returncode not in (0, SKIPPED):
                return f"{command}\nended with {ran.returncode}: {ran.stderr}"
            output = ran.stdout
        if "--precision" in command or "--seconds" in command:
            continue  # they depend on the clock, so their figures differ in every run
        expected, checker = printed.replace("…", "..."), doctest.OutputChecker()
        if not checker.check_output(expected, output.replace("…", "..."), _OPTIONS):
            if _changed(example, f"$ {command}\n", printed, output):
                continue
            case = doctest.Example(command, expected)
            return f"{command}\n" + checker.output_difference(case, output, doctest.REPORT_NDIFF)
    return None


def _python(example: Example) -> str | None:
    """Run an example after ``>>>``, and return where its output differs from the page's."""
    told = str(_DOCTEST(example))
    _, wrong, now = told.partition("Got:\n")
    source, before = example.parsed.source, example.parsed.want
    asked = ">>> " + "... ".join(source.splitlines(keepends=True))
    if wrong and before and _changed(example, asked, before, textwrap.dedent(now)):
        return None
    return told


def _shell(example: Example) -> str | None:
    """Run a block of ``sh``, and return its failure, if any."""
    ran = _run(str(example.parsed))
    return f"ended with {ran.returncode}: {ran.stderr}" if ran.returncode else None


def commands_of(block: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a block, each with its output."""
    yield from _COMMAND.findall(block)


def _commands(document: Document) -> Iterator[Region]:
    for region in FencedCodeBlockLexer("(?:console|sh)?")(document):
        region.parsed = region.lexemes["source"]
        region.evaluator = _shell if region.lexemes["language"] == "sh" else _console
        yield region


def _codes(document: Document) -> Iterator[Region]:
    for region in PythonCodeBlockParser(doctest_optionflags=_OPTIONS)(document):
        if isinstance(region.parsed, doctest.Example):
            region.evaluator = _python
        yield region


_DOCTEST = DocTestEvaluator(_OPTIONS)
_FOLDERS: dict[str, Any] = {"path": str(ROOT), "setup": _setup, "teardown": _teardown}
pytest_collect_file = of_pytest.pytest_integration(
    Sybil([SkipParser(), _codes, _commands], pattern="*.md", **_FOLDERS)
)
