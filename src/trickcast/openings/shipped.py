"""The files of trained systems that come with the package, and whether they are whole."""

import hashlib
from pathlib import Path

from ..estimator import ModelError

WEIGHTS = Path(__file__).parent / "weights"
_SUMS = "SHA256SUMS"


def shipped_file(name: str) -> bytes:
    """Return the content of a shipped file. Raises ModelError when it is missing or damaged."""
    path = WEIGHTS / name
    expected = _checksums(WEIGHTS).get(name)
    if not path.is_file():
        raise ModelError(
            f"{path}: the model file is missing (expected SHA-256 {expected}); "
            "install trickcast again"
        )
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise ModelError(
            f"{path}: the model file is damaged (its SHA-256 is {found}, expected {expected}); "
            "install trickcast again"
        )
    return data


def _checksums(folder: Path) -> dict[str, str]:
    path = folder / _SUMS
    if not path.is_file():
        raise ModelError(f"{path}: the list of model files is missing; install trickcast again")
    lines = path.read_text("utf-8").splitlines()
    return {name: sha256 for sha256, name in (line.split() for line in lines)}
