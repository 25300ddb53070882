"""Core seconds of a step of `accurate`, forward and backward: 128 deals and 256 endings.

It runs uncompiled, compiled as torch would, with layers by halves, and also with torch's own
random numbers, which is how it is trained. Figures are the least of some steps of each,
in turn. The optimizer, which is the same for all, is left out.
"""

import time
from collections.abc import Callable
from types import MethodType

import torch
from torch import Tensor
from torch.nn import functional

from trickcast.cards.sizes import COUNTS, SEATS, STRAINS
from trickcast.training.catalogue import find_training
from trickcast.training.lessons import deal_on
from trickcast.training.suit_networks import SeatLinear, SuitNetwork, compile_layers
from trickcast.training.whole_deals import loss_of

ROWS, STEPS = 384, 8
AS_ACCURATE = {"network.after": "5", "network.dropout": "0.1", "network.layer_drop": "0.1"}
WAYS = {
    "not compiled": (False, False, False),
    "compiled": (True, False, False),
    "and by halves": (True, True, False),
    "and torch's own random numbers": (True, True, True),
}


def whole(layer: SeatLinear, x: Tensor) -> Tensor:
    """Compute a compiled layer as it would be without halves."""
    return functional.linear(x, *layer.matrix())


def step(network: SuitNetwork) -> Callable[[], None]:
    """Return one step, on random deals and results."""
    owners = deal_on(torch.device("cpu"), ROWS, 1)
    counts = torch.randint(COUNTS, (ROWS, STRAINS, SEATS))
    targets = functional.one_hot(counts, COUNTS).float()

    def run() -> None:
        with torch.autocast("cpu", torch.bfloat16):
            loss = loss_of(network(owners), targets, torch.ones(ROWS), 0.0)
        network.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]

    return run


def main() -> None:
    torch.set_num_threads(1)
    steps = {}
    for name, (compiled, halves, own) in WAYS.items():
        network = SuitNetwork(find_training("accurate").configured(AS_ACCURATE).network, seed=1)
        if compiled:
            compile_layers(network, options={"fallback_random": own})
        steps[name] = step(network.train())
        for layer in network.modules():
            if isinstance(layer, SeatLinear) and not halves:
                layer.by_halves = MethodType(whole, layer)  # type: ignore[method-assign]
        steps[name]()  # compiles
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(STEPS):
        for name, run in steps.items():
            start = time.process_time()
            run()
            seconds[name].append(time.process_time() - start)
    most = min(seconds["not compiled"])
    for name, taken in seconds.items():
        print(f"{name:32} {min(taken):.2f} s, {most / min(taken):.2f} ×")


if __name__ == "__main__":
    main()
