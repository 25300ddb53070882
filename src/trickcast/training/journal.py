"""The log of a training: JSON lines always, TensorBoard too where it is installed."""

import json
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from .._files import atomic_writer, read_json
from ..cards import cut
from .checkpoints import TrainingError, beside


class Journal:
    """Writes reports to ``.jsonl`` and ``.tensorboard`` beside a checkpoint.

    Lines of steps that a killed leg made after its last checkpoint, and that will be made again,
    are taken out. Not ``active``, it writes nothing.
    """

    def __init__(self, checkpoint: Path, step: int, *, active: bool = True):
        self.path = beside(checkpoint, ".jsonl")
        self._folder = beside(checkpoint, ".tensorboard")
        self.step, self.active = step, active
        self._open = ExitStack()
        self._board: Any = None

    def __enter__(self) -> Self:
        if not self.active:
            return self
        self.path.parent.mkdir(parents=True, exist_ok=True)
        kept = [line for line in read_journal(self.path) if line["step"] <= self.step]
        with atomic_writer(self.path) as stream:
            stream.write("".join(json.dumps(line) + "\n" for line in kept).encode())
        self._lines = self._open.enter_context(self.path.open("a", encoding="utf-8"))
        if find_spec("tensorboard"):
            from torch.utils.tensorboard import SummaryWriter

            board = SummaryWriter(str(self._folder), purge_step=self.step + 1)
            self._board = self._open.enter_context(board)
        return self

    def write(self, step: int, line: dict[str, float]) -> None:
        """Note the report of a step."""
        if not self.active:
            return
        self._lines.write(json.dumps({"step": step} | line) + "\n")
        self._lines.flush()
        if self._board is not None:
            for name, value in line.items():
                if name != "step":
                    self._board.add_scalar(name, value, step)

    def __exit__(self, *error: object) -> None:
        self._open.close()


def read_journal(path: Path) -> list[dict[str, float]]:
    """Return the reports of a training so far; a last line cut short by a kill is left out.

    Raises TrainingError for a line that is no report.
    """
    if not path.exists():
        return []
    reports = []
    whole = path.read_bytes().rpartition(b"\n")[0]
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            reports.append(read_json(line))
            if not reports[-1]["step"] >= 0:
                raise ValueError("a step below 0")
        except (ValueError, KeyError, TypeError) as error:
            raise TrainingError(
                f"{path}, line {number}: not a report of a training ({cut(str(error))})"
            ) from None
    return reports
