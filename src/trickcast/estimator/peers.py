"""Networks of other projects for comparison: one strain and declarer of a deal per row."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain, as_dealset, cut, shorten
from .files import ModelError, answers_of, open_session
from .result import TrickEstimate

Side = Literal["declarer", "defenders"]
"""The side whose tricks a peer's fourteen outputs count."""
DEFAULT_LAYOUT = "NSHDC lho dummy rho declarer"

_PLACES = {"declarer": 0, "lho": 1, "dummy": 2, "rho": 3}
_DTYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(uint8)": np.uint8}
_CARDS = (52, 32)
_COUNTS = 14
_NAMED = 7  # ranks of a suit, from the ace, with their own number in a hand of 32
_BATCH = 256


class PeerModel:
    """A peer's ONNX file such as ben's ``double_dummy.onnx``, run on whole deals.

    Its rows hold, in the order given by ``layout``: the strain, as five numbers, one of which is
    1, and four hands as seen from the declarer (``declarer``, ``lho``, who leads, ``dummy`` and
    ``rho``). A hand is 52 numbers, ♠ A K … 2, ♥, ♦, ♣, or 32: a suit's A K Q J T 9 8, and how many
    lower cards it has. The width of the input tells which.

    A file does not say what its numbers mean. A wrong layout gives answers no better than
    chance.

    Args:
        path: The ``.onnx`` file. Its outputs are the probabilities of 0 … 13 tricks.
        layout: Order of the strain and the hands in a row. Default: notrump first, as in ben's
            networks, and the hands from the leader.
        counts: Side whose tricks the outputs count.
        threads: Number of threads. Default: all cores.

    Raises:
        ModelError: The file cannot be run, or has different inputs or outputs.
        ValueError: The layout cannot be read.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        layout: str = DEFAULT_LAYOUT,
        counts: Side = "declarer",
        *,
        threads: int | None = None,
    ):
        self.path = Path(path)
        self.layout = _read_layout(layout)
        if counts not in get_args(Side):
            raise ValueError(
                f"counts is {shorten(counts)} (expected {' or '.join(get_args(Side))})"
            )
        self.counts = counts
        self._asked = self.path.absolute(), layout, counts, threads
        self._session, _ = open_session(self.path, None, threads)
        self._input, self._dtype, self._cards = self._check_shapes()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the path, and how to build its rows."""
        return _same, self._asked

    def __call__(self, deals: Any) -> TrickEstimate:
        """Estimate every strain and declarer; the tricks are the likeliest.

        Raises ModelError if the outputs are not probabilities of fourteen counts.
        """
        dealset, single = as_dealset(deals)
        chances = np.empty((len(dealset), 5, 4, _COUNTS), np.float32)
        for start in range(0, len(dealset), _BATCH):
            rows = slice(start, start + _BATCH)
            chances[rows] = self._answers(dealset.owners[rows])
        estimates = TrickEstimate(chances, chances.argmax(axis=-1).astype(np.uint8))
        return estimates[0] if single else estimates

    def encode(self, owners: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the rows of (n, 52) owners: (20 n, width), deal by strain by declarer."""
        n = len(owners)
        hands = _hands(owners, self._cards)
        blocks = []
        for block in self.layout:
            if block in _PLACES:
                seats = [(declarer + _PLACES[block]) % 4 for declarer in Seat]
                shown = np.broadcast_to(hands[:, None, seats], (n, 5, 4, self._cards))
            else:
                order = [Strain.parse(letter) for letter in block]
                places = np.eye(5, dtype=np.uint8)[:, order]  # (strain, place)
                shown = np.broadcast_to(places[None, :, None], (n, 5, 4, 5))
            blocks.append(shown)
        return np.concatenate(blocks, axis=-1).reshape(20 * n, -1).astype(self._dtype)

    def _answers(self, owners: NDArray[np.uint8]) -> NDArray[np.float32]:
        rows = self.encode(owners)
        first = answers_of(self._session, self.path, None, {self._input: rows})[0]
        if not isinstance(first, np.ndarray) or first.dtype.kind not in "fiu":
            raise ModelError(f"{self.path}: the answers are not numbers")
        answers = first.astype(np.float32)
        if answers.shape != (len(rows), _COUNTS):
            raise ModelError(
                f"{self.path}: {len(rows)} rows gave answers of shape {answers.shape} "
                f"(expected ({len(rows)}, {_COUNTS}))"
            )
        if not (answers >= 0).all() or not (np.abs(answers.sum(axis=1) - 1) < 1e-2).all():
            raise ModelError(
                f"{self.path}: the answers are not probabilities: a row sums to "
                f"{answers.sum(axis=1)[0]:.3f} (expected 1; a softmax may be missing at its end)"
            )
        answers /= answers.sum(axis=1, keepdims=True)
        if self.counts == "defenders":
            answers = answers[:, ::-1]
        return answers.reshape(len(owners), 5, 4, _COUNTS)

    def _check_shapes(self) -> tuple[str, Any, int]:
        """Return the input's name and type, and the length of a hand; refuse other files."""
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1:
            names = ", ".join(entry.name for entry in inputs)
            raise ModelError(f"{self.path}: {len(inputs)} inputs ({cut(names)}; expected one)")
        if not outputs:
            raise ModelError(f"{self.path}: no output (expected rows of {_COUNTS} probabilities)")
        entry, answer = inputs[0], outputs[0]
        widths = {5 + 4 * cards: cards for cards in _CARDS}
        if len(entry.shape) != 2 or entry.shape[1] not in widths:
            raise ModelError(
                f"{self.path}: the input {shorten(entry.name)} has shape {shorten(entry.shape)} "
                f"(expected rows of {' or '.join(map(str, widths))} numbers: a strain in 5 and "
                "four hands)"
            )
        if isinstance(entry.shape[0], int):
            raise ModelError(
                f"{self.path}: the input {shorten(entry.name)} takes {shorten(entry.shape[0])} "
                "rows at a time (expected any number)"
            )
        if entry.type not in _DTYPES:
            raise ModelError(
                f"{self.path}: the input {shorten(entry.name)} is a {cut(entry.type)} (expected "
                f"one of {', '.join(_DTYPES)})"
            )
        if len(answer.shape) != 2 or answer.shape[1] not in (_COUNTS, None):
            raise ModelError(
                f"{self.path}: the output {shorten(answer.name)} has shape {shorten(answer.shape)} "
                f"(expected rows of {_COUNTS} probabilities, of 0 to 13 tricks)"
            )
        return entry.name, _DTYPES[entry.type], widths[entry.shape[1]]


@lru_cache(maxsize=4)
def _same(path: Path, layout: str, counts: Side, threads: int | None) -> PeerModel:
    """Open a pickled model, once for all copies in a process."""
    return PeerModel(path, layout, counts, threads=threads)


def _read_layout(text: str) -> tuple[str, ...]:
    """Return the blocks of a row. Raises ValueError that describes a valid layout."""
    blocks = tuple(text.split())
    strains = [block for block in blocks if sorted(block) == sorted("SHDCN")]
    hands = [block for block in blocks if block in _PLACES]
    if len(blocks) != 5 or len(strains) != 1 or sorted(hands) != sorted(_PLACES):
        raise ValueError(
            f"{shorten(text)} is not a layout of a row (expected the five strains in their order, "
            f"such as NSHDC, and {', '.join(_PLACES)}, in any order)"
        )
    return blocks


def _hands(owners: NDArray[np.uint8], cards: int) -> NDArray[np.uint8]:
    """Return all hands of (n, 52) owners, (n, 4, cards), cards 52 or 32."""
    seats = np.arange(4, dtype=np.uint8)[:, None]
    held: NDArray[np.uint8] = (owners[:, None, :] == seats).astype(np.uint8)
    if cards == 52:
        return held
    suits = held.reshape(-1, 4, 4, 13)
    low = suits[..., _NAMED:].sum(axis=-1, dtype=np.uint8, keepdims=True)
    shown = np.concatenate([suits[..., :_NAMED], low], axis=-1)
    hands: NDArray[np.uint8] = shown.reshape(-1, 4, cards)
    return hands
