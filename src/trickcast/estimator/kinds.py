"""The two kinds of model file, and how each is run.

The networks of the papers answer one question at a time (a deal, a strain, a declarer) with one
number; those of today take a deal as it is and answer all twenty questions at once.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain
from .files import ModelError, ModelInfo, check_distributions, run_model

_SUITS = tuple(strain for strain in Strain if strain != Strain.NOTRUMP)
_CELLS: dict[str, list[tuple[Strain, Seat]]] = {
    "suit": [(strain, declarer) for strain in _SUITS for declarer in Seat],
    "notrump": [(Strain.NOTRUMP, declarer) for declarer in Seat],
}
"""The results that each of a file's two networks estimates, in the order of the tricks array."""
_OUTPUTS = [f"{contracts}_output" for contracts in _CELLS]

ALL_STRAINS = tuple(Strain)
_ROWS = np.arange(len(ALL_STRAINS))
_ASKED = "strains"
"""The input of a whole-deal model that says which strains are computed; older files have none."""

Answer = tuple[NDArray[np.float32], NDArray[np.uint8]]
"""(n, k, 4, 14) probabilities and (n, k, 4) tricks, of k strains."""


class Kind(Protocol):
    """A model file that can be run."""

    def __call__(self, owners: NDArray[np.uint8], strains: Sequence[Strain]) -> Answer:
        """Answer for (n, 52) owners, n ≥ 1, all at once, in strains as they are asked for."""


def kind_of(session: Any, info: ModelInfo) -> Kind:
    """Return the way in which a model is run, by what its file says of itself."""
    return WholeDeals(session, info) if info.takes_owners else OneOutput(session, info)


class WholeDeals:
    """A network from the owners of the cards to the probabilities of all twenty results."""

    def __init__(self, session: Any, info: ModelInfo):
        self._session, self._info = session, info
        defaults = session.get_overridable_initializers()
        self._selects = any(entry.name == _ASKED for entry in defaults)

    def __call__(self, owners: NDArray[np.uint8], strains: Sequence[Strain]) -> Answer:
        """Answer for (n, 52) owners; the tricks are the likeliest."""
        rows = _ROWS if strains is ALL_STRAINS else np.array(strains, dtype=np.int64)
        inputs: dict[str, NDArray[Any]] = {"owners": np.ascontiguousarray(owners)}
        if self._selects:
            inputs[_ASKED] = rows
        chances = run_model(self._session, self._info, ["probabilities"], inputs)[0]
        asked = len(rows) if self._selects else len(Strain)
        check_distributions(chances, (len(owners), asked, len(Seat), 14), self._info)
        if not self._selects:
            chances = chances[:, rows]
        return chances, chances.argmax(axis=-1).astype(np.uint8)


class OneOutput:
    """Two networks of one output, for suits and for notrump, as in the 2004 and 2009 papers.

    The tricks are the range in which an output falls; the probabilities follow from it by an
    ordered logit that was fitted on validation deals.
    """

    def __init__(self, session: Any, info: ModelInfo):
        self._session, self._info = session, info

    def __call__(self, owners: NDArray[np.uint8], strains: Sequence[Strain]) -> Answer:
        """Answer for (n, 52) owners. All strains are computed: they are cheap."""
        from ..papers.codings import tricks_of

        outputs = self.outputs(owners)
        return self._probabilities(outputs)[:, strains], tricks_of(outputs)[:, strains]

    def outputs(self, owners: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the networks' bare outputs, (n, 5, 4) in [0, 1], for n ≥ 1 deals at once."""
        inputs = {
            contracts: np.concatenate([self._info.coding.encode(owners, *cell) for cell in cells])
            for contracts, cells in _CELLS.items()
        }
        answers = run_model(self._session, self._info, _OUTPUTS, inputs)
        outputs = np.concatenate([answer.ravel() for answer in answers])  # (20 n,), cells first
        if len(outputs) != 20 * len(owners):
            raise ModelError(f"{self._info.path}: {len(outputs)} answers to {20 * len(owners)}")
        return np.ascontiguousarray(outputs.reshape(5, 4, -1).transpose(2, 0, 1))

    def _probabilities(self, outputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Turn (n, 5, 4) outputs into (n, 5, 4, 14) probabilities by the fitted ordered logit."""
        at_most = np.zeros((*outputs.shape, 15), dtype=np.float32)  # of fewer than k tricks
        at_most[..., 14] = 1
        for contracts, strains in (("suit", slice(0, 4)), ("notrump", slice(4, 5))):
            fitted = self._info.thresholds[contracts]
            edges = np.array(fitted["thresholds"], dtype=np.float32)
            distance = np.float32(fitted["slope"]) * (edges - outputs[:, strains, :, None])
            at_most[:, strains, :, 1:14] = 0.5 + 0.5 * np.tanh(0.5 * distance)
        return np.diff(at_most, axis=-1)
