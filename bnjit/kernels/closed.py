"""Regressions on up to two parents in closed form, from sums over the rows of each cell (Section 4.1).

Axis legend: n rows; m cells; g continuous parents; c = g + 1 columns, parents then node.

One pass over the rows in the order of the table; sums are those of bnjit.kernels.moments_small. They are about a
shift, the cell's first row, and have a relative error of about eps (1 + d^2 / s^2), where d is the distance of the
mean from the shift and s the standard deviation, whatever the mean is. Raw sums would lose every digit of MEHRA.

Section 4.1 prints the closed forms with two misprints, which are corrected here. With one parent the slope is
COV(X_i, X_j) / VAR(X_j), where the paper divides by VAR(X_i); with two parents the denominator is
d = VAR(X_j) VAR(X_k) - COV(X_j, X_k)^2, where the paper does not square the covariance. Cholesky's decomposition
comes to the same expressions, and diagnoses singular parents on the way. It is what fit_moments in
bnjit.kernels.regression does, written out for one and two parents.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.moments import FAR
from bnjit.kernels.moments_small import add_by_cell, add_products, empty_sums
from bnjit.kernels.rules import FINE, GUARD, NEEDS_ROWS, is_singular
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
def _centred(n: int, T: Floats, cell: int, c: int, i: int, j: int) -> float:
    """Cross-product of columns i >= j about their means."""
    return T[cell, 2 * c + i * (i + 1) // 2 + j] - T[cell, c + i] * (T[cell, c + j] / n)


@jit
def _is_far(n: int, T: Floats, cell: int, c: int) -> bool:
    """Whether some column's shift is so far from its mean that centring loses too many digits."""
    for i in range(c):
        if _centred(n, T, cell, c, i, i) < FAR * T[cell, 2 * c + i * (i + 3) // 2]:
            return True
    return False


@jit
def _is_spoilt(left: float, node: float, first: float, xx: float, second: float, uu: float) -> bool:
    """Whether rounding may have spoilt what slopes `first` and `second` leave of a node; see fit_moments."""
    reach = math.sqrt(node) + abs(first) * math.sqrt(xx) + abs(second) * math.sqrt(uu)
    return left < GUARD * reach * reach


@jit
def _fit_one(n: int, T: Floats, cell: int, in_cells: bool, fits: Floats) -> int:
    """Regression of a cell on one parent: COV(X_i, X_j) / VAR(X_j). -> FINE or NEEDS_ROWS; fits : see fit_closed."""
    xx, xv, vv = _centred(n, T, cell, 2, 0, 0), _centred(n, T, cell, 2, 1, 0), _centred(n, T, cell, 2, 1, 1)
    slope, left = 0.0, vv
    status = FINE
    if not is_singular(1, n, in_cells, xx, xx, 0.0):
        root = math.sqrt(xx)
        share = xv / root
        slope, left = share / root, vv - share * share
        if _is_spoilt(left, vv, slope, xx, 0.0, 0.0):
            status = NEEDS_ROWS
    fits[cell, 2], fits[cell, 4] = slope, left
    fits[cell, 3] = T[cell, 3] / n - slope * (T[cell, 2] / n)
    return status


@jit
def _fit_two(n: int, T: Floats, cell: int, in_cells: bool, fits: Floats) -> int:
    """Regression of a cell on two parents x and u by Cholesky's decomposition. -> FINE or NEEDS_ROWS.

    With d = VAR(x) VAR(u) - COV(x, u)^2, what x leaves of u is d / VAR(x).
    """
    xx, xu, uu = _centred(n, T, cell, 3, 0, 0), _centred(n, T, cell, 3, 1, 0), _centred(n, T, cell, 3, 1, 1)
    xv, uv, vv = _centred(n, T, cell, 3, 2, 0), _centred(n, T, cell, 3, 2, 1), _centred(n, T, cell, 3, 2, 2)
    without_x = is_singular(2, n, in_cells, xx, xx, 0.0)
    root = math.sqrt(xx)
    beside = 0.0 if without_x else xu / root
    of_x = 0.0 if without_x else xv / root
    left, rest = vv - of_x * of_x, uu - beside * beside
    given = uu - xu * (xu / xx) if without_x and xx > 0.0 else rest
    first = second = 0.0
    without_u = is_singular(2, n, in_cells, uu, given, 0.0)
    if not without_u:
        of_u = (uv - of_x * beside) / math.sqrt(rest)
        second = of_u / math.sqrt(rest)
        left -= of_u * of_u
    if not without_x:
        first = (of_x - beside * second) / root
    fits[cell, 3], fits[cell, 4], fits[cell, 6] = first, second, left
    fits[cell, 5] = T[cell, 5] / n - first * (T[cell, 3] / n) - second * (T[cell, 4] / n)
    if not (without_x and without_u) and _is_spoilt(left, vv, first, xx, second, uu):
        return NEEDS_ROWS
    return FINE


@jit
def _fit_sums(n: int, T: Floats, cell: int, c: int, in_cells: bool, fits: Floats) -> int:
    """Regression of one cell from its sums. -> FINE or NEEDS_ROWS.

    Reads and writes the tables where they are: to cut a row out of each took longer than the regression.
    """
    if _is_far(n, T, cell, c):
        return NEEDS_ROWS
    # The intercept is that of shifted columns, since the regression passes through the means.
    for i in range(c):
        fits[cell, i] = T[cell, i]
    if c == 2:
        return _fit_one(n, T, cell, in_cells, fits)
    if c == 3:
        return _fit_two(n, T, cell, in_cells, fits)
    fits[cell, 1], fits[cell, 2] = T[cell, 1] / n, _centred(n, T, cell, 1, 0, 0)
    return FINE


@jit
def fit_closed(
    columns: Columns, which: Ints32, ids: Ints32, counts: Ints64, in_cells: bool, wanted: Ints32, fits: Floats
) -> int:
    """Regressions of the wanted cells on up to two parents. O(n (1 + g)^2 / 2), eqs. 9 and 10 but for the residuals.

    counts : int64[m]; wanted : int32[m], left at 1 where sums are not accurate enough for a fit, else 0 (out);
    fits : see bnjit.kernels.estimators (out) -> how many are left
    """
    T = sum_rows(columns, which, ids, counts.shape[0])
    left = 0
    for cell in range(counts.shape[0]):
        if wanted[cell] == 1:
            wanted[cell] = _fit_sums(counts[cell], T, cell, which.shape[0], in_cells, fits) == NEEDS_ROWS
            left += wanted[cell]
    return left
