"""Means and centred cross-products of many cells, from rows that are put in order of their cells block by block.

Axis legend as in bnjit.kernels.moments; columns are padded with zeros to a multiple of LANES, p of them.

Rows of a block are written as rows, 8 x 8 values at a time, to their places in a buffer; there the rows of a cell lie
together, and its products are formed in registers. A cell is centred by the mean of the first of its rows that come by.
"""

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit._simd import LANES, multiply_block, place_eight, subtract_rows
from bnjit.kernels.columns import Columns, read_values
from bnjit.kernels.configurations import Numbering, find_cells
from bnjit.kernels.moments import Moments, begin_again, settle

NOTHING = 255  # the kind of a column that pads
STRIP = 512  # rows of eight columns that are read before the next eight: processors follow few streams at a time


@jit
def _place_eight(
    address: Ints64, kind: NDArray[np.uint8], column: int, row: int, place: Ints32, at: int, Z: Floats, stride: int
) -> None:
    """Write eight rows of eight columns to their places; see bnjit._simd."""
    place_eight(address, kind, column, row, place, at, Z, stride)


@jit
def _subtract(Z: Floats, at: int, stride: int, rows: int, shift: Floats) -> None:
    """Centre the rows of a cell in the buffer."""
    for column in range(0, stride, LANES):
        subtract_rows(Z, at, stride, rows, column, shift)


@jit
def _multiply(Z: Floats, at: int, stride: int, rows: int, i: int, j: int, tile: Floats) -> None:
    """Products of two blocks of columns, and sums of the second; see bnjit._simd."""
    multiply_block(Z, at, stride, rows, i, j, tile)


@jit
def order_cells(ids: Ints32, ends: Ints64, place: Ints32) -> None:
    """Where every row goes, rows of one cell in their order: a counting sort. O(n + m).

    ids : int32[n], cells of the rows; ends : int64[m] (out), where each cell ends; place : int32[>= n] (out)
    """
    m = ends.shape[0]
    for cell in range(m):
        ends[cell] = 0
    for r in range(ids.shape[0]):
        ends[ids[r]] += 1
    total = 0
    for cell in range(m):
        total += ends[cell]
        ends[cell] = total - ends[cell]
    for r in range(ids.shape[0]):
        at = ends[ids[r]]
        place[r] = at
        ends[ids[r]] = at + 1


@jit
def _fill(columns: Columns, which: Ints32, first: int, rows: int, place: Ints32, Z: Floats, stride: int) -> None:
    """Write rows first ... first + rows - 1 of the columns to their places in the buffer. O(n p)."""
    c = which.shape[0]
    address = np.zeros(stride, np.int64)
    kind = np.full(stride, NOTHING, np.uint8)
    for i in range(c):
        address[i] = columns.address[which[i]]
        kind[i] = columns.kind[which[i]]
    even = rows // LANES * LANES
    for start in range(0, even, STRIP):
        for column in range(0, stride, LANES):
            for r in range(start, min(start + STRIP, even), LANES):
                _place_eight(address, kind, column, first + r, place, r, Z, stride)
    value = np.empty(1)
    for r in range(even, rows):
        for i in range(c):
            read_values(columns, which[i], first + r, value, 1)
            Z[place[r] * stride + i] = value[0]
        for i in range(c, stride):
            Z[place[r] * stride + i] = 0.0


@jit
def _add_run(
    Z: Floats, at: int, stride: int, rows: int, cell: int, shifted: bool, out: Moments, shift: Floats, tile: Floats
) -> None:
    """Add rows of one cell, which begin at `at` of the buffer, to its sums. O(rows p^2 / 2).

    shifted : the cell's shift is there already; shift : float64[p], tile : float64[(LANES + 1) LANES], scratch
    """
    mean, rest, cross = out.means[cell], out.lows[cell], out.crosses[cell]
    c = mean.shape[0]
    if out.counts[cell] == 0 and not shifted:
        for i in range(c):
            total = 0.0
            for r in range(rows):
                total += Z[at + r * stride + i]
            mean[i] = total / rows
    out.counts[cell] += rows
    for i in range(c):
        shift[i] = mean[i]
    _subtract(Z, at, stride, rows, shift)
    for i in range(0, c, LANES):
        for j in range(0, i + 1, LANES):
            _multiply(Z, at, stride, rows, i, j, tile)
            for a in range(min(LANES, c - i)):
                first = (i + a) * (i + a + 1) // 2 + j
                if j < i:
                    for b in range(LANES):
                        cross[first + b] += tile[a * LANES + b]
                else:
                    for b in range(a + 1):
                        cross[first + b] += tile[a * LANES + b]
        for a in range(i, min(i + LANES, c)):
            rest[a] += tile[LANES * LANES + a - i]


@jit
def _add_about(
    columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, Z: Floats, shifted: bool, out: Moments
) -> bool:
    """Do what add_by_cell does in one pass. -> whether shifts were too far off; shifted : they are in `out` already."""
    c, m = which.shape[0], out.counts.shape[0]
    stride = max(1, (c + LANES - 1) // LANES) * LANES
    block = max(1, min(Z.shape[0] // stride, last - first))
    ids, place = np.empty(block, np.int32), np.empty(block, np.int32)
    ends = np.empty(m, np.int64)
    shift = np.zeros(stride)
    tile = np.empty((LANES + 1) * LANES)
    for begin in range(first, last, block):
        rows = min(block, last - begin)
        find_cells(columns, numbering, begin, rows, ids)
        order_cells(ids[:rows], ends, place)
        _fill(columns, which, begin, rows, place, Z, stride)
        at = 0
        for cell in range(m):
            if ends[cell] > at:
                _add_run(Z, at * stride, stride, ends[cell] - at, cell, shifted, out, shift, tile)
                at = ends[cell]
    return settle(out)


@jit
def add_by_cell(
    columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, Z: Floats, out: Moments
) -> None:
    """Statistics of rows first ... last - 1 in their cells, as many at a time as Z holds. O(n p^2 / 2 + m n p / |Z|).

    which : int32[c]; Z : float64[at least p], scratch; out : cells, zeros
    """
    shifted = False
    while _add_about(columns, which, numbering, first, last, Z, shifted, out) and not shifted:
        begin_again(out)
        shifted = True
