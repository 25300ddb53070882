"""Read NumPy files from strangers: nothing in them runs, and sizes are checked first."""

import io
import math
import os
import tokenize
import warnings
import zipfile
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_PLAIN_ZIP = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions that are read; others can need memory that the size does not show."""


class Header(NamedTuple):
    """The header of a ``.npy`` file."""

    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]
    start: int
    """Where the numbers begin."""


def array_header(file: BinaryIO, *, whole: bool = True) -> Header:
    """Read the header of a ``.npy`` file, whose numbers fill the rest of it if it is ``whole``.

    Raises ValueError for anything else, for arrays of objects, which would be pickles, and for
    more or fewer bytes than the header says.
    """
    try:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"version {version[0]}.{version[1]} of the .npy format")
        with warnings.catch_warnings():  # of names of types that NumPy is about to forget
            warnings.simplefilter("ignore", DeprecationWarning)
            header = Header(*_HEADERS[version](file), file.tell())
    except (ValueError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError) as error:
        raise ValueError(str(error.args[0] if error.args else error).partition("\n")[0]) from None
    if header.dtype.hasobject:
        raise ValueError("an array of Python objects, which is not supported")
    if not whole:
        return header
    size = file.seek(0, os.SEEK_END)
    expected = header.start + math.prod(header.shape) * header.dtype.itemsize
    if min((0, *header.shape)) < 0 or size != expected:
        raise ValueError(f"{size:,} bytes of an array of {expected:,}")
    return header


def read_arrays(data: bytes, most: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` file by name; if a name occurs twice, the last.

    Raises ValueError for anything else, a damaged file, and one that unpacks to more than ``most``
    bytes, before it is unpacked.
    """
    arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as members:
            size = sum(member.file_size for member in members.infolist())
            if size > most:
                raise ValueError(f"it unpacks to {size:,} bytes (expected at most {most:,})")
            for member in members.infolist():
                if member.compress_type not in _PLAIN_ZIP:
                    raise ValueError(f"{member.filename[:60]} uses an unsupported compression")
                arrays[member.filename.removesuffix(".npy")] = _array(members.read(member))
    except Exception as error:  # a broken zip may raise nearly anything
        raise ValueError(f"{error}") from None
    return arrays


def _array(content: bytes) -> NDArray[Any]:
    header = array_header(io.BytesIO(content))
    numbers = np.frombuffer(content, header.dtype, offset=header.start)
    return numbers.reshape(header.shape, order="F" if header.by_column else "C").copy()
