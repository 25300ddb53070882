"""Exports: calibrate stated chances on validation deals, build the ONNX graph, write and check it.

Graphs are written by hand because torch's own exporter does worse, even for the smallest networks.
See docs/log/estimator.md, "Export by hand", for figures.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from torch import Tensor, nn

from .._files import atomic_writer, note_checksum
from ..cards import Strain
from ..dealing import random_deals
from ..evaluation import CONTRACTS, score
from ..model_format import MODEL_FORMAT, OUTPUT_ORDER
from .errors import TrainingError

FAR = 5.0
"""Below e⁻⁵ (0.7 %) of probability, calibration is only a factor: too few such results
came true to fit a curve."""
_STEEPNESS = 1e-8  # change of the loss at which the fit ends
_PRIOR = 1e-4  # without it, memorised labels have no best factor: it would grow forever
_FLATTEST = 0.05  # slope of a network whose likeliest results happen least often: keeps its order
LEAST = 1e-30  # lower limit of a probability before its logarithm is taken


class Calibration(NamedTuple):
    """Turn log-probabilities *l* of *k* tricks, the largest of them *m*, into calibrated ones:
    softmax((slope + doubt · m) · l - curve · min(-l, 5)² + tilt · k).

    A slope alone is temperature scaling (Guo et al., "On calibration of modern neural networks",
    2017). It makes all answers less sure, or all surer. A network may be too sure of likely results
    and not sure enough of certain ones. Then it needs the others too: the curve
    bends the logarithms of every answer, and doubt reduces the slope of an unsure answer.
    None of these changes the order of probabilities. Rounding weights to eight bits shifts all
    expectations a little to one side, and the tilt shifts them back. All four preserve the
    symmetries of play.
    """

    slope: tuple[float, ...] = (1.0,) * len(Strain)
    """By strain, S H D C N; above zero."""
    curve: tuple[float, ...] = (0.0,) * len(Strain)
    """By strain; zero or more."""
    doubt: tuple[float, ...] = (0.0,) * len(Strain)
    """By strain; keeps the slope of the most unsure answer, of 14 equal chances, above zero."""
    tilt: tuple[float, ...] = (0.0,) * len(Strain)
    """By strain; above zero for more tricks."""

    def apply(self, logits: Tensor) -> Tensor:
        """Return calibrated probabilities from (…, 5, 4, 14) logits."""
        slope, curve, doubt, tilt = (torch.tensor(numbers)[:, None, None] for numbers in self)
        logs = logits.log_softmax(-1)
        steep = slope + doubt * logs.amax(-1, keepdim=True)
        bent = steep * logs - curve * logs.clamp_min(-FAR).square()
        return (bent + tilt * torch.arange(logs.shape[-1])).softmax(-1)


def fit_calibration(probabilities: NDArray[np.float32], tricks: NDArray[np.uint8]) -> Calibration:
    """Return the calibration of (n, 5, 4, 14) probabilities that makes (n, 5, 4) tricks likeliest.

    It has one slope, curve, doubt and tilt for all suits, which are alike, and one for notrump.
    """
    rows = list[tuple[float, ...]]()
    for strains in CONTRACTS.values():
        stated = probabilities[:, strains].reshape(-1, probabilities.shape[-1])
        fitted = _of_contracts(stated, tricks[:, strains].ravel())
        rows += [fitted] * (strains.stop - strains.start)
    return Calibration(*zip(*rows, strict=True))


def _of_contracts(stated: NDArray[np.float32], real: NDArray[np.uint8]) -> tuple[float, ...]:
    """Return slope, curve, doubt and tilt for (rows, 14) probabilities of one kind of contract.

    The likeliest tilt makes the mean expectation equal to the mean number of tricks taken.
    """
    logs = np.log(np.maximum(stated.astype(np.float64), LEAST))
    largest = logs.max(axis=1, keepdims=True)
    counts = np.broadcast_to(np.arange(float(logs.shape[1])), logs.shape)
    bend = -np.square(np.maximum(logs, -FAR))
    features = np.stack([logs, bend, logs * largest, counts], axis=-1)
    for used in ([0, 1, 2, 3], [0, 2, 3], [0, 1, 3]):
        weights = np.zeros(features.shape[-1])
        weights[used] = _likeliest(features[..., used], real)
        slope, curve, doubt, tilt = (float(weight) for weight in weights)
        if curve >= 0 and min(slope, slope - doubt * math.log(logs.shape[1])) > 0:
            return slope, curve, doubt, tilt
    slope = float(_likeliest(features[..., :1], real)[0])
    return max(slope, _FLATTEST), 0.0, 0.0, 0.0  # others would reverse the order


def fit_sharpness(logits: Tensor, tricks: NDArray[np.uint8]) -> tuple[float, ...]:
    """Return, for each strain, the factor of (n, 5, 2, 14) logits that makes the tricks likeliest.

    One factor for all suits, which are alike, and one for notrump (temperature scaling: Guo et
    al., "On calibration of modern neural networks", 2017); 0.2 to 5.
    """
    factors = list[float]()
    for strains in CONTRACTS.values():
        rows = logits[:, strains].reshape(-1, logits.shape[-1], 1).double().numpy()
        fitted = _likeliest(rows, tricks[:, strains].ravel(), prior=0.0)
        factor = fitted.clip(0.2, 5.0).item()
        factors += [factor] * (strains.stop - strains.start)
    return tuple(factors)


def _likeliest(
    features: NDArray[np.float64], real: NDArray[np.uint8], prior: float = _PRIOR
) -> NDArray[np.float64]:
    """Return the weights of (rows, 14, k) features in logits that make the real counts likeliest.

    The likelihood of an exponential family has a single maximum. A weak prior keeps weights near
    (1, 0).
    """
    start = np.eye(features.shape[-1])[0]
    taken = np.arange(len(real)), real
    happened = features[taken].mean(axis=0)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logs, off = log_softmax(features @ weights, axis=1), weights - start
        stated = np.tensordot(np.exp(logs), features) / len(real)
        return (
            float(prior / 2 * off @ off - logs[taken].mean()),
            prior * off - happened + stated,
        )

    def curvature(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        chances = softmax(features @ weights, axis=1)[..., None]
        means = (chances * features).sum(axis=1)
        squares = np.tensordot(chances * features, features, ((0, 1), (0, 1)))
        curved: NDArray[np.float64] = (squares - means.T @ means) / len(real)
        return prior * np.eye(len(weights)) + curved

    weights: NDArray[np.float64] = minimize(
        loss, start, jac=True, hess=curvature, method="trust-exact", options={"gtol": _STEEPNESS}
    ).x
    return weights


# --- the graph and the file -----------------------------------------------------------------------


Array = NDArray[Any]
Ports = Mapping[str, tuple[DTypeLike, Sequence[str | int]]]
"""Inputs or outputs: name → type and shape, with letters for free sizes."""


class Graph:
    """Nodes and constants so far; every method returns the name of what it adds."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def op(
        self, kind: str, *inputs: str, name: str = "", domain: str = "", **attributes: Any
    ) -> str:
        """Add a node with one output."""
        from onnx import helper

        name = name or f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(
            helper.make_node(kind, list(inputs), [name], domain=domain or None, **attributes)
        )
        return name

    def split(self, x: str, sizes: str, parts: int, axis: int = -1) -> list[str]:
        """Split along an axis into so many parts, whose sizes are a constant."""
        from onnx import helper

        names = [f"split_{len(self._nodes)}_{part}" for part in range(parts)]
        self._nodes.append(helper.make_node("Split", [x, sizes], names, axis=axis))
        return names

    def constant(self, values: Array, name: str = "") -> str:
        """Add a constant."""
        from onnx import numpy_helper

        name = name or f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def cast(self, x: str, name: str = "") -> str:
        """Convert anything to float32."""
        from onnx import TensorProto

        return self.op("Cast", x, name=name, to=TensorProto.FLOAT)

    def shaped(self, x: str, *shape: int) -> str:
        """Reshape; one of the sizes may be -1."""
        return self.op("Reshape", x, self.constant(np.array(shape)))

    def below(self, x: str, limit: float) -> str:
        """Return 1 where x is below the limit, else 0."""
        return self.cast(self.op("Less", x, self.constant(np.array(limit, np.float32))))

    def model(
        self, inputs: Ports, outputs: Ports, *, opset: int = 20, domains: Sequence[str] = ()
    ) -> Any:
        """Return the onnx model; ``domains`` are those of non-standard operators.

        Opset 20 is the first with Gelu; ONNX Runtime 1.17 and later run it.
        """
        from onnx import helper

        made = helper.make_graph(
            self._nodes, "trickcast", _ports(inputs), _ports(outputs), self._constants
        )
        standard = helper.make_opsetid("", opset)
        return helper.make_model(
            made,
            opset_imports=[standard, *(helper.make_opsetid(domain, 1) for domain in domains)],
            ir_version=helper.find_min_ir_version_for([standard]),
        )


def _ports(ports: Ports) -> list[Any]:
    from onnx import helper

    return [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)
        for name, (kind, shape) in ports.items()
    ]


TOLERANCE = 1e-3
"""Largest allowed difference between the file and torch with the file's weights."""
Arrays = Mapping[str, NDArray[Any]]
_PARITY_DEALS = 64


def write_model(
    path: Path,
    model: Any,
    metadata: Mapping[str, str],
    inputs: Arrays,
    expected: Arrays,
    *,
    tolerance: float = TOLERANCE,
    parity: Arrays | None = None,
    rows_alone: bool = True,
) -> None:
    """Write an onnx model with its metadata, a parity file ``<name>.parity.npz`` and a checksum.

    ``expected`` are torch's answers to ``inputs``, each under its name in the model;
    the file may differ by ``tolerance``. The parity file stores both, or ``parity`` instead.
    Its line goes into ``SHA256SUMS``. ``rows_alone`` states that each input's first row alone gives
    every answer's first row, which is checked. Raises TrainingError, before anything is written,
    for a model that answers differently, or whose rows depend on their batch.
    """
    import onnx

    for key, value in sorted(metadata.items()):
        model.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(model)
    data = model.SerializeToString()
    _check_answers(path, data, inputs, expected, tolerance, rows_alone)
    kept: dict[str, Any] = dict(parity or {**inputs, **expected})
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path.with_suffix(".parity.npz")) as stream:
        np.savez_compressed(stream, **kept)
    with atomic_writer(path) as stream:
        stream.write(data)
    note_checksum(path)


def _check_answers(
    path: Path,
    data: bytes,
    inputs: Arrays,
    expected: Arrays,
    tolerance: float,
    rows_alone: bool,
) -> None:
    session = open_session(data)
    answers = session.run(list(expected), dict(inputs))
    alone = [rows[:1] for rows in answers]
    if rows_alone:
        alone = session.run(list(expected), {name: rows[:1] for name, rows in inputs.items()})
    for (name, wanted), rows, row in zip(expected.items(), answers, alone, strict=True):
        for of, apart, most in (
            ("torch", np.abs(rows - wanted).max(), tolerance),
            ("those of a row alone", np.abs(rows[:1] - row).max(), TOLERANCE),
        ):
            if not apart <= most:
                raise TrainingError(f"{path}: {name} differ from {of} by {apart:.2g}")


def open_session(data: bytes) -> Any:
    """Return an ONNX Runtime session for a model's bytes."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3  # the default of an input is overridden on purpose
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def run_all(network: nn.Module, inputs: NDArray[Any], chunk: int = 4096) -> NDArray[np.float32]:
    """Return all outputs of a network for (n, inputs), a chunk at a time: (n, outputs)."""
    device = next(network.parameters(), torch.empty(0)).device
    with torch.inference_mode():
        # at least one chunk, so that an empty batch still gives the number of outputs
        starts = range(0, max(len(inputs), 1), chunk)
        chunks = (torch.from_numpy(inputs[start : start + chunk]) for start in starts)
        outputs: NDArray[np.float32] = (
            torch.cat([network(x.to(device)) for x in chunks]).cpu().numpy()
        )
    return outputs


def parity_owners() -> NDArray[np.uint8]:
    """Return the (64, 52) owners of the deals in every parity file."""
    return random_deals(_PARITY_DEALS, seed=2009).owners


def deal_metadata(estimated: ArrayLike, tricks: NDArray[np.uint8]) -> dict[str, str]:
    """Return the metadata common to all models of whole deals, scored on (n, 5, 4) tricks."""
    scores: dict[str, Any] = {"deals": len(tricks)}
    for part, figures in score(np.asarray(estimated), tricks).items():
        shares = (figures.within_2, figures.within_1, figures.exact)
        scores[part] = [round(share, 2) for share in shares]
    return {
        "format": MODEL_FORMAT,
        "output_order": OUTPUT_ORDER,
        "scores": json.dumps({"validation": scores}),
    }
