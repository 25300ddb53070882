"""A training by several workers on a Ray cluster, which Ray Train restarts if one dies.

They are the processes of ``parallel``; the first writes the checkpoint, from which all continue.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import fspath
from pathlib import Path
from threading import Event, Thread
from typing import Any

from torch import distributed

from .._pieces import MEMORY, RETRIES, ClusterError, connected, refuse_small_machines
from ..cards.errors import one_line
from ..library import Place
from .errors import TrainingError
from .request import Answer, Request
from .trainer import Report, read_journal


def train_on(
    train: Callable[[Request], Answer | None],
    request: Request,
    report: Report,
    cluster: str,
    workers: int,
) -> Answer | None:
    """Have ``workers`` call ``catalogue.train``; see there for errors."""
    threads, name = request.threads or 1, request.name
    asked = _everywhere(replace(request, threads=threads))
    with connected(cluster) as ray:
        refuse_small_machines(ray, cluster, threads)
        there = ray.cluster_resources()
        if there.get("CPU", 0) < workers * threads:
            raise ClusterError(
                f"cluster {cluster}: has {there.get('CPU', 0):g} cores (expected {threads} for "
                f"each of {workers} workers; use fewer --workers, or more machines)"
            )
        try:
            from ray.train import FailureConfig, RunConfig, ScalingConfig
            from ray.train.torch import TorchTrainer
            from ray.train.v2.api.exceptions import TrainingFailedError
        except ImportError as error:
            raise ModuleNotFoundError(
                f"training on a cluster needs {error.name} (install it with: pip install "
                "'ray[train]')"
            ) from error
        trainer = TorchTrainer(
            _leg,
            train_loop_config={"train": train, "request": asked},
            scaling_config=ScalingConfig(
                num_workers=workers,
                use_gpu=request.device != "cpu" and there.get("GPU", 0) >= workers,
                resources_per_worker={"CPU": threads, "memory": threads * MEMORY},
            ),
            run_config=RunConfig(
                name=f"{name}.ray",
                storage_path=fspath(asked.out),
                failure_config=FailureConfig(max_failures=RETRIES),
            ),
        )
        with _following(asked.out / f"{name}.jsonl", report):
            try:
                answer: Any = trainer.fit().return_value
            except TrainingFailedError as error:
                raise ClusterError(
                    f"{name}: its workers died too often: {one_line(error)}"
                ) from error
    if isinstance(answer, Exception):
        raise answer
    return answer  # type: ignore[no-any-return]  # of _leg


def _everywhere(request: Request) -> Request:
    """Return a request whose folders are also found from other working directories."""
    names = "library", "out", "weights", "taught", "endings", "pairs", "pairs_validation"
    given = {name: getattr(request, name) for name in names}
    places: dict[str, Any] = {name: place and _absolute(place) for name, place in given.items()}
    return replace(request, teacher=tuple(path.absolute() for path in request.teacher), **places)


def _absolute(place: Place) -> Place:
    """Return the absolute path of a folder or file; an address is the same everywhere."""
    return place if "://" in fspath(place) else Path(place).absolute()


def _leg(asked: dict[str, Any]) -> Answer | Exception | None:
    """Train in a worker; errors of the request itself cause no restart."""
    try:
        answer: Answer | None = asked["train"](asked["request"])
    except (ValueError, TrainingError, OSError) as error:
        if distributed.is_initialized():
            distributed.destroy_process_group()  # the others need not wait for this one
        return error
    return answer


@contextmanager
def _following(journal: Path, report: Report) -> Iterator[None]:
    """Report each evaluation that the workers write to a journal, from now on."""
    ended, told = Event(), _last_step(journal)

    def follow() -> None:
        nonlocal told
        last = False
        while not last:
            last = ended.wait(1)
            for line in read_journal(journal):
                if line["step"] > told:
                    told = line["step"]
                    report(line)

    follower = Thread(target=follow, daemon=True)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()


def _last_step(journal: Path) -> float:
    return max((line["step"] for line in read_journal(journal)), default=-1)
