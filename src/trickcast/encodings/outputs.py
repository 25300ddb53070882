"""One output in fourteen equal ranges: from tricks to the output of a network, and back."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

LOWEST, HIGHEST = 0.1, 0.9
"""The ends of the 14 equal ranges into which a single output is cut, for 0 to 13 tricks."""
RANGE = (HIGHEST - LOWEST) / 14
"""The width of a range."""


def output_of(tricks: ArrayLike) -> NDArray[np.float32]:
    """Return what a one-output network is trained to give: the centre of the range of ``tricks``.

    The 2009 paper does not say where in a range its targets lie; Mańdziuk and Suchan (2018) used
    the centre.
    """
    return (LOWEST + RANGE * (np.asarray(tricks, dtype=np.float32) + 0.5)).astype(np.float32)


def tricks_of(outputs: ArrayLike) -> NDArray[np.uint8]:
    """Return the tricks in whose range each output falls; those beyond an end belong to it."""
    ranges = np.floor((np.asarray(outputs, dtype=np.float32) - LOWEST) / RANGE)
    return np.asarray(np.clip(ranges, 0, 13), dtype=np.uint8)
