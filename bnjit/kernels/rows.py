"""Linear regression of one cell from its rows, as the paper estimates it: by QR, or in closed form (Section 4.1).

Axis legend: n rows of the cell; g continuous parents; p = g + 2 columns with the intercept first and the node last.
Rows stream through buffers of RUN, so that memory does not grow with n.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints32, jit, jit_reordering
from bnjit.kernels.columns import Columns, gather_values, read_values
from bnjit.kernels.moments import RUN, TILE, Moments, add_rows
from bnjit.kernels.regression import is_singular

# Two parents with 1 - cor^2 below this cost the closed form so many digits that QR fits them instead.
CLOSED_GUARD = 1e-3


@jit
def load(columns: Columns, which: Ints32, rows: Ints32, start: int, length: int, Z: Floats) -> None:
    """Fill Z[i, :length] with column which[i]: rows[start ...], or rows start ... themselves where rows is empty."""
    for i in range(which.shape[0]):
        if rows.shape[0] > 0:
            gather_values(columns, which[i], rows, start, Z[i], length)
        else:
            read_values(columns, which[i], start, Z[i], length)


@jit_reordering
def _dot(x: Floats, y: Floats, length: int) -> float:
    """Inner product; reordering is what lets it use vector registers."""
    total = 0.0
    for r in range(length):
        total += x[r] * y[r]
    return total


@jit
def residuals_rows(
    columns: Columns,
    which: Ints32,
    rows: Ints32,
    first: int,
    last: int,
    centre: Floats,
    slopes: Floats,
    Z: Floats,
) -> float:
    """Sum of squared residuals x_i - x^_i over rows, the paper's last two steps. O(n (g + 3)).

    which : int32[g + 1], parents then node; centre : float64[g + 1]; slopes : float64[g + 1], intercept last;
    Z : float64[at least g + 2 and TILE, RUN], scratch
    """
    g = which.shape[0] - 1
    rss = 0.0
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        load(columns, which, rows, start, length, Z)
        residual = Z[g]
        middle, intercept = centre[g], slopes[g]
        for r in range(length):
            residual[r] = (residual[r] - middle) - intercept
        for i in range(g):
            if slopes[i] != 0.0:
                x = Z[i]
                slope, middle = slopes[i], centre[i]
                for r in range(length):
                    residual[r] -= slope * (x[r] - middle)
        rss += _dot(residual, residual, length)
    return rss


@jit
def _reflect(W: Floats, k: int, columns: int, length: int) -> None:
    """Annihilate rows 0 ... length - 1 of the block part of column k against its diagonal, by a Householder reflection.

    W : float64[columns, p + RUN]; W[j, :p] is column j of R, W[j, p:] column j of the block below it.
    """
    p = W.shape[1] - RUN
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
    rows: Ints32,
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
    Arguments as in fit_closed.
    """
    p = which.shape[0] + 1
    W = np.zeros((p, p + RUN))
    load(columns, which, rows, first, 1, Z)
    for i in range(p - 1):
        centre[i] = Z[i, 0]
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        W[0, p : p + length] = 1.0
        load(columns, which, rows, start, length, Z)
        for i in range(p - 1):
            source, target, middle = Z[i], W[i + 1, p:], centre[i]
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
    return residuals_rows(columns, which, rows, first, last, centre, slopes, Z)


@jit
def fit_closed(
    columns: Columns,
    which: Ints32,
    rows: Ints32,
    first: int,
    last: int,
    in_cells: bool,
    centre: Floats,
    slopes: Floats,
    Z: Floats,
) -> float:
    """Closed-form regression on 0, 1 or 2 parents from rows (Section 4.1). O(n (1 + g)^2 / 2 + n (1 + g) + 3 n), eq. 8.

    Means, variances and covariances of (X_i, parents) first, then the slopes, then the residuals. Arguments as in
    residuals_rows; centre and slopes are written. -> residual sum of squares
    """
    c = which.shape[0]
    n = last - first
    one = Moments(np.zeros(1, np.int64), np.zeros((1, c)), np.zeros((1, c)), np.zeros((1, c * (c + 1) // 2)))
    scratch = np.empty((TILE, c + TILE))
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        load(columns, which, rows, start, length, Z)
        add_rows(Z, length, 0, one, scratch)
    centre[:] = one.means[0]
    slopes[:] = 0.0
    S = one.crosses[0]
    if c == 1:
        return S[0]
    jj = S[0]
    kk = S[2] if c == 3 else 0.0
    jk = S[1] if c == 3 else 0.0
    ij = S[3] if c == 3 else S[1]
    ik = S[4] if c == 3 else 0.0
    # What the first parent leaves of the second: d / VAR(X_j), with d = VAR(X_j) VAR(X_k) - COV(X_j, X_k)^2, which the
    # paper prints without the square.
    left = kk - jk * (jk / jj) if jj > 0.0 else kk
    use_j = not is_singular(c - 1, n, in_cells, jj, jj, 0.0)
    use_k = c == 3 and not is_singular(2, n, in_cells, kk, left, 0.0)
    if use_j and use_k:
        if left < CLOSED_GUARD * kk:
            return fit_qr(columns, which, rows, first, last, in_cells, centre, slopes, Z)
        slopes[1] = (ik - jk * (ij / jj)) / left
        slopes[0] = (ij - jk * slopes[1]) / jj
    if use_j and not use_k:
        # beta_j = COV(X_i, X_j) / VAR(X_j): the paper prints VAR(X_i) below the line.
        slopes[0] = ij / jj
    elif use_k and not use_j:
        slopes[1] = ik / kk
    slopes[c - 1] = one.lows[0, c - 1]
    for i in range(c - 1):
        slopes[c - 1] -= slopes[i] * one.lows[0, i]
    return residuals_rows(columns, which, rows, first, last, centre, slopes, Z)
