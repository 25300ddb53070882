"""What pages name is there: links, pictures and what makes them, commands, rooms.

Their blocks are run by ``make docs`` (docs/blocks.py).
"""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from docs import make_figures

import trickcast as tc
from trickcast.cli.app import build

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
COMMANDS = build([]).commands


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=[*IDS, "CHANGELOG.md"])
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_command_is_one_and_has_these_options(page: Path) -> None:
    text = page.read_text("utf-8").replace("\\\n", " ")
    written = re.findall(r"`(?:\$ )?(trickcast [a-z][^`\n]*)`", text)
    written += re.findall(r"^(?:\$ )?(trickcast [a-z].*)", text, re.MULTILINE)
    for line in written:
        words = re.split(r" (?:#|\||&|2>|>) ?", line)[0].replace("…", "").split()[1:]
        command = COMMANDS[words[0].rstrip(":,")]
        if hasattr(command, "commands"):
            command = command.commands[words[1]]
        known = {option for parameter in command.params for option in parameter.opts}
        asked = {word for word in words if re.fullmatch(r"--[a-z-]+", word)}
        assert asked <= known | {"--help"}, line


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_script_and_target_is_there(page: Path) -> None:
    text = page.read_text("utf-8")
    for script in re.findall(r"\bpython ((?:docs|benchmarks|examples|tests)/\S+\.py)", text):
        assert (ROOT / script).exists(), script
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for line in re.findall(r"(?:^|`)make ([a-z -]+)", text, re.MULTILINE):
        assert set(shlex.split(line)) <= set(targets), line


@pytest.mark.parametrize("picture", sorted([*DOCS.rglob("*.svg"), *DOCS.rglob("*.png")]), ids=str)
def test_every_picture_is_shown_and_something_makes_it(picture: Path) -> None:
    name = picture.name
    pages = [page.read_text("utf-8") for page in PAGES]
    assert any(re.search(rf"!\[[^]]+\]\([^)]*{re.escape(name)}\)", page) for page in pages)
    makers = [script.read_text("utf-8") for script in DOCS.glob("make_*.py")]
    assert any(name in maker for maker in makers) or any(
        f"--picture docs/{name}" in page for page in pages
    )


def test_the_menu_and_the_readme_stay_short() -> None:
    menu = re.findall(
        r"^```{toctree}\n(.*?)^```", (DOCS / "index.md").read_text("utf-8"), re.M | re.S
    )
    lines = (line for block in menu for line in block.splitlines())
    entries = [line for line in lines if line and not line.startswith(":")]
    assert 15 < len(entries) <= 25
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 900


@pytest.mark.parametrize(
    "sought",
    ["trickcast leads ", "trickcast report ", "random_deals(100_000", "95 % interval goes from"],
)
def test_a_newcomer_finds_it_in_two_clicks_from_the_landing_page(sought: str) -> None:
    """A lead, a session to print, the call for 100,000 deals, and what the chances mean."""
    seen = {DOCS / "index.md"}
    for _ in range(2):
        for page in tuple(seen):
            text = page.read_text("utf-8")
            targets = re.findall(r"\]\(([^)#:]+\.md)[^)]*\)", text.partition("```{toctree}")[0])
            seen |= {(page.parent / target).resolve() for target in targets}
    assert any(sought in page.read_text("utf-8") for page in seen - {DOCS / "index.md"})


def test_every_room_has_its_page_of_the_reference() -> None:
    rooms = {path.parent.name for path in (ROOT / "src/trickcast").glob("*/__init__.py")
             if "\nfrom ." in path.read_text("utf-8")}  # fmt: skip
    pages = {path.stem for path in (DOCS / "reference").glob("*.md")}
    others = {"index", "commands", "trickcast", "scoring", "plugins", "papers"}
    assert pages - others == rooms - {"cli", "papers"}


def test_the_figures_of_the_models_are_the_same_everywhere() -> None:
    figures = json.loads(make_figures.FIGURES.read_text("utf-8"))
    for page, text in make_figures.pages(figures).items():
        assert page.read_text("utf-8") == text, f"run python docs/make_figures.py for {page.name}"
    tables = (DOCS / "evaluation.md").read_text("utf-8")
    for strain in ("all suits", "notrump"):
        row = next(line for line in tables.splitlines() if line.startswith(f"| {strain} |"))
        shown = [float(number) for number in re.findall(r"([0-9.]+) ±", row)]
        known = (figures["accurate"][name][strain.split()[-1]] for name in ("tests", "gib"))
        assert shown == [share for shares in known for share in shares]


def test_the_results_of_the_club_are_as_many_on_every_page() -> None:
    """The set that answers are scored on, and the data of the model that learned from it."""
    about = tc.evaluation.benchmark.SETS["okbridge"].about
    counts = re.findall(r"[0-9,]+", about)[:2]
    for page in ("models/played.md", "leaderboard.md"):
        text = (DOCS / page).read_text("utf-8")
        assert all(f"{count} " in text for count in counts), page


def test_the_models_of_the_readme_are_those_that_ship() -> None:
    rows = re.findall(r"^\| `([^`]+)`(.*?)\|(.*)\|$", (ROOT / "README.md").read_text("utf-8"), re.M)
    table = {name: (remark, cells) for name, remark, cells in rows if " × DDS" in cells}
    shipped = {info.name: info for info in tc.models()}
    assert table.keys() == shipped.keys()
    for name, (remark, text) in table.items():
        info = shipped[name]
        assert ("the default" in remark) == (name == tc.estimator.DEFAULT_MODEL)
        size, *shares, speed = re.split(r"(?<!\\)\|", text)
        number, unit = size.split()
        assert float(number) == round(info.size / {"MB": 1e6, "kB": 1e3}[unit], unit == "MB")
        (measured,) = info.accuracy.values()  # of validation deals; the README's are of others
        for part, cell in zip(("suits", "N"), shares, strict=True):
            told = [float(share.strip(" *")) for share in cell.split("\\|")]
            assert np.abs(np.array(told) - measured[part]).max() < 0.5, (name, part)
        assert re.match(r" [0-9.,]+( to [0-9.,]+)?( [MK])?: [0-9,]+( to [0-9,]+)? × DDS", speed)
