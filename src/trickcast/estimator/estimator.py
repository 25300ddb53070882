"""Running a pretrained network on deals."""

import operator
import os
from functools import lru_cache
from typing import Any

import numpy as np

from ..cards import as_dealset
from .files import DEFAULT_MODEL, ModelInfo, load_session, locate
from .kinds import kind_of
from .result import TrickEstimate


class Estimator:
    """A pretrained model, loaded once and called on deals.

    ``model`` is the name of a shipped model (``models()`` lists them) or the path of an ``.onnx``
    file that ``trickcast train`` exported. ``threads`` is the number of threads (default: all
    cores), ``batch_size`` how many deals are computed at a time: it bounds the memory and changes
    no result. Calls from many threads are safe.

    Raises ModelError for a model that is unknown, missing or damaged, ValueError for ``threads``
    or ``batch_size`` below one.
    """

    info: ModelInfo
    """The model's file and what it says of itself."""

    def __init__(
        self,
        model: str | os.PathLike[str] = DEFAULT_MODEL,
        *,
        threads: int | None = None,
        batch_size: int = 256,
    ):
        batch_size = operator.index(batch_size)
        threads = None if threads is None else operator.index(threads)
        if batch_size < 1 or (threads is not None and threads < 1):
            raise ValueError(f"threads is {threads}, batch_size {batch_size} (expected 1 or more)")
        session, self.info = load_session(model, threads)
        self._kind = kind_of(session, self.info)
        self.batch_size = batch_size

    def __repr__(self) -> str:
        return f"<Estimator {self.info.name}>"

    def __call__(self, deals: Any) -> TrickEstimate:
        """Estimate every strain and declarer of ``deals``.

        ``deals`` is a Deal, PBN text, a DealSet, a list of these or (n, 52) owners; a single deal
        gives arrays without the leading axis. Raises DealError for what is not a deal.
        """
        dealset, single = as_dealset(deals)
        n = len(dealset)
        probabilities = np.empty((n, 5, 4, 14), dtype=np.float32)
        tricks = np.empty((n, 5, 4), dtype=np.uint8)
        for start in range(0, n, self.batch_size):
            rows = slice(start, start + self.batch_size)
            probabilities[rows], tricks[rows] = self._kind(dealset.owners[rows])
        if single:
            return TrickEstimate(probabilities[0], tricks[0])
        return TrickEstimate(probabilities, tricks)


@lru_cache(maxsize=4)
def _loaded(model: str, changed: int) -> Estimator:
    """Keep models loaded; ``changed`` tells a file that was written anew."""
    return Estimator(model)


def estimate(deals: Any, model: str | os.PathLike[str] | None = None) -> TrickEstimate:
    """Estimate the tricks of every strain and declarer, without solving.

    As ``Estimator(model)(deals)``, with the default model unless ``model`` names another; a model
    that was used stays loaded.
    """
    name = DEFAULT_MODEL if model is None else os.fspath(model)
    file, _ = locate(name)
    changed = file.stat().st_mtime_ns if file.exists() else 0  # a missing one is an error anyway
    return _loaded(name, changed)(deals)
