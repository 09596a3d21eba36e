"""Means and centred cross-products of continuous columns, per cell.

Axis legend: n rows; c continuous columns; m cells; w = c (c + 1) / 2 entries of the lower triangle, row by row:
entry (i, j), j <= i, stands at i (i + 1) / 2 + j. L rows in a buffer.

Rows are centred by the mean of a run of them before they are multiplied, and runs are joined with the pairwise update
of Chan, Golub and LeVeque (1983): no raw second moment is ever formed.

Three kernels collect moments: add_all for one cell, moments_small.add_up_to_three for up to three columns, and
cells.add_by_cell for many cells. Milliseconds for 1,000,000 rows in one cell, one thread:

| columns | add_all | add_up_to_three | add_by_cell |
| --- | --- | --- | --- |
| 1 | 1.2 | 0.28 | 7.5 |
| 3 | 5.9 | 0.73 | 7.3 |
| 8 | 18 | | 8.2 |
| 16 | 40 | | 23 |
| 40 | 122 | | 112 |

For one cell and four columns or more add_by_cell would be faster than add_all. It sums rows in another order, about
one shift for all of them, so that the last digits of results would change.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, carray, jit, jit_reordering, pointer
from bnjit.kernels.columns import Columns, read_values
from bnjit.kernels.tuning import RUN_ROWS

TILE = 3  # columns of a block of products, which _multiply_tile has written out
FAR = 1e-3  # share of a sum of squares about a shift that must remain when it is centred
ROUNDING = 1e-14  # of a mean: less of a shift is rounding


class Moments(NamedTuple):
    """Statistics of m cells: counts : int64[m]; means, mean_corrections : float64[m, c]; crosses : float64[m, w].

    A mean is the sum of `means` and `mean_corrections`: where values lie close together and far from zero, the rounding
    of a mean is not small against their spread, and joining cells would lose it.
    """

    counts: Ints64
    means: Floats
    mean_corrections: Floats
    crosses: Floats


@jit
def unowned(x: NDArray[Any]) -> NDArray[Any]:
    """View of an array that does not count who refers to it; the caller keeps it alive.

    Counting takes part in every row that is taken of an array, and longer than a small regression.
    """
    return carray(pointer(x.ctypes.data), x.shape, x.dtype)


@jit
def unowned_moments(cells: Moments) -> Moments:
    """Such views of the moments of cells."""
    counts, means, mean_corrections, crosses = cells
    return Moments(unowned(counts), unowned(means), unowned(mean_corrections), unowned(crosses))


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
def move_mean(mean: Floats, correction: Floats, i: int, step: float) -> None:
    """Add `step` to mean i, and keep the rounding of the sum in `correction`."""
    step += correction[i]
    moved = mean[i] + step
    correction[i] = step - (moved - mean[i])
    mean[i] = moved


@jit
def centre_sums(out: Moments) -> bool:
    """Turn sums and products about shifts into means and centred products, in place (Chan et al., eq. 1.7).

    out : cells whose `means` are the shifts, whose `mean_corrections` are the sums about them and whose `crosses` are
    the products. A shift within a few deviations of the mean costs no digit; if it is one of the rows, the distance is
    at most sqrt(n) deviations. -> whether a shift was so far off that digits are lost; the means are then good shifts
    for another pass
    """
    c = out.means.shape[1]
    lost = False
    for cell in range(out.counts.shape[0]):
        n = out.counts[cell]
        if n == 0:
            continue
        sums = out.mean_corrections[cell]
        ij = 0
        for i in range(c):
            about = out.crosses[cell, ij + i]
            for j in range(i + 1):
                out.crosses[cell, ij] -= sums[i] * sums[j] / n
                ij += 1
            # Where a column is constant, what remains is rounding of the shift.
            if out.crosses[cell, ij - 1] < FAR * about and abs(sums[i]) > ROUNDING * n * abs(out.means[cell, i]):
                lost = True
        for i in range(c):
            step = sums[i] / n
            sums[i] = 0.0
            move_mean(out.means[cell], sums, i, step)
    return lost


@jit
def reset_sums(out: Moments) -> None:
    """Set all but the means to zero: these are the shifts of another pass."""
    for cell in range(out.counts.shape[0]):
        out.counts[cell] = 0
        for i in range(out.mean_corrections.shape[1]):
            out.mean_corrections[cell, i] = 0.0
        for ij in range(out.crosses.shape[1]):
            out.crosses[cell, ij] = 0.0


@jit
def add_rows(Z: Floats, length: int, cell: int, out: Moments, scratch: Floats) -> None:
    """Add `length` rows to the statistics of their cell. O(L c^2 / 2).

    Z : float64[c rounded up to a multiple of TILE, RUN_ROWS], overwritten; scratch : float64[TILE, c + TILE]
    """
    mean, correction, cross = out.means[cell], out.mean_corrections[cell], out.crosses[cell]
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
            shift[i] = (centre - mean[i]) + (rest[i] / length - correction[i])
        move_mean(mean, correction, i, shift[i] * (length / total))
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
    return np.zeros(((c + TILE - 1) // TILE * TILE, RUN_ROWS + 8))


@jit
def add_all(columns: Columns, which: Ints32, first: int, last: int, cell: int, out: Moments) -> None:
    """Add rows first ... last - 1 to one cell. O(n c^2 / 2).

    which : int32[c]
    """
    c = which.shape[0]
    Z = _buffer(c)
    scratch = np.empty((TILE, c + TILE))
    for start in range(first, last, RUN_ROWS):
        length = min(RUN_ROWS, last - start)
        for i in range(c):
            read_values(columns, which[i], start, Z[i], length)
        add_rows(Z, length, cell, out, scratch)
