"""Read blocks of rows of typed columns into buffers of one type.

A column may be float64, float32, uint8, uint16 or uint32; handing addresses to the kernels keeps columns where
they are (no copy) and compiles each kernel once instead of once for every mixture of types.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, carray, jit, pointer

FLOAT64, FLOAT32, UINT8, UINT16, UINT32, FILLED64, FILLED32 = range(7)

Keys = NDArray[np.int64] | NDArray[np.uint32] | NDArray[np.uint16]


class Columns(NamedTuple):
    """The columns of a table as kernels see them.

    address : int64[N], of each column's first value; the table that made it keeps the values alive
    kind : uint8[N], one of FLOAT64 ... FILLED32; filled columns are floats in which another value stands for NaN
    levels : int64[N], declared levels of a discrete column, 0 for a continuous one
    scale : float64[N], what values of a continuous column are multiplied by: a power of two, so that no digit is lost
    fill : float64[N], what stands for NaN in a filled column, not multiplied
    n : rows
    """

    address: NDArray[np.int64]
    kind: NDArray[np.uint8]
    levels: NDArray[np.int64]
    scale: Floats
    fill: Floats
    n: int


@jit
def read_values(columns: Columns, j: int, start: int, out: Floats, length: int) -> None:
    """Copy rows start ... start + length of continuous column j to out[:length] as float64.

    Numbers are given as np.int64(1), not 1: it would be compiled once more for each literal. So would `append_codes`.
    """
    scale, fill, end = columns.scale[j], columns.fill[j], start + length
    if columns.kind[j] == FLOAT64:
        wide = carray(pointer(columns.address[j]), (columns.n,), np.float64)[start:end]
        for r in range(length):
            out[r] = wide[r] * scale
    elif columns.kind[j] == FLOAT32:
        narrow = carray(pointer(columns.address[j]), (columns.n,), np.float32)[start:end]
        for r in range(length):
            out[r] = np.float64(narrow[r]) * scale
    elif columns.kind[j] == FILLED64:
        gaps = carray(pointer(columns.address[j]), (columns.n,), np.float64)[start:end]
        for r in range(length):
            out[r] = (fill if np.isnan(gaps[r]) else gaps[r]) * scale
    else:
        short = carray(pointer(columns.address[j]), (columns.n,), np.float32)[start:end]
        for r in range(length):
            value = np.float64(short[r])
            out[r] = (fill if np.isnan(value) else value) * scale


@jit
def values_and_scale(columns: Columns, j: int, start: int, length: int, room: Floats) -> tuple[Floats, float]:
    """Rows start ... of column j where they lie, and what they are to be multiplied by; or copied to room, and 1."""
    if columns.kind[j] == FLOAT64:
        return carray(pointer(columns.address[j]), (columns.n,), np.float64)[start : start + length], columns.scale[j]
    read_values(columns, j, start, room, length)
    return room[:length], 1.0


@jit
def view(columns: Columns, j: int, start: int, length: int, room: Floats) -> Floats:
    """Rows start ... of column j as float64: where they lie, or copied to room."""
    if columns.kind[j] == FLOAT64 and columns.scale[j] == 1.0:
        return carray(pointer(columns.address[j]), (columns.n,), np.float64)[start : start + length]
    read_values(columns, j, start, room, length)
    return room[:length]


@jit
def append_codes(columns: Columns, j: int, start: int, keys: Keys, length: int) -> None:
    """Append discrete column j to mixed-radix keys: keys[r] = keys[r] * levels + code, for length rows.

    keys : int64, uint32 or uint16, in which they must fit; narrow ones go through vector registers faster.
    """
    levels = columns.levels[j]
    # Codes begin at the first row asked for: with `start + r` as index the compiler makes no vectors.
    if columns.kind[j] == UINT8:
        codes8 = carray(pointer(columns.address[j] + start), (length,), np.uint8)
        for r in range(length):
            keys[r] = keys[r] * levels + codes8[r]
    elif columns.kind[j] == UINT16:
        codes16 = carray(pointer(columns.address[j] + 2 * start), (length,), np.uint16)
        for r in range(length):
            keys[r] = keys[r] * levels + codes16[r]
    else:
        codes32 = carray(pointer(columns.address[j] + 4 * start), (length,), np.uint32)
        for r in range(length):
            keys[r] = keys[r] * levels + np.int64(codes32[r])
