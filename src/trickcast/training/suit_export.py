"""From a trained suit network to the one ONNX file that ships."""

import hashlib
import json
import os
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..cards import DealSet, Strain
from ..dealing import random_deals
from ..encodings import MODEL_FORMAT, OUTPUT_ORDER
from ..evaluation import score
from ..formats.files import atomic_writer
from ..networks.suits import SuitNetwork
from .calibrating import fit_calibration
from .checkpoints import TrainingError
from .deals.supervised import Supervised
from .export import _note_checksum
from .solved import known_tricks
from .suit_graph import Storage, to_onnx

CODING, CODING_VERSION = "owners", 1
"""What a model file states as its coding: it takes (n, 52) uint8 owners as they are."""
TOLERANCE = 1e-3
"""Largest difference of a probability between torch, with the file's weights, and the file; there
is none for int8, whose products are other ones."""
_PARITY_DEALS, _SAMPLE_DEALS = 64, 1024


def export_suits(
    trained: Supervised,
    name: str,
    validation: DealSet,
    path: str | os.PathLike[str],
    *,
    storage: Storage = "float16",
    speed: str = "",
) -> None:
    """Write a trained network as an ONNX file: ``owners``, ``strains`` in, ``probabilities`` out.

    Beside it go ``<name>.parity.npz`` (64 deals, and torch's probabilities of them) and a line in
    ``SHA256SUMS``. The calibration and the scores in its metadata are those of the file itself, run
    by ONNX Runtime on the ``validation`` deals.

    Raises ValueError for deals that are not solved or a network of learned rotation, TrainingError
    when the file does not answer as torch does.
    """
    import onnx

    tricks = known_tricks(validation)
    network = deepcopy(trained.network).cpu().eval()
    if storage == "float16":
        network.half().float()  # torch shall answer with the weights of the file
    sample = torch.from_numpy(random_deals(_SAMPLE_DEALS, seed=2021).owners.copy())
    parity = random_deals(_PARITY_DEALS, seed=2009).owners
    stated = run_file(to_onnx(network, storage, sample).SerializeToString(), validation.owners)
    calibration = fit_calibration(stated, tricks)
    model = to_onnx(network, storage, sample, calibration)
    expected = calibration.apply(_logits(network, parity)).numpy()
    bare = model.SerializeToString()
    apart = float(np.abs(run_file(bare, parity) - expected).max())
    if storage != "int8" and not apart <= TOLERANCE:
        raise TrainingError(f"{path}: ONNX Runtime differs from torch by {apart:.2g}")
    scores: dict[str, Any] = {"deals": len(tricks)}
    for part, found in score(
        stated.argmax(-1), tricks
    ).items():  # calibrated, the order is the same
        scores[part] = [round(share, 2) for share in (found.within_2, found.within_1, found.exact)]
    record = {"config": asdict(trained.config), "progress": asdict(trained.progress)}
    metadata = {
        "format": MODEL_FORMAT,
        "name": name,
        "coding": CODING,
        "coding_version": str(CODING_VERSION),
        "output_order": OUTPUT_ORDER,
        "seed": str(trained.config.seed),
        "training_deals": str(trained.progress.legs[-1]["deals"]),
        "training_sha256": trained.progress.legs[-1]["sha256"],
        "training": json.dumps(record),
        "scores": json.dumps({"validation": scores}),
        "storage": storage,
        "calibration": json.dumps(calibration._asdict()),
        "speed": speed,
    }
    for key, value in sorted(metadata.items()):
        model.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(model)
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(target.with_suffix(".parity.npz"), owners=parity, probabilities=expected)
    data = model.SerializeToString()
    with atomic_writer(target) as stream:
        stream.write(data)
    _note_checksum(target, hashlib.sha256(data).hexdigest())


def _logits(network: SuitNetwork, owners: NDArray[np.uint8], chunk: int = 1024) -> Tensor:
    rows = torch.from_numpy(owners.copy())
    with torch.no_grad():
        parts = [network(rows[start : start + chunk]) for start in range(0, len(rows), chunk)]
    return torch.cat(parts)


def run_file(
    model: bytes,
    owners: NDArray[np.uint8],
    chunk: int = 64,
    strains: Sequence[int] = range(len(Strain)),
) -> NDArray[np.float32]:
    """Return the (n, k, 4, 14) probabilities that an ONNX file gives for (n, 52) owners."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3  # that the default of `strains` can be overridden is meant
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    inputs = {"strains": np.array(strains)} if list(strains) != list(Strain) else {}
    found = [np.empty((0, len(strains), 4, 14), np.float32)]
    for start in range(0, len(owners), chunk):
        rows = np.ascontiguousarray(owners[start : start + chunk])
        found += session.run(["probabilities"], {"owners": rows, **inputs})
    return np.concatenate(found)
