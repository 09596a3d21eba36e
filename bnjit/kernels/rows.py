"""Linear regression of one cell from its rows, as the paper estimates it: by QR, or in closed form (Section 4.1).

Axis legend: n rows of the cell; g continuous parents; p = g + 2 columns with the intercept first and the node last.
Rows stream through buffers of RUN, so that memory does not grow with n.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints32, carray, jit, jit_reordering, pointer
from bnjit.kernels.columns import FLOAT64, Columns, read_values
from bnjit.kernels.moments import RUN, sum_values
from bnjit.kernels.regression import is_singular

# Two parents with 1 - cor^2 below this cost the closed form so many digits that QR fits them instead.
CLOSED_GUARD = 1e-3


@jit
def view(columns: Columns, j: int, start: int, length: int, room: Floats) -> Floats:
    """Rows start ... of column j as float64: where they lie, or copied to room."""
    if columns.kind[j] == FLOAT64:
        return carray(pointer(columns.address[j]), (columns.n,), np.float64)[start : start + length]
    read_values(columns, j, start, room, length)
    return room[:length]


@jit_reordering
def _dot(x: Floats, y: Floats, length: int) -> float:
    """Inner product; reordering is what lets it use vector registers."""
    total = 0.0
    for r in range(length):
        total += x[r] * y[r]
    return total


@jit_reordering
def _squares(x: Floats, middle: float) -> float:
    """Sum of squares about a value."""
    total = 0.0
    for r in range(x.shape[0]):
        total += (x[r] - middle) * (x[r] - middle)
    return total


@jit_reordering
def _squares_given_one(x: Floats, u: Floats, middle: float, slope: float, centre: float) -> float:
    """Sum of squares of x - middle - slope (u - centre)."""
    total = 0.0
    for r in range(x.shape[0]):
        residual = (x[r] - middle) - slope * (u[r] - centre)
        total += residual * residual
    return total


@jit_reordering
def _squares_given_two(x: Floats, u: Floats, v: Floats, middle: float, slopes: Floats, centre: Floats) -> float:
    """Sum of squares of x - middle - slopes . (u, v less their centres)."""
    b, c = slopes[0], slopes[1]
    at, by = centre[0], centre[1]
    total = 0.0
    for r in range(x.shape[0]):
        residual = ((x[r] - middle) - b * (u[r] - at)) - c * (v[r] - by)
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
    Z : float64[at least g + 2 and TILE, RUN], scratch
    """
    g = which.shape[0] - 1
    rss = 0.0
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        x = view(columns, which[g], start, length, Z[g])
        if g == 0:
            rss += _squares(x, centre[0] + slopes[0])
            continue
        u = view(columns, which[0], start, length, Z[0])
        if g == 1:
            rss += _squares_given_one(x, u, centre[1] + slopes[1], slopes[0], centre[0])
            continue
        v = view(columns, which[1], start, length, Z[1])
        if g == 2:
            rss += _squares_given_two(x, u, v, centre[2] + slopes[2], slopes, centre)
            continue
        residual = Z[g + 1]
        middle = centre[g] + slopes[g]
        for r in range(length):
            residual[r] = x[r] - middle
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
    Arguments as in fit_closed.
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


@jit_reordering
def _products_of_one(x: Floats, a: float, S: Floats) -> None:
    """Add the sum and the sum of squares about a to S[0], S[3]."""
    s = ss = 0.0
    for r in range(x.shape[0]):
        z = x[r] - a
        s += z
        ss += z * z
    S[0] += s
    S[3] += ss


@jit_reordering
def _products_of_two(x: Floats, u: Floats, a: float, b: float, S: Floats) -> None:
    """Add sums S[0], S[1] and products S[3] = xx, S[4] = xu, S[5] = uu about a, b."""
    s = t = ss = st = tt = 0.0
    for r in range(x.shape[0]):
        z = x[r] - a
        w = u[r] - b
        s += z
        t += w
        ss += z * z
        st += z * w
        tt += w * w
    S[0] += s
    S[1] += t
    S[3] += ss
    S[4] += st
    S[5] += tt


@jit_reordering
def _products_of_three(x: Floats, u: Floats, v: Floats, a: float, b: float, c: float, S: Floats) -> None:
    """Add sums S[:3] and products S[3:] = xx, xu, uu, xv, uv, vv about a, b, c."""
    s = t = q = ss = st = tt = sq = tq = qq = 0.0
    for r in range(x.shape[0]):
        z = x[r] - a
        w = u[r] - b
        y = v[r] - c
        s += z
        t += w
        q += y
        ss += z * z
        st += z * w
        tt += w * w
        sq += z * y
        tq += w * y
        qq += y * y
    S[0] += s
    S[1] += t
    S[2] += q
    S[3] += ss
    S[4] += st
    S[5] += tt
    S[6] += sq
    S[7] += tq
    S[8] += qq


@jit
def _covariances(
    columns: Columns, which: Ints32, first: int, last: int, centre: Floats, rest: Floats, S: Floats,
    Z: Floats,
) -> None:  # fmt: skip
    """Means of up to three columns, then their sums of squares and products: two passes, as the paper counts them.

    centre : float64[c] (out), means; rest : float64[c] (out), what rounding left of them;
    S : float64[9] (out), products from S[3] on: xx, xu, uu, xv, uv, vv, with x the last column, then the others
    """
    c = which.shape[0]
    n = last - first
    centre[:] = 0.0
    for start in range(first, last, RUN):
        for i in range(c):
            length = min(RUN, last - start)
            centre[i] += sum_values(view(columns, which[i], start, length, Z[i]), length)
    for i in range(c):
        centre[i] /= n
    S[:] = 0.0
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        x = view(columns, which[c - 1], start, length, Z[c - 1])
        if c == 1:
            _products_of_one(x, centre[0], S)
            continue
        u = view(columns, which[0], start, length, Z[0])
        if c == 2:
            _products_of_two(x, u, centre[1], centre[0], S)
        else:
            v = view(columns, which[1], start, length, Z[1])
            _products_of_three(x, u, v, centre[2], centre[0], centre[1], S)
    # What rounding left of the means corrects the products too (Chan et al., eq. 1.7).
    at = 3
    for i in range(c):
        for j in range(i + 1):
            S[at] -= S[i] * S[j] / n
            at += 1
        rest[(i - 1) % c] = S[i] / n


@jit
def fit_closed(
    columns: Columns,
    which: Ints32,
    first: int,
    last: int,
    in_cells: bool,
    centre: Floats,
    slopes: Floats,
    Z: Floats,
) -> float:
    """Closed-form regression on 0, 1 or 2 parents from rows (Section 4.1). O(n (1 + g)^2 / 2 + n (1 + g) + 3 n), eq. 9.

    Means, variances and covariances of (X_i, parents) first, then the slopes, then the residuals. Arguments as in
    residuals_rows; centre and slopes are written. -> residual sum of squares
    """
    c = which.shape[0]
    n = last - first
    S = np.empty(9)
    rest = np.empty(c)
    _covariances(columns, which, first, last, centre, rest, S, Z)
    slopes[:] = 0.0
    if c == 1:
        slopes[0] = rest[0]
        return S[3]
    ij, jj, ik, jk, kk = S[4], S[5], S[6], S[7], S[8]
    # What the first parent leaves of the second: d / VAR(X_j), with d = VAR(X_j) VAR(X_k) - COV(X_j, X_k)^2, which the
    # paper prints without the square.
    left = kk - jk * (jk / jj) if jj > 0.0 else kk
    use_j = not is_singular(c - 1, n, in_cells, jj, jj, 0.0)
    use_k = c == 3 and not is_singular(2, n, in_cells, kk, left, 0.0)
    if use_j and use_k:
        if left < CLOSED_GUARD * kk:
            return fit_qr(columns, which, first, last, in_cells, centre, slopes, Z)
        slopes[1] = (ik - jk * (ij / jj)) / left
        slopes[0] = (ij - jk * slopes[1]) / jj
    if use_j and not use_k:
        # beta_j = COV(X_i, X_j) / VAR(X_j): the paper prints VAR(X_i) below the line.
        slopes[0] = ij / jj
    elif use_k and not use_j:
        slopes[1] = ik / kk
    slopes[c - 1] = rest[c - 1]
    for i in range(c - 1):
        slopes[c - 1] -= slopes[i] * rest[i]
    return residuals_rows(columns, which, first, last, centre, slopes, Z)
