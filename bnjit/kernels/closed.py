"""Regressions on up to two parents in closed form, from sums over the rows of each cell (Section 4.1).

Axis legend: n rows; m cells; g continuous parents; c = g + 1 columns, parents then node.

One pass over the rows in the order of the table; sums are those of bnjit.kernels.moments_small. They are about a
shift, the cell's first row, and have a relative error of about eps (1 + d^2 / s^2), where d is the distance of the
mean from the shift and s the standard deviation, whatever the mean is. Raw sums would lose every digit of MEHRA.

Section 4.1 prints the closed forms with two misprints, which are corrected here. With one parent the slope is
COV(X_i, X_j) / VAR(X_j), where the paper divides by VAR(X_i); with two parents the denominator is
d = VAR(X_j) VAR(X_k) - COV(X_j, X_k)^2, where the paper does not square the covariance. Cholesky's decomposition in
fit_moments comes to the same expressions, and diagnoses singular parents on the way.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.moments import FAR
from bnjit.kernels.moments_small import add_by_cell, add_products, empty_sums
from bnjit.kernels.regression import fit_moments
from bnjit.kernels.rules import NEEDS_ROWS
from bnjit.kernels.tuning import CLOSED_ROWS


@jit
def sum_rows(columns: Columns, which: Ints32, ids: Ints32, m: int) -> Floats:
    """Sums about a shift in every cell, as in bnjit.kernels.moments_small. O(n c^2 / 2).

    which : int32[c]; ids : int32[n], empty for one cell -> T : float64[m, c (c + 5) / 2]
    """
    c = which.shape[0]
    T = empty_sums(m, c)
    Z, S = np.empty((c, CLOSED_ROWS)), np.zeros(9)
    in_one_cell = ids.shape[0] == 0
    for start in range(0, columns.n, CLOSED_ROWS):
        length = min(CLOSED_ROWS, columns.n - start)
        x = view(columns, which[0], start, length, Z[0])
        u = view(columns, which[min(1, c - 1)], start, length, Z[min(1, c - 1)])
        v = view(columns, which[c - 1], start, length, Z[c - 1])
        if not in_one_cell:
            add_by_cell(ids[start : start + length], x, u, v, c, T)
            continue
        if start == 0:
            T[0, 0] = x[0]
            T[0, min(1, c - 1)] = u[0]
            T[0, c - 1] = v[0]
        add_products(x, u, v, T[0], c, S)
    if in_one_cell:
        for i in range(c):
            T[0, c + i] = S[i]
        for ij in range(c * (c + 1) // 2):
            T[0, 2 * c + ij] = S[3 + ij]
    return T


@jit
def _fit_sums(n: int, sums: Floats, parents: Ints32, in_cells: bool, fit: Floats, scratch: Floats) -> int:
    """Regression of one cell from its sums. -> FINE or NEEDS_ROWS.

    sums : float64[c (c + 5) / 2], shifts, sums and products; parents : int32[c], 0, 1, ...; fit : float64[2 c + 1]
    (out), see bnjit.kernels.estimators; scratch : float64[c + 2, 6]
    """
    c = (fit.shape[0] - 1) // 2
    mean, cross, L = scratch[0], scratch[1], scratch[2:, :c]
    ij = 0
    for i in range(c):
        mean[i] = sums[i] + sums[c + i] / n
        for j in range(i + 1):
            cross[ij] = sums[2 * c + ij] - sums[c + i] * (sums[c + j] / n)
            ij += 1
        if cross[ij - 1] < FAR * sums[2 * c + ij - 1]:
            return NEEDS_ROWS
    slopes = fit[c : 2 * c]
    fit[2 * c], status = fit_moments(n, mean, cross, c - 1, parents, c - 1, in_cells, L, slopes)
    # The regression passes through the means; its intercept is that of shifted columns.
    intercept = sums[2 * c - 1] / n
    for i in range(c - 1):
        intercept -= slopes[i] * (sums[c + i] / n)
    slopes[c - 1] = intercept
    fit[:c] = sums[:c]
    return status


@jit
def fit_closed(
    columns: Columns, which: Ints32, ids: Ints32, counts: Ints64, in_cells: bool, wanted: Ints32, fits: Floats
) -> int:
    """Regressions of the wanted cells on up to two parents. O(n (1 + g)^2 / 2), eqs. 9 and 10 but for the residuals.

    counts : int64[m]; wanted : int32[m], left at 1 where sums are not accurate enough for a fit, else 0 (out);
    fits : see bnjit.kernels.estimators (out) -> how many are left
    """
    T = sum_rows(columns, which, ids, counts.shape[0])
    scratch = np.empty((which.shape[0] + 2, 6))
    parents = np.arange(which.shape[0]).astype(np.int32)
    left = 0
    for cell in range(counts.shape[0]):
        if wanted[cell] == 1:
            wanted[cell] = _fit_sums(counts[cell], T[cell], parents, in_cells, fits[cell], scratch) == NEEDS_ROWS
            left += wanted[cell]
    return left
