"""The model files for two hands: their location and metadata."""

import json
import math
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ..cards import cut, shorten
from ..estimator import ModelError
from ..estimator.files import (
    BROKEN,
    ModelFile,
    check_pickled,
    locate,
    open_session,
    pickled_name,
    shipped_models,
)
from ..model_format import PAIR_MODEL_FORMAT

WEIGHTS = Path(__file__).parent.parent / "weights" / "pairs"
Kind = Literal["distributions", "vectors"]
"""The content of a file: a network of distributions of tricks, or BridgeHand2Vec in two halves."""
_NARROWEST, _WIDEST, _LONGEST = 0.01, 100, 10_000
"""Limits for deviations of tricks and for vector sizes in a valid file."""
_REQUIRED = ("name", "kind", "scores", "training")
_OF_KIND: dict[str, tuple[str, ...]] = {"distributions": (), "vectors": ("spread",)}


class PairModelInfo(ModelFile):
    """A model of two hands: its file and metadata."""

    @property
    def kind(self) -> str:
        """``distributions`` or ``vectors``."""
        return self.metadata["kind"]

    @cached_property
    def scores(self) -> dict[str, float]:
        """Mean squared errors on held-out rows, and their number: ``pairs``, ``mse``."""
        scores: dict[str, float] = json.loads(self.metadata["scores"])
        return scores

    @cached_property
    def spread(self) -> dict[str, float]:
        """For a file of vectors: standard deviations of tricks around its means, in tricks."""
        spread: dict[str, float] = json.loads(self.metadata["spread"])
        return spread


def load_pair_model(
    model: str | os.PathLike[str], threads: int | None = None
) -> tuple[Any, PairModelInfo]:
    """Return the ONNX Runtime session of a model, by name or path, and the file's metadata.

    Raises ModelError for a model that is unknown, missing, damaged or of another format, ValueError
    for ``threads`` below one.
    """
    path, expected = locate(model, WEIGHTS, "model of two hands")
    session, sha256 = open_session(path, expected, threads)
    metadata = dict(session.get_modelmeta().custom_metadata_map)
    if metadata.get("format") != PAIR_MODEL_FORMAT or metadata.get("kind") not in _OF_KIND:
        raise ModelError(
            f"{path}: its format is {shorten(metadata.get('format'))} and its kind "
            f"{shorten(metadata.get('kind'))} (expected {PAIR_MODEL_FORMAT!r}, "
            f"of kind {' or '.join(_OF_KIND)}; SHA-256 {sha256})"
        )
    needed = (*_REQUIRED, *_OF_KIND[metadata["kind"]])
    if missing := [key for key in needed if key not in metadata]:
        raise ModelError(f"{path}: does not state its {', '.join(missing)} (SHA-256 {sha256})")
    info = PairModelInfo(path, sha256, metadata)
    try:
        _check_facts(session, info)
    except BROKEN as error:
        reason = cut(repr(error), 200)
        raise ModelError(f"{path}: damaged metadata: {reason} (SHA-256 {sha256})") from None
    return session, info


def pickled(made: Any, info: PairModelInfo, **settings: Any) -> tuple[Any, ...]:
    """Pickle a loaded model by its name, or by its path if it does not ship."""
    return _again, (type(made), pickled_name(info, WEIGHTS), info.sha256, settings)


def _again(kind: Callable[..., Any], model: str, sha256: str, settings: dict[str, Any]) -> Any:
    """Load what was pickled. Raises ModelError if the file has changed since."""
    made = kind(model, **settings)
    check_pickled(made.info, sha256)
    return made


def vector_size(session: Any) -> int:
    """Return the length of a hand's vector in a file of vectors."""
    size: int = session.get_inputs()[1].shape[1] // 2
    return size


def _check_facts(session: Any, info: PairModelInfo) -> None:
    """Raise an error if a model's metadata cannot be used."""
    for fact in ("pairs", "mse"):
        if not 0 <= info.scores[fact] < math.inf:
            raise ValueError(f"scores are {info.scores}")
    if info.kind == "vectors":
        for contracts in ("suits", "notrump"):
            if not _NARROWEST <= info.spread[contracts] <= _WIDEST:
                raise ValueError(f"spread is {info.spread}")
        inputs = session.get_inputs()
        if len(inputs) != 2 or not 1 <= vector_size(session) <= _LONGEST:
            raise ValueError("its inputs are not hands, and pairs of vectors")


def pair_models() -> tuple[PairModelInfo, ...]:
    """Return the models of two hands that ship.

    Returns:
        A PairModelInfo for each.

    Raises:
        ModelError: A model file is missing or damaged.

    Example:
        >>> [model.name for model in pair_models()]
        ['accurate', 'hand2vec']
    """
    return tuple(load_pair_model(name, threads=1)[1] for name in shipped_models(WEIGHTS))
