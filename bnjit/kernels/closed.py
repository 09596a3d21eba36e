"""Regressions on up to two parents in closed form, from sums over the rows of each cell (Section 4.1).

Axis legend: n rows; m cells; g continuous parents; c = g + 1 columns, parents then node.

One pass over the rows in the order of the table. A cell has a row of its own in a table of sums, so that a row of the
data touches one or two lines of a cache:
a shift for each of the c columns, then c sums about it, then c (c + 1) / 2 products, lower triangle row by row.
The shift is the cell's first row: such sums have a relative error of about eps (1 + d^2 / s^2), where d is the distance
of the mean from the shift and s the standard deviation, whatever the mean is. Raw sums would lose every digit of MEHRA.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.few import add_products
from bnjit.kernels.regression import NEEDS_ROWS, fit_moments

BUFFER = 1024  # rows that are read at a time
FAR = 1e-3  # what must be left of a sum of squares about the shift when it is centred


@jit
def _add_one_by_cell(ids: Ints32, x: Floats, S: Floats) -> None:
    """Sums of one column. ids : int32[rows]; S : float64[m, 3], shifts NaN before the first row."""
    for r in range(ids.shape[0]):
        T = S[ids[r]]
        if T[0] != T[0]:
            T[0] = x[r]
        z = x[r] - T[0]
        T[1] += z
        T[2] += z * z


@jit
def _add_two_by_cell(ids: Ints32, x: Floats, u: Floats, S: Floats) -> None:
    """Sums of two columns. S : float64[m, 7]."""
    for r in range(ids.shape[0]):
        T = S[ids[r]]
        if T[0] != T[0]:
            T[0] = x[r]
            T[1] = u[r]
        z = x[r] - T[0]
        w = u[r] - T[1]
        T[2] += z
        T[3] += w
        T[4] += z * z
        T[5] += z * w
        T[6] += w * w


@jit
def _add_three_by_cell(ids: Ints32, x: Floats, u: Floats, v: Floats, S: Floats) -> None:
    """Sums of three columns. S : float64[m, 12]."""
    for r in range(ids.shape[0]):
        T = S[ids[r]]
        if T[0] != T[0]:
            T[0] = x[r]
            T[1] = u[r]
            T[2] = v[r]
        z = x[r] - T[0]
        w = u[r] - T[1]
        y = v[r] - T[2]
        T[3] += z
        T[4] += w
        T[5] += y
        T[6] += z * z
        T[7] += z * w
        T[8] += w * w
        T[9] += z * y
        T[10] += w * y
        T[11] += y * y


@jit
def sum_rows(columns: Columns, which: Ints32, ids: Ints32, m: int) -> Floats:
    """Sums about a shift in every cell; see the top of this file. O(n c^2 / 2).

    which : int32[c]; ids : int32[n], empty for one cell -> S : float64[m, c (c + 5) / 2]
    """
    c = which.shape[0]
    S = np.zeros((m, c * (c + 5) // 2))
    S[:, :c] = np.nan
    Z = np.empty((c, BUFFER))
    T = np.zeros(9)
    whole = ids.shape[0] == 0
    for start in range(0, columns.n, BUFFER):
        length = min(BUFFER, columns.n - start)
        x = view(columns, which[0], start, length, Z[0])
        u = view(columns, which[min(1, c - 1)], start, length, Z[min(1, c - 1)])
        v = view(columns, which[c - 1], start, length, Z[c - 1])
        if whole:
            if start == 0:
                S[0, 0] = x[0]
                S[0, min(1, c - 1)] = u[0]
                S[0, c - 1] = v[0]
            add_products(x, u, v, S[0], c, T)
            continue
        part = ids[start : start + length]
        if c == 1:
            _add_one_by_cell(part, x, S)
        elif c == 2:
            _add_two_by_cell(part, x, u, S)
        else:
            _add_three_by_cell(part, x, u, v, S)
    if whole:
        for i in range(c):
            S[0, c + i] = T[i]
        for ij in range(c * (c + 1) // 2):
            S[0, 2 * c + ij] = T[3 + ij]
    return S


@jit
def _fit_sums(n: int, S: Floats, parents: Ints32, in_cells: bool, fit: Floats, scratch: Floats) -> int:
    """Regression of one cell from its sums. -> FINE or NEEDS_ROWS.

    S : float64[c (c + 5) / 2]; parents : int32[c], 0, 1, ...; fit : float64[2 c + 1] (out), see
    bnjit.kernels.estimators; scratch : float64[c + 2, 6]
    """
    c = (fit.shape[0] - 1) // 2
    mean, cross, L = scratch[0], scratch[1], scratch[2:, :c]
    ij = 0
    for i in range(c):
        mean[i] = S[i] + S[c + i] / n
        for j in range(i + 1):
            cross[ij] = S[2 * c + ij] - S[c + i] * (S[c + j] / n)
            ij += 1
        if cross[ij - 1] < FAR * S[2 * c + ij - 1]:
            return NEEDS_ROWS
    slopes = fit[c : 2 * c]
    fit[2 * c], status = fit_moments(n, mean, cross, c - 1, parents, c - 1, in_cells, L, slopes)
    # The regression passes through the means; its intercept is that of shifted columns.
    intercept = S[2 * c - 1] / n
    for i in range(c - 1):
        intercept -= slopes[i] * (S[c + i] / n)
    slopes[c - 1] = intercept
    fit[:c] = S[:c]
    return status


@jit
def fit_closed(
    columns: Columns, which: Ints32, ids: Ints32, counts: Ints64, in_cells: bool, wanted: Ints32, fits: Floats
) -> int:
    """Regressions of the wanted cells on up to two parents. O(n (1 + g)^2 / 2), eq. 8 and 9 but for the residuals.

    counts : int64[m]; wanted : int32[m], left at 1 where sums cannot vouch for a fit, else 0 (out); fits : see
    bnjit.kernels.estimators (out) -> how many are left
    """
    S = sum_rows(columns, which, ids, counts.shape[0])
    scratch = np.empty((which.shape[0] + 2, 6))
    parents = np.arange(which.shape[0]).astype(np.int32)
    left = 0
    for cell in range(counts.shape[0]):
        if wanted[cell] == 1:
            wanted[cell] = _fit_sums(counts[cell], S[cell], parents, in_cells, fits[cell], scratch) == NEEDS_ROWS
            left += wanted[cell]
    return left
