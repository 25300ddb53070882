"""The examples in docstrings are true, and every name of the front door has one."""

import doctest
import inspect
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

import pytest

import trickcast as tc

NEED_TORCH = ("trickcast.papers.experiments", "trickcast.papers.networks", "trickcast.training")
NO_EXAMPLE = {"__version__", "evaluators", "openings", "session"}
"""Rooms, whose functions have theirs, and a text."""


def public_modules() -> list[str]:
    """Every module but those whose import needs an extra that is not here, or runs the program."""
    modules = [info.name for info in walk_packages(tc.__path__, "trickcast.")]
    if find_spec("torch") is None:
        modules = [name for name in modules if not name.startswith(NEED_TORCH)]
    return [name for name in modules if not name.endswith("__main__")]


def examples(module: str) -> list[doctest.DocTest]:
    """Every docstring of a module that has an example; ``tc`` is trickcast in all of them."""
    docstrings = doctest.DocTestFinder().find(import_module(module), extraglobs={"tc": tc})
    return [docstring for docstring in docstrings if docstring.examples]


def with_examples() -> list[str]:
    """Modules whose source has an example; they are imported by the tests alone."""
    source = Path(tc.__file__).parent
    modules = []
    for module in public_modules():
        path = source.joinpath(*module.split(".")[1:])
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if ">>> " in path.read_text("utf-8"):
            modules.append(module)
    return modules


@pytest.mark.parametrize("module", with_examples())
def test_the_examples_of_a_module_are_true(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    failures: list[str] = []
    docstrings = examples(module)
    runner = doctest.DocTestRunner()
    for docstring in docstrings:
        runner.run(docstring, out=failures.append)
    assert docstrings and not runner.failures, "".join(failures)


def test_every_name_of_the_front_door_has_an_example() -> None:
    errors = {name for name in tc.__all__ if name.endswith("Error")}
    missing = [
        name
        for name in tc.__all__
        if name not in NO_EXAMPLE | errors
        and ">>> " not in (inspect.getdoc(getattr(tc, name)) or "")
    ]
    assert missing == []
