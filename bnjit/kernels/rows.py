"""Linear regression of one cell from its rows by QR, as the paper estimates it (Section 4.1).

Axis legend: n rows of the cell; g continuous parents; p = g + 2 columns with the intercept first and the node last.
Rows stream through buffers of RUN, so that memory does not grow with n.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints32, jit, jit_reordering
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.moments import RUN
from bnjit.kernels.regression import is_singular


@jit_reordering
def _dot(x: Floats, y: Floats, length: int) -> float:
    """Inner product; reordering is what lets it use vector registers."""
    total = 0.0
    for r in range(length):
        total += x[r] * y[r]
    return total


@jit_reordering
def _squares(x: Floats, middle: float, rest: float) -> float:
    """Sum of squares about a value, which is the sum of a large and a small one."""
    total = 0.0
    for r in range(x.shape[0]):
        residual = (x[r] - middle) - rest
        total += residual * residual
    return total


@jit_reordering
def _squares_given_one(x: Floats, u: Floats, middle: float, rest: float, slope: float, centre: float) -> float:
    """Sum of squares of x - middle - rest - slope (u - centre)."""
    total = 0.0
    for r in range(x.shape[0]):
        residual = ((x[r] - middle) - rest) - slope * (u[r] - centre)
        total += residual * residual
    return total


@jit_reordering
def _squares_given_two(x: Floats, u: Floats, v: Floats, slopes: Floats, centre: Floats) -> float:
    """Sum of squares of x less its centre and intercept, and less slopes . (u, v less their centres)."""
    b, c, rest = slopes[0], slopes[1], slopes[2]
    at, by, middle = centre[0], centre[1], centre[2]
    total = 0.0
    for r in range(x.shape[0]):
        residual = (((x[r] - middle) - rest) - b * (u[r] - at)) - c * (v[r] - by)
        total += residual * residual
    return total


@jit
def residuals_rows(
    columns: Columns,
    which: Ints32,
    first: int,
    last: int,
    centre: Floats,
    slopes: Floats,
    Z: Floats,
) -> float:
    """Sum of squared residuals x_i - x^_i over rows, the paper's last two steps. O(n (g + 3)).

    which : int32[g + 1], parents then node; centre : float64[g + 1]; slopes : float64[g + 1], intercept last;
    Z : float64[at least g + 2, RUN], scratch
    """
    g = which.shape[0] - 1
    rss = 0.0
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        x = view(columns, which[g], start, length, Z[g])
        if g == 0:
            rss += _squares(x, centre[0], slopes[0])
            continue
        u = view(columns, which[0], start, length, Z[0])
        if g == 1:
            rss += _squares_given_one(x, u, centre[1], slopes[1], slopes[0], centre[0])
            continue
        v = view(columns, which[1], start, length, Z[1])
        if g == 2:
            rss += _squares_given_two(x, u, v, slopes, centre)
            continue
        residual = Z[g + 1]
        middle, rest = centre[g], slopes[g]
        for r in range(length):
            residual[r] = (x[r] - middle) - rest
        for i in range(g):
            if slopes[i] != 0.0:
                u = view(columns, which[i], start, length, Z[i])
                slope, middle = slopes[i], centre[i]
                for r in range(length):
                    residual[r] -= slope * (u[r] - middle)
        rss += _dot(residual, residual, length)
    return rss


@jit
def _reflect(W: Floats, k: int, columns: int, length: int) -> None:
    """Annihilate rows 0 ... length - 1 of the block part of column k against its diagonal, by a Householder reflection.

    W : float64[p, p + at least length]; W[j, :p] is column j of R, W[j, p:] column j of the block below it.
    """
    p = columns
    below = W[k, p:]
    diagonal = W[k, k]
    squares = _dot(below, below, length)
    if squares == 0.0:
        return
    norm = math.sqrt(diagonal * diagonal + squares)
    alpha = -norm if diagonal > 0.0 else norm
    head = diagonal - alpha
    scale = 1.0 / (norm * (norm + abs(diagonal)))
    for j in range(k + 1, columns):
        other = W[j, p:]
        f = (head * W[j, k] + _dot(below, other, length)) * scale
        W[j, k] -= f * head
        for r in range(length):
            other[r] -= f * below[r]
    W[k, k] = alpha


@jit
def _solve_triangle(R: Floats, n: int, in_cells: bool, raw: Floats, slopes: Floats) -> None:
    """Slopes and intercept from the triangle of [1, parents, node], dropping singular parents by the common rule.

    R : float64[p, p] by columns, R[j, i] in row i, overwritten; raw : float64[p], sums of squares of the columns
    slopes : float64[p - 1] (out), intercept last
    """
    p = R.shape[0]
    g = p - 2
    kept = np.empty(g + 1, np.int64)
    kept[0] = 0
    rank = 1
    slopes[:] = 0.0
    for j in range(1, g + 1):
        whole = left = 0.0
        for i in range(1, j + 1):
            whole += R[j, i] * R[j, i]
            if i >= (j if g <= 2 else rank):
                left += R[j, i] * R[j, i]
        if is_singular(g, n, in_cells, whole, left, raw[j]):
            continue
        if j > rank:
            # An earlier parent was dropped: turn what is left of this one into row `rank`.
            norm = 0.0
            for i in range(rank, j + 1):
                norm += R[j, i] * R[j, i]
            norm = math.sqrt(norm)
            alpha = -norm if R[j, rank] > 0.0 else norm
            head = R[j, rank] - alpha
            for other in range(j + 1, p):
                f = head * R[other, rank]
                for i in range(rank + 1, j + 1):
                    f += R[j, i] * R[other, i]
                f /= norm * (norm + abs(R[j, rank]))
                R[other, rank] -= f * head
                for i in range(rank + 1, j + 1):
                    R[other, i] -= f * R[j, i]
            R[j, rank] = alpha
        kept[rank] = j
        rank += 1
    # Backward substitution: R [mu, beta] = Q' x_i.
    for q in range(rank - 1, -1, -1):
        s = R[p - 1, q]
        for t in range(q + 1, rank):
            s -= R[kept[t], q] * slopes[kept[t] - 1]
        if q == 0:
            slopes[g] = s / R[0, 0]
        else:
            slopes[kept[q] - 1] = s / R[kept[q], q]


@jit
def fit_qr(
    columns: Columns,
    which: Ints32,
    first: int,
    last: int,
    in_cells: bool,
    centre: Floats,
    slopes: Floats,
    Z: Floats,
) -> float:
    """QR regression from rows: [1 P] = Q R, R [mu, beta] = Q' x_i, then the residuals. O(n (1 + g)^2), eq. 4.

    Rows stream through a block that is reflected onto the triangle above it, so that memory does not grow with n.
    Columns are shifted by their first row, which changes only the intercept and spares digits where means are large.
    Arguments as in residuals_rows; centre and slopes are written. -> residual sum of squares
    """
    p = which.shape[0] + 1
    W = np.zeros((p, p + min(RUN, last - first)))
    for i in range(p - 1):
        centre[i] = view(columns, which[i], first, 1, Z[i])[0]
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        W[0, p : p + length] = 1.0
        for i in range(p - 1):
            source = view(columns, which[i], start, length, Z[i])
            target, middle = W[i + 1, p:], centre[i]
            for r in range(length):
                target[r] = source[r] - middle
        for k in range(p - 1):
            _reflect(W, k, p, length)
    n = last - first
    raw = np.empty(p)
    for j in range(1, p):
        squares = 0.0
        for i in range(1, j + 1):
            squares += W[j, i] * W[j, i]
        mean = centre[j - 1] + W[j, 0] / W[0, 0]
        raw[j] = squares + n * mean * mean
    _solve_triangle(W[:, :p].copy(), n, in_cells, raw, slopes)
    return residuals_rows(columns, which, first, last, centre, slopes, Z)
