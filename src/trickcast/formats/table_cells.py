"""What the cells of a table hold: tricks as text, and as numbers of Parquet's many types."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, shorten
from .base import Reading

UNKNOWN_TEXTS = ("", "NA", "NaN", "nan")
"""Cells as text that say nothing."""
TRICKS_OF_TEXT = {str(n): n for n in range(14)} | dict.fromkeys(UNKNOWN_TEXTS, UNKNOWN)
"""A cell as text → tricks, UNKNOWN where it says nothing."""
TRICKS_OF_TEXT |= {f"{n}.0": n for n in range(14)}  # what pandas writes where others are empty
BAD = 254
"""What stands for tricks that are none."""


def require_types(pa: Any, schema: Any, deal: int, tricks: list[str], reading: Reading) -> None:
    """Raise FormatError for a column of Parquet whose cells cannot be deals or tricks.

    ``deal`` is the place of the column with the deals, ``tricks`` are the names of those with
    tricks.
    """
    text = (pa.types.is_string, pa.types.is_large_string)
    bytes_ = (pa.types.is_binary, pa.types.is_large_binary)
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
    for place, field in enumerate(schema):
        if place != deal and field.name not in tricks:
            continue
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        fitting = (*text, *bytes_) if place == deal else (*numbers, *text)
        if not any(fits(kind) for fits in fitting):
            expected = "PBN text" if place == deal else "numbers 0 to 13"
            type_name = shorten(str(kind), 60)
            reason = f"column {field.name} is of the type {type_name} (expected {expected})"
            raise reading.error("", reason)


def counts_of(pa: Any, column: Any) -> NDArray[np.float64]:
    """Return the tricks of a column of Parquet as (n,) numbers, NaN where nothing is known.

    They need not be 0 to 13 nor whole; a text that is no number of tricks is BAD.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        known = [TRICKS_OF_TEXT.get((text or "").strip(), BAD) for text in column.to_pylist()]
        return np.where(np.array(known) == UNKNOWN, np.nan, known)
    numbers = column.cast(pa.float64(), safe=False)
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
