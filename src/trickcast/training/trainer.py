"""The one loop of all trainings: go on, step, evaluate, save, report, stop.

A family of networks is a ``Task``: it knows its step, its validation and when it is over. That a
training goes on exactly where it was killed is written here alone, and in ``checkpoints``.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, NamedTuple, TypeVar

import torch

from .checkpoints import Progress, read_checkpoint, record_of, whole, write_checkpoint
from .journal import Journal
from .parallel import Place
from .settings import Settings

C = TypeVar("C", bound=Settings)
N = TypeVar("N")
Report = Callable[[dict[str, float]], None]


class Lessons(NamedTuple):
    """What a training learns from and is validated on."""

    deals: int
    """How many they are, or how many pairs of hands."""
    sha256: str
    validation_sha256: str


class Task(ABC, Generic[C, N]):
    """A training of one family: settings, data, and what its steps change.

    Which lessons a step takes follows from seed and step alone, so that going on is exact.
    """

    place = Place(torch.device("cpu"))

    def __init__(self, config: C, lessons: Lessons, steps: int):
        self.config, self.lessons, self.steps = config, lessons, steps
        self.progress = Progress()

    @abstractmethod
    def step(self) -> None:
        """Take one step. Raises TrainingError when its error is known to be no number."""

    @abstractmethod
    def validate(self) -> dict[str, float]:
        """Measure what ``result`` would return, and return what is reported.

        Where that has a ``validation_error``, the state with the lowest is kept (``keep``). Raises
        TrainingError when an error is no number.
        """

    def over(self) -> bool:
        """Tell whether the training ends before ``steps``: by default it does not."""
        return False

    def keep(self) -> None:
        """Keep the state that was just validated, the best so far."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return all that going on needs besides the progress, as tensors and plain values.

        Raises TrainingError for a state that is not worth keeping.
        """

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` returned; ``progress`` is already that of then."""

    def save_beside(self, checkpoint: Path) -> None:
        """Write what goes beside a checkpoint: by default nothing."""

    @abstractmethod
    def result(self) -> N:
        """Return the network as it is to be used."""


@dataclass(frozen=True)
class Trained(Generic[C, N]):
    """What a training leaves when it stops."""

    config: C
    network: N
    progress: Progress
    steps: int
    """Of the whole schedule, at most."""
    done: bool
    """Whether it has come to its end, not only to that of its time."""

    @property
    def record(self) -> dict[str, Any]:
        """What a model file says of the training, with the deals of its last leg."""
        last = self.progress.legs[-1]
        return record_of(self.config, self.progress) | {
            "deals": last["deals"],
            "sha256": last["sha256"],
        }


def train(
    task: Task[C, N],
    checkpoint: str | os.PathLike[str],
    *,
    minutes: float | None = None,
    journal: bool = True,
    report: Report = lambda line: None,
) -> Trained[C, N]:
    """Train to the end, or for ``minutes``, going on from ``checkpoint`` where that file exists.

    A checkpoint is written after every evaluation, between two where they are far apart, and at
    the end. ``report`` is called after every evaluation; with ``journal`` it also goes to files
    beside the checkpoint. Under torchrun the first process writes and reports.
    Raises TrainingError for a checkpoint of another training, for other validation deals, and when
    an error is no number.
    """
    path, config, first = Path(checkpoint), task.config, task.place.first
    if (saved := read_checkpoint(path, config)) is not None:
        task.progress, state = saved
        whole(path, "a checkpoint", lambda: task.restore(state))
    progress, lessons, device = task.progress, task.lessons, str(task.place.device)

    def over() -> bool:
        return progress.step >= task.steps or task.over()

    progress.use(lessons.sha256, lessons.validation_sha256, lessons.deals, device, over=over())
    opened = written = perf_counter()
    began, written_at = opened - progress.seconds, -1

    def save() -> None:
        nonlocal written, written_at
        if first and written_at != progress.step:
            write_checkpoint(path, config, progress, task.state())
            task.save_beside(path)
            written, written_at = perf_counter(), progress.step

    with Journal(path, progress.step, active=journal and first) as log:
        while not over():
            late = minutes is not None and perf_counter() - opened > 60 * minutes
            if task.place.agreed(late):
                break
            task.step()
            progress.step += 1
            progress.seconds = perf_counter() - began
            if progress.step % config.evaluate_every == 0 or progress.step == task.steps:
                progress.last = task.validate() | {"seconds": round(progress.seconds, 1)}
                if progress.improved_by(progress.last):
                    task.keep()
                log.write(progress.step, progress.last)
                save()
                if first:
                    report(progress.last)
            elif perf_counter() - written > config.checkpoint_seconds:
                save()
        save()
    return Trained(config, task.result(), progress, task.steps, over())
