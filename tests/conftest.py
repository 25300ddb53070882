"""What all tests share: where the real data lies, and a deal with known tricks.

Where endplay has no wheel there is no solver, and torch is an extra: tests marked ``solver`` or
``torch`` are skipped where it is missing.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from trickcast.cards import Deal
from trickcast.cli import main

SHARED = Path(__file__).parents[2] / "shared"
NEEDED = {"solver": "endplay", "torch": "torch"}
"""The marks of tests that need a package, and which."""

settings.register_profile("any machine", deadline=None)  # a busy one is no mistake
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--browser", action="store_true", help="run tests/browser, in a real Chromium")
    parser.addoption("--cluster", action="store_true", help="run tests/cluster, on Ray")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests whose package is not installed."""
    for mark, package in NEEDED.items():
        if find_spec(package) is None:
            for item in items:
                if item.get_closest_marker(mark):
                    item.add_marker(pytest.mark.skip(reason=f"needs {package}"))


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
        return int(ended.value.code or 0), out, err

    return run
