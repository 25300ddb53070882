"""The model files for play at the table: their location and metadata."""

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from ..cards import shorten
from ..estimator.files import (
    ModelError,
    ModelFile,
    check_pickled,
    locate,
    open_session,
    pickled_name,
)
from .network_inputs import SIZES

WEIGHTS = Path(__file__).parent.parent / "weights" / "played"
PLAYED_FORMAT = "trickcast played model 1"
"""The file format of a model of results at the table."""
_REQUIRED = ("name", "inputs", "base", "base_sha256", "scores", "training")


class PlayedModelInfo(ModelFile):
    """A model of results at the table: its file and metadata."""

    @cached_property
    def scores(self) -> dict[str, Any]:
        """Figures on held-out results, by players."""
        scores: dict[str, Any] = json.loads(self.metadata["scores"])
        return scores

    def check_base(self, base: ModelFile) -> None:
        """Raise ModelError if the whole-deal model is not the one this was trained on."""
        if base.sha256 != self.metadata["base_sha256"]:
            raise ModelError(
                f"{self.path}: trained on another {base.name} (SHA-256 "
                f"{self.metadata['base_sha256']}, here {base.sha256}); train it again"
            )

    def pickled(self, kind: Any, **settings: Any) -> tuple[Any, ...]:
        """Pickle a loaded model by its name, or by its path if it does not ship."""
        return _again, (kind, pickled_name(self, WEIGHTS), self.sha256, settings)


def _again(kind: Any, model: str, sha256: str, settings: dict[str, Any]) -> Any:
    """Load what was pickled. Raises ModelError if the file has changed since."""
    made = kind(model, **settings)
    check_pickled(made.info, sha256)
    return made


def load_played_model(
    model: str | os.PathLike[str], threads: int | None = None
) -> tuple[Any, PlayedModelInfo]:
    """Return the ONNX Runtime session of a model, by name or path, and the file's metadata.

    Raises ModelError for a model that is unknown, missing, damaged or of another format, ValueError
    for ``threads`` below one.
    """
    path, expected = locate(model, WEIGHTS, "model of results at the table")
    session, sha256 = open_session(path, expected, threads)
    metadata = dict(session.get_modelmeta().custom_metadata_map)
    if metadata.get("format") != PLAYED_FORMAT:
        raise ModelError(
            f"{path}: its format is {shorten(metadata.get('format'))} (expected "
            f"{PLAYED_FORMAT!r}; SHA-256 {sha256})"
        )
    if missing := [key for key in _REQUIRED if key not in metadata]:
        raise ModelError(f"{path}: does not state its {', '.join(missing)} (SHA-256 {sha256})")
    if metadata["inputs"] != inputs_text():
        raise ModelError(
            f"{path}: its inputs are {shorten(metadata['inputs'])} (expected {inputs_text()}; "
            f"SHA-256 {sha256})"
        )
    return session, PlayedModelInfo(path, sha256, metadata)


def inputs_text() -> str:
    """Return the parts of an input row as a model file states them."""
    return ", ".join(f"{name} {size}" for name, size in SIZES.items())
