"""The trainings of the shipped models, and of the teacher of ``fast``."""

from dataclasses import fields, replace
from typing import Any

from ..networks.suit_config import SuitNetworkConfig
from .supervised import SupervisedConfig

PRESETS: dict[str, SupervisedConfig] = {
    # for two processor cores
    "accurate": SupervisedConfig(
        network=SuitNetworkConfig(width=256, heads=2, before=2, after=3),
        steps=60_000,
        batch=256,
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
    # learns from one of the others: --teacher or --taught
    "fast": SupervisedConfig(
        network=SuitNetworkConfig(
            width=192,
            heads=0,
            before=1,
            after=0,
            pooled=2,
            ratio=2,
            inputs="tables",
            activation="relu",
        ),
        steps=60_000,
        batch=256,
        taught=1_792,
        learning_rate=2e-3,
    ),
}
"""Every training by the name of its model."""


def configured(name: str, settings: dict[str, str]) -> SupervisedConfig:
    """Return a preset with some settings changed: ``{"steps": "1000", "network.width": "64"}``.

    Raises ValueError for an unknown preset or setting, or a bad value, naming it.
    """
    if name not in PRESETS:
        raise ValueError(f"no training {name!r} (expected {', '.join(PRESETS)})")
    config = PRESETS[name]
    ours, inner = dict[str, Any](), dict[str, Any]()
    known = {f.name: getattr(config, f.name) for f in fields(config) if f.name != "network"}
    known |= {f"network.{f.name}": getattr(config.network, f.name) for f in fields(config.network)}
    for key, text in settings.items():
        if key not in known:
            raise ValueError(f"no setting {key!r} (expected {', '.join(known)})")
        into = inner if key.startswith("network.") else ours
        into[key.removeprefix("network.")] = _value(key, text, known[key])
    return replace(config, network=replace(config.network, **inner), **ours)


def _value(key: str, text: str, old: Any) -> Any:
    """Read ``text`` as a value of the kind that the setting has."""
    if isinstance(old, bool):
        if text not in ("true", "false"):
            raise ValueError(f"{key} is {text!r} (expected true or false)")
        return text == "true"
    try:
        return type(old)(text)
    except ValueError:
        raise ValueError(f"{key} is {text!r} (expected a number)") from None
