"""Running a pretrained network on deals."""

import os
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain, as_dealset
from ..encodings import tricks_of
from .files import DEFAULT_MODEL, ModelInfo, load_session
from .result import TrickEstimate

_SUITS = tuple(strain for strain in Strain if strain != Strain.NOTRUMP)
_CELLS: dict[str, list[tuple[Strain, Seat]]] = {
    "suit": [(strain, declarer) for strain in _SUITS for declarer in Seat],
    "notrump": [(Strain.NOTRUMP, declarer) for declarer in Seat],
}
"""The results that each of a model's two networks estimates, in the order of the tricks array."""
_OUTPUTS = [f"{contracts}_output" for contracts in _CELLS]


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
        if batch_size < 1 or (threads is not None and threads < 1):
            raise ValueError(f"threads is {threads}, batch_size {batch_size} (expected 1 or more)")
        self._session, self.info = load_session(model, threads)
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
            outputs = self.outputs(dealset.owners[rows])
            tricks[rows] = tricks_of(outputs)
            probabilities[rows] = self._probabilities(outputs)
        if single:
            return TrickEstimate(probabilities[0], tricks[0])
        return TrickEstimate(probabilities, tricks)

    def outputs(self, owners: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the networks' bare outputs, (n, 5, 4) in [0, 1], for n ≥ 1 deals at once."""
        inputs = {
            contracts: np.concatenate([self.info.coding.encode(owners, *cell) for cell in cells])
            for contracts, cells in _CELLS.items()
        }
        outputs = np.concatenate(self._session.run(_OUTPUTS, inputs))  # (20 n,), cells first
        return np.ascontiguousarray(outputs.reshape(5, 4, -1).transpose(2, 0, 1))

    def _probabilities(self, outputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Turn (n, 5, 4) outputs into (n, 5, 4, 14) probabilities by the fitted ordered logit."""
        at_most = np.zeros((*outputs.shape, 15), dtype=np.float32)  # of fewer than k tricks
        at_most[..., 14] = 1
        for contracts, strains in (("suit", slice(0, 4)), ("notrump", slice(4, 5))):
            fitted = self.info.thresholds[contracts]
            edges = np.array(fitted["thresholds"], dtype=np.float32)
            distance = np.float32(fitted["slope"]) * (edges - outputs[:, strains, :, None])
            at_most[:, strains, :, 1:14] = 0.5 + 0.5 * np.tanh(0.5 * distance)
        return np.diff(at_most, axis=-1)


@lru_cache(maxsize=4)
def _loaded(model: str) -> Estimator:
    return Estimator(model)


def estimate(deals: Any, model: str | os.PathLike[str] | None = None) -> TrickEstimate:
    """Estimate the tricks of every strain and declarer, without solving.

    As ``Estimator(model)(deals)``, with the default model unless ``model`` names another; a model
    that was used stays loaded.
    """
    return _loaded(os.fspath(DEFAULT_MODEL if model is None else model))(deals)
