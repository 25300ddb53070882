"""Teaching: soft labels of random deals, made once by teachers and kept in a file."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from ..._arrays import array_header
from ..._files import read_json
from ...cards import cut
from ...cards.sizes import COUNTS, SEATS, STRAINS
from ...dealing import random_deals
from ...dealing.words import checked_seed
from ...library.manifest import checked_range
from ..checkpoints import TrainingError
from ..suits import mean_probabilities
from .data import Labelled

_FORMAT = "trickcast taught deals 1"
_LEVELS = 255


def teach(
    teachers: Sequence[nn.Module],
    n: int,
    seed: int,
    folder: str | os.PathLike[str],
    *,
    start: int = 0,
    device: str = "cpu",
    precision: str = "bfloat16",
    chunk: int = 1024,
    report: Callable[[int], None] = lambda done: None,
) -> Labelled:
    """Label the random deals ``start`` to ``start + n - 1`` of ``seed`` and keep them in a folder.

    ``labels.npy`` is (n, 5, 4, 14) uint8, the mean probabilities of the teachers in 255ths: 280
    bytes a deal; ``taught.json`` has which deals these are, and the labels' SHA-256 for the records
    of what learns from them, and is written last. ``report`` gets
    the number of deals done; ``precision`` is that of the products, float32 or bfloat16.

    What the folder held is gone once this begins. Raises ValueError, before it does, for no
    teachers and for numbers out of range, TypeError for numbers that are not whole.
    """
    n, start = checked_range(n, start, "deals")
    seed = checked_seed(seed)
    if not teachers:
        raise ValueError("no teachers (expected one or more)")
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    (root / "taught.json").unlink(missing_ok=True)
    shape = (n, STRAINS, SEATS, COUNTS)
    labels = np.lib.format.open_memmap(root / "labels.npy", "w+", np.uint8, shape)
    models = [teacher.to(device).eval() for teacher in teachers]
    kind, narrow = torch.device(device).type, precision == "bfloat16"
    for begin in range(0, n, chunk):
        owners = random_deals(min(chunk, n - begin), seed, start + begin).owners
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=narrow):
            taught = mean_probabilities(models, torch.from_numpy(owners.copy()).to(device))
        labels[begin : begin + chunk] = (taught * _LEVELS).round().byte().cpu().numpy()
        report(begin + len(owners))
    labels.flush()
    with (root / "labels.npy").open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    content = {"format": _FORMAT, "deals": n, "seed": seed, "start": start, "sha256": digest}
    (root / "taught.json").write_text(json.dumps(content) + "\n", "utf-8")
    return taught_deals(root)


def taught_deals(folder: str | os.PathLike[str]) -> Labelled:
    """Return the deals of a folder that ``teach`` filled; labels stay in the file until read.

    Raises TrainingError when it is not whole.
    """
    root = Path(folder)
    try:
        content = read_json((root / "taught.json").read_bytes())
        with (root / "labels.npy").open("rb") as file:
            header = array_header(file)
        shape = (content["deals"], STRAINS, SEATS, COUNTS)
        known = header.shape == shape and header.dtype == np.dtype(np.uint8)
        if content["format"] != _FORMAT or not known:
            raise ValueError(f"{content}, with {header.dtype} labels of shape {header.shape}")
        labels = np.load(root / "labels.npy", mmap_mode="c")  # torch wants what can be written to
        owners = random_deals(content["deals"], content["seed"], content["start"]).owners.copy()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{root}: no whole set of taught deals ({cut(str(error))})") from None
    return Labelled(
        torch.from_numpy(owners), torch.from_numpy(labels), f"{root.name}: {json.dumps(content)}"
    )
