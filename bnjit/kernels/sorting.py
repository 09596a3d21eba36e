"""Rows sorted by cell, so that what a cell needs lies together.

Axis legend: n rows; m cells; c columns.

Columns are read from top to bottom and written to as many places as there are cells, each of which fills from its
start: that stays in cache for thousands of cells, where reading the rows of one cell after the other would not.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, carray, jit, jit_parallel, pointer, prange
from bnjit.kernels.columns import FLOAT64, Columns

LANES = 8


@jit
def place_rows(ids: Ints32, slots: Ints32, m: int) -> tuple[Ints32, Ints64]:
    """Where every row goes, rows of one cell in their order: a counting sort. O(n + m).

    ids : int32[n], cells of the rows; slots : int32[cells], new numbers of the cells, below m, or -1 to leave a cell
    out -> place : int32[n], -1 for rows left out; starts : int64[m + 1], where each new cell begins
    """
    starts = np.zeros(m + 1, np.int64)
    for r in range(ids.shape[0]):
        slot = slots[ids[r]]
        if slot >= 0:
            starts[slot + 1] += 1
    for cell in range(m):
        starts[cell + 1] += starts[cell]
    following = starts[:m].copy()
    place = np.empty(ids.shape[0], np.int32)
    for r in range(ids.shape[0]):
        slot = slots[ids[r]]
        if slot >= 0:
            place[r] = following[slot]
            following[slot] += 1
        else:
            place[r] = -1
    return place, starts


@jit
def _scatter(columns: Columns, j: int, offset: int, place: Ints32, first: int, last: int, out: Floats) -> None:
    """Write rows offset + first ... offset + last - 1 of column j to their places."""
    if columns.kind[j] == FLOAT64:
        wide = carray(pointer(columns.address[j]), (columns.n,), np.float64)
        for r in range(first, last):
            if place[r] >= 0:
                out[place[r]] = wide[offset + r]
    else:
        narrow = carray(pointer(columns.address[j]), (columns.n,), np.float32)
        for r in range(first, last):
            if place[r] >= 0:
                out[place[r]] = narrow[offset + r]


@jit_parallel
def scatter_columns(columns: Columns, which: Ints32, offset: int, place: Ints32, out: Floats) -> None:
    """Columns of rows offset ... in the order of their places, threads over columns and lanes of rows. O(n c).

    which : int32[c]; place : int32[rows]; out : float64[c, at least the rows placed]
    """
    span = (place.shape[0] + LANES - 1) // LANES
    for task in prange(which.shape[0] * LANES):
        _scatter(
            columns, which[task // LANES], offset, place, task % LANES * span,
            min(place.shape[0], (task % LANES + 1) * span), out[task // LANES],
        )  # fmt: skip
