"""What users give for a seat: hands, text that reads as one, or something else."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..cards import DealError, Hand
from .language.errors import ConstraintError

_HAND_TEXT = re.compile(r"[akqjt0-9.\s♠♥♦♣♤♡♢♧\ufe0e\ufe0f–—-]*", re.IGNORECASE)


def parts_of(value: Any) -> Sequence[Any]:
    """Return the parts of a list; of anything else itself; of None nothing."""
    if value is None:
        return ()
    return value if isinstance(value, list | tuple) else (value,)


def hand_of(value: Any, source: str) -> Hand | None:
    """Return the hand that ``value`` is, or None for text that is not one."""
    if isinstance(value, Hand):
        return value
    if isinstance(value, np.ndarray):
        return Hand.from_cards(value)
    if not isinstance(value, str):
        raise ConstraintError(
            f"{source}: {type(value).__name__} is not a hand or constraint (expected text, a Hand "
            "or a function)"
        )
    try:
        return Hand(value)
    except DealError as error:
        four_suits = value.count(".") == 3 or len(value.split()) == 4
        if four_suits and _HAND_TEXT.fullmatch(value):
            raise DealError(f"{source}: {error}") from None
        return None
