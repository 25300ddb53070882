"""Numbers of many hands: rounded to be compared as printed, masked where they are not any.

A number is masked (NumPy's masked arrays) for those hands for which it comes of a division by zero.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ADD_OR_MULTIPLY = {"+": np.add, "-": np.subtract, "*": np.multiply}
_DIGITS = 9
_LARGEST = 2.0**53 / 10**_DIGITS
"""From here on doubles have no digits to round, and rounding would itself be inexact."""


def rounded(values: Any) -> NDArray[Any]:
    """Return numbers to nine digits behind the point: 4 + 2.8 + 1.8 is 8.6, as it is printed."""
    numbers: NDArray[Any] = np.asanyarray(values)
    if numbers.dtype.kind != "f":
        return numbers
    return where(np.abs(numbers) < _LARGEST, np.round(numbers, _DIGITS), numbers)


def where(test: NDArray[Any], yes: NDArray[Any], no: NDArray[Any]) -> NDArray[Any]:
    """Return ``np.where`` of numbers; those that are masked stay so."""
    masked = any(isinstance(part, np.ma.MaskedArray) for part in (yes, no))
    chosen: NDArray[Any] = np.ma.where(test, yes, no) if masked else np.where(test, yes, no)  # type: ignore[no-untyped-call]
    return chosen


def calculated(operator: str, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return numbers joined by ``+ - * / %``; whole numbers divide without remainder."""
    if operator in _ADD_OR_MULTIPLY:
        wide = left.astype(np.result_type(left, np.int64))  # counts are of 32 bits
        return rounded(_ADD_OR_MULTIPLY[operator](wide, right))
    if left.dtype.kind == right.dtype.kind == "i":
        remainder: NDArray[Any] = np.fmod(left, right)  # of the sign of ``left``, as in C
        return remainder if operator == "%" else (left - remainder) // right
    quotient = rounded(np.true_divide(left, right))
    return quotient if operator == "/" else rounded(left - np.trunc(quotient) * right)
