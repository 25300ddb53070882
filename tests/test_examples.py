"""The example programs run as they stand, each in a process of its own."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_prints_its_answer(path: Path, tmp_path: Path) -> None:
    if "torch" in path.read_text("utf-8") and find_spec("torch") is None:
        pytest.skip("torch is not installed")
    ran = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        timeout=900,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert ran.returncode == 0 and not ran.stderr, ran.stderr
    assert len(ran.stdout.splitlines()) >= 3
