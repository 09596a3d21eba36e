"""Means and centred cross-products of many cells, from rows that are put in order of their cells block by block.

Axis legend as in bnjit.kernels.moments; columns are padded with zeros to a multiple of SIMD_WIDTH, p of them.

Rows of a block are written as rows, 8 x 8 values at a time, to their positions in a buffer; there the rows of a cell
lie together, and its products are formed in registers. A cell is centred by the mean of its rows in the first block
that has any.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit._simd import SIMD_WIDTH, multiply_block, scatter_eight, subtract_rows, sum_rows
from bnjit.kernels.columns import Columns, read_values
from bnjit.kernels.configurations import Numbering, find_cells
from bnjit.kernels.moments import Moments, centre_sums, reset_sums
from bnjit.kernels.sorting import find_positions
from bnjit.kernels.tuning import STRIP_ROWS

PADDING = 255  # the kind of a column of zeros that fills up a vector


@jit
def _scatter_eight(
    address: Ints64, kind: NDArray[np.uint8], scale: Floats, fill: Floats, column: int, row: int, position: Ints32,
    at: int, Z: Floats, stride: int,
) -> None:  # fmt: skip
    """Write eight rows of eight columns to their positions; see bnjit._simd."""
    scatter_eight(address, kind, scale, fill, column, row, position, at, Z, stride)


@jit
def _subtract(Z: Floats, at: int, stride: int, rows: int, shift: Floats) -> None:
    """Centre the rows of a cell in the buffer."""
    for column in range(0, stride, SIMD_WIDTH):
        subtract_rows(Z, at, stride, rows, column, shift)


@jit
def _sum(Z: Floats, at: int, stride: int, rows: int, sums: Floats) -> None:
    """Sums of the rows of a cell in the buffer, float64[p]."""
    for column in range(0, stride, SIMD_WIDTH):
        sum_rows(Z, at, stride, rows, column, sums)


@jit
def _multiply(Z: Floats, at: int, stride: int, rows: int, i: int, j: int, tile: Floats) -> None:
    """Products of two blocks of columns, and sums of the second; see bnjit._simd."""
    multiply_block(Z, at, stride, rows, i, j, tile)


@jit
def _fill(columns: Columns, which: Ints32, first: int, rows: int, position: Ints32, Z: Floats, stride: int) -> None:
    """Write rows first ... first + rows - 1 of the columns to their positions in the buffer. O(n p)."""
    c = which.shape[0]
    address = np.zeros(stride, np.int64)
    kind = np.full(stride, PADDING, np.uint8)
    scale, fill = np.ones(stride), np.zeros(stride)
    for i in range(c):
        scale[i], fill[i] = columns.scale[which[i]], columns.fill[which[i]]
        address[i] = columns.address[which[i]]
        kind[i] = columns.kind[which[i]]
    even = rows // SIMD_WIDTH * SIMD_WIDTH
    for start in range(0, even, STRIP_ROWS):
        for column in range(0, stride, SIMD_WIDTH):
            for r in range(start, min(start + STRIP_ROWS, even), SIMD_WIDTH):
                _scatter_eight(address, kind, scale, fill, column, first + r, position, r, Z, stride)
    value = np.empty(1)
    one: Any = np.int64(1)
    for r in range(even, rows):
        for i in range(c):
            read_values(columns, which[i], first + r, value, one)
            Z[position[r] * stride + i] = value[0]
        for i in range(c, stride):
            Z[position[r] * stride + i] = 0.0


@jit
def _add_run(
    Z: Floats, at: int, stride: int, rows: int, cell: int, shifted: bool, out: Moments, shift: Floats, tile: Floats
) -> None:
    """Add rows of one cell, which begin at `at` of the buffer, to its sums. O(rows p^2 / 2).

    shifted : the cell's shift is there already; shift : float64[p], tile : float64[(SIMD_WIDTH + 1) SIMD_WIDTH],
    scratch
    """
    mean, sums, cross = out.means[cell], out.mean_corrections[cell], out.crosses[cell]
    c = mean.shape[0]
    if out.counts[cell] == 0 and not shifted:
        _sum(Z, at, stride, rows, shift)
        for i in range(c):
            mean[i] = shift[i] / rows
    out.counts[cell] += rows
    for i in range(c):
        shift[i] = mean[i]
    _subtract(Z, at, stride, rows, shift)
    for i in range(0, c, SIMD_WIDTH):
        for j in range(0, i + 1, SIMD_WIDTH):
            _multiply(Z, at, stride, rows, i, j, tile)
            for a in range(min(SIMD_WIDTH, c - i)):
                first = (i + a) * (i + a + 1) // 2 + j
                if j < i:
                    for b in range(SIMD_WIDTH):
                        cross[first + b] += tile[a * SIMD_WIDTH + b]
                else:
                    for b in range(a + 1):
                        cross[first + b] += tile[a * SIMD_WIDTH + b]
        for a in range(i, min(i + SIMD_WIDTH, c)):
            sums[a] += tile[SIMD_WIDTH * SIMD_WIDTH + a - i]


@jit
def _some_positions(position: Ints32, rows: int, begin: int, end: int, some: Ints32) -> None:
    """Positions from `begin` to `end` as places behind the first, int32[rows] (out); all others are behind the last."""
    for r in range(rows):
        at = position[r]
        some[r] = at - begin if begin <= at < end else end - begin


@jit
def _add_block(
    columns: Columns, which: Ints32, first: int, rows: int, starts: Ints64, position: Ints32, Z: Floats, shifted: bool,
    out: Moments, shift: Floats, tile: Floats,
) -> Floats:  # fmt: skip
    """Add rows first ... first + rows - 1, whose positions are known, as many cells at a time as Z holds. -> Z.

    Rows of other cells are written to a place of their own, again and again. Z becomes larger if a cell needs it.
    """
    m, stride = out.counts.shape[0], shift.shape[0]
    some = np.empty(0, np.int32)
    low = 0
    while low < m:
        high = low + 1
        while high < m and (starts[high + 1] - starts[low] + 1) * stride <= Z.shape[0]:
            high += 1
        if (starts[high] - starts[low] + 1) * stride > Z.shape[0]:
            Z = np.empty((starts[high] - starts[low] + 1) * stride)
        if high - low == m:
            _fill(columns, which, first, rows, position, Z, stride)
        elif starts[high] > starts[low]:
            if some.shape[0] == 0:
                some = np.empty(rows, np.int32)
            _some_positions(position, rows, starts[low], starts[high], some)
            _fill(columns, which, first, rows, some, Z, stride)
        for cell in range(low, high):
            at, end = starts[cell] - starts[low], starts[cell + 1] - starts[low]
            if end > at:
                _add_run(Z, at * stride, stride, end - at, cell, shifted, out, shift, tile)
        low = high
    return Z


@jit
def _add_once(
    columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, block: int, Z: Floats, shifted: bool,
    out: Moments,
) -> bool:  # fmt: skip
    """Do what add_by_cell does in one pass. -> whether shifts were too far off; shifted : they are in `out` already."""
    c, m = which.shape[0], out.counts.shape[0]
    stride = max(1, (c + SIMD_WIDTH - 1) // SIMD_WIDTH) * SIMD_WIDTH
    ids, position = np.empty(block, np.int32), np.empty(block, np.int32)
    starts = np.empty(m + 1, np.int64)
    shift = np.zeros(stride)
    tile = np.empty((SIMD_WIDTH + 1) * SIMD_WIDTH)
    for begin in range(first, last, block):
        rows = min(block, last - begin)
        find_cells(columns, numbering, begin, rows, ids)
        find_positions(ids[:rows], starts, position)
        Z = _add_block(columns, which, begin, rows, starts, position, Z, shifted, out, shift, tile)
    return centre_sums(out)


@jit
def add_by_cell(
    columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, block: int, Z: Floats, out: Moments
) -> None:
    """Statistics of rows first ... last - 1 in their cells, `block` of them in order at a time. O(n p^2 / 2 + m n / b).

    which : int32[c]; Z : float64[at least p], scratch: how many rows it holds changes no digit; out : cells, zeros
    """
    for attempt in range(2):  # a comparison is a plain bool; a literal would be compiled once more by itself
        again = attempt > 0
        if not _add_once(columns, which, numbering, first, last, block, Z, again, out) or again:
            return
        reset_sums(out)
