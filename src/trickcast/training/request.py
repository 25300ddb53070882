"""The request of a training, and its result; neither needs torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..library import Place
from .settings import Allowed, check_settings, setting

if TYPE_CHECKING:  # making and explaining a request must work without torch
    from .trainer import Trained

_COUNT = Allowed("1 or more", lambda value: value is None or value >= 1)
_MINUTES = Allowed("0 or more", lambda value: value is None or value >= 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call of ``train``. Its fields are the options of the command, with their help.

    Paths may be given as texts. Raises ValueError for a number out of its range, and TypeError for
    what is no number, or not whole where it should be.
    """

    name: str = "accurate"
    settings: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    """PBN files to learn from."""
    library: Place = setting("data/library", "Library of solved deals: a folder or an address.")
    out: Path = setting(Path("trained"), "Folder for checkpoints and the model.")
    deals: int | None = setting(None, "Number of deals to train on (default: all).", _COUNT)
    validation: int | None = setting(None, "Number of deals to validate on (default: all).", _COUNT)
    minutes: float | None = setting(
        None, "Stop after this many minutes; rerun the command to continue.", _MINUTES
    )
    threads: int | None = setting(None, "Processor threads (default: chosen by PyTorch).", _COUNT)
    device: str | None = setting(
        None, "PyTorch device, such as cpu or cuda (default: a GPU if there is one)."
    )
    weights: Path | None = setting(
        None, "16-bit weights to start from; for hand2vec, those of its teacher."
    )
    anew: bool = setting(False, "Start at step 0 from these weights, ignoring their progress.")
    teacher: tuple[Path, ...] = setting(
        (), "16-bit weights of a teacher, or its checkpoint for calls. Repeatable."
    )
    taught: Path | None = setting(None, "Folder of deals labelled by a network.")
    endings: Place | None = setting(
        None, "Folder or address of endings to learn too, with --set endings=N."
    )
    pairs: Path | None = setting(None, "BridgeHand2Vec's rows to train on.")
    pairs_validation: Path | None = setting(
        None, "BridgeHand2Vec's rows to validate on (default: the library's)."
    )

    def __post_init__(self) -> None:
        check_settings(self)
        for option in fields(self):
            if option.type in (Path, Path | None) and isinstance(getattr(self, option.name), str):
                object.__setattr__(self, option.name, Path(getattr(self, option.name)))
        object.__setattr__(self, "teacher", tuple(map(Path, self.teacher)))

    def given(self) -> list[str]:
        """Return the names of the fields that differ from their defaults."""
        plain = Request()
        return [f.name for f in fields(self) if getattr(self, f.name) != getattr(plain, f.name)]


COMMON = {"name", "settings", "library", "out", "validation", "minutes", "threads"}
"""Fields that apply to every family that learns from a library."""
FROM_FILES = {"name", "settings", "folder", "out", "threads"}
"""Fields that apply to a family that learns from a folder of PBN files."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a leg."""

    name: str
    trained: "Trained[Any, Any] | None"
    """None if the whole schedule is one leg."""
    lessons: str
    """What was learned from: ``"109,040 deals"``."""
    model: Path | None
    """The exported file, if there is one."""

    def __str__(self) -> str:
        step = 0 if self.trained is None else self.trained.progress.step
        if self.trained is not None and not self.trained.done:
            done = f"{self.name}: step {step:,} of {self.trained.steps:,}"
            return f"{done}; rerun the command to continue"
        if self.model is None:
            return (
                f"{self.name}: finished at step {step:,}, but not exported "
                "(install onnx with: pip install 'trickcast[train]', and rerun the command)"
            )
        return f"{self.model}: trained on {self.lessons}"


def can_export() -> bool:
    """Return whether a model can be exported here; training needs only torch and numpy."""
    return all(find_spec(name) is not None for name in ("onnx", "onnxruntime"))
