"""The first layers of networks that an experiment trained, opened for inspection."""

from pathlib import Path

from torch import nn

from ..codings import find_coding
from ..networks.comparator import Comparator
from ..networks.layered_network import BlockLinear, LayeredNetwork, SideBySide
from ..neurons import FirstLayer, Opened, open_layer
from .run_deals import ExperimentError
from .spec import CONTRACTS
from .trained import Trained, load


def open_file(path: Path) -> list[Opened]:
    """Return the first layers of a ``.network`` file: one network, or several copies.

    Raises ExperimentError if there is no such file, TrainingError if it is something else, and
    OpenedError if the first layer does not see cards one by one.
    """
    if not path.is_file():
        raise ExperimentError(f"{path}: no such file (create it with trickcast reproduce)")
    return open_trained(load(path))


def open_trained(trained: Trained) -> list[Opened]:
    """Return the first layer of each copy of a network; for a comparator, that of its tower.

    Raises OpenedError if the first layer does not see cards one by one.
    """
    network, net = trained.network, trained.net
    layered = network.tower if isinstance(network, Comparator) else network
    assert isinstance(layered, LayeredNetwork)
    coding, strains = find_coding(net.coding), CONTRACTS[net.contracts]
    return [open_layer(net.key, layer, coding, strains) for layer in _of_every_copy(layered)]


def _of_every_copy(network: LayeredNetwork) -> list[FirstLayer]:
    """Return the first layer of each copy, with the blocks of one copy after those of another."""
    first = _of_cards(network.layers[0])
    second = _of_cards(network.layers[1]) if len(network.layers) > 1 else None
    blocks = first.blocks // network.copies
    after = second.blocks // network.copies if second is not None else 0
    layers = []
    for copy in range(network.copies):
        own, own_after = (slice(copy * n, (copy + 1) * n) for n in (blocks, after))
        layers.append(
            FirstLayer(
                first.weight.detach()[own].double().numpy(),
                first.bias.detach()[own, :, 0].double().numpy(),
                second.weight.detach()[own_after].double().numpy() if second is not None else None,
                tanh=network.activation == "tanh",
            )
        )
    return layers


def _of_cards(layer: nn.Module) -> BlockLinear:
    """Return the part of a layer that sees the cards; another part may see estimators."""
    part = layer.parts[0] if isinstance(layer, SideBySide) else layer
    assert isinstance(part, BlockLinear)
    return part
