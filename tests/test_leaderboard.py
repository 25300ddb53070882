"""docs/leaderboard.md: made from results/, which name test sets as they are."""

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from trickcast.evaluation import SETS

ROOT = Path(__file__).parents[1]
ENTRIES = sorted((ROOT / "results").glob("*.json"))


@pytest.fixture
def program() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs/make_leaderboard.py"))


def test_the_page_is_what_the_results_make(
    program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_leaderboard.py"])
    page = ROOT / "docs/leaderboard.md"
    copy = tmp_path / "leaderboard.md"
    before, _, rest = page.read_text("utf-8").partition("<!-- scores -->\n")
    after = rest.partition("<!-- end -->\n")[2]
    copy.write_text(f"{before}<!-- scores -->\nold\n<!-- end -->\n{after}", "utf-8")
    program["main"].__globals__["PAGE"] = copy
    program["main"]()
    assert copy.read_text("utf-8") == page.read_text("utf-8")


@pytest.mark.parametrize("path", ENTRIES, ids=lambda path: path.stem)
def test_an_entry_says_who_and_how_and_names_a_set_of_today(path: Path) -> None:
    entry = json.loads(path.read_text("utf-8"))
    assert entry["name"] and entry["how"]
    if "printed" in entry:
        return
    score = entry["score"]
    assert entry["by"] and score["set"] in map(str, SETS.values())
    assert f"answers:{score['answers']}" in score["signature"]


def test_the_surest_right_program_comes_first_and_tricks_alone_last(program: Any) -> None:
    def entry(name: str, exact: float, loss: float | None) -> tuple[Path, Any]:
        figures = {key: [exact, exact - 1, exact + 2] for key in ("within_2", "within_1", "exact")}
        chances = {} if loss is None else {"log_loss": [loss, loss, loss]}
        score = {"figures": {"suits": figures | chances}, "answers": "0"}
        return Path(f"{name}.json"), {"name": name, "by": "", "score": score}

    table = program["of_set"](
        [entry("a", 90.0, None), entry("b", 80.0, 0.5), entry("c", 70.0, 0.4)]
    )
    rows = table.splitlines()[2:]
    assert [row[3] for row in rows] == ["c", "b", "a"]
    assert "70.00 \\| 70.00 \\| 70.00 ± 2.00 | 0.4000 ± 0.0000 |" in rows[0]
