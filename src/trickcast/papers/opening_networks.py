"""Networks that learned to open the bidding, run by NumPy because they are small."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._arrays import read_arrays
from ..bidding.cells import Bools
from ..bidding.system import Explanation, Floats, Indices, OpeningSystem, Probabilities, likely
from ..cards import Hand
from ..dealing.language.calls import CALLS, UNKNOWN, call_rank
from ..dealing.language.mistakes import clip
from ..estimator import ModelError
from ..estimator.files import read_shipped
from . import WEIGHTS

Reading = Literal["highest", "threshold"]
"""How outputs become a call: the highest output's, or that of the only output above a half."""

TEACHER = Path(__file__).parent / "standard-american.toml"
"""The rules that stand in for the paper's experts."""
THRESHOLD = 0.5
_FORMAT = "trickcast opening networks 1"
_LARGEST_FILE = 16_000_000
_ANSWERS = frozenset((*CALLS, UNKNOWN))
_FEATURES = np.array([4, 3, 2, 1, *[0] * 9], dtype=np.float32)
_MARK = -1.0


def code_cards(hands: Bools) -> Floats:
    """Code hands as the 1996 paper does: 52 inputs, 1 for each card that is held."""
    return hands.astype(np.float32)


def code_features(hands: Bools) -> Floats:
    """Code hands by the 16 numbers that the 1996 paper tried and dropped: (n, 16).

    They are the values of the thirteen cards from the highest spade to the lowest club, with -1
    between two suits. Ace to jack are 4, 3, 2, 1. The paper only says that the numbers run from -1
    to 4; 0 for all lower cards is our choice.
    """
    cards = np.nonzero(hands)[1].reshape(-1, 13)
    coded = np.full((len(hands), 16), _MARK, dtype=np.float32)
    np.put_along_axis(coded, np.arange(13) + cards // 13, _FEATURES[cards % 13], axis=1)
    return coded


CODINGS = {52: code_cards, 16: code_features}
"""The codings by their number of inputs."""


@dataclass(frozen=True, eq=False)
class OpeningNetwork:
    """A feed-forward network of logistic units, one output for each call that it knows."""

    layers: tuple[tuple[Floats, Floats], ...]
    """Weights (inputs, outputs) and biases (outputs,) of each layer."""
    outputs: tuple[str, ...]
    """What each output stands for: calls, and UNKNOWN for everything that it was not taught."""

    @property
    def name(self) -> str:
        """The layer sizes, as the paper prints them: ``52-60-7``."""
        sizes = [len(self.layers[0][0]), *(len(bias) for _, bias in self.layers)]
        return "-".join(str(size) for size in sizes)

    def run(self, hands: Bools) -> Floats:
        """Return the (n, outputs) activations for (n, 52) hands, each between 0 and 1."""
        values = CODINGS[len(self.layers[0][0])](hands)
        with np.errstate(over="ignore"):  # exp overflows to infinity, whose inverse is correctly 0
            for weights, biases in self.layers:
                values = 1 / (1 + np.exp(-(values @ weights + biases)))
        return values

    def read(self, activations: Floats, reading: Reading = "highest") -> Indices:
        """Return the index in ``outputs`` that each row of activations means: (n,)."""
        highest: Indices = activations.argmax(axis=1)
        if reading == "highest":
            return highest
        clear = (activations > THRESHOLD).sum(axis=1) == 1
        return np.where(clear, highest, self.outputs.index(UNKNOWN))


class NetworkSystem(OpeningSystem):
    """One network as an opening system; it answers UNKNOWN to hands above its range.

    Its probabilities are its activations divided by their sum; they are not calibrated.
    """

    def __init__(self, network: OpeningNetwork, about: Mapping[str, Any], reading: Reading):
        self.name, self.title = about["name"], about["title"]
        self.about = dict(about)
        """How it was trained, and its results."""
        self.reading: Reading = reading
        self.network = network
        self.calls = network.outputs

    def choose(self, held: Bools) -> Indices:
        """Return the index in ``calls`` of the call with each of (n, 52) hands: (n,)."""
        return self.network.read(self.network.run(held), self.reading)

    def explain(self, hand: str | Hand) -> Explanation:
        """Show the network's outputs. Raises DealError for a bad hand."""
        cards = Hand(hand)
        activations = likely(self.calls, self.network.run(cards.cards[None])[0])
        outputs = ", ".join(f"{call} {value:.2f}" for call, value in activations.items())
        reason = f"outputs of {self.network.name}, {self.reading}: {outputs}"
        untaught = ("it was not taught the bid of such a hand",)
        return self._explained(cards, reason, untaught if self.bid(cards) == UNKNOWN else ())

    def _sure(self, held: Bools) -> Bools:
        known: Bools = np.array([call != UNKNOWN for call in self.calls])
        return known[self.choose(held)]

    def _probabilities(self, held: Bools) -> Probabilities:
        return _normalised(self.network.run(held))


class CascadeSystem(OpeningSystem):
    """Specialists asked one after another, from the highest level down to the one-level.

    Each answers, or passes the hand on as UNKNOWN. The last one knows pass, so it always answers.
    The 1996 paper proposes this and does not train it.
    """

    def __init__(self, networks: Sequence[OpeningNetwork], about: Mapping[str, Any]):
        self.name, self.title = about["name"], about["title"]
        self.about = dict(about)
        """How it was trained, and its results."""
        self.networks = tuple(networks)
        known = {call for network in networks for call in network.outputs} - {UNKNOWN}
        self.calls = tuple(sorted(known, key=call_rank))

    def choose(self, held: Bools) -> Indices:
        """Return the index in ``calls`` of the call with each of (n, 52) hands: (n,)."""
        chosen = np.full(len(held), -1, dtype=np.int64)
        for network in self.networks:
            waiting = np.flatnonzero(chosen < 0)
            answers = network.read(network.run(held[waiting]))
            places = np.array(
                [-1 if call == UNKNOWN else self.calls.index(call) for call in network.outputs]
            )
            chosen[waiting] = places[answers]
        return chosen

    def explain(self, hand: str | Hand) -> Explanation:
        """Show the answer of each specialist that was asked. Raises DealError for a bad hand."""
        cards = Hand(hand)
        answers = []
        for network in self.networks:
            row = network.run(cards.cards[None])
            answer = int(network.read(row)[0])
            answers.append(f"{network.name} says {network.outputs[answer]} ({row[0, answer]:.2f})")
            if network.outputs[answer] != UNKNOWN:
                break
        return self._explained(cards, ", then ".join(answers))

    def _probabilities(self, held: Bools) -> Probabilities:
        chances = np.zeros((len(held), len(self.calls)), dtype=np.float32)
        passed_on = np.ones(len(held), dtype=np.float32)
        for network in self.networks:
            shares = _normalised(network.run(held)) * passed_on[:, None]
            for share, call in zip(shares.T, network.outputs, strict=True):
                if call == UNKNOWN:
                    passed_on = share
                else:
                    chances[:, self.calls.index(call)] += share
        return chances


def _normalised(activations: Floats) -> Floats:
    """Return shares that sum to 1; equal ones if large weights let all activations be 0."""
    none = (activations == 0).all(axis=1, keepdims=True)
    parts = np.where(none, 1, activations)
    shares: Floats = parts / parts.sum(axis=1, keepdims=True)
    return shares


def save(
    path: str | os.PathLike[str], networks: Sequence[OpeningNetwork], about: Mapping[str, Any]
) -> None:
    """Write networks as one ``.npz`` file.

    ``about`` must hold a name and a title, and may hold any other JSON values.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for i, network in enumerate(networks):
        arrays[f"outputs_{i}"] = np.array(network.outputs)
        for j, (weights, biases) in enumerate(network.layers):
            arrays[f"weights_{i}_{j}"], arrays[f"biases_{i}_{j}"] = weights, biases
    arrays["about"] = np.array(json.dumps({**about, "format": _FORMAT}, sort_keys=True))
    np.savez_compressed(path, allow_pickle=False, **arrays)


def load_shipped(name: str) -> NetworkSystem | CascadeSystem:
    """Return a shipped system, by name. Raises ModelError for a missing or damaged file."""
    file = f"{name}.npz"
    return open_networks(read_shipped(WEIGHTS, file), file)


def open_networks(
    data: bytes, name: str, reading: Reading = "highest"
) -> NetworkSystem | CascadeSystem:
    """Return the system in the bytes that ``save`` wrote; several networks form a cascade.

    ``name`` is the file's name in errors. Raises ModelError for anything else.
    """
    try:
        arrays = read_arrays(data, _LARGEST_FILE)
        about = json.loads(str(arrays["about"]))
        if about.get("format") != _FORMAT:
            raise ValueError(f"its format is {clip(repr(about.get('format')))}")
        if not all(isinstance(about.get(key), str) for key in ("name", "title")):
            raise ValueError("it has no name or no title")
        networks = [_network(arrays, i) for i in range(_count(arrays, "outputs_"))]
        _check_asked_in_turn(networks)
    except Exception as error:  # other content may raise nearly anything
        raise ModelError(
            f"{name}: not a file of opening networks (expected {_FORMAT!r}): {clip(str(error))}"
        ) from None
    if len(networks) > 1:
        return CascadeSystem(networks, about)
    return NetworkSystem(networks[0], about, reading)


def _count(arrays: Any, prefix: str) -> int:
    return sum(name.startswith(prefix) for name in arrays)


def _network(arrays: Any, i: int) -> OpeningNetwork:
    layers = tuple(
        (arrays[f"weights_{i}_{j}"], arrays[f"biases_{i}_{j}"])
        for j in range(_count(arrays, f"weights_{i}_"))
    )
    outputs = tuple(str(call) for call in arrays[f"outputs_{i}"])
    width = len(layers[0][0]) if layers else 0
    if width not in CODINGS:
        raise ValueError(f"network {i} has {width} inputs")
    for weights, biases in layers:
        whole = weights.dtype == biases.dtype == np.float32
        if not whole or weights.shape != (width, *biases.shape) or biases.ndim != 1:
            raise ValueError(f"the layers of network {i} do not fit together")
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            raise ValueError(f"network {i} has weights that are no numbers")
        width = len(biases)
    if len(outputs) != width or len(set(outputs)) != width or not set(outputs) <= _ANSWERS:
        raise ValueError(f"the outputs of network {i} are not as many different calls")
    return OpeningNetwork(layers, outputs)


def _check_asked_in_turn(networks: Sequence[OpeningNetwork]) -> None:
    """Raise ValueError unless each specialist can pass a hand on and the last one answers."""
    passes_on = [UNKNOWN in network.outputs for network in networks]
    if not networks or (len(networks) > 1 and (passes_on[-1] or not all(passes_on[:-1]))):
        raise ValueError("each specialist but the last must know UNKNOWN")
