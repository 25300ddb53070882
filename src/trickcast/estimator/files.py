"""Model files: where shipped ones are, their metadata, and whether they are intact."""

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import checked_whole, cut, shorten
from ..cards.errors import one_line
from ..model_format import MODEL_FORMAT, OUTPUT_ORDER
from ..plugins import load, offered

DEFAULT_MODEL = "accurate"
"""The default of ``estimate`` and ``Estimator``."""
_WEIGHTS = Path(__file__).parent.parent / "weights"
_CHECKSUMS = "SHA256SUMS"
_REQUIRED = (
    "format",
    "name",
    "output_order",
    "seed",
    "training_deals",
    "training_sha256",
    "training",
    "scores",
)
BROKEN = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""Errors raised when unexpected JSON is taken apart."""
_LONGEST = 1000
"""Most characters of an error."""
_ROUNDING, _OFF = 1e-6, 1e-3
"""How far rounding may put a probability below 0, and a sum of them away from 1."""


class ModelError(ValueError):
    """Report a model file that is missing, damaged or of another kind.

    The message names the file and its SHA-256; quotes from the file are shortened.
    """

    def __init__(self, message: str):
        super().__init__(cut(message, _LONGEST))


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model's file and its metadata, of any kind."""

    path: Path
    sha256: str
    metadata: dict[str, str]

    @property
    def name(self) -> str:
        """The name to load it by; a network of the papers keeps its printed name."""
        return self.metadata["name"]

    @cached_property
    def size(self) -> int:
        """Size of the file in bytes."""
        return self.path.stat().st_size

    def __str__(self) -> str:
        return f"{self.name} ({self.size / 1000:,.0f} kB)"


class ModelInfo(ModelFile):
    """A model of whole deals: its file and metadata."""

    @cached_property
    def accuracy(self) -> dict[str, dict[str, Any]]:
        """Held-out deals → strain (S H D C N, suits) → [within two, within one, exact] percent."""
        accuracy: dict[str, dict[str, Any]] = json.loads(self.metadata["scores"])
        return accuracy

    @property
    def speed(self) -> str:
        """A note on its speed, empty if it was not measured."""
        return self.metadata.get("speed", "")


def shipped_models(folder: Path | None = None) -> dict[str, tuple[Path, str]]:
    """Return the models of the package, or of a folder in it: name → (file, SHA-256).

    Raises ModelError if the list of them is missing.
    """
    folder = folder or _WEIGHTS
    path = folder / _CHECKSUMS
    if not path.exists():
        raise ModelError(f"{path}: the list of model files is missing; install trickcast again")
    lines = (line.split(maxsplit=1) for line in path.read_text("utf-8").splitlines() if line)
    return {Path(file).stem: (folder / file, sha256) for sha256, file in lines}


def known_models() -> dict[str, tuple[Path, str]]:
    """Return the models of the package and of plug-ins: name → (file, SHA-256).

    Raises ModelError if a list of them is missing.
    """
    added = offered("MODELS").items()
    return shipped_models() | {name: shipped_models(load(place))[name] for name, place in added}


def pickled_name(info: ModelFile, folder: Path | None = None) -> str:
    """Return what to load a model by again: its name, or its path if it does not ship."""
    path = info.path.absolute()
    models = shipped_models(folder) if folder else known_models()
    shipped = {path.absolute(): name for name, (path, _) in models.items()}
    return shipped.get(path, os.fspath(path))


def check_pickled(info: ModelFile, sha256: str) -> None:
    """Raise ModelError if the file of a pickled model has changed since."""
    if info.sha256 != sha256:
        raise ModelError(
            f"{info.path}: not the model that was pickled (its SHA-256 is {info.sha256}, "
            f"expected {sha256})"
        )


def locate(
    model: str | os.PathLike[str], folder: Path | None = None, kind: str = "model"
) -> tuple[Path, str | None]:
    """Return the file of a model, given by shipped name or path, and its expected checksum.

    Raises ModelError, which calls it a ``kind``, if it is neither.
    """
    shipped = shipped_models(folder)
    if folder is None and model not in shipped:
        shipped = known_models()  # looked up late because it takes time
    if isinstance(model, str) and model in shipped:
        return shipped[model]
    if not isinstance(model, str | os.PathLike):
        raise TypeError(
            f"{kind} is {shorten(model)} (expected a name or a path; call a loaded estimator "
            "instead)"
        )
    path = Path(model)
    if path.is_file():
        return path, None
    raise ModelError(
        f"no {kind} {shorten(os.fspath(model))} (expected one of {', '.join(shipped)}, "
        "or the path of an .onnx file)"
    )


def load_session(model: str | os.PathLike[str]) -> tuple[Any, ModelInfo]:
    """Return the single-threaded ONNX Runtime session of a model, and its file's metadata.

    Threads process separate batches (``Estimator``): layers are too small to share.

    Raises ModelError if the file is missing, differs from the shipped one, cannot be run, or
    lacks metadata needed to use it correctly.
    """
    path, expected = locate(model)
    session, sha256 = open_session(path, expected, threads=1)
    return session, read_info(path, sha256, session.get_modelmeta().custom_metadata_map)


def read_whole(path: Path, expected: str | None) -> tuple[bytes, str]:
    """Return a file's content and its SHA-256, which is ``expected`` unless that is None.

    Raises ModelError if the file is missing or has another checksum.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ModelError(
            f"{path}: the model file is missing (expected SHA-256 {expected}); "
            "install trickcast again"
        ) from None
    sha256 = hashlib.sha256(data).hexdigest()
    if expected not in (None, sha256):
        raise ModelError(
            f"{path}: the model file is damaged (its SHA-256 is {sha256}, expected {expected}); "
            "install trickcast again"
        )
    return data, sha256


def read_shipped(folder: Path, file: str) -> bytes:
    """Return the content of a file that ``SHA256SUMS`` of its folder lists.

    Raises ModelError if it is missing, damaged or not listed.
    """
    unlisted = folder / file, "none: it is not listed"
    return read_whole(*shipped_models(folder).get(Path(file).stem, unlisted))[0]


def open_session(path: Path, expected: str | None, threads: int | None = None) -> tuple[Any, str]:
    """Return the ONNX Runtime session of a file and its SHA-256, ``expected`` unless that is None.

    Raises ModelError if the file is missing, has another checksum or cannot be run, ValueError for
    ``threads`` below one.
    """
    import onnxruntime as ort

    if threads is not None:
        checked_whole(threads, "threads", 1)
    data, sha256 = read_whole(path, expected)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads or 0
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # numpy works between
    options.log_severity_level = 4  # errors are raised as exceptions; don't print them too
    try:
        if expected is None:  # shipped files are known to be good
            from .external import keeps_data_elsewhere

            if keeps_data_elsewhere(data):
                raise ValueError("it stores arrays in other files, which is not supported")
        session = ort.InferenceSession(
            data,
            options,
            providers=["CPUExecutionProvider"],
            enable_fallback=0,  # a fallback would print the error on standard output
        )
        _read_texts(session)
    except _troubles() as error:
        if path.suffix in (".npz", ".checkpoint"):
            raise ModelError(
                f"{path}: weights, not a model (give the .onnx, which is written when the training "
                "ends)"
            ) from None
        raise ModelError(
            f"{path}: not a model that can be run (SHA-256 {sha256}): {one_line(error, 200)}"
        ) from None
    return session, sha256


def _read_texts(session: Any) -> None:
    """Raise UnicodeDecodeError, a ValueError, if a model's texts cannot be decoded."""
    _ = session.get_modelmeta().custom_metadata_map
    sides = (session.get_inputs(), session.get_outputs(), session.get_overridable_initializers())
    for entry in (entry for side in sides for entry in side):
        _ = entry.name, entry.shape


def _troubles() -> tuple[type[Exception], ...]:
    """Return the exceptions raised for a model that ONNX Runtime cannot load or run."""
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    return (
        ValueError,  # an input's name or type, among others
        errors.Fail,
        errors.InvalidProtobuf,
        errors.InvalidGraph,
        errors.InvalidArgument,
        errors.NotImplemented,
        errors.RuntimeException,
    )


def answers_of(
    session: Any, path: Path, outputs: list[str] | None, inputs: dict[str, NDArray[Any]]
) -> list[Any]:
    """Return a model's raw outputs, or raise ModelError if it fails."""
    try:
        answers: list[Any] = session.run(outputs, inputs)
    except _troubles() as error:
        raise ModelError(f"{path}: the model does not answer: {one_line(error, 200)}") from None
    return answers


def run_model(
    session: Any, info: ModelFile, outputs: list[str], inputs: dict[str, NDArray[Any]]
) -> list[NDArray[np.float32]]:
    """Return a model's outputs, or raise ModelError if they are not numbers."""
    answers = answers_of(session, info.path, outputs, inputs)
    for name, answer in zip(outputs, answers, strict=True):
        check_numbers(answer, name, info)
    return answers


def check_numbers(answer: Any, name: str, info: ModelFile) -> None:
    """Raise ModelError unless a model's output of this name is an array of float32 numbers."""
    if getattr(answer, "dtype", None) != np.float32 or not np.isfinite(answer).all():
        raise ModelError(f"{info.path}: the model's {name} are not all finite float32 numbers")


def check_shape(answer: NDArray[Any], shape: tuple[int, ...], info: ModelFile) -> None:
    """Raise ModelError if a model's output has another shape."""
    if answer.shape != shape:
        raise ModelError(f"{info.path}: the model's answer is of shape {answer.shape}, not {shape}")


def check_distributions(
    answer: NDArray[np.float32], shape: tuple[int, ...], info: ModelFile
) -> None:
    """Raise ModelError if a model's output is not probabilities of this shape.

    The last axis must sum to 1 within a thousandth; the check takes under 1 % of a network's time.
    """
    check_shape(answer, shape, info)
    if not are_distributions(answer):
        raise ModelError(
            f"{info.path}: the model's answers are not probabilities (from {answer.min():.3g}, "
            f"sums off 1 by {_off_one(answer):.3g})"
        )


def are_distributions(chances: NDArray[np.floating[Any]]) -> bool:
    """Return whether the last axis has probabilities, which sum to 1 within a thousandth."""
    return not chances.size or bool(chances.min() >= -_ROUNDING and _off_one(chances) < _OFF)


def check_tricks(
    answer: NDArray[Any], shape: tuple[int, ...], info: ModelFile
) -> NDArray[np.uint8]:
    """Return a model's tricks. Raises ModelError for numbers of another type, shape or size."""
    check_shape(answer, shape, info)
    if answer.dtype != np.uint8 or (answer.size and answer.max() > 13):
        raise ModelError(f"{info.path}: the model's tricks are not uint8 numbers from 0 to 13")
    return answer


def _off_one(shares: NDArray[np.floating[Any]]) -> float:
    return float(np.abs(shares.sum(axis=-1) - 1).max())


def read_info(path: Path, sha256: str, metadata: dict[str, str]) -> ModelInfo:
    """Check a model's metadata. Raises ModelError naming what is missing or unknown."""
    missing = [key for key in _REQUIRED if key not in metadata]
    if missing:
        raise ModelError(
            f"{path}: the model does not state its {', '.join(missing)} (SHA-256 {sha256}; "
            "expected a file that trickcast train exported)"
        )
    for key, known in (("format", MODEL_FORMAT), ("output_order", OUTPUT_ORDER)):
        if metadata[key] != known:
            raise ModelError(
                f"{path}: the model's {key} is {shorten(metadata[key])} (expected {known!r}; "
                f"SHA-256 {sha256})"
            )
    info = ModelInfo(path, sha256, dict(metadata))
    try:
        _check_facts(info)
    except BROKEN as error:
        reason = shorten(repr(error), 200)[1:-1]
        raise ModelError(f"{path}: damaged metadata: {reason} (SHA-256 {sha256})") from None
    return info


def _check_facts(info: ModelInfo) -> None:
    """Raise an error if a model's metadata cannot be used."""
    for deals, strains in info.accuracy.items():
        for name, numbers in strains.items():  # three percentages a strain; number of deals
            if not np.isfinite(np.array(numbers, dtype=float)).all():
                raise ValueError(f"scores on {deals} in {name} are {numbers}")


def models() -> tuple[ModelInfo, ...]:
    """List the models of whole deals that ship with the package.

    Returns:
        A tuple of ModelInfo: name, size, accuracy, speed, checksum.

    Raises:
        ModelError: A model file is missing or damaged.

    Example:
        >>> [model.name for model in tc.models()][:2]
        ['fast', 'accurate']
    """
    files = (locate(name) for name in known_models())
    return tuple(_info_of(path, read_whole(path, expected)[1]) for path, expected in files)


@cache
def _info_of(path: Path, sha256: str) -> ModelInfo:
    """Return the metadata of a file with this checksum, which is loaded only once for that."""
    session, _ = open_session(path, sha256, threads=1)
    return read_info(path, sha256, session.get_modelmeta().custom_metadata_map)
