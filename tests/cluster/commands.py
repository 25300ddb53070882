"""What commands answer on a cluster, beside what they answer without: ``commands.py FOLDER``.

One process asks all of them, connected once, for starting Ray takes longer than they do.
"""

import importlib
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import trickcast as tc
from faults import contents
from trickcast._pieces import connected, over_pieces
from trickcast._progress import Advance
from trickcast.cli import main
from trickcast.library import Library, append

LIBRARY = Path(__file__).parents[2] / "data" / "library"
BUCKET = "s3://bridge/evaluated"
KNOWN = ("--south", "KJ95.J65.K3.J654", "--north", "hcp 15-17, balanced", "--seed", 3)
FEW = ("--samples", 40, "--solve", 20, "--json")
NETWORKS = ("--network", "52-1", "--network", "(26x4)-(13x4)-1")


def answer(*words: Any) -> str:
    """Return what a command prints; it has to succeed."""
    sys.argv, out = ["trickcast", *map(str, words)], io.StringIO()
    try:
        with redirect_stdout(out):
            main()
    except SystemExit as ended:
        assert not ended.code, f"{words}: {ended.code}"
    return out.getvalue()


def ask(folder: Path) -> list[tuple[Any, ...]]:
    """Write the files that commands are asked about, and return the commands."""
    tc.write(tc.random_deals(3, seed=4), folder / "deals.pbn")
    solved = next(Library(LIBRARY).stream("train"))
    for use, begin, n in (("train", 0, 200), ("validation", 200, 40), ("test", 240, 60)):
        for start in range(begin, begin + n, 100 if use == "train" else 20):
            some = solved[start : min(start + 100, begin + n)][: 100 if use == "train" else 20]
            for place in (folder / "library", BUCKET):
                append(place, some, f"{use}-{start}", use, solver="DDS", source="ours")
    tc.write(solved[:50], folder / "solved.zrd")
    return [
        ("solve", folder / "deals.pbn", "--json"),
        ("simulate", *KNOWN, *FEW, "--contract", "6S", "--by", "N", "--making"),
        ("simulate", *KNOWN, *FEW, "--contracts", "4S", "--by", "N"),  # and the leads against it
        ("evaluate", folder / "library", "--model", "fast", "--json"),
        ("evaluate", BUCKET, "--model", "fast", "--json"),
        ("evaluate", folder / "solved.zrd", "--model", "fast", "--json"),
    ]


def figures(text: str) -> Any:
    """Return an answer without what a clock says."""
    return [
        {name: value for name, value in json.loads(line).items() if "second" not in name}
        for line in text.splitlines()
    ]


def reproduced(folder: Path, library: Path, *where: Any) -> dict[str, Any]:
    """Repeat two networks of a paper, and return their rows without the seconds they took."""
    text = answer(
        "reproduce", "mossakowski2004", *NETWORKS, "--library", library, "--out", folder, *where
    )
    assert text.count("\nfinished ") == 2
    lines = map(json.loads, (folder / "smoke.jsonl").read_text("utf-8").splitlines())
    kept = [{name: v for name, v in line.items() if "second" not in name} for line in lines]
    assert len(list(folder.rglob("*.network"))) == 2
    return {str(line.get("row", line.get("finding"))): line for line in kept}


def labelled(folder: Path, *where: Any) -> dict[str, bytes]:
    """Solve a few deals and endings, and return the files."""
    for kind in (("--deals", 3, "--strains", "one"), ("--deals", 40, "--cards", 6)):
        answer("generate", *kind, "--seed", 3, "--out", folder / str(kind[-1]), *where)
    return contents(folder)


def longer(piece: int, advance: Advance) -> int:
    """Do the first piece last."""
    import time

    time.sleep(0 if piece else 1)
    return piece * piece


def check(folder: Path) -> None:
    """Raise where a cluster answers otherwise."""
    for module, name, size in (
        ("solver.solving", "_PIECE", 2),
        ("simulation.layouts", "_PIECE", 4),
    ):
        setattr(importlib.import_module(f"trickcast.{module}"), name, size)
    commands = ask(folder)
    here = [figures(answer(*words)) for words in commands]
    labels = labelled(folder / "labels-here")
    rows = reproduced(folder / "here", folder / "library")
    where = "--cluster", "auto"
    with connected("auto"):
        for words, expected in zip(commands, here, strict=True):
            there = figures(answer(*words, *where))
            assert there == expected, f"{words}: {there}"
        with over_pieces(longer, range(4), cluster="auto", ordered=True) as done:
            assert list(done) == [(0, 0), (1, 1), (2, 4), (3, 9)]
        assert labelled(folder / "labels-there", *where) == labels and len(labels) == 3
        tables = tc.solve(tc.random_deals(3, seed=4), cluster="auto").tricks
        assert np.array_equal(tables, [line["exact"] for line in here[0]])
        assert reproduced(folder / "there", folder / "library", *where) == rows


if __name__ == "__main__":
    check(Path(sys.argv[1]))
