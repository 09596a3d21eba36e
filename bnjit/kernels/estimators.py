"""The paper's estimators of a continuous node: one local distribution by itself, from the rows (Sections 4.1 and 4.2).

Axis legend: n rows; m cells of the discrete parents; g continuous parents; c = g + 1 columns, parents then node;
p = g + 2 columns of the triangle.

Nothing is shared between local distributions but the cell of each row, which any of them needs. A fit of a cell is
float64[2 c + 1]: what is subtracted from each column, the slopes with the intercept last, the residual sum of squares.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.closed import fit_closed
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.rows import (
    add_rows_qr,
    centre_values,
    reflect_block,
    residuals_listed,
    residuals_rows,
    solve_triangle,
)
from bnjit.kernels.rules import Rule, score_fit
from bnjit.kernels.sorting import counted_positions, list_rows, scatter_column, sorted_positions
from bnjit.kernels.tuning import REFLECTED_ROWS, RUN_ROWS, SORTED_BYTES, SORTED_ROWS, SORTED_ROWS_PER_CELL

CLEAR = 1e-8  # share of a node's sum of squares below which the triangle's residual loses too many digits


class Sample(NamedTuple):
    """Rows and their cells: ids : int32[n], empty for one cell; counts : int64[m]."""

    columns: Columns
    ids: Ints32
    counts: Ints64


@jit
def _solve(R: Floats, n: int, in_cells: bool, fit: Floats) -> float:
    """Fit of a cell from its triangle; -> the share of the node's sum of squares that is left."""
    c = R.shape[0] - 1
    total = 0.0
    for i in range(c + 1):
        total += R[c, i] * R[c, i]
    fit[2 * c] = solve_triangle(R, n, in_cells, fit[:c], fit[c : 2 * c])
    return fit[2 * c] / total if total > 0.0 else 0.0


@jit
def _fit_in_place(sample: Sample, which: Ints32, in_cells: bool, wanted: Ints32, fits: Floats) -> Floats:
    """Do what _fit_rows does, one cell after the other; its rows are read where they are."""
    columns, ids, counts = sample
    c, m = which.shape[0], counts.shape[0]
    B, R, dots, room = np.empty((c, REFLECTED_ROWS)), np.empty((c + 1, c + 1)), np.empty(c + 1), np.empty(1)
    order, starts = ids, np.array([0, columns.n])
    if ids.shape[0] > 0:
        order, starts = list_rows(ids, counts, wanted)
    shares = np.ones(m)
    for cell in range(m):
        if wanted[cell] == 1:
            begin = order[starts[cell]] if ids.shape[0] > 0 else 0
            for i in range(c):
                fits[cell, i] = view(columns, which[i], begin, 1, room)[0]
            R[:] = 0.0
            add_rows_qr(columns, which, order, starts[cell], starts[cell + 1], fits[cell, :c], R, B, dots)
            shares[cell] = _solve(R, counts[cell], in_cells, fits[cell])
    return shares


@jit
def _fit_in_parts(sample: Sample, which: Ints32, in_cells: bool, part: int, fits: Floats) -> Floats:
    """Do what _fit_rows does for all cells, sorting a part of the rows at a time by cell, which stays in cache."""
    columns, ids, counts = sample
    c, m, n = which.shape[0], counts.shape[0], columns.n
    B, dots = np.empty((c, REFLECTED_ROWS)), np.empty(c + 1)
    values = np.empty((c, part))
    triangles = np.zeros((m, c + 1, c + 1))
    for first in range(0, n, part):
        if part >= n:
            position, starts = counted_positions(ids, counts)
        else:
            position, starts = sorted_positions(ids[first : min(first + part, n)], m)
        for i in range(c):
            scatter_column(columns, which[i], first, ids[:0], position, values[i])
        for cell in range(m):
            R = triangles[cell]
            for start in range(starts[cell], starts[cell + 1], REFLECTED_ROWS):
                if R[0, 0] == 0.0:
                    for i in range(c):
                        fits[cell, i] = values[i, start]
                length = min(REFLECTED_ROWS, starts[cell + 1] - start)
                for i in range(c):
                    dots[i + 1] = centre_values(values[i, start : start + length], 1.0, fits[cell, i], B, i)
                reflect_block(R, B, length, dots)
    shares = np.empty(m)
    for cell in range(m):
        shares[cell] = _solve(triangles[cell], counts[cell], in_cells, fits[cell])
    return shares


@jit
def _fit_rows(sample: Sample, which: Ints32, in_cells: bool, wanted: Ints32, fits: Floats) -> Floats:
    """Regressions of the wanted cells by QR: the first terms of eq. 5. O((n + m) (1 + g)^2).

    The rows of a cell are reflected onto its triangle, a block at a time. Memory beside the fits: at most 16 bytes for
    each row, or SORTED_BYTES.
    -> float64[m], the share of the node's sum of squares that is left in each cell
    """
    n, m, p = sample.columns.n, sample.counts.shape[0], which.shape[0] + 1
    rows = 0
    for cell in range(m):
        rows += wanted[cell] * sample.counts[cell]
    # Equal parts: a short last one would make short reflections in every cell.
    parts = max(1, n // max(SORTED_ROWS, SORTED_ROWS_PER_CELL * m))
    part = -(-n // parts)
    room = 8 * p * (part + m * p)
    if sample.ids.shape[0] == 0 or 2 * rows < n or room > max(4 * n, SORTED_BYTES):
        return _fit_in_place(sample, which, in_cells, wanted, fits)
    return _fit_in_parts(sample, which, in_cells, part, fits)


@jit
def _residuals(sample: Sample, cells: Ints64, which: Ints32, fits: Floats, errors: Floats) -> None:
    """Sums of squared residuals x_i - x^_i of every cell's rows, which stay in their order. O(n (g + 3)).

    cells : int64[m], the fits of the sample's cells; errors : float64[m] (out)
    """
    columns, ids = sample.columns, sample.ids
    c = which.shape[0]
    if ids.shape[0] == 0:
        fit = fits[cells[0]]
        Z = np.empty((c + 1, RUN_ROWS))
        errors[0] = residuals_rows(columns, which, 0, columns.n, fit[:c], fit[c : 2 * c], Z)
        return
    room, residual, at = np.empty(REFLECTED_ROWS), np.empty(REFLECTED_ROWS), np.empty(REFLECTED_ROWS, np.int64)
    errors[:] = 0.0
    for start in range(0, columns.n, REFLECTED_ROWS):
        length = min(REFLECTED_ROWS, columns.n - start)
        x = view(columns, which[c - 1], start, length, room)
        for r in range(length):
            at[r] = cells[ids[start + r]]
            residual[r] = (x[r] - fits[at[r], c - 1]) - fits[at[r], 2 * c - 1]
        for i in range(c - 1):
            x = view(columns, which[i], start, length, room)
            for r in range(length):
                residual[r] -= fits[at[r], c + i] * (x[r] - fits[at[r], i])
        for r in range(length):
            errors[ids[start + r]] += residual[r] * residual[r]


@jit
def _fit_residuals(sample: Sample, which: Ints32, wanted: Ints32, fits: Floats) -> None:
    """Sums of squared residuals of the wanted cells, in place of what their triangles say. O(n + their rows (g + 3)).

    wanted : int32[m], 1 or 0; fits : the last column of these cells is overwritten
    """
    columns, ids, counts = sample
    c, m = which.shape[0], counts.shape[0]
    rows = 0
    for cell in range(m):
        rows += wanted[cell] * counts[cell]
    if rows == 0:
        return
    if ids.shape[0] == 0 or 4 * rows > columns.n:
        rss = np.empty(m)
        _residuals(sample, np.arange(m), which, fits, rss)
        for cell in range(m):
            if wanted[cell] == 1:
                fits[cell, 2 * c] = rss[cell]
        return
    B = np.empty((c, REFLECTED_ROWS))
    order, starts = list_rows(ids, counts, wanted)
    for cell in range(m):
        if wanted[cell] == 1:
            own = order[starts[cell] : starts[cell + 1]]
            fits[cell, 2 * c] = residuals_listed(columns, which, own, fits[cell, :c], fits[cell, c : 2 * c], B)


@jit
def _log_density(train: Sample, test: Sample, cells: Ints64, g: int, rule: Rule, fits: Floats, errors: Floats) -> float:
    """Sum of the scores of all cells, which are those of the test rows."""
    total = 0.0
    for cell in range(cells.shape[0]):
        n, rss = train.counts[cells[cell]], fits[cells[cell], 2 * g + 2]
        if rule.predictive:
            total += score_fit(n, g, rss, test.counts[cell], errors[cell], rule)
        else:
            total += score_fit(n, g, rss, n, rss, rule)
    return total


@jit
def estimate(train: Sample, test: Sample, cells: Ints64, which: Ints32, closed: bool, rule: Rule) -> float:
    """Score of one local distribution: its regressions, in closed form or by QR, then the residuals. Eqs. 5, 10 and 12.

    test : the rows that are scored, `train` again if they are those fitted; cells : int64[m of test], their cells in
    train, each with more than g + 1 rows; which : int32[g + 1], parents then node; closed : g is at most two
    """
    c, m = which.shape[0], train.counts.shape[0]
    fits = np.zeros((m, 2 * c + 1))
    errors = np.zeros(cells.shape[0])
    wanted = np.zeros(m, np.int32)
    for cell in cells:
        wanted[cell] = 1
    left = cells.shape[0]
    if closed:
        left = fit_closed(train.columns, which, train.ids, train.counts, rule.in_cells, wanted, fits)
    if left > 0:
        shares = _fit_rows(train, which, rule.in_cells, wanted, fits)
        if closed or rule.predictive:
            for cell in range(m):
                wanted[cell] *= shares[cell] < CLEAR
        _fit_residuals(train, which, wanted, fits)
    if rule.predictive:
        _residuals(test, cells, which, fits, errors)
    return _log_density(train, test, cells, c - 1, rule, fits, errors)
