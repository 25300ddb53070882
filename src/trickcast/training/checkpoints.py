"""Where a training stands, in a file from which it goes on exactly after a kill.

The weights that travel to other machines are another file: ``weights``.
"""

import io
import math
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import torch

from .._files import atomic_writer
from ..cards import cut, shorten
from .settings import Settings

FORMAT = "trickcast training 2"
T = TypeVar("T")


class TrainingError(RuntimeError):
    """A training that cannot go on: another training's checkpoint, an error that is no number."""


@dataclass
class Progress:
    """How far a training has come. A step is whatever its family makes of one."""

    step: int = 0
    seconds: float = 0.0
    """Spent in all legs."""
    fresh_from: int = 0
    """The step at which the optimizer began anew, from 16-bit weights."""
    begun_with: str = ""
    """SHA-256 of the weights of another training that this one began with."""
    validation_sha256: str = ""
    last: dict[str, float] = field(default_factory=dict)
    """The report of the last evaluation."""
    legs: list[dict[str, Any]] = field(default_factory=list)
    """What was learned from which step on, on which device, in this training and those before."""
    best: dict[str, float] = field(default_factory=dict)
    """The report of the lowest validation error, in families that choose their state by it."""

    def use(
        self,
        training_sha256: str,
        validation_sha256: str,
        deals: int,
        device: str,
        *,
        over: bool = False,
    ) -> None:
        """Note what this leg learns from: nothing more, where the training is ``over``.

        Raises TrainingError for other validation deals.
        """
        if self.validation_sha256 not in ("", validation_sha256):
            raise TrainingError(
                "the training so far was validated on other deals than these (expected the same "
                "throughout; --validation takes the first so many)"
            )
        self.validation_sha256 = validation_sha256
        leg = {"deals": deals, "sha256": training_sha256, "device": device}
        leg |= {"begun_with": self.begun_with} if self.begun_with else {}
        if over and self.legs:
            return
        if not self.legs or {key: self.legs[-1].get(key) for key in leg} != leg:
            self.legs.append({"from_step": self.step} | leg)

    def improved_by(self, line: dict[str, float]) -> bool:
        """Keep a report if its validation error is the lowest so far, and tell whether it is."""
        lowest = self.best.get("validation_error", float("inf"))
        if not line.get("validation_error", float("inf")) < lowest:
            return False
        self.best = dict(line)
        return True


def beside(checkpoint: Path, suffix: str) -> Path:
    """Return the file of a suffix beside a checkpoint, whose own name ends in ``.checkpoint`` or is
    kept whole: ``fast.v1`` and ``fast.v2`` have files of their own.
    """
    return checkpoint.with_name(checkpoint.name.removesuffix(".checkpoint") + suffix)


def record_of(settings: Settings, progress: Progress) -> dict[str, Any]:
    """Return what files of weights say of their training."""
    return {"config": asdict(settings), "progress": asdict(progress)}


def write_checkpoint(
    path: Path, settings: Settings, progress: Progress, state: dict[str, Any]
) -> None:
    """Write a training, whole or not at all; its family's ``state`` is tensors and plain values."""
    content = {"format": FORMAT, **record_of(settings, progress), "state": state}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as stream:
        torch.save(content, stream)


def read_checkpoint(path: Path, settings: Settings) -> tuple[Progress, dict[str, Any]] | None:
    """Return progress and state that ``write_checkpoint`` wrote, None where there is no such file.

    Raises TrainingError for a file that is no checkpoint, or that of a training whose settings
    differ in more than those that may change.
    """
    if not path.exists():
        return None
    content = read_plain(path, "a checkpoint", FORMAT)
    check_same(path, content.get("config"), settings)
    return progress_of(path, content), content.get("state", {})


def read_plain(path: Path, kind: str, format: str) -> dict[str, Any]:
    """Return the tensors and plain values that ``torch.save`` wrote, a dict of that ``format``.

    Nothing in the file is run. Raises TrainingError for a file that holds anything else.
    """
    data = path.read_bytes()
    content = whole(path, kind, lambda: _load(data))
    if not isinstance(content, dict) or content.get("format") != format:
        raise TrainingError(f"{path}: not {kind} of this program (expected {format!r})")
    return content


def _load(data: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(data)) as members:  # torch does not look at the checksums
        if damaged := members.testzip():
            raise ValueError(f"the checksum of {damaged} is another")
    return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")


def whole(path: Path, kind: str, read: Callable[[], T]) -> T:
    """Return what ``read`` makes of a file's content; what it raises becomes a TrainingError.

    Bytes that were changed make torch, and what takes up its answer, raise nearly anything.
    """
    try:
        return read()
    except Exception as error:
        reason = cut(str(error).partition("\n")[0], 300) or type(error).__name__
    raise TrainingError(f"{path}: not {kind}, or a damaged one ({reason})")


def progress_of(path: Path, record: dict[str, Any]) -> Progress:
    """Return the progress in a file's record. Raises TrainingError where it is none."""
    stored, usual = record.get("progress"), Progress()
    if not isinstance(stored, dict):
        raise TrainingError(f"{path}: a damaged file, without its progress")
    for name, value in stored.items():
        if type(value) is not type(getattr(usual, str(name), None)):
            raise TrainingError(f"{path}: a damaged file, by its {cut(str(name))}")
    progress = Progress(**stored)
    if not (progress.step >= 0 and progress.fresh_from >= 0 and 0 <= progress.seconds < math.inf):
        raise TrainingError(f"{path}: a damaged file, by its steps or seconds")
    return progress


def check_same(path: Path, stored: Any, settings: Settings) -> None:
    """Raise TrainingError if a file's settings differ in more than those that may change.

    A setting that came later than the file, that of a part such as the network too, is taken to
    have been at its default.
    """
    if not isinstance(stored, dict):
        raise TrainingError(f"{path}: a damaged file, by its settings")
    if difference := next(_differences(stored, settings, asdict(settings)), None):
        raise TrainingError(f"{path}: of another training: its {difference}")


def _differences(stored: dict[Any, Any], settings: Any, wanted: dict[str, Any]) -> Iterator[str]:
    """Yield what differs and may not, in words; ``wanted`` are the ``settings`` as a dict."""
    for option in fields(settings):
        own, now = getattr(settings, option.name), wanted[option.name]
        before = stored.get(option.name, _default(option))
        if option.metadata.get("may_change"):
            continue
        if is_dataclass(own) and isinstance(before, dict):
            yield from (f"{option.name}.{part}" for part in _differences(before, own, now))
            for name in before.keys() - now.keys():
                yield f"{option.name}.{name} is {shorten(before[name])}, and no setting here"
        elif before is MISSING:
            yield f"{option.name} is missing (expected {shorten(now)})"
        elif before != now:
            yield f"{option.name} is {shorten(before)}, not {shorten(now)}"


def _default(option: Field[Any]) -> Any:
    """Return the default of a setting as files hold it; MISSING where it has none."""
    made = option.default_factory
    default = option.default if made is MISSING else made()
    return asdict(cast(Any, default)) if is_dataclass(default) else default
