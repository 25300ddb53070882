"""The examples in docstrings are true, and the names of the front door teach how to use them."""

import doctest
import inspect
import re
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

import pytest

import trickcast as tc

NEED_TORCH = ("trickcast.papers.experiments", "trickcast.papers.networks", "trickcast.training")


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


TAUGHT = [
    name for name in tc.__all__ if inspect.isfunction(x := getattr(tc, name)) or inspect.isclass(x)
]
DOING = {"Bid", "Compare", "Estimate", "Explain", "Find", "Hold", "List", "Load", "Name", "Read"}
DOING |= {"Report", "Return", "Simulate", "Solve", "Suggest", "Turn", "Write", "Yield"}
"""The verbs that a first line begins with."""


@pytest.mark.parametrize("name", TAUGHT)
def test_the_docstring_of_a_name_of_the_front_door_teaches(name: str) -> None:
    """What it does, each parameter, what comes of it, the errors, and an example."""
    value = getattr(tc, name)
    doc = inspect.getdoc(value) or ""
    first = doc.partition("\n")[0]
    assert first.split()[0] in DOING and first.endswith(".")
    if inspect.isclass(value) and issubclass(value, Exception):
        return
    assert "\nExample:\n    >>> " in doc
    if inspect.isclass(value) and issubclass(value, Enum):
        return
    parameters = inspect.signature(value).parameters
    told = re.findall(r"^    (\w+): \S", section(doc, "Args"), re.MULTILINE)
    assert told == list(parameters)
    if inspect.isfunction(value):
        comes = [part for part in ("Returns", "Yields") if section(doc, part)]
        assert bool(comes) == (value.__annotations__["return"] not in (None, "None"))
    if inspect.isfunction(value) and parameters:
        assert re.match(r"    \w+Error: \S", section(doc, "Raises"))


REFERENCE = Path(__file__).parents[1] / "docs/reference"
ROOMS = sorted(
    room
    for page in REFERENCE.glob("*.md")
    for room in re.findall(r"automodule:: (\S+)", page.read_text("utf-8"))
)
DOING_IN_ROOMS = DOING | {
    "Add",
    "Check",
    "Deal",
    "Detect",
    "Draw",
    "Judge",
    "Learn",
    "Open",
    "Quote",
}
DOING_IN_ROOMS |= {"Raise", "Score", "Tell", "Train"}
NEED_FILES = {"open_answers", "read_answers", "read_table_truth", "score_answers", "truth_of_deals"}
NEED_FILES |= {"train"}
"""Functions without an example: it would need deals of a test set, or minutes."""


@pytest.mark.parametrize("room", ROOMS)
def test_the_functions_in_the_reference_say_what_they_do(room: str) -> None:
    if find_spec("torch") is None and room.startswith(NEED_TORCH):
        pytest.skip("needs torch")
    module = import_module(room)
    for name in getattr(module, "__all__", dir(module)):
        value = getattr(module, name)
        public = inspect.isfunction(value) and not name.startswith("_")
        if public and (hasattr(module, "__all__") or value.__module__.startswith(room)):
            first = (inspect.getdoc(value) or "").partition("\n")[0]
            assert re.split(r"\W", first)[0] in DOING_IN_ROOMS, f"{name}: {first}"
            assert len(first) <= 100 and first.rstrip('"').endswith((".", ":")), f"{name}: {first}"
            check_sections(value)


def check_sections(function: Callable[..., object]) -> None:
    """Every parameter has its line, what comes of it is said, and there is an example."""
    doc, name = inspect.getdoc(function) or "", function.__name__
    told = re.findall(r"^    (\w+): \S", section(doc, "Args"), re.MULTILINE)
    assert told == list(inspect.signature(function).parameters), name
    comes = any(section(doc, part) for part in ("Returns", "Yields"))
    assert comes == (function.__annotations__["return"] not in (None, "None")), name
    assert "\nExample:\n    >>> " in doc or name in NEED_FILES, name


def section(doc: str, name: str) -> str:
    """The lines of a docstring under a heading."""
    return doc.partition(f"\n{name}:\n")[2].partition("\n\n")[0]


def test_what_help_shows_of_a_parameter_is_short() -> None:
    """A type is shown by its name, not by all that it stands for."""
    for name in TAUGHT:
        if inspect.isfunction(value := getattr(tc, name)):
            for parameter in inspect.signature(value).parameters.values():
                assert len(str(parameter)) <= 100, (name, parameter)
