"""Means and centred cross-products of continuous columns, per cell.

Axis legend: n rows; c continuous columns; m cells; w = c (c + 1) / 2 entries of the lower triangle, row by row:
entry (i, j), j <= i, stands at i (i + 1) / 2 + j. L rows in a buffer.

Rows are centred by the mean of a run of them before they are multiplied, and runs are joined with the pairwise update
of Chan, Golub and LeVeque (1983): no raw second moment is ever formed.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit, jit_reordering
from bnjit.kernels.columns import Columns, read_values

RUN = 512
TILE = 3
FAR = 1e-3  # what must be left of a sum of squares about a shift when it is centred
ROUNDING = 1e-14


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
def settle(out: Moments) -> bool:
    """Turn sums and products about shifts into means and centred products, in place (Chan et al., eq. 1.7).

    out : cells whose `means` are the shifts, whose `lows` the sums about them and whose `crosses` the products. A shift
    within a few deviations of the mean costs no digit; the distance is at most sqrt(n) deviations if it is a row.
    -> whether a shift was so far off that digits are lost; the means are then good shifts for another pass
    """
    c = out.means.shape[1]
    lost = False
    for cell in range(out.counts.shape[0]):
        n = out.counts[cell]
        if n == 0:
            continue
        rest = out.lows[cell]
        ij = 0
        for i in range(c):
            about = out.crosses[cell, ij + i]
            for j in range(i + 1):
                out.crosses[cell, ij] -= rest[i] * rest[j] / n
                ij += 1
            # Where a column is constant, what is left is rounding of the shift.
            if out.crosses[cell, ij - 1] < FAR * about and abs(rest[i]) > ROUNDING * n * abs(out.means[cell, i]):
                lost = True
        for i in range(c):
            step = rest[i] / n
            rest[i] = 0.0
            move_mean(out.means[cell], rest, i, step)
    return lost


@jit
def begin_again(out: Moments) -> None:
    """Forget all but the means, to be the shifts of another pass."""
    for cell in range(out.counts.shape[0]):
        out.counts[cell] = 0
        for i in range(out.lows.shape[1]):
            out.lows[cell, i] = 0.0
        for ij in range(out.crosses.shape[1]):
            out.crosses[cell, ij] = 0.0


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
def add_all(columns: Columns, which: Ints32, first: int, last: int, cell: int, out: Moments) -> None:
    """Add rows first ... last - 1 to one cell. O(n c^2 / 2).

    which : int32[c]
    """
    c = which.shape[0]
    Z = _buffer(c)
    scratch = np.empty((TILE, c + TILE))
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        for i in range(c):
            read_values(columns, which[i], start, Z[i], length)
        add_rows(Z, length, cell, out, scratch)
