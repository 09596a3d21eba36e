"""Means and centred cross-products of continuous columns, per cell.

Axis legend: n rows; c continuous columns; m cells; w = c (c + 1) / 2 entries of the lower triangle, row by row:
entry (i, j), j <= i, stands at i (i + 1) / 2 + j. L rows in a buffer.

Rows are centred by a mean before they are multiplied, of their cell (by_row) or of a run of them, and runs and cells
are joined with the pairwise update of Chan, Golub and LeVeque (1983): no raw second moment is ever formed.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit, jit_parallel, jit_reordering, prange
from bnjit.kernels.columns import Columns, gather_values, read_values

RUN = 512
TILE = 3


class Moments(NamedTuple):
    """Statistics of m cells: counts : int64[m], means, lows : float64[m, c], crosses : float64[m, w].

    A mean is the sum of `means` and `lows`: where values lie close together and far from zero, what rounding takes
    off a mean is not small against their spread, and joining cells would lose it.
    """

    counts: Ints64
    means: Floats
    lows: Floats
    crosses: Floats


@jit_reordering
def sum_values(x: Floats, length: int) -> float:
    """Sum of x[:length]; reordering is what lets it use vector registers."""
    total = 0.0
    for r in range(length):
        total += x[r]
    return total


@jit_reordering
def _multiply_tile(Z: Floats, i: int, j: int, length: int, tile: Floats) -> None:
    """Nine inner products of rows i ... i + 2 and j ... j + 2 of Z; centred values, so any order is good."""
    a0, a1, a2 = Z[i], Z[i + 1], Z[i + 2]
    b0, b1, b2 = Z[j], Z[j + 1], Z[j + 2]
    s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
    for r in range(length):
        x0, x1, x2 = a0[r], a1[r], a2[r]
        y0, y1, y2 = b0[r], b1[r], b2[r]
        s00 += x0 * y0
        s01 += x0 * y1
        s02 += x0 * y2
        s10 += x1 * y0
        s11 += x1 * y1
        s12 += x1 * y2
        s20 += x2 * y0
        s21 += x2 * y1
        s22 += x2 * y2
    tile[0, 0], tile[0, 1], tile[0, 2] = s00, s01, s02
    tile[1, 0], tile[1, 1], tile[1, 2] = s10, s11, s12
    tile[2, 0], tile[2, 1], tile[2, 2] = s20, s21, s22


@jit
def move_mean(mean: Floats, low: Floats, i: int, step: float) -> None:
    """Add `step` to mean i, keeping in `low` what rounding takes off."""
    step += low[i]
    moved = mean[i] + step
    low[i] = step - (moved - mean[i])
    mean[i] = moved


@jit
def add_rows(Z: Floats, length: int, cell: int, out: Moments, scratch: Floats) -> None:
    """Add `length` rows to the statistics of their cell. O(L c^2 / 2).

    Z : float64[c rounded up to a multiple of TILE, RUN], overwritten; scratch : float64[TILE, c + TILE]
    """
    mean, low, cross = out.means[cell], out.lows[cell], out.crosses[cell]
    c = mean.shape[0]
    before = out.counts[cell]
    total = before + length
    tile = scratch[:, c:]
    shift = scratch[0, :c]
    rest = scratch[1, :c]
    for i in range(c):
        z = Z[i]
        centre = sum_values(z, length) / length
        for r in range(length):
            z[r] -= centre
        # What rounding left of the mean: it corrects both the mean and the products (Chan et al., eq. 1.7).
        rest[i] = sum_values(z, length)
        if before == 0:
            mean[i] = centre
            shift[i] = rest[i] / length
        else:
            shift[i] = (centre - mean[i]) + (rest[i] / length - low[i])
        move_mean(mean, low, i, shift[i] * (length / total))
    weight = before * (length / total)
    out.counts[cell] = total
    for i in range(0, c, TILE):
        for j in range(0, i + 1, TILE):
            _multiply_tile(Z, i, j, length, tile)
            for a in range(i, min(i + TILE, c)):
                for b in range(j, min(j + TILE, a + 1)):
                    cross[a * (a + 1) // 2 + b] += (
                        tile[a - i, b - j] - rest[a] * rest[b] / length + weight * shift[a] * shift[b]
                    )


@jit
def _buffer(c: int) -> Floats:
    """Zeros for c columns of a run, rows added up to a multiple of TILE.

    Columns are not a power of two apart, which would put the values of a row into the same lines of a cache.
    """
    return np.zeros(((c + TILE - 1) // TILE * TILE, RUN + 8))


@jit
def _lane_of_rows(columns: Columns, which: Ints32, first: int, last: int, lane: int, out: Moments) -> None:
    """Add rows first ... last - 1 to cell `lane`."""
    c = which.shape[0]
    Z = _buffer(c)
    scratch = np.empty((TILE, c + TILE))
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        for i in range(c):
            read_values(columns, which[i], start, Z[i], length)
        add_rows(Z, length, lane, out, scratch)


@jit_parallel
def moments_of_all(columns: Columns, which: Ints32, lanes: int, out: Moments) -> None:
    """Statistics of all rows as one cell, threads over lanes of rows, which the caller combines. O(n c^2 / 2).

    The lanes are given, whatever the number of threads. which : int32[c]; out : `lanes` cells, zeros
    """
    span = (columns.n + lanes - 1) // lanes
    for lane in prange(lanes):
        _lane_of_rows(columns, which, lane * span, min(columns.n, (lane + 1) * span), lane, out)


@jit
def _sum_lane(
    columns: Columns, which: Ints32, ids: Ints32, first: int, last: int, offset: int, counts: Ints64, sums: Floats
) -> None:
    """Count and sum rows first ... last - 1 in cells offset ..."""
    c = which.shape[0]
    Z = _buffer(c)
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        for i in range(c):
            read_values(columns, which[i], start, Z[i], length)
        for r in range(length):
            cell = offset + ids[start + r]
            counts[cell] += 1
            for i in range(c):
                sums[cell, i] += Z[i, r]


@jit_parallel
def sums_by_row(columns: Columns, which: Ints32, ids: Ints32, lanes: int, counts: Ints64, sums: Floats) -> None:
    """Counts and sums of every cell, threads over lanes of rows. O(n c).

    ids : int32[n]; lane l fills cells l m ... of counts : int64[lanes m] and sums : float64[lanes m, c] (out, zeros)
    """
    m = counts.shape[0] // lanes
    span = (columns.n + lanes - 1) // lanes
    for lane in prange(lanes):
        _sum_lane(columns, which, ids, lane * span, min(columns.n, (lane + 1) * span), lane * m, counts, sums)


@jit
def _cross_lane(
    columns: Columns, which: Ints32, ids: Ints32, first: int, last: int, offset: int, centres: Floats, rests: Floats,
    crosses: Floats,
) -> None:  # fmt: skip
    """Add the products of rows first ... last - 1, about the centres of their cells, to cells offset ..."""
    c = which.shape[0]
    Z = _buffer(c)
    away = np.empty(c)
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        for i in range(c):
            read_values(columns, which[i], start, Z[i], length)
        for r in range(length):
            centre = centres[ids[start + r]]
            rest = rests[offset + ids[start + r]]
            cross = crosses[offset + ids[start + r]]
            ij = 0
            for i in range(c):
                value = Z[i, r] - centre[i]
                away[i] = value
                rest[i] += value
                for j in range(i + 1):
                    cross[ij + j] += value * away[j]
                ij += i + 1


@jit_parallel
def crosses_by_row(
    columns: Columns, which: Ints32, ids: Ints32, lanes: int, centres: Floats, rests: Floats, crosses: Floats
) -> None:
    """Products of every cell about given centres, threads over lanes of rows. O(n c^2 / 2).

    centres : float64[m, c]; lane l fills cells l m ... of rests : float64[lanes m, c], what rounding left of the
    centres, and crosses : float64[lanes m, w] (out, zeros)
    """
    m = centres.shape[0]
    span = (columns.n + lanes - 1) // lanes
    for lane in prange(lanes):
        _cross_lane(
            columns, which, ids, lane * span, min(columns.n, (lane + 1) * span), lane * m, centres, rests, crosses
        )


@jit
def _settle(cell: int, lanes: int, centres: Floats, rests: Floats, crosses: Floats, out: Moments) -> None:
    """Add up the lanes of one cell, and correct for what rounding left of its centre (Chan et al., eq. 1.7)."""
    m, c = centres.shape
    n = out.counts[cell]
    rest = np.zeros(c)
    for lane in range(lanes):
        rest += rests[lane * m + cell]
        out.crosses[cell] += crosses[lane * m + cell]
    ij = 0
    for i in range(c):
        out.means[cell, i] = centres[cell, i]
        move_mean(out.means[cell], out.lows[cell], i, rest[i] / n)
        for j in range(i + 1):
            out.crosses[cell, ij] -= rest[i] * rest[j] / n
            ij += 1


@jit_parallel
def settle(lanes: int, centres: Floats, rests: Floats, crosses: Floats, out: Moments) -> None:
    """Statistics of every cell from the lanes of crosses_by_row, threads over cells. O(lanes m c^2 / 2).

    out : m cells with their counts, the rest zeros
    """
    for cell in prange(centres.shape[0]):
        _settle(cell, lanes, centres, rests, crosses, out)


@jit
def _lane_of_cells(
    columns: Columns, which: Ints32, rows: Ints32, starts: Ints64, first: int, last: int, out: Moments
) -> None:
    """Add the rows of cells first ... last - 1, grouped by cell (see group_rows)."""
    c = which.shape[0]
    Z = _buffer(c)
    scratch = np.empty((TILE, c + TILE))
    for cell in range(first, last):
        for start in range(starts[cell], starts[cell + 1], RUN):
            length = min(RUN, starts[cell + 1] - start)
            for i in range(c):
                gather_values(columns, which[i], rows, start, Z[i], length)
            add_rows(Z, length, cell, out, scratch)


@jit_parallel
def moments_by_cell(
    columns: Columns, which: Ints32, rows: Ints32, starts: Ints64, bounds: Ints64, out: Moments
) -> None:
    """Statistics of every cell, threads over ranges of cells: for many cells. O(n c^2 / 2 + m c^2).

    rows, starts : as group_rows gives them; bounds : int64[lanes + 1], the cells of each lane; out : m cells, zeros
    """
    for lane in prange(bounds.shape[0] - 1):
        _lane_of_cells(columns, which, rows, starts, bounds[lane], bounds[lane + 1], out)
