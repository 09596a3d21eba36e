"""Rows sorted by cell, so that what a cell needs lies together.

Axis legend: n rows; m cells; c columns.

Columns are read from top to bottom and written to as many places as there are cells, each of which fills from its
start: that stays in cache for thousands of cells, where reading the rows of one cell after the other would not.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, carray, jit, pointer
from bnjit.kernels.columns import FLOAT64, Columns


@jit
def place_rows(ids: Ints32, m: int) -> tuple[Ints32, Ints64]:
    """Where every row goes, rows of one cell in their order: a counting sort. O(n + m).

    ids : int32[n], cells of the rows, -1 to leave a row out -> place : int32[n], -1 for rows left out;
    starts : int64[m + 1], where each cell begins
    """
    starts = np.zeros(m + 1, np.int64)
    for r in range(ids.shape[0]):
        if ids[r] >= 0:
            starts[ids[r] + 1] += 1
    for cell in range(m):
        starts[cell + 1] += starts[cell]
    following = starts[:m].copy()
    place = np.empty(ids.shape[0], np.int32)
    for r in range(ids.shape[0]):
        if ids[r] >= 0:
            place[r] = following[ids[r]]
            following[ids[r]] += 1
        else:
            place[r] = -1
    return place, starts


@jit
def scatter_column(columns: Columns, j: int, first: int, place: Ints32, out: Floats) -> None:
    """Write rows first ... of column j to their places, float64[rows placed] (out). O(n)."""
    if columns.kind[j] == FLOAT64:
        wide = carray(pointer(columns.address[j]), (columns.n,), np.float64)
        for r in range(place.shape[0]):
            if place[r] >= 0:
                out[place[r]] = wide[first + r]
    else:
        narrow = carray(pointer(columns.address[j]), (columns.n,), np.float32)
        for r in range(place.shape[0]):
            if place[r] >= 0:
                out[place[r]] = narrow[first + r]
