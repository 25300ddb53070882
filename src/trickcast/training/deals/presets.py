"""The trainings of the shipped models, and of a teacher of them, as ``presets.toml`` has them."""

import tomllib
from pathlib import Path

from ..suit_config import SuitNetworkConfig
from .supervised import SupervisedConfig

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

PRESETS: dict[str, SupervisedConfig] = {
    name: SupervisedConfig(**settings | {"network": SuitNetworkConfig(**settings["network"])})
    for name, settings in _TABLES.items()
}
"""Every training by the name of its model."""
