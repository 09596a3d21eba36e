"""Join the statistics of cells: to add tables, to merge chunks, to roll up to fewer variables.

Axis legend as in bnjit.kernels.moments; M cells come in, m groups of them go out. Plain loops: operations on slices
take Numba several times as long to compile.
"""

import numpy as np

from bnjit._jit import Floats, Ints64, jit, jit_within
from bnjit.kernels.moments import Moments, move_mean
from bnjit.kernels.tuning import PARTIAL_CELLS


@jit
def _copy(source: Floats, target: Floats) -> None:
    """Write the values of source to target."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@jit
def _add_partial(partial: Floats, total: Floats) -> None:
    """Add a partial sum to the total, and begin the next."""
    for i in range(total.shape[0]):
        total[i] += partial[i]
        partial[i] = 0.0


@jit
def _from_mean(cells: Moments, cell: int, i: int, mean: Floats, correction: Floats) -> float:
    """Distance of a cell's mean i from a mean."""
    return (cells.means[cell, i] - mean[i]) + (cells.mean_corrections[cell, i] - correction[i])


@jit_within
def _join(order: Ints64, first: int, last: int, cells: Moments, group: int, out: Moments, scratch: Floats) -> None:
    """Join cells order[first] ... order[last - 1] into cell `group` of `out`.

    Cells without rows count for nothing; if none has any, nothing is written. A second round corrects the rounding of
    the mean; cross-products are sum C_k + n_k d_k d_k'.
    scratch : float64[3, at least c and w], zeros in the first row
    """
    total = 0
    for k in range(first, last):
        total += cells.counts[order[k]]
    out.counts[group] = total
    if total == 0:
        return
    mean, correction, cross = out.means[group], out.mean_corrections[group], out.crosses[group]
    c = mean.shape[0]
    _copy(cells.means[order[first]], mean)
    if last == first + 1:
        _copy(cells.mean_corrections[order[first]], correction)
        _copy(cells.crosses[order[first]], cross)
        return
    partial, drift, away = scratch[0], scratch[1, :c], scratch[2]
    for _ in range(2):
        for i in range(c):
            drift[i] = 0.0
        for k in range(first, last):
            cell = order[k]
            for i in range(c):
                partial[i] += cells.counts[cell] * _from_mean(cells, cell, i, mean, correction)
            if (k - first) % PARTIAL_CELLS == PARTIAL_CELLS - 1 or k == last - 1:
                _add_partial(partial, drift)
        for i in range(c):
            move_mean(mean, correction, i, drift[i] / total)
    for k in range(first, last):
        cell = order[k]
        ij = 0
        for i in range(c):
            away[i] = _from_mean(cells, cell, i, mean, correction)
            scaled = cells.counts[cell] * away[i]
            for j in range(i + 1):
                partial[ij] += cells.crosses[cell, ij] + scaled * away[j]
                ij += 1
        if (k - first) % PARTIAL_CELLS == PARTIAL_CELLS - 1 or k == last - 1:
            _add_partial(partial, cross)


@jit
def combine(order: Ints64, starts: Ints64, cells: Moments, first: int, last: int, out: Moments) -> None:
    """Join groups first ... last - 1 of cells: to add tables, to merge chunks, to roll up. O(M c^2 / 2).

    order : int64[M], cells sorted by group; starts : int64[m + 1], where each group begins; cells : M of them;
    out : m cells, zeros. Sums run over parts of PARTIAL_CELLS cells, so that rounding grows slowly with their number.
    """
    scratch = np.zeros((3, max(1, out.means.shape[1], out.crosses.shape[1])))
    for group in range(first, last):
        _join(order, starts[group], starts[group + 1], cells, group, out, scratch)


@jit
def _merge_cell(into: Moments, at: int, part: Moments, cell: int, away: Floats) -> None:
    """Add one cell of `part` to cell `at` of `into` (Chan et al., eq. 1.5); away : float64[c], scratch."""
    ours, theirs = into.counts[at], part.counts[cell]
    if theirs == 0:
        return
    total = ours + theirs
    into.counts[at] = total
    mean, correction, cross = into.means[at], into.mean_corrections[at], into.crosses[at]
    if ours == 0:
        _copy(part.means[cell], mean)
        _copy(part.mean_corrections[cell], correction)
        _copy(part.crosses[cell], cross)
        return
    weight = ours * (theirs / total)
    ij = 0
    for i in range(mean.shape[0]):
        away[i] = _from_mean(part, cell, i, mean, correction)
    for i in range(mean.shape[0]):
        move_mean(mean, correction, i, away[i] * (theirs / total))
        for j in range(i + 1):
            cross[ij] += part.crosses[cell, ij] + weight * away[i] * away[j]
            ij += 1


@jit
def merge(into: Moments, part: Moments, first: int, last: int) -> None:
    """Add cells first ... last - 1 of `part` to the same cells of `into`. O(m c^2 / 2)."""
    away = np.empty(into.means.shape[1])
    for cell in range(first, last):
        _merge_cell(into, cell, part, cell, away)


@jit
def merge_at(into: Moments, at: Ints64, part: Moments, first: int, last: int) -> None:
    """Add cells first ... last - 1 of `part` to cells at[first] ... of `into`, all different. O(m c^2 / 2)."""
    away = np.empty(into.means.shape[1])
    for cell in range(first, last):
        _merge_cell(into, at[cell], part, cell, away)


@jit
def leave_out(cells: Moments, at: Ints64, first: int, last: int, sums: Moments, out: Moments) -> None:
    """Join the cells of groups first ... last - 1 but those of one part, for each of k parts. O(3 k m c^2 / 2).

    Running sums from both ends: nothing is subtracted, so that no digit is lost.
    at : int64[m, k], the cell of each group in each part, -1 for none; sums : one cell, scratch;
    out : k m zeros, those without part 0 first
    """
    m, k = at.shape
    away = np.empty(out.means.shape[1])
    for group in range(first, last):
        sums.counts[0] = 0
        for part in range(k):
            _merge_cell(out, part * m + group, sums, 0, away)
            if at[group, part] >= 0:
                _merge_cell(sums, 0, cells, at[group, part], away)
        sums.counts[0] = 0
        for part in range(k - 1, -1, -1):
            _merge_cell(out, part * m + group, sums, 0, away)
            if at[group, part] >= 0:
                _merge_cell(sums, 0, cells, at[group, part], away)
