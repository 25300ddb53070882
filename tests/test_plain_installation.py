"""Every command as users run it who installed trickcast without its extras.

Commands run in processes of their own, in which what the extras install cannot be found. A command
without an example here fails a test, so that a new one is tried too.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import trickcast as tc
from trickcast.cli.app import build
from trickcast.library import USES, Library, append

pytestmark = pytest.mark.slow

_WEB = ("python_multipart", "fastapi", "uvicorn", "httptools", "prometheus_client")
_CLUSTER = ("ray", "fsspec", "s3fs")
EXTRAS = ("torch", "onnx", "pyarrow", "cairosvg", "matplotlib", "sklearn", *_WEB, *_CLUSTER)
"""The packages that the extras in pyproject.toml install, but for developers' tools."""
LIBRARY = Path(__file__).parents[1] / "data" / "library"
DEALS = str(Path(__file__).parents[1] / "examples" / "deals.pbn")
SCRIPT = DEALS.replace("deals.pbn", "weak-notrump.dl")
NORTH, SOUTH = "A.KQ9832.T94.AKT", "KJ95.J65.K3.J654"
NETWORK = "(52x4)-(26x4)-26-13-1"
ESTIMATED = ("--samples", "100", "--solve", "0", "--workers", "1")
OUT = ("--out", "{folder}/reproduction")
WRITTEN = ("--picture", "{folder}/tricks.svg", "--save", "{folder}/layouts.pbn")

EXAMPLES: list[tuple[str, ...]] = [
    ("estimate", DEALS, "--exact"),
    ("estimate", DEALS, "--model", NETWORK, "--json"),
    ("solve", DEALS),
    ("convert", DEALS, "{folder}/deals.lin"),
    ("convert", "{solved}", "{folder}/deals.csv"),
    ("deal", "--south", SOUTH, "-n", "2", "--solve"),
    ("bid", NORTH, "--auction", "1S P", "--dealer", "S"),
    ("auction", "1N P 3N P P P"),
    ("played", DEALS, "4H", "--by", "N", "--boards", "1"),
    ("play", DEALS, "4H", "SQ", "--by", "N", "--board", "1"),
    ("hand", NORTH),
    ("par", DEALS),
    ("open", NORTH),
    ("open", NORTH, "--system", "cascade-1996", "--nearest", "0"),
    ("generate", "--deals", "1", "--seed", "3", "--out", "{folder}/generated"),
    ("generate", "--deals", "20", "--seed", "3", "--cards", "4", "--out", "{folder}/endings"),
    ("library", "info", "{library}"),
    ("library", "verify", "{library}", "--sample", "1"),
    ("library", "split", "{library}"),
    ("library", "add", "{folder}/added", "{solved}", "--name", "mine", "--source", "us"),
    ("models",),
    ("evaluate", "{library}", "--use", "test"),
    ("evaluate", "{solved}", "--model", "fast", "--json"),
    ("bench",),
    ("simulate", "--south", SOUTH, "--north", "hcp 15-17, balanced", *ESTIMATED),
    ("simulate", "--south", SOUTH, "--contract", "3N", "--by", "N", *ESTIMATED, *WRITTEN),
    ("compare", "3N", "4S", "--by", "N", "--south", SOUTH, *ESTIMATED),
    ("leads", NORTH, "3N", "--by", "E", "--samples", "40", "--solve", "20", "--workers", "1"),
    ("pair", NORTH, SOUTH),
    ("played", DEALS, "4H", "--by", "N"),
    ("auction", "1N P 2C"),
    ("bid", NORTH, "--auction", "1N P"),
    ("nearest", NORTH, "--hands", "{hands}", "-k", "2", "--map", "{folder}/map.html"),
    ("reproduce", "mossakowski2009", "--table", "IX-B", "--library", str(LIBRARY), *OUT),
    ("reproduce", "yegnanarayana1996", "--table", "1", "--table", "3", *OUT),
    ("reproduce", "bridgehand2vec", "--table", "2", "--table", "11", *OUT),
    ("explain", NETWORK, "--svg", "{folder}/weights.svg"),
    ("explain", NETWORK, "--json"),
    ("report", DEALS, "-o", "{folder}/report.html"),
    ("session", DEALS, DEALS.replace("deals.pbn", "travellers.csv")),
    ("site", "{folder}/site"),
    ("doctor",),
]
"""What succeeds, with nothing but notes on standard error."""

TRAINED = (
    ("mossakowski2004", "--row", "m04-T1-06"),
    ("mossakowski2009", "--table", "V"),
    ("mandziuk2018",),
    ("polishclub2023", "--row", "b23-T9-03"),
    ("bridgehand2vec", "--table", "Figure 4"),
)
"""Rows that train a network by torch."""
REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("train", "accurate", "--library", "{library}"), "trickcast[train]"),
    (("train", "pairs", "--settings"), "trickcast[train]"),
    (("train", "52-25-1", "--library", "{library}"), "trickcast[train]"),
    *((("reproduce", *rows), "trickcast[train]") for rows in TRAINED),
    (("explain", "{solved}.network"), "trickcast[train]"),
    (("explain", NETWORK, "--png", "{folder}/weights.png"), "trickcast[plots]"),
    (("deal", "--script", SCRIPT, "--picture", "{folder}/x.svg"), "trickcast[plots]"),
    (("convert", DEALS, "{folder}/deals.parquet"), "trickcast[data]"),
    (("serve", "--port", "0"), "trickcast[web]"),
]
"""What needs an extra, and the extra that the one line on standard error names."""


FETCH = ("library", "fetch", "pgx", "--deals", "9", "--out", "x", "--host", "http://127.0.0.1:9")
"""What needs a server."""


def commands(group: click.Group, *above: str) -> set[tuple[str, ...]]:
    """Return the words of every command that a group of commands has."""
    found: set[tuple[str, ...]] = set()
    for name, command in group.commands.items():
        below = commands(command, *above, name) if isinstance(command, click.Group) else set()
        found |= below or {(*above, name)}
    return found


SOLVING: list[tuple[str, ...]] = [
    ("estimate", DEALS, "--exact"),
    ("estimate", DEALS, "--solve-below", "0.9", "--json"),
    ("solve", DEALS),
    ("convert", DEALS, "{folder}/tables.pbn", "--solve"),
    ("deal", "--solve"),
    ("play", DEALS, "4H", "--by", "N", "--board", "1"),
    ("par", DEALS),
    ("generate", "--deals", "1", "--seed", "3", "--out", "{folder}/unsolved"),
    ("library", "verify", "{library}", "--sample", "1"),
    ("simulate", "--south", SOUTH, "--samples", "40", "--solve", "20"),
    ("leads", NORTH, "3N", "--by", "E", "--samples", "40", "--solve", "20"),
]
"""What must solve."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Run Python without the extras: a finished process with its output as text."""
    return hiding(tmp_path_factory.mktemp("plain"), EXTRAS)


@pytest.fixture(scope="module")
def run_without_solver(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Run Python as on machines that endplay has no wheel for."""
    return hiding(tmp_path_factory.mktemp("unsolved"), (*EXTRAS, "endplay"))


def hiding(folder: Path, packages: tuple[str, ...]) -> Callable[..., Any]:
    """Return what runs Python without some packages."""
    (folder / "sitecustomize.py").write_text(
        "import sys\n"
        "from importlib.machinery import PathFinder\n"
        "class Plain(PathFinder):\n"
        "    @classmethod\n"
        "    def find_spec(cls, name, path=None, target=None):\n"
        f"        hidden = name.partition('.')[0] in {packages!r}\n"
        "        return None if hidden else super().find_spec(name, path, target)\n"
        "sys.meta_path[:] = [Plain if f is PathFinder else f for f in sys.meta_path]\n",
        "utf-8",
    )
    source = Path(tc.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{source}"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            encoding="utf-8",
            env=environment,
            cwd=folder,
        )

    return run


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files that the examples name in braces."""
    folder = tmp_path_factory.mktemp("files")
    library, solved, hands = folder / "library", folder / "solved.pbn", folder / "hands.txt"
    for use in USES:
        few = Library(LIBRARY).deals(use)[:12]
        append(library, few, f"few-{use}", use, solver="DDS", source="ours")
    tc.write(Library(library).deals("test"), solved)
    Path(f"{solved}.network").write_bytes(b"")
    hands.write_text(f"{NORTH}\n{SOUTH}\n", "utf-8")
    names = {"folder": folder, "library": library, "solved": solved, "hands": hands}
    return {name: str(path) for name, path in names.items()}


def test_every_command_has_an_example() -> None:
    every = commands(build([]))
    tried = [*EXAMPLES, *(arguments for arguments, _ in REFUSED), FETCH]
    untried = {words for words in every if not any(t[: len(words)] == words for t in tried)}
    assert len(every) >= 21 and untried == set()


def test_all_that_the_extras_install_is_hidden() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    packages = {
        re.split(r"[^\w-]", requirement)[0]
        for extra in extras.keys() - {"browser", "dev", "docs", "fuzz"}
        for requirement in extras[extra]
    }
    assert {package.replace("-", "_") for package in packages} == set(EXTRAS) - {"sklearn"}


def test_the_extras_cannot_be_found(run: Callable[..., Any]) -> None:
    program = (
        "from importlib.util import find_spec\n"
        f"print([find_spec(name) for name in {EXTRAS!r}], find_spec('numpy') is not None)\n"
        "import torch\n"
    )
    ended = run("-c", program)
    assert ended.stdout.split("]") == ["[" + ", ".join(["None"] * len(EXTRAS)), " True\n"]
    assert ended.stderr.endswith("ModuleNotFoundError: No module named 'torch'\n")


@pytest.mark.parametrize("arguments", EXAMPLES, ids=" ".join)
def test_a_command_runs_without_the_extras(
    arguments: tuple[str, ...], run: Callable[..., Any], places: dict[str, str]
) -> None:
    ended = run("-m", "trickcast", *(word.format(**places) for word in arguments))
    assert ended.returncode == 0, ended.stderr
    assert all(line.startswith("note: ") for line in ended.stderr.splitlines())


@pytest.mark.parametrize(("arguments", "extra"), REFUSED, ids=str)
def test_what_needs_an_extra_says_how_to_install_it(
    arguments: tuple[str, ...], extra: str, run: Callable[..., Any], places: dict[str, str]
) -> None:
    ended = run("-m", "trickcast", *(word.format(**places) for word in arguments))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1
    assert "pip install" in ended.stderr and extra in ended.stderr


@pytest.mark.parametrize("arguments", SOLVING, ids=" ".join)
def test_what_must_solve_says_that_there_is_no_solver(
    arguments: tuple[str, ...], run_without_solver: Callable[..., Any], places: dict[str, str]
) -> None:
    ended = run_without_solver("-m", "trickcast", *(word.format(**places) for word in arguments))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1 and "Traceback" not in ended.stderr
    assert "pip install endplay" in ended.stderr
    assert not Path(places["folder"], "tables.pbn").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("estimate", DEALS),
        ("convert", DEALS, "{folder}/estimated.pbn", "--estimate"),
        ("par", "{solved}"),
        ("solve", "{solved}"),
        ("evaluate", "{solved}"),
        ("library", "verify", "{library}", "--sample", "0"),
        ("simulate", "--south", SOUTH, *ESTIMATED),
        ("open", NORTH),
        ("pair", NORTH, SOUTH),
        ("--version",),
    ],
    ids=" ".join,
)
def test_what_solves_nothing_needs_no_solver(
    arguments: tuple[str, ...], run_without_solver: Callable[..., Any], places: dict[str, str]
) -> None:
    ended = run_without_solver("-m", "trickcast", *(word.format(**places) for word in arguments))
    assert ended.returncode == 0, ended.stderr
    assert all(line.startswith("note: ") for line in ended.stderr.splitlines())


def test_the_doctor_names_what_is_missing_and_goes_on(
    run_without_solver: Callable[..., Any],
) -> None:
    ended = run_without_solver("-m", "trickcast", "doctor")
    assert ended.returncode == 2
    assert "no solver" in ended.stdout and "estimating      works" in ended.stdout
    assert "pip install endplay" in ended.stderr and len(ended.stderr.splitlines()) == 2


def test_rows_that_train_nothing_are_reproduced_without_torch(
    run: Callable[..., Any], places: dict[str, str]
) -> None:
    folder = Path(places["folder"], "papers")
    ended = run("-m", "trickcast", "reproduce", "bridgehand2vec", "--out", str(folder))
    assert (ended.returncode, ended.stderr) == (0, "")
    trial, plan, *_ = ended.stdout.splitlines()
    assert "figures mean nothing" in trial
    assert "; 7 more rows need torch (pip install 'trickcast[train]')" in plan
    assert "finished bridgehand2vec: Table 2\n" in ended.stdout
    page = (folder / "reproduction/bridgehand2vec.md").read_text("utf-8")
    assert "## Table 2" in page and "## Table 11" not in page
