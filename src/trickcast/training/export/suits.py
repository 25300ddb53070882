"""From a trained suit network to the one ONNX file that ships."""

import json
import math
import os
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...cards import DealSet, Strain
from ...dealing import random_deals
from ...model_format import OWNERS, OWNERS_VERSION
from ...papers.networks import run_all
from ..checkpoints import record_of
from ..deals.supervised import Supervised
from ..solved import known_tricks
from ..suit_config import SuitNetworkConfig
from ..suits import SuitNetwork
from .calibration import LEAST, Calibration, fit_calibration
from .ending import TOLERANCE, deal_metadata, open_session, parity_owners, write_model
from .int8_graph import Int8Graph
from .suit_graph import SuitGraph

_SAMPLE_DEALS = 1024


def export_suits(
    trained: Supervised,
    name: str,
    validation: DealSet,
    path: str | os.PathLike[str],
    *,
    storage: str | None = None,
    speed: str = "",
) -> None:
    """Write a trained network as an ONNX file: ``owners``, ``strains`` in, ``probabilities`` out.

    ``storage`` is that of the training's settings unless given. Beside the file go
    ``<name>.parity.npz`` (64 deals, and torch's probabilities of them) and a line in
    ``SHA256SUMS``. The calibration and the scores in its metadata are those of the file itself, run
    by ONNX Runtime on the ``validation`` deals.

    Raises ValueError for deals that are not solved or a network of learned rotation, TrainingError
    when the file does not answer as torch does; of int8, whose products are other ones, that is
    not asked.
    """
    tricks, storage = known_tricks(validation), storage or trained.config.storage
    network = deepcopy(trained.network).cpu().eval()
    if storage == "float16":
        network.half().float()  # torch shall answer with the weights of the file
    sample = torch.from_numpy(random_deals(_SAMPLE_DEALS, seed=2021).owners.copy())
    stated = run_file(to_onnx(network, storage, sample).SerializeToString(), validation.owners)
    calibration = fit_calibration(stated, tricks)
    logs = torch.from_numpy(np.log(np.maximum(stated, LEAST)))
    metadata = deal_metadata(calibration.apply(logs).argmax(-1).numpy(), tricks) | {
        "name": name,
        "coding": OWNERS,
        "coding_version": str(OWNERS_VERSION),
        "seed": str(trained.config.seed),
        "training_deals": str(trained.record["deals"]),
        "training_sha256": trained.record["sha256"],
        "training": json.dumps(record_of(trained.config, trained.progress)),
        "storage": storage,
        "calibration": json.dumps(calibration._asdict()),
        "speed": speed,
    }
    parity = parity_owners()
    logits = torch.from_numpy(run_all(network, parity.copy()))
    write_model(
        Path(path),
        to_onnx(network, storage, sample, calibration),
        metadata,
        {"owners": parity},
        {"probabilities": calibration.apply(logits).numpy()},
        tolerance=math.inf if storage == "int8" else TOLERANCE,
    )


def check_exported(network: SuitNetworkConfig) -> None:
    """Raise ValueError for a network that no file can hold: one of learned rotation."""
    if network.rotation != "exact":
        raise ValueError("rotation is 'learned' (expected 'exact': others are for studies only)")


def to_onnx(
    network: SuitNetwork,
    storage: str,
    sample: torch.Tensor,
    calibration: Calibration | None = None,
) -> Any:
    """Return the onnx model of a network: ``owners`` (n, 52) uint8 → ``probabilities``.

    These are (n, k, 4, 14) float32 of the ``strains``, (k,) int64, a second input: all five in the
    order of ``Strain`` where it is not given. What is not asked for is not computed. They are
    calibrated where a ``calibration`` is given. For int8, ``sample`` (m, 52) are deals whose
    features show the ranges to be told apart. Raises ValueError for a network of learned rotation.
    """
    check_exported(network.config)
    if storage == "int8":
        return Int8Graph(network, sample).to_onnx(calibration)
    return SuitGraph(network, half=storage == "float16").to_onnx(calibration)


def run_file(
    model: bytes,
    owners: NDArray[np.uint8],
    chunk: int = 64,
    strains: Sequence[int] = range(len(Strain)),
) -> NDArray[np.float32]:
    """Return the (n, k, 4, 14) probabilities that an ONNX file gives for (n, 52) owners."""
    session = open_session(model)
    inputs = {"strains": np.array(strains)} if list(strains) != list(Strain) else {}
    answers = [np.empty((0, len(strains), 4, 14), np.float32)]
    for start in range(0, len(owners), chunk):
        rows = np.ascontiguousarray(owners[start : start + chunk])
        answers += session.run(["probabilities"], {"owners": rows, **inputs})
    return np.concatenate(answers)
