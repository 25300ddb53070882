"""What needs torch and onnx: skipped, saying so, where the extra ``train`` is not installed."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

MISSING = [name for name in ("torch", "onnx") if find_spec(name) is None]


class Unimportable(pytest.Module):
    """A module of tests that cannot be imported here."""

    def collect(self) -> list[pytest.Item]:
        pytest.skip(f"needs {' and '.join(MISSING)}: pip install 'trickcast[train]'")


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Skip a module of this folder before it is imported."""
    return Unimportable.from_parent(parent, path=module_path) if MISSING else None


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads cost more than they give in networks this small."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
