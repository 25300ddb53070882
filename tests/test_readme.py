"""The README's Python runs and prints what it says."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", ["README.md"])
def test_the_examples_of_a_page_run(page: str) -> None:
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False)
    assert tried > 0 and failed == 0


def test_every_link_leads_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            assert target.startswith("http") or (page.parent / target).exists(), (page, target)


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
        assert re.match(r" [0-9.,]+ ?[MK]?: [0-9,]+ × DDS", speed)
