"""Whole models of 2004 and 2009: two trained networks in one file, which takes owners.

Inside the file a deal is coded for each of its twenty results. A network's output becomes tricks by
the range in which it falls, and probabilities by an ordered logit fitted on validation deals.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...cards import DealSet, Seat, Strain
from ...library import Library
from ...training.catalogue import Family, Training
from ...training.exports import Array, Graph, deal_metadata, parity_owners, run_all, write_model
from ...training.request import Answer, Request, can_export
from ...training.solved_deals import known_tricks, library_deals
from ...training.trainer import Report
from ..codings import (
    LEADER,
    LOWEST,
    RANGE,
    CardCoding,
    Coding,
    FourHands,
    RankAndSuit,
    exchange,
    find_coding,
    tricks_of,
)
from .examples import STRAINS, Contracts
from .layered_network import BlockLinear, LayeredNetwork
from .layered_training import PaperConfig, PaperTrained, train
from .network_name import NetworkName

_OPSET = 17  # of 2022: old enough for every ONNX Runtime in use
_OPERATORS = {"logistic": "Sigmoid", "tanh": "Tanh", "linear": "Identity"}
_RIDGE = 1e-3  # keeps thresholds a finite distance apart if no result fell between them
_FARTHEST = 1e3  # ranges away: beyond it the chance of any count is zero
_STEPS = 200
Networks = Mapping[Contracts, LayeredNetwork]


def export_layered(
    suit: PaperTrained,
    notrump: PaperTrained,
    validation: DealSet,
    path: str | os.PathLike[str],
    *,
    speed: str = "",
) -> None:
    """Write the networks for suits and for notrump as one ONNX file.

    Its input is ``owners`` (n, 52) uint8; its outputs are ``probabilities`` (n, 5, 4, 14),
    ``tricks`` (n, 5, 4) uint8 and ``outputs`` (n, 5, 4), those of the networks. It comes with
    ``<name>.parity.npz`` (64 deals and torch's results for them) and a line in ``SHA256SUMS``.
    Thresholds are fitted, and scores computed, on the ``validation`` deals.

    Raises ValueError if the networks differ in name or coding or a deal is not solved, and
    TrainingError if the file and torch give different results.
    """
    if (suit.config.contracts, notrump.config.contracts) != ("suit", "notrump"):
        raise ValueError("expected a network trained for suits and one trained for notrump")
    for setting in ("network", "coding"):
        if getattr(suit.config, setting) != getattr(notrump.config, setting):
            raise ValueError(f"the two networks differ in their {setting}")
    networks: Networks = {"suit": suit.network, "notrump": notrump.network}
    coding = find_coding(suit.config.coding)
    tricks = known_tricks(validation)
    outputs = outputs_of(networks, validation.owners, coding)
    fitted = [fit_thresholds(outputs[:, of].ravel(), tricks[:, of].ravel())
              for of in (slice(0, 4), slice(4, 5))]  # fmt: skip
    thresholds = [fitted[strain == Strain.NOTRUMP] for strain in Strain]
    metadata = deal_metadata(tricks_of(outputs), tricks) | {
        "name": suit.config.network,
        "coding": coding.name,
        "coding_version": str(coding.version),
        "activation": suit.network.activation,
        "seed": str(suit.config.seed),
        "training_deals": str(suit.record["deals"]),
        "training_sha256": suit.record["sha256"],
        "training": json.dumps({"suit": suit.record, "notrump": notrump.record}),
        "speed": speed,
    }
    parity = parity_owners()
    answers = outputs_of(networks, parity, coding)
    expected: dict[str, NDArray[Any]] = {
        "probabilities": probabilities_of(answers, thresholds),
        "tricks": tricks_of(answers),
        "outputs": answers,
    }
    model = to_onnx(networks, coding, thresholds)
    write_model(Path(path), model, metadata, {"owners": parity}, expected)


def outputs_of(
    networks: Networks, owners: NDArray[np.uint8], coding: Coding
) -> NDArray[np.float32]:
    """Return torch's outputs for (n, 52) owners: (n, 5, 4), every strain and declarer."""
    outputs = np.empty((len(owners), 5, 4), dtype=np.float32)
    for contracts, strains in STRAINS.items():
        for strain in strains:
            for declarer in Seat:
                inputs = coding.encode(owners, strain, declarer)
                outputs[:, strain, declarer] = run_all(networks[contracts], inputs)[:, 0]
    return outputs


# --- from outputs to probabilities ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The chance of at most k tricks is logistic(slope × (thresholds[k] - output))."""

    thresholds: tuple[float, ...]
    """Thirteen, rising."""
    slope: float


def fit_thresholds(outputs: NDArray[np.float32], tricks: NDArray[np.uint8]) -> Thresholds:
    """Fit thresholds and slope to (m,) outputs and the tricks really taken.

    This is the ordered logit (McCullagh, "Regression models for ordinal data", 1980) by maximum
    likelihood. Raises ValueError if there is nothing to fit to.
    """
    if len(outputs) == 0 or len(outputs) != len(tricks):
        raise ValueError(f"{len(outputs)} outputs and {len(tricks)} results (expected as many)")
    # measured in ranges, so that all unknowns are near 1; the thresholds start between the ranges
    scaled = (torch.from_numpy(outputs).double() - LOWEST) / RANGE  # (m,)
    taken = torch.from_numpy(tricks.astype(np.int64))  # (m,)
    first = torch.ones(1, dtype=torch.float64, requires_grad=True)
    log_gaps = torch.zeros(12, dtype=torch.float64, requires_grad=True)
    log_slope = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [first, log_gaps, log_slope], max_iter=_STEPS, line_search_fn="strong_wolfe"
    )
    far = torch.tensor([_FARTHEST], dtype=torch.float64)

    def edges() -> Tensor:  # (15,): k tricks lie from edge k to edge k + 1
        inner = torch.cat([first, first + log_gaps.exp().cumsum(0)])
        return torch.cat([-far, inner, far])

    def loss() -> Tensor:
        optimizer.zero_grad()
        at_most = (log_slope.exp() * (edges()[taken + 1] - scaled)).sigmoid()
        below = (log_slope.exp() * (edges()[taken] - scaled)).sigmoid()
        value = -(at_most - below).clamp_min(1e-12).log().mean() + _RIDGE * log_gaps.square().sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    thresholds = LOWEST + RANGE * edges().detach()[1:14]
    return Thresholds(tuple(thresholds.tolist()), log_slope.exp().item() / RANGE)


def probabilities_of(
    outputs: NDArray[np.float32], thresholds: Sequence[Thresholds]
) -> NDArray[np.float32]:
    """Turn (n, 5, 4) outputs into (n, 5, 4, 14) probabilities, by the thresholds of each strain."""
    at_most = np.zeros((*outputs.shape, 15), dtype=np.float32)  # of fewer than k tricks
    at_most[..., 14] = 1
    for strain, fitted in enumerate(thresholds):
        edges = np.array(fitted.thresholds, dtype=np.float32)
        distance = np.float32(fitted.slope) * (edges - outputs[:, strain, :, None])
        at_most[:, strain, :, 1:14] = 0.5 + 0.5 * np.tanh(0.5 * distance)
    return np.maximum(np.diff(at_most, axis=-1), 0)


# --- the graph ------------------------------------------------------------------------------------


def to_onnx(networks: Networks, coding: Coding, thresholds: Sequence[Thresholds]) -> Any:
    """Return the onnx model: the coding, the layers of both networks, tricks and probabilities.

    Raises ValueError for a coding that is not of cards.
    """
    graph = LayeredGraph()
    rows = graph.coded(coding)
    outputs = [
        graph.network(kind, network, graph.part(rows, *ends), coding.size)
        for (kind, network), ends in zip(networks.items(), ((0, 4), (4, 5)), strict=True)
    ]
    shaped = graph.shaped(graph.op("Concat", *outputs, axis=0), len(Strain), len(Seat), -1)
    graph.read(graph.op("Transpose", shaped, name="outputs", perm=(2, 0, 1)), thresholds)
    shape: list[str | int] = ["n", len(Strain), len(Seat)]
    return graph.model(
        {"owners": (np.uint8, ["n", 52])},
        {
            "probabilities": (np.float32, [*shape, 14]),
            "tricks": (np.uint8, shape),
            "outputs": (np.float32, shape),
        },
        opset=_OPSET,
    )


class LayeredGraph(Graph):
    """The graph of a whole model.

    Rows are (strains, declarers, n, inputs), so that those of each network lie side by side.
    """

    def numbers(self, values: Any) -> str:
        """Add a float32 constant."""
        return self.constant(np.asarray(values, dtype=np.float32))

    def part(self, rows: str, start: int, end: int) -> str:
        """Return the rows of some strains, from ``start`` to before ``end``."""
        places = (self.constant(np.array([place])) for place in (start, end, 0))
        return self.op("Slice", rows, *places)

    def coded(self, coding: Coding) -> str:
        """Code every result: (n, 52) owners to (5, 4, n, coding.size)."""
        if not isinstance(coding, CardCoding):
            raise ValueError(f"coding is {coding.name} (expected one of cards, such as 52x4)")
        order = np.tile(np.arange(52, dtype=np.uint8), (len(Strain), 1))
        if coding.trumps == "exchanged":  # permuted as owners are
            order = np.concatenate([exchange(order[:1], strain) for strain in Strain])
        seats = np.arange(len(Seat))
        turns = (int(LEADER.rho) - seats) % 4 if coding.turned else 0 * seats
        view = self.op("Gather", self.cast("owners"), self.constant(order.astype(int)), axis=1)
        view = self.shaped(self.op("Transpose", view, perm=(1, 0, 2)), len(Strain), 1, -1, 52)
        if isinstance(coding, RankAndSuit):
            cards = self.in_order(view, turns)
            numbers = self.op("Gather", self.constant(coding.numbers), cards, axis=0)
            rows = self.shaped(numbers, len(Strain), len(Seat), -1, 104)
            if coding.size == 104:
                return rows
            starts = _all_north(coding)
            starts[..., :104] = 0
            linear = np.eye(104, coding.size)
        else:
            who = (seats - turns[:, None]) % 4  # who sits N E S W in the turned deal
            view = self.shaped(view, len(Strain), 1, -1, 1, 52)
            held = self.op("Equal", view, self.numbers(who.reshape(4, 1, 4, 1)))
            rows = self.shaped(self.cast(held), len(Strain), len(Seat), -1, 208)
            if coding == FourHands():
                return rows
            starts, linear = _all_north(coding), _linear(coding)
        return self.op("Add", self.op("MatMul", rows, self.numbers(linear)), self.numbers(starts))

    def in_order(self, view: str, turns: NDArray[np.int64]) -> str:
        """Return the cards of N, then of E, S, W, each in card order: (5, 4, n, 52) int64.

        ``view`` is (5, 1, n, 52) owners, ``turns`` how far each declarer turns them.
        """
        from onnx import helper

        turned = self.op("Add", view, self.numbers(turns.reshape(4, 1, 1)))
        seats = self.op("Mod", turned, self.numbers(4), fmod=1)
        keys = self.op("Add", self.op("Mul", seats, self.numbers(52)), self.numbers(np.arange(52)))
        count = self.constant(np.array([52]))
        names = ["ordered", "cards"]
        self._nodes.append(helper.make_node("TopK", [keys, count], names, axis=-1, largest=0))
        return names[1]

    def network(self, kind: str, network: LayeredNetwork, rows: str, inputs: int) -> str:
        """Run rows through the layers of a network, whose weights are named after its ``kind``."""
        x = self.shaped(rows, -1, inputs)
        for number, layer in enumerate(network.layers, start=1):
            assert isinstance(layer, BlockLinear)
            last = number == len(network.layers)
            operator = _OPERATORS[network.output if last else network.activation]
            x = self.layer(layer, operator, x, f"{kind}_{number}")
        return x

    def layer(self, layer: BlockLinear, operator: str, x: str, name: str) -> str:
        """Add one layer after x."""
        weights, biases = layer.weight.detach().numpy(), layer.bias.detach().numpy()
        blocks, width, size = weights.shape

        def constant(what: str, values: Array) -> str:
            return self.constant(values, f"{name}_{what}")

        if blocks == 1:
            weight, bias = constant("weight", weights[0].T), constant("bias", biases.ravel())
            return self.op(operator, self.op("Gemm", x, weight, bias))
        weight = constant("weight", weights.transpose(0, 2, 1))
        bias = constant("bias", biases.transpose(0, 2, 1))
        x = self.op("Transpose", self.shaped(x, -1, blocks, size), perm=[1, 0, 2])
        x = self.op("Add", self.op("MatMul", x, weight), bias)  # (blocks, n, width)
        x = self.shaped(self.op("Transpose", x, perm=[1, 0, 2]), -1, blocks * width)
        return self.op(operator, x)

    def read(self, outputs: str, thresholds: Sequence[Thresholds]) -> None:
        """Turn (n, 5, 4) outputs into ``tricks`` and ``probabilities``."""
        from onnx import TensorProto

        ranges = self.op("Div", self.op("Sub", outputs, self.numbers(LOWEST)), self.numbers(RANGE))
        inside = self.op("Clip", self.op("Floor", ranges), self.numbers(0), self.numbers(13))
        self.op("Cast", inside, name="tricks", to=TensorProto.UINT8)
        edges = self.numbers([[fitted.thresholds] for fitted in thresholds])  # (5, 1, 13)
        slopes = self.numbers([[[fitted.slope]] for fitted in thresholds])
        half = self.numbers(0.5)
        column = self.op("Unsqueeze", outputs, self.constant(np.array([3])))
        distance = self.op("Mul", slopes, self.op("Sub", edges, column))
        curve = self.op("Tanh", self.op("Mul", half, distance))
        at_most = self.op("Add", half, self.op("Mul", half, curve))
        whole, fewer = (
            self.op("Pad", at_most, self.constant(np.array(pads)), self.numbers(value))
            for pads, value in (([0] * 7 + [1], 1), ([0] * 3 + [1] + [0] * 4, 0))
        )
        self.op("Relu", self.op("Sub", whole, fewer), name="probabilities")  # rounding goes below 0


def _all_north(coding: Coding) -> Array:
    """Return the inputs of a deal in which North of the turned deal has all cards, (5, 4, 1, size).

    It stays the same deal however it is turned and exchanged.
    """
    owners = np.zeros((1, 52), dtype=np.uint8)
    declarers = [LEADER.rho] * 4 if coding.turned else [*Seat]
    return np.array(
        [[coding.encode(owners, strain, seat) for seat in declarers] for strain in Strain]
    )


def _linear(coding: Coding) -> Array:
    """Return how each card in each hand N E S W changes these inputs, (5, 1, 208, size)."""
    owners = np.kron(np.arange(4, dtype=np.uint8)[:, None], np.eye(52, dtype=np.uint8))
    strains = [Strain.SPADES] * 5 if coding.trumps == "exchanged" else [*Strain]
    rows = [coding.encode(owners, strain, LEADER.rho) for strain in strains]
    starts = [coding.encode(0 * owners, strain, LEADER.rho) for strain in strains]
    return np.array(rows, dtype=np.float32)[:, None] - np.array(starts, dtype=np.float32)[:, None]


# --- training ------------------------------------------------------------------------------------


def find_training(name: str) -> Training | None:
    """Return the training of a paper's network by its printed name, None for any other name."""
    try:
        NetworkName(name)
    except ValueError:
        return None
    # one thread runs some 10 epochs of 131,072 examples a second; two are hardly faster, or slower
    # if other programs use the CPU too
    family = Family({"deals"}, train_networks, shown, threads=1)
    return Training(family, PaperConfig(contracts="suit"), {"network": name})


def train_networks(request: Request, config: PaperConfig, report: Report) -> Answer:
    """Train one leg of both networks, the second once the first is finished; export both.

    The folder gets a checkpoint of each, such as ``52-25-1-suit.checkpoint``, from which an
    interrupted training continues, and at the end the files that ``export_layered`` writes.
    Reports name their ``contracts``. Raises whatever ``train`` and ``export_layered`` raise.
    """
    library, started = Library(request.library), perf_counter()
    training = library_deals(library, "train", request.deals)
    validation = library_deals(library, "validation", request.validation)
    networks = {}
    contracts: Contracts
    for contracts in get_args(Contracts):
        left = request.minutes
        if left is not None:
            left = max(left - (perf_counter() - started) / 60, 0.0)
        networks[contracts] = trained = train(
            replace(config, contracts=contracts),
            training,
            validation,
            request.out / f"{config.network}-{contracts}.checkpoint",
            minutes=left,
            report=_of(contracts, report),
        )
        if not trained.done:
            break
    model = None
    if trained.done and can_export():
        model = request.out / f"{config.network}.onnx"
        export_layered(networks["suit"], networks["notrump"], validation, model)
    lessons = f"{trained.record['deals']:,} deals (trickcast evaluate DEALS --model …)"
    return Answer(f"{config.network} ({contracts})", trained, lessons, model)


def _of(contracts: Contracts, report: Report) -> Report:
    return lambda line: report({"contracts": contracts} | line)


def shown(line: dict[str, Any]) -> str:
    """Return an evaluation in words."""
    return (
        f"{line['contracts']} epoch {line['epoch']}: {line['exact']:.2f} % exact, off by "
        f"{line['validation_error']:.4f} tricks (training {line['training_error']:.4f}), "
        f"{line['seconds']:.0f} s"
    )
