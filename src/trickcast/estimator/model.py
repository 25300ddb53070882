"""A loaded model file, and how it is run: owners in, probabilities of all results out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain
from .files import (
    ModelError,
    ModelInfo,
    answers_of,
    check_distributions,
    check_numbers,
    check_tricks,
    run_model,
)

ALL_STRAINS = tuple(Strain)
_ROWS = np.arange(len(ALL_STRAINS))
_ASKED = "strains"
"""The input that selects the strains to compute; a file may lack it."""
_INNER = "inner"
"""The output with the last inner layer, for networks trained on it; a file may lack it."""

Answer = tuple[NDArray[np.float32], NDArray[np.uint8]]
"""(n, k, 4, 14) probabilities and (n, k, 4) tricks, for k strains."""


class Model:
    """A network from the owners of the cards to the probabilities of all twenty results.

    Its tricks are the likeliest, unless the file has an output of that name. The networks with one
    output, of 2004 and 2009, derive tricks from the range in which that output falls.
    """

    def __init__(self, session: Any, info: ModelInfo):
        self._session, self._info = session, info
        defaults = session.get_overridable_initializers()
        self._selects = any(entry.name == _ASKED for entry in defaults)
        says_tricks = any(entry.name == "tricks" for entry in session.get_outputs())
        self._outputs = ["probabilities", *["tricks"] * says_tricks]

    def __call__(self, owners: NDArray[np.uint8], strains: Sequence[Strain]) -> Answer:
        """Return the answer for (n, 52) owners, n ≥ 1, all at once, in the order of ``strains``."""
        rows = _ROWS if strains is ALL_STRAINS else np.array(strains, dtype=np.int64)
        inputs: dict[str, NDArray[Any]] = {"owners": np.ascontiguousarray(owners)}
        if self._selects:
            inputs[_ASKED] = rows
        chances, *said = answers_of(self._session, self._info.path, self._outputs, inputs)
        check_numbers(chances, "probabilities", self._info)
        shape = len(owners), len(rows) if self._selects else len(Strain), len(Seat)
        check_distributions(chances, (*shape, 14), self._info)
        if said:
            tricks = check_tricks(said[0], shape, self._info)
        else:
            tricks = chances.argmax(axis=-1).astype(np.uint8)
        if not self._selects:
            chances, tricks = chances[:, rows], tricks[:, rows]
        return chances, tricks

    def with_inner_layer(
        self, owners: NDArray[np.uint8], strain: Strain
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return (n, 4, 14) probabilities and (n, width) numbers of the last inner layer."""
        if all(entry.name != _INNER for entry in self._session.get_outputs()):
            raise ModelError(f"{self._info.path}: the model does not give its inner layer")
        inputs = {"owners": np.ascontiguousarray(owners), _ASKED: np.array([strain])}
        outputs = ["probabilities", _INNER]
        chances, inner = run_model(self._session, self._info, outputs, inputs)
        check_distributions(chances, (len(owners), 1, len(Seat), 14), self._info)
        return chances[:, 0], inner[:, 0]
