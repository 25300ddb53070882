"""The trainings of the shipped models, and of a teacher of them."""

from ...networks.suit_config import SuitNetworkConfig
from .supervised import SupervisedConfig

PRESETS: dict[str, SupervisedConfig] = {
    # for two processor cores; the shipped one had six schedules: docs/estimator.md
    "accurate": SupervisedConfig(
        network=SuitNetworkConfig(
            width=256, heads=2, before=2, after=5, dropout=0.1, layer_drop=0.1
        ),
        steps=30_000,
        batch=256,
        exchanged=3,
        optimizer="soap",
        weight_decay=0.05,
        evaluate_every=2_000,
    ),
    # for a GPU: as large as int8 allows at 1,300 deals a second on two cores
    "accurate-large": SupervisedConfig(
        network=SuitNetworkConfig(
            width=320, heads=2, before=3, after=5, dropout=0.1, layer_drop=0.1
        ),
        steps=30_000,
        batch=2_048,
        warm_up=1_000,
        learning_rate=2e-3,
        weight_decay=0.05,
        compile=True,
    ),
    # for a GPU; too slow to ship, a teacher for the others
    "teacher": SupervisedConfig(
        network=SuitNetworkConfig(
            width=512, heads=2, before=4, after=6, dropout=0.1, layer_drop=0.1
        ),
        steps=20_000,
        batch=2_048,
        warm_up=1_000,
        weight_decay=0.05,
        compile=True,
    ),
    # in int8, where moving features costs more than products: so layers are narrow, attention is
    # left out, and relations, a quarter of the time, give way to a second layer on each strain
    "fast": SupervisedConfig(
        network=SuitNetworkConfig(
            width=128,
            heads=0,
            before=3,
            after=2,
            pooled=2,
            ratio=1,
            inputs="cards",
            activation="relu",
        ),
        steps=8_000,
        batch=512,
        warm_up=200,
        learning_rate=3e-3,
        average=0.998,
        evaluate_every=500,
    ),
}
"""Every training by the name of its model."""
