"""What the paper prints beside its figures of accuracy: hands, distances, bids."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PRINTED: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("printed.toml").read_text("utf-8")
)
"""By table or study, as in the file, which says what it holds."""
