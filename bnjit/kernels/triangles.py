"""Regressions from triangles: the R of a QR decomposition of the rows of a cell, kept up to date chunk by chunk.

Axis legend: n rows; m cells; c continuous columns; p = c + 1 columns with the intercept first; g continuous parents;
q = g + 2. Like moments, triangles are all that a regression needs of the rows; unlike moments they keep the digits of
the residuals of a column that the others nearly determine. Columns are shifted by the cell's first row.
"""

import math
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.cgaussian import Task
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.rows import TINY, add_rows_qr, solve_triangle
from bnjit.kernels.rules import Rule, needs_fit, score_fit, score_without_fit
from bnjit.kernels.tuning import REFLECTED_ROWS


class Triangles(NamedTuple):
    """counts : int64[m]; shifts : float64[m, c]; R : float64[m, p, p], R[cell, j, i] in row i of column j.

    Of some of the columns, R has fewer columns than rows.
    """

    counts: Ints64
    shifts: Floats
    R: Floats


@jit
def _add_cell(columns: Columns, which: Ints32, first: int, last: int, cell: int, out: Triangles) -> None:
    """Reflect rows first ... last - 1 onto the triangle of their cell. O(n p^2)."""
    if first == last:
        return
    p = which.shape[0] + 1
    B = np.empty((p - 1, REFLECTED_ROWS))
    shifts = out.shifts[cell]
    if out.counts[cell] == 0:
        for i in range(p - 1):
            shifts[i] = view(columns, which[i], first, 1, B[i])[0]
    out.counts[cell] += last - first
    add_rows_qr(columns, which, np.empty(0, np.int32), first, last, shifts, out.R[cell], B, np.empty(p))


@jit
def make_triangle(T: Floats) -> None:
    """Triangle of some columns of a triangle, by Householder reflections. O(p q^2).

    T : float64[q, p], T[j, i] in row i of column j; in row i > j is left what is to be taken for zero
    """
    q, p = T.shape
    for k in range(q):
        squares = 0.0
        for i in range(k + 1, p):
            squares += T[k, i] * T[k, i]
        if squares <= TINY:
            continue
        norm = math.sqrt(T[k, k] * T[k, k] + squares)
        alpha = -norm if T[k, k] > 0.0 else norm
        head = T[k, k] - alpha
        scale = 1.0 / (norm * (norm + abs(T[k, k])))
        for j in range(k + 1, q):
            f = head * T[j, k]
            for i in range(k + 1, p):
                f += T[k, i] * T[j, i]
            f *= scale
            T[j, k] -= f * head
            for i in range(k + 1, p):
                T[j, i] -= f * T[k, i]
        T[k, k] = alpha


@jit
def add_triangles(
    first: int, last: int, columns: Columns, which: Ints32, starts: Ints64, cells: Ints64, out: Triangles
) -> None:
    """Add rows that are sorted by cell to the triangles of cells first ... last - 1 of those there. O(n p^2).

    which : int32[c]; starts : int64[cells there + 1]; cells : int64[cells there], their numbers in `out`
    """
    for k in range(first, last):
        _add_cell(columns, which, starts[k], starts[k + 1], cells[k], out)


@jit
def _merge_cell(out: Triangles, at: int, other: Triangles, cell: int, T: Floats) -> None:
    """Add the triangle of other rows to a cell. O(p^3). T : float64[p, 2 p], scratch."""
    p = out.R.shape[1]
    if other.counts[cell] == 0:
        return
    if out.counts[at] == 0:
        for j in range(p - 1):
            out.shifts[at, j] = other.shifts[cell, j]
    for j in range(p):
        shift = other.shifts[cell, j - 1] - out.shifts[at, j - 1] if j > 0 else 0.0
        for i in range(p):
            T[j, i] = out.R[at, j, i]
            T[j, p + i] = other.R[cell, j, i]
        T[j, p] += shift * other.R[cell, 0, 0]
    make_triangle(T)
    for j in range(p):
        for i in range(j + 1):
            out.R[at, j, i] = T[j, i]
    out.counts[at] += other.counts[cell]


@jit
def merge_triangles(out: Triangles, other: Triangles, first: int, last: int) -> None:
    """Add the triangles of other rows in cells first ... last - 1. O(m p^3).

    One triangle stands on the other, with its columns about the same shifts, and is reflected onto it. What a
    reflection leaves below the diagonal is zero.
    """
    p = out.R.shape[1]
    T = np.empty((p, 2 * p))
    for cell in range(first, last):
        _merge_cell(out, cell, other, cell, T)


@jit
def leave_out_triangles(first: int, last: int, k: int, cells: Triangles, run: Triangles, out: Triangles) -> None:
    """Triangles of all rows of cells first ... last - 1 but those of one part, for each of k parts. O(3 k m p^3).

    Sums run from both ends, as those of moments do in combine.leave_out.
    cells, out : k m of them, those of part 0, or without it, first; run : two triangles for each of m cells; out and
    run : zeros
    """
    p, m = out.R.shape[1], cells.counts.shape[0] // k
    T = np.empty((p, 2 * p))
    for cell in range(first, last):
        for part in range(k):
            _merge_cell(out, part * m + cell, run, 2 * cell, T)
            _merge_cell(run, 2 * cell, cells, part * m + cell, T)
        for part in range(k - 1, -1, -1):
            _merge_cell(out, part * m + cell, run, 2 * cell + 1, T)
            _merge_cell(run, 2 * cell + 1, cells, part * m + cell, T)


@jit
def shorten_triangles(first: int, last: int, cells: Triangles, out: Triangles) -> None:
    """Triangles of as many rows as columns, of cells first ... last - 1. O(m p q^2).

    cells : R is float64[m, q, p], as it is of some of the columns; out : zeros
    """
    q, p = cells.R.shape[1:]
    T = np.empty((q, p))
    for cell in range(first, last):
        for j in range(q):
            for i in range(p):
                T[j, i] = cells.R[cell, j, i]
        make_triangle(T)
        for j in range(q):
            for i in range(j + 1):
                out.R[cell, j, i] = T[j, i]


@jit
def narrow_triangle(cells: Triangles, cell: int, which: Ints32, centre: Floats) -> Floats:
    """Triangle of the intercept and some columns of a cell, float64[g + 2, g + 2]. O(p g^2).

    which : int32[g + 1], places of the parents and then of the node among the columns; centre : float64[g + 1] (out),
    what was subtracted from them
    """
    q = which.shape[0] + 1
    p = cells.R.shape[2]
    T = np.empty((q, p))
    for j in range(q):
        at = 0 if j == 0 else which[j - 1] + 1
        for i in range(p):
            T[j, i] = cells.R[cell, at, i]
        if j > 0:
            centre[j - 1] = cells.shifts[cell, at - 1]
    make_triangle(T)
    return T[:, :q].copy()


@jit
def narrow_both(train: Triangles, test: Triangles, cell: int, which: Ints32, centre: Floats) -> Floats:
    """Do what narrow_triangle does for the training and test rows of a cell together, about training's shifts."""
    q = which.shape[0] + 1
    p, more = train.R.shape[2], test.R.shape[2]
    T = np.empty((q, p + more))
    for j in range(q):
        at = 0 if j == 0 else which[j - 1] + 1
        shift = 0.0
        if j > 0:
            centre[j - 1] = train.shifts[cell, at - 1]
            shift = test.shifts[cell, at - 1] - train.shifts[cell, at - 1]
        for i in range(p):
            T[j, i] = train.R[cell, at, i]
        for i in range(more):
            T[j, p + i] = test.R[cell, at, i] + shift * test.R[cell, 0, i]
    make_triangle(T)
    return T[:, :q].copy()


@jit
def fit_triangle(cells: Triangles, cell: int, which: Ints32, in_cells: bool, slopes: Floats) -> float:
    """Regression of one cell from its triangle, by the common rule for singular parents. O(p g^2).

    which : as in narrow_triangle; slopes : float64[g + 1] (out), the intercept last, about the shifts
    -> residual sum of squares
    """
    centre = np.empty(which.shape[0])
    T = narrow_triangle(cells, cell, which, centre)
    return solve_triangle(T, cells.counts[cell], in_cells, centre, slopes)


@jit
def residuals_triangle(train: Triangles, test: Triangles, cell: int, which: Ints32, slopes: Floats) -> float:
    """Sum of squared residuals of a cell's test rows under the fit of its training rows. O(p g)."""
    g = which.shape[0] - 1
    p = test.R.shape[2]
    offset = (test.shifts[cell, which[g]] - train.shifts[cell, which[g]]) - slopes[g]
    for j in range(g):
        offset -= slopes[j] * (test.shifts[cell, which[j]] - train.shifts[cell, which[j]])
    rss = 0.0
    for i in range(p):
        left = test.R[cell, which[g] + 1, i] + offset * test.R[cell, 0, i]
        for j in range(g):
            left -= slopes[j] * test.R[cell, which[j] + 1, i]
        rss += left * left
    return rss


@jit
def _score_cell(train: Triangles, test: Triangles, cell: int, which: Ints32, rule: Rule) -> float:
    """Score of one cell, as from its rows."""
    g = which.shape[0] - 1
    n, scored = train.counts[cell], test.counts[cell]
    if not needs_fit(n, g, scored, rule):
        return score_without_fit(scored, rule)
    slopes = np.empty(g + 1)
    rss = fit_triangle(train, cell, which, rule.in_cells, slopes)
    if not rule.predictive:
        return score_fit(n, g, rss, n, rss, rule)
    error = residuals_triangle(train, test, cell, which, slopes)
    return score_fit(n, g, rss, scored, error, rule)


@jit
def family_of(task: Task, candidate: int, room: Ints32) -> Ints32:
    """Parents of one set and then the node, int32[g + 1], in the room given."""
    g = task.sizes[candidate]
    for i in range(g):
        room[i] = task.parents[candidate, i]
    room[g] = task.node
    return room[: g + 1]


@jit
def _score_cells(train: Triangles, test: Triangles, cell: int, task: Task, rule: Rule, out: Floats) -> None:
    """Scores of one cell for every parent set, float64[b] (out)."""
    room = np.empty(task.parents.shape[1] + 1, np.int32)
    for candidate in range(task.sizes.shape[0]):
        out[candidate] = _score_cell(train, test, cell, family_of(task, candidate, room), rule)


@jit
def score_triangles(
    first: int, last: int, train: Triangles, test: Triangles, task: Task, rule: Rule, out: Floats
) -> None:
    """Score b parent sets in cells first ... last - 1; nodes by their places. out : float64[m, b]."""
    for cell in range(first, last):
        _score_cells(train, test, cell, task, rule, out[cell])


@jit
def regressions_from_triangles(
    cells: Triangles, which: Ints32, in_cells: bool, coefficients: Floats, rss: Floats
) -> None:
    """Intercept and slopes of every cell, float64[m, g + 1], and residual sums of squares, float64[m] (out)."""
    g = which.shape[0] - 1
    slopes = np.empty(g + 1)
    for cell in range(rss.shape[0]):
        rss[cell] = fit_triangle(cells, cell, which, in_cells, slopes)
        coefficients[cell, 0] = slopes[g] + cells.shifts[cell, which[g]]
        for i in range(g):
            coefficients[cell, i + 1] = slopes[i]
            coefficients[cell, 0] -= slopes[i] * cells.shifts[cell, which[i]]
