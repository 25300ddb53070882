"""Where a training runs: one processor or GPU, or one of several processes under torchrun."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from ..cards import cut, shorten


@dataclass(frozen=True, slots=True)
class Place:
    """One process of a training, and its device."""

    device: torch.device
    rank: int = 0
    world: int = 1

    @classmethod
    def here(cls, device: str | None = None) -> "Place":
        """Return the place of this process: torchrun's, or the only one.

        Without ``device`` it is a GPU where there is one. Raises ValueError for a device that is
        none, or is not there.
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
        """Return the mean of a number over all processes, without its gradient where several."""
        if self.world == 1:
            return number
        total = number.detach().clone()
        distributed.all_reduce(total)
        return total / self.world

    def agreed(self, stop: bool) -> bool:
        """Return what the first process says, so that all stop at the same step."""
        if self.world == 1:
            return stop
        first_says = torch.tensor(int(stop), device=self.device)
        distributed.broadcast(first_says, src=0)
        return bool(first_says)

    @property
    def part(self) -> slice:
        """Which rows of what is drawn for all processes are this one's."""
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
    """Let torch use so many threads of the processor inside a ``with`` block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
