"""Join the statistics of cells: to add tables, to merge chunks, to roll up to fewer variables.

Axis legend as in bnjit.kernels.moments; M cells come in, m groups of them go out.
"""

import numpy as np

from bnjit._jit import Floats, Ints64, jit, jit_parallel, prange
from bnjit.kernels.moments import Moments, move_mean

PARTIAL = 64


@jit
def _from_mean(cells: Moments, cell: int, i: int, mean: Floats, low: Floats) -> float:
    """Distance of a cell's mean i from a mean."""
    return (cells.means[cell, i] - mean[i]) + (cells.lows[cell, i] - low[i])


@jit
def _mean_of_group(members: Ints64, cells: Moments, total: int, mean: Floats, low: Floats) -> None:
    """Mean of joined cells, float64[c] twice (out); a second round corrects what rounding left of the first."""
    c = mean.shape[0]
    mean[:] = cells.means[members[0]]
    partial = np.empty(c)
    for _ in range(2):
        drift = np.zeros(c)
        for part in range(0, members.shape[0], PARTIAL):
            partial[:] = 0.0
            for cell in members[part : part + PARTIAL]:
                for i in range(c):
                    partial[i] += cells.counts[cell] * _from_mean(cells, cell, i, mean, low)
            drift += partial
        for i in range(c):
            move_mean(mean, low, i, drift[i] / total)


@jit
def _cross_of_group(members: Ints64, cells: Moments, mean: Floats, low: Floats, cross: Floats) -> None:
    """Cross-products of joined cells about their mean, float64[w] (out, zeros): sum C_k + n_k d_k d_k'."""
    c = mean.shape[0]
    partial = np.empty(cross.shape[0])
    away = np.empty(c)
    for part in range(0, members.shape[0], PARTIAL):
        partial[:] = 0.0
        for cell in members[part : part + PARTIAL]:
            ij = 0
            for i in range(c):
                away[i] = _from_mean(cells, cell, i, mean, low)
                scaled = cells.counts[cell] * away[i]
                for j in range(i + 1):
                    partial[ij] += cells.crosses[cell, ij] + scaled * away[j]
                    ij += 1
        cross += partial


@jit
def _join(members: Ints64, cells: Moments, group: int, out: Moments) -> None:
    """Join some cells into cell `group` of `out`; those of a lane without such rows have none and count for nothing."""
    total = 0
    for cell in members:
        total += cells.counts[cell]
    out.counts[group] = total
    if members.shape[0] == 1:
        out.means[group] = cells.means[members[0]]
        out.lows[group] = cells.lows[members[0]]
        out.crosses[group] = cells.crosses[members[0]]
    elif out.means.shape[1] > 0:
        _mean_of_group(members, cells, total, out.means[group], out.lows[group])
        _cross_of_group(members, cells, out.means[group], out.lows[group], out.crosses[group])


@jit_parallel
def combine(order: Ints64, starts: Ints64, cells: Moments, out: Moments) -> None:
    """Join groups of cells: to add tables, to merge chunks, to roll up to fewer variables. O(M c^2 / 2).

    order : int64[M], cells sorted by group; starts : int64[m + 1], where each group begins; cells : M of them;
    out : m cells, zeros. Sums run over parts of PARTIAL cells, so that rounding grows slowly with their number.
    """
    for group in prange(starts.shape[0] - 1):
        _join(order[starts[group] : starts[group + 1]], cells, group, out)
