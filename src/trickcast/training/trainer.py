"""The one trainer: what a step does, where it runs, and how a training resumes after a kill.

Read ``train`` first: resume from the checkpoint, step, evaluate, save, report, stop. A family of
networks is a ``Task``. ``Scheduled`` is a task whose weights follow a schedule; its
family supplies the loss of a step and the figures of an evaluation. They are supported by ``Place``
(one processor or GPU, or one of torchrun's processes), ``Progress`` with its checkpoints, and the
``Journal`` of evaluations.
"""

import io
import json
import math
import os
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import deepcopy
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, NamedTuple, Self, TypeVar, cast

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from .._files import atomic_writer, read_json
from ..cards import cut, shorten
from .errors import TrainingError
from .settings import MORE_THAN_0, SEED, SHARE, Settings, at_least, check_settings, one_of, setting
from .soap import OPTIMIZERS


@dataclass(frozen=True, slots=True)
class Place:
    """One process of a training, and its device."""

    device: torch.device
    rank: int = 0
    world: int = 1

    @classmethod
    def here(cls, device: str | None = None) -> "Place":
        """Return the place of this process: torchrun's, or the only one.

        Without ``device`` it is a GPU if there is one. Raises ValueError for an invalid or missing
        device.
        """
        gpu = torch.cuda.is_available()
        world = int(os.environ.get("WORLD_SIZE", "1"))
        if world == 1:
            return cls(_device(device or ("cuda" if gpu else "cpu")))
        local = f"cuda:{os.environ['LOCAL_RANK']}" if gpu and device != "cpu" else "cpu"
        if local != "cpu":
            torch.cuda.set_device(local)
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if local != "cpu" else "gloo")
        return cls(torch.device(local), distributed.get_rank(), world)

    @property
    def first(self) -> bool:
        """Whether this process is the one that reports and writes."""
        return self.rank == 0

    def parallel(self, network: nn.Module) -> nn.Module:
        """Return the network so that its gradients are the mean over all processes."""
        return DistributedDataParallel(network) if self.world > 1 else network

    def mean(self, number: Tensor) -> Tensor:
        """Return the mean of a number over all processes, without its gradient if several."""
        if self.world == 1:
            return number
        total = number.detach().clone()
        distributed.all_reduce(total)
        return total / self.world

    def agreed(self, stop: bool) -> bool:
        """Return the first process's decision, so that all stop at the same step."""
        if self.world == 1:
            return stop
        first_says = torch.tensor(int(stop), device=self.device)
        distributed.broadcast(first_says, src=0)
        return bool(first_says)

    @property
    def part(self) -> slice:
        """This process's rows among those drawn for all processes."""
        return slice(self.rank, None, self.world)

    def leave(self) -> bool:
        """End what ``here`` began, when training is over; return whether this process is first."""
        if self.world > 1:
            distributed.destroy_process_group()
        return self.first

    def autocast(self, precision: str) -> AbstractContextManager[None]:
        """Return the context in which matrix products have this precision."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=precision == "bfloat16")


def _device(name: str) -> torch.device:
    """Return a device on which torch can compute."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"device is {shorten(name)} (expected cpu, or cuda where torch finds a GPU; torch: "
            f"{cut(reason)})"
        ) from None
    return device


@contextmanager
def processor_threads(count: int) -> Iterator[None]:
    """Let torch use so many processor threads inside a ``with`` block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


# --- progress and checkpoints ---------------------------------------------------------------------


FORMAT = "trickcast training 2"
T = TypeVar("T")


@dataclass
class Progress:
    """How far a training has come. Each family defines its own steps."""

    step: int = 0
    seconds: float = 0.0
    """Seconds spent in all legs."""
    fresh_from: int = 0
    """The step at which the optimizer was restarted, from 16-bit weights."""
    begun_with: str = ""
    """SHA-256 of the weights of another training that this one started from."""
    validation_sha256: str = ""
    last: dict[str, float] = field(default_factory=dict)
    """The report of the last evaluation."""
    legs: list[dict[str, Any]] = field(default_factory=list)
    """What was learned from each step on, and on which device, here and in earlier trainings."""
    best: dict[str, float] = field(default_factory=dict)
    """The report of the lowest validation error, in families that select their state by it."""

    def use(
        self,
        training_sha256: str,
        validation_sha256: str,
        deals: int,
        device: str,
        *,
        over: bool = False,
    ) -> None:
        """Record what this leg learns from: nothing more if the training is ``over``.

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
        """Keep a report if its validation error is the lowest so far; return whether it is."""
        lowest = self.best.get("validation_error", float("inf"))
        if not line.get("validation_error", float("inf")) < lowest:
            return False
        self.best = dict(line)
        return True


def beside(checkpoint: Path, suffix: str) -> Path:
    """Return the file with a suffix next to a checkpoint. An ending ``.checkpoint`` is replaced;
    other names are kept: ``fast.v1`` and ``fast.v2`` have files of their own.
    """
    return checkpoint.with_name(checkpoint.name.removesuffix(".checkpoint") + suffix)


def record_of(settings: Settings, progress: Progress) -> dict[str, Any]:
    """Return the record of their training that weights files contain."""
    return {"config": asdict(settings), "progress": asdict(progress)}


def write_checkpoint(
    path: Path, settings: Settings, progress: Progress, state: dict[str, Any]
) -> None:
    """Write a training atomically; its family's ``state`` is tensors and plain values."""
    content = {"format": FORMAT, **record_of(settings, progress), "state": state}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as stream:
        torch.save(content, stream)


def read_checkpoint(path: Path, settings: Settings) -> tuple[Progress, dict[str, Any]] | None:
    """Return progress and state that ``write_checkpoint`` wrote, None if there is no such file.

    Raises TrainingError for a file that is not a checkpoint, and for a training with other
    settings, except for those that may change.
    """
    if not path.exists():
        return None
    content = read_plain(path, "a checkpoint", FORMAT)
    check_same(path, content.get("config"), settings)
    return progress_of(path, content), content.get("state", {})


def read_plain(path: Path, kind: str, format: str) -> dict[str, Any]:
    """Return the tensors and plain values that ``torch.save`` wrote, a dict of that ``format``.

    Nothing in the file is executed. Raises TrainingError for a file with other content.
    """
    data = path.read_bytes()
    content = whole(path, kind, lambda: _load(data))
    if not isinstance(content, dict) or content.get("format") != format:
        raise TrainingError(f"{path}: not {kind} of this program (expected {format!r})")
    return content


def _load(data: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(data)) as members:  # torch does not check the checksums
        if damaged := members.testzip():
            raise ValueError(f"the checksum of {damaged} is another")
    return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")


def whole(path: Path, kind: str, read: Callable[[], T]) -> T:
    """Return ``read`` applied to a file's content; its errors become a TrainingError.

    Corrupted bytes make torch, and code that uses its result, raise nearly anything.
    """
    try:
        return read()
    except Exception as error:
        reason = cut(str(error).partition("\n")[0], 300) or type(error).__name__
    raise TrainingError(f"{path}: not {kind}, or a damaged one ({reason})")


def progress_of(path: Path, record: dict[str, Any]) -> Progress:
    """Return the progress in a file's record. Raises TrainingError if it is invalid."""
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


def check_same(
    path: Path, stored: Any, settings: Settings, otherwise: str = "another --out"
) -> None:
    """Raise TrainingError if a file's settings differ in more than those that may change.

    A setting that is newer than the file, including settings of a part such as the network, is
    assumed to have had its default. The message offers the same settings, or what else helps.
    """
    if not isinstance(stored, dict):
        raise TrainingError(f"{path}: a damaged file, by its settings")
    if difference := next(_differences(stored, settings, asdict(settings)), None):
        raise TrainingError(
            f"{path}: of another training: its {difference} (expected the same settings, or "
            f"{otherwise})"
        )


def _differences(stored: dict[Any, Any], settings: Any, wanted: dict[str, Any]) -> Iterator[str]:
    """Yield forbidden differences as text; ``wanted`` are the ``settings`` as a dict."""
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
            yield f"{option.name} is missing, not {shorten(now)}"
        elif before != now:
            yield f"{option.name} is {shorten(before)}, not {shorten(now)}"


def _default(option: Field[Any]) -> Any:
    """Return the default of a setting as files store it; MISSING without one."""
    made = option.default_factory
    default = option.default if made is MISSING else made()
    return asdict(cast(Any, default)) if is_dataclass(default) else default


# --- the journal ----------------------------------------------------------------------------------


class Journal:
    """Writes reports to ``.jsonl`` and ``.tensorboard`` next to a checkpoint.

    Removes lines of steps that a killed leg made after its last checkpoint, since they will be
    repeated. If not ``active``, it writes nothing.
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
        """Write the report of a step."""
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
    """Return the reports of a training so far, without a last line cut short by a kill.

    Raises TrainingError for an invalid line.
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


# --- the loop -------------------------------------------------------------------------------------


C = TypeVar("C", bound=Settings)
N = TypeVar("N")
Report = Callable[[dict[str, Any]], None]
"""Receives every evaluation as it is made."""


class Lessons(NamedTuple):
    """What a training learns from and is validated on."""

    deals: int
    """Number of lessons, or of pairs of hands."""
    sha256: str
    validation_sha256: str


class Task(ABC, Generic[C, N]):
    """A training of one family: settings, data, and what its steps change.

    The lessons of a step depend only on seed and step, so that resuming is exact.
    """

    place = Place(torch.device("cpu"))

    def __init__(self, config: C, lessons: Lessons, steps: int):
        self.config, self.lessons, self.steps = config, lessons, steps
        self.progress = Progress()

    @abstractmethod
    def step(self) -> None:
        """Take one step. Raises TrainingError if its error is known not to be finite."""

    @abstractmethod
    def validate(self) -> dict[str, float]:
        """Measure the network that ``result`` would return, and return the report.

        If the report has a ``validation_error``, the state with the lowest is kept (``keep``).
        Raises TrainingError if an error is not finite.
        """

    def over(self) -> bool:
        """Return whether the training ends before ``steps``: by default it does not."""
        return False

    def keep(self) -> None:
        """Keep the state that was just validated, the best so far."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what resuming needs besides the progress, as tensors and plain values.

        Raises TrainingError for a state that is not worth keeping.
        """

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; ``progress`` has already been restored."""

    def save_beside(self, checkpoint: Path) -> None:
        """Write the files next to a checkpoint: none by default."""

    @abstractmethod
    def result(self) -> N:
        """Return the network in its final form."""


@dataclass(frozen=True)
class Trained(Generic[C, N]):
    """The result of a training when it stops."""

    config: C
    network: N
    progress: Progress
    steps: int
    """Steps of the whole schedule, at most."""
    done: bool
    """Whether it has reached its end, not just the end of its time."""

    @property
    def record(self) -> dict[str, Any]:
        """The training record in a model file, with the deals of its last leg."""
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
    """Train to the end, or for ``minutes``, resuming from ``checkpoint`` if that file exists.

    A checkpoint is written after every evaluation, between two if they are far apart, and at
    the end. ``report`` is called after every evaluation; with ``journal`` it also goes to files
    next to the checkpoint. Under torchrun the first process writes and reports.
    Raises TrainingError for a checkpoint of another training, for other validation deals, and if
    an error is not finite.
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


# --- one schedule: AdamW or SOAP, a warm-up and a cosine, averaged weights ------------------------


class Recorded:
    """Work that a GPU records once as a CUDA graph, and then starts by a single call.

    Launching a thousand small kernels from Python takes longer than running them on a GPU. Every
    call must have tensors of the same shapes. Anything else that ``work`` reads must stay in place,
    such as weights that move. Its random numbers come from torch's generator in its current state.
    """

    def __init__(self, work: Callable[..., Tensor], *given: Tensor):
        self._given = [tensor.clone() for tensor in given]
        with torch.random.fork_rng(devices=[given[0].device]):  # keeps the steps' random numbers
            aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):
                for _ in range(_BEFORE_RECORDED):
                    work(*self._given)
            torch.cuda.current_stream().wait_stream(aside)
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._answer = work(*self._given)

    def __call__(self, *given: Tensor) -> Tensor:
        """Return the result of the work, in a tensor that the next call overwrites."""
        for kept, new in zip(self._given, given, strict=True):
            kept.copy_(new)
        self._graph.replay()
        return self._answer


_BEFORE_RECORDED = 3
"""Warm-up runs before recording: code is compiled, libraries are opened."""

_SEEDS = 1 << 64
"""Of torch's generator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleConfig:
    """How weights move. Raises ValueError for an invalid value."""

    steps: int = setting(20_000, "steps of the whole schedule", at_least(1))
    learning_rate: float = setting(1e-3, "highest learning rate", MORE_THAN_0)
    warm_up: int = setting(200, "steps of rising rate", at_least(0))
    optimizer: str = setting("adam", "adam or soap", one_of(*OPTIMIZERS))
    weight_decay: float = setting(0.0, "decoupled, as AdamW's", at_least(0))
    clip: float = setting(1.0, "longest gradient", MORE_THAN_0)
    average: float = setting(0.999, "share of old in the averaged weights", SHARE)
    seed: int = setting(1, "seed of first weights, batches and dropout", SEED)
    evaluate_every: int = setting(
        1_000, "steps between two evaluations", at_least(1), may_change=True
    )
    checkpoint_seconds: float = setting(
        120, "seconds between checkpoints", MORE_THAN_0, may_change=True
    )

    def __post_init__(self) -> None:
        check_settings(self)

    def rate(self, step: int, fresh_from: int = 0) -> float:
        """Return the learning rate of a step: linear warm-up, then a cosine to zero at the end.

        ``fresh_from`` is the step at which the optimizer was restarted: it is warmed up again.
        """
        rising = min(1.0, (step - fresh_from + 1) / (self.warm_up + 1))
        falling = 0.5 + 0.5 * torch.cos(torch.tensor(torch.pi * step / self.steps)).item()
        return self.learning_rate * rising * falling

    def kept(self, steps: int) -> float:
        """Return the share of old in the averaged weights after so many steps: 0 after one."""
        return min(self.average, steps / (9 + steps)) if steps > 1 else 0.0

    def step_seed(self, step: int, rank: int) -> int:
        """Return the seed of torch's own generator for a step."""
        return (self.seed * 1_000_003 + step) % _SEEDS


ScheduledConfig = TypeVar("ScheduledConfig", bound=ScheduleConfig)
Network = TypeVar("Network", bound=nn.Module)


class Scheduled(Task[ScheduledConfig, Network]):
    """A training with a single schedule; its result is the averaged network."""

    def __init__(
        self, config: ScheduledConfig, network: Network, lessons: Lessons, place: Place = Task.place
    ):
        super().__init__(config, lessons, config.steps)
        self.place = place
        self.network = network.to(place.device).train()
        self.averaged = deepcopy(self.network).requires_grad_(False).eval()
        self.optimizer = OPTIMIZERS[config.optimizer](
            self.groups(), lr=config.learning_rate, weight_decay=config.weight_decay
        )
        self._parts: dict[str, Any] = {
            "network": self.network,
            "averaged": self.averaged,
            "optimizer": self.optimizer,
        }
        self._losses, self._counted = torch.zeros((), device=place.device), 0

    @abstractmethod
    def loss(self, step: int) -> Tensor:
        """Return the loss of a step, whose lessons depend only on its number."""

    @abstractmethod
    def figures(self) -> dict[str, float]:
        """Return the reported figures of the averaged network."""

    def groups(self) -> Iterable[Any]:
        """Return the optimizer's parameter groups."""
        return self.network.parameters()

    def step(self) -> None:
        """Learn from one batch."""
        config, step = self.config, self.progress.step
        for group in self.optimizer.param_groups:
            group["lr"] = config.rate(step, self.progress.fresh_from)
        torch.manual_seed(config.step_seed(step, 0))  # shared draws are equal in all processes
        loss = self.gradients(step)
        nn.utils.clip_grad_norm_(self.network.parameters(), config.clip)
        self.optimizer.step()
        self._average(config.kept(step + 1))
        self._losses = self._losses + self.place.mean(loss)
        self._counted += 1

    def gradients(self, step: int) -> Tensor:
        """Compute the gradients of a step, and return its loss."""
        return self._backward(self.loss(step))

    def _backward(self, loss: Tensor) -> Tensor:
        """Compute the gradients of a loss, and return it."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    @torch.no_grad()
    def _average(self, kept: float) -> None:
        """Move the averaged weights towards the network's, keeping a share of the old."""
        averaged, moved = tuple(self.averaged.parameters()), tuple(self.network.parameters())
        torch._foreach_lerp_(averaged, moved, 1 - kept)  # in one call: a GPU is slow to start each
        for ours, theirs in zip(self.averaged.buffers(), self.network.buffers(), strict=True):
            ours.copy_(theirs)

    def validate(self) -> dict[str, float]:
        """Return the figures of the averaged network, and the mean loss since the last time."""
        loss = self._checked() / self._counted
        self._losses, self._counted = torch.zeros_like(self._losses), 0
        return {"step": self.progress.step, "training_loss": loss} | self.figures()

    def state(self) -> dict[str, Any]:
        """Return the states of networks, optimizer and losses, unless a loss is not finite."""
        states = {name: part.state_dict() for name, part in self._parts.items()}
        return states | {"losses": self._checked(), "counted": self._counted}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore these states."""
        for name, part in self._parts.items():
            part.load_state_dict(state[name])
        self._losses, self._counted = self._losses + state["losses"], state["counted"]

    def result(self) -> Network:
        """Return the averaged network, on the processor."""
        return self.averaged.cpu()

    def _checked(self) -> float:
        """Return the sum of the losses. Raises TrainingError if it is not finite."""
        losses = float(self._losses)
        if not losses < float("inf"):
            raise TrainingError(f"step {self.progress.step}: the training loss is {losses}")
        return losses
