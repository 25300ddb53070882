"""What all tests share: where the real data lies, and a deal with known tricks.

Where endplay has no wheel there is no solver, and torch is an extra: a test that fails by the error
which says that one of them is missing is skipped, and so is one marked ``solver``, whose processes
or threads keep that error to themselves. Where both are installed these rules do nothing.
"""

from collections.abc import Callable, Generator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from trickcast.cards import Deal
from trickcast.cli import main

SHARED = Path(__file__).parents[2] / "shared"
_MISSING = {"endplay": "exact tricks need the solver DDS", "torch": "training needs torch"}
"""What the errors say that name a package."""

settings.register_profile("any machine", deadline=None)  # a busy one is no mistake
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--browser", action="store_true", help="run tests/browser, in a real Chromium")
    parser.addoption("--cluster", action="store_true", help="run tests/cluster, on Ray")


def _missing(text: str) -> str:
    """Name the package that is not installed and that an error in a text names, or none."""
    plain = " ".join(text.split())  # whatever width the lines were broken for
    named = (package for package, words in _MISSING.items() if words in plain)
    return next((package for package in named if find_spec(package) is None), "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked ``solver`` where there is none."""
    if find_spec("endplay") is None:
        for item in items:
            if item.get_closest_marker("solver"):
                item.add_marker(pytest.mark.skip(reason="needs endplay"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip what fails since there is no solver, or no torch."""
    report = yield
    if report.failed and (package := _missing(report.longreprtext)):
        path, line, _ = item.location
        report.outcome, report.longrepr = "skipped", (path, line or 0, f"needs {package}")
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real files, which are not ours to commit."""
    if not SHARED.is_dir():
        pytest.skip("the folder of real files (../shared) is not here")
    return SHARED


@pytest.fixture(scope="session")
def board() -> Deal:
    """The example board of the BridgeHand2Vec paper, figure 2."""
    return Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process: (exit status, standard output, standard error)."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["trickcast", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        if package := _missing(err):
            pytest.skip(f"needs {package}")
        return int(ended.value.code or 0), out, err

    return run
