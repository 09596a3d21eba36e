"""Means and centred cross-products of rows that have weights, per cell.

Axis legend as in bnjit.kernels.moments. Rows count by their weights: counts are sums of weights, float64[m]. A cell is
centred by the mean of its rows, which a first pass finds.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, jit
from bnjit.kernels.columns import Columns, read_values
from bnjit.kernels.moments import Moments, centre_sums
from bnjit.kernels.tuning import RUN_ROWS


@jit
def _add_weights(ids: Ints32, weights: Floats, first: int, last: int, out: Moments) -> None:
    """Sums of the weights of each cell."""
    for r in range(first, last):
        out.counts[ids[r] if ids.shape[0] > 0 else 0] += weights[r]


@jit
def _add_means(columns: Columns, which: Ints32, ids: Ints32, weights: Floats, first: int, last: int, out: Moments,
               Z: Floats) -> None:  # fmt: skip
    """Weighted means, by steps from row to row: no sum grows with their number. O(n c)."""
    seen = np.zeros(out.counts.shape[0])
    for start in range(first, last, RUN_ROWS):
        length = min(RUN_ROWS, last - start)
        for i in range(which.shape[0]):
            read_values(columns, which[i], start, Z[i], length)
        for r in range(length):
            cell = ids[start + r] if ids.shape[0] > 0 else 0
            seen[cell] += weights[start + r]
            share = weights[start + r] / seen[cell]
            for i in range(which.shape[0]):
                out.means[cell, i] += share * (Z[i, r] - out.means[cell, i])


@jit
def add_weighted(
    columns: Columns, which: Ints32, ids: Ints32, weights: Floats, first: int, last: int, out: Moments
) -> None:
    """Statistics of rows first ... last - 1 in their cells. O(n c^2 / 2).

    which : int32[c]; ids : int32[n], empty where all rows are one cell; weights : float64[n], above 0; out : cells,
    zeros, with counts float64[m]
    """
    c = which.shape[0]
    Z, z = np.empty((c, RUN_ROWS)), np.empty(c)
    _add_weights(ids, weights, first, last, out)
    _add_means(columns, which, ids, weights, first, last, out, Z)
    for start in range(first, last, RUN_ROWS):
        length = min(RUN_ROWS, last - start)
        for i in range(c):
            read_values(columns, which[i], start, Z[i], length)
        for r in range(length):
            cell, weight = ids[start + r] if ids.shape[0] > 0 else 0, weights[start + r]
            sums, cross = out.mean_corrections[cell], out.crosses[cell]
            ij = 0
            for i in range(c):
                z[i] = Z[i, r] - out.means[cell, i]
                weighted = weight * z[i]
                sums[i] += weighted
                for j in range(i + 1):
                    cross[ij] += weighted * z[j]
                    ij += 1
    centre_sums(out)
