"""What a plug-in adds is there by its name, and what the package has works without any."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import trickcast as tc
from trickcast import papers, plugins
from trickcast.cli.app import build
from trickcast.web.contest import printed

EXAMPLE = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"


def said(name: str) -> str:
    """Stands for a function that loads an opening system."""
    return f"loaded {name}"


def rows() -> list[dict[str, str]]:
    """Published results."""
    return [{"network": "one of theirs"}]


def unknown(name: str) -> None:
    """Know no training."""


class TheirError(Exception):
    """An error whose text is for users."""


def installed(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Have these plug-ins alone."""
    monkeypatch.setattr(plugins, "plugins", lambda: modules)


def made_up(**offers: Any) -> ModuleType:
    """Make a plug-in."""
    module = ModuleType("made_up")
    vars(module).update(offers)
    return module


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    installed(monkeypatch)
    yield


@pytest.mark.torch
def test_the_papers_are_found_by_their_entry_point() -> None:
    assert papers in plugins.plugins()
    assert all(
        plugins.load(place)
        for kind in ("COMMANDS", "TRAININGS", "MODELS", "OPENINGS", "RULE_FILES", "ERRORS")
        for place in plugins.offered(kind).values()
    )


@pytest.mark.usefixtures("alone")
def test_the_package_works_without_plugins(capsys: pytest.CaptureFixture[str]) -> None:
    assert tc.estimate(EXAMPLE, model="fast").tricks.shape == (5, 4)
    assert [model.name for model in tc.models()] == ["fast", "accurate"]
    rules = ("sayc", "2/1", "acol", "polish-club-rules", "polish-club-book")
    assert tc.openings.names() == ("polish-club", *rules)
    assert not {"reproduce", "explain"} & build(["--help"]).commands.keys()
    assert not plugins.references("evaluate") and not printed(4, "N")
    with pytest.raises(tc.ModelError, match="no model 'slow'"):
        tc.Estimator("slow")


def test_what_a_plugin_offers_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for file in papers.WEIGHTS.iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.setitem(globals(), "FOLDER", tmp_path)
    (name,) = papers.MODELS
    theirs = made_up(
        MODELS={name: f"{__name__}:FOLDER"},
        OPENINGS={"theirs": f"{__name__}:said"},
        REFERENCES={"evaluate": f"{__name__}:rows"},
        ERRORS={"theirs": f"{__name__}:TheirError"},
        TRAININGS={"theirs": f"{__name__}:unknown"},
    )
    installed(monkeypatch, theirs)
    assert tc.Estimator(name).info.path.parent == tmp_path
    assert "theirs" in tc.openings.names()
    assert str(tc.openings.load("theirs")) == "loaded theirs"
    assert plugins.references("evaluate") == rows() and not plugins.references("contest")


@pytest.mark.usefixtures("alone")
def test_an_opening_system_that_nobody_offers_is_named() -> None:
    with pytest.raises(ValueError, match="no opening system 'standard-american'"):
        tc.openings.load("standard-american")
    with pytest.raises(ValueError, match="has no rule file"):
        tc.openings.rule_file("standard-american")
