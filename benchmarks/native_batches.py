"""Milliseconds of an epoch of the papers' trainings, by torch and by the programs in docs.

On one core: 100,000 examples by full batches, and 10,000 by the small ones of 2018 and by the steps
of its authors. Figures are the least of five epochs of each, in turn.
"""

import runpy
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from trickcast.papers.codings import find_head
from trickcast.papers.networks.authors_autoencoder import AuthorsConfig, AuthorsTask
from trickcast.papers.networks.autoencoder import AutoencoderConfig, AutoencoderTask
from trickcast.papers.networks.examples import Examples
from trickcast.papers.networks.layered_network import LayeredNetwork
from trickcast.training.trainer import Lessons

SCRIPT = Path(__file__).parents[1] / "docs/natively.py"
NETWORKS = (
    "52-25-1",
    "104-30-4-1",
    "(104+68)-50-10-1",
    "(26x4)-(13x4)-(7x4)-13-1",
    "(26x4)-(13x4)-(13x4)-26-14",
    "(52x4)-(26x4)-26-13-1",
    "(52x4+84)-(13x4+21)-26-1",
)
EXAMPLES, CHUNK, EPOCHS = 100_000, 2_048, 5
OF_2018 = ("208-104-52-13-14", "(52x4)-(39x4)-52-13-14")
BATCHES, FEW = (8, 256), 10_000


def by_torch(network: LayeredNetwork, chunks: list[tuple[Tensor, Tensor]]) -> None:
    """Compute one epoch's gradient as the trainings do."""
    network.zero_grad()
    for inputs, targets in chunks:
        (network(inputs) - targets).square().sum().backward()


def seconds(epoch: Callable[[], object]) -> float:
    start = time.process_time()
    epoch()
    return time.process_time() - start


def say(name: str, ways: tuple[Callable[[], object], Callable[[], object]]) -> None:
    """Time torch's way and ours in turn, and print both."""
    of_ways = zip(*([seconds(way) for way in ways] for _ in range(EPOCHS)), strict=True)
    torchs, ours = (1000 * min(times) for times in of_ways)
    print(f"{name:56} {torchs:5.0f} {ours:4.0f} ms, {torchs / ours:.1f} ×")


def main() -> None:
    torch.set_num_threads(1)
    native = runpy.run_path(str(SCRIPT))
    for name in NETWORKS:
        network = LayeredNetwork(name, seed=1)
        inputs = torch.rand(EXAMPLES, network.name.layers[0].neurons)
        targets = torch.rand(EXAMPLES, network.name.layers[-1].neurons)
        pairs = zip(torch.split(inputs, CHUNK), torch.split(targets, CHUNK), strict=True)
        chunks = [(x.t().contiguous().t(), y) for x, y in pairs]
        tiles, across = native["tiled"](inputs), targets.t().contiguous()
        say(
            name,
            (
                partial(by_torch, network, chunks),
                partial(native["descend"], network, tiles, across),
            ),
        )
    rng = np.random.default_rng(1)
    owners = rng.integers(0, 4, (FEW, 1, 52))
    deals = (owners == np.arange(4)[:, None]).astype(np.uint8).reshape(FEW, 208)
    examples = Examples(deals, rng.integers(0, 14, FEW, np.uint8))
    lessons = Lessons(FEW, "", "")
    for name in OF_2018:
        for batch in BATCHES:
            config = AutoencoderConfig(network=name, encoders=0, batch=batch)
            torchs, ours = (
                task(config, lessons, lambda k: examples, examples).step
                for task in (AutoencoderTask, native["NativeAutoencoder"])
            )
            say(f"{name}, batches of {batch}", (torchs, ours))
        for encoders, phase in ((1, "first"), (0, "second")):
            whole = AuthorsConfig(network=name, encoders=encoders, passes=1)
            torchs, ours = (
                task(whole, find_head("fourteen"), lessons, lambda k: examples, examples).step
                for task in (AuthorsTask, native["NativeAuthors"])
            )
            ours()  # reads the examples
            say(f"{name}, a step of the authors' {phase} phase", (torchs, ours))


if __name__ == "__main__":
    main()
