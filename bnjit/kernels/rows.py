"""Linear regression of one cell from its rows by QR, as the paper estimates it (Section 4.1).

Axis legend: n rows of the cell; g continuous parents; p = g + 2 columns with the intercept first and the node last.
Rows stream through buffers of RUN_ROWS, or blocks of REFLECTED_ROWS, so that memory does not grow with n.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints32, carray, jit, jit_reordering, pointer
from bnjit.kernels.columns import FLOAT64, Columns, values_and_scale, view
from bnjit.kernels.rules import is_singular
from bnjit.kernels.tuning import REFLECTED_ROWS, RUN_ROWS, UNROLLED_ROWS

TINY = 1e-290  # a smaller sum of squares is zero: it is the rounding of rounding, where columns outnumber rows


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
    Z : float64[at least g + 2, RUN_ROWS], scratch
    """
    g = which.shape[0] - 1
    rss = 0.0
    for start in range(first, last, RUN_ROWS):
        length = min(RUN_ROWS, last - start)
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


@jit_reordering
def centre_values(x: Floats, scale: float, middle: float, B: Floats, i: int) -> float:
    """Copy values times `scale`, less `middle`, to B[i]; -> their sum."""
    total = 0.0
    for r in range(x.shape[0]):
        z = x[r] * scale - middle
        B[i, r] = z
        total += z
    return total


@jit_reordering
def _centre_rows(columns: Columns, j: int, rows: Ints32, middle: float, B: Floats, i: int) -> float:
    """Copy some rows of column j less `middle` to B[i]; -> their sum."""
    total = 0.0
    scale = columns.scale[j]
    if columns.kind[j] == FLOAT64:
        wide = carray(pointer(columns.address[j]), (columns.n,), np.float64)
        for r in range(rows.shape[0]):
            z = wide[rows[r]] * scale - middle
            B[i, r] = z
            total += z
    else:
        narrow = carray(pointer(columns.address[j]), (columns.n,), np.float32)
        for r in range(rows.shape[0]):
            z = np.float64(narrow[rows[r]]) * scale - middle
            B[i, r] = z
            total += z
    return total


@jit
def residuals_listed(columns: Columns, which: Ints32, rows: Ints32, centre: Floats, slopes: Floats, B: Floats) -> float:
    """Do what residuals_rows does for the rows that are listed. B : float64[g + 1, REFLECTED_ROWS], scratch."""
    g = which.shape[0] - 1
    residual = B[g]
    rss = 0.0
    for start in range(0, rows.shape[0], REFLECTED_ROWS):
        some = rows[start : start + REFLECTED_ROWS]
        _centre_rows(columns, which[g], some, centre[g], B, g)
        for r in range(some.shape[0]):
            residual[r] -= slopes[g]
        for i in range(g):
            _centre_rows(columns, which[i], some, centre[i], B, i)
            for r in range(some.shape[0]):
                residual[r] -= slopes[i] * B[i, r]
        rss += _dot(residual, residual, some.shape[0])
    return rss


@jit_reordering
def _subtract(B: Floats, j: int, f: float, beside: int, length: int) -> float:
    """Subtract f from row j of B; -> the inner product of the result with row `beside`, which may be j itself."""
    total = 0.0
    for r in range(length):
        B[j, r] -= f
    for r in range(length):
        total += B[j, r] * B[beside, r]
    return total


@jit_reordering
def _reduce(B: Floats, j: int, f: float, by: int, length: int) -> float:
    """Subtract f times row `by` of B from row j; -> the sum of squares of the result."""
    total = 0.0
    for r in range(length):
        z = B[j, r] - f * B[by, r]
        B[j, r] = z
        total += z * z
    return total


@jit_reordering
def _reduce_beside(B: Floats, j: int, f: float, by: int, beside: int, length: int) -> float:
    """Subtract f times row `by` of B from row j; -> the inner product of the result with row `beside`."""
    total = 0.0
    for r in range(length):
        z = B[j, r] - f * B[by, r]
        B[j, r] = z
        total += z * B[beside, r]
    return total


@jit_reordering
def _reduce_two_beside(B: Floats, j: int, f: float, h: float, by: int, beside: int, length: int) -> tuple[float, float]:
    """Do what _reduce_beside does for rows j and j + 1, by f and h times row `by`: a sweep that loads less."""
    first = second = 0.0
    for r in range(length):
        z = B[j, r] - f * B[by, r]
        w = B[j + 1, r] - h * B[by, r]
        B[j, r] = z
        B[j + 1, r] = w
        first += z * B[beside, r]
        second += w * B[beside, r]
    return first, second


@jit
def reflect_block(R: Floats, B: Floats, length: int, dots: Floats) -> None:
    """Annihilate `length` rows of a block against the triangle above it, by Householder reflections. O(length p^2).

    R : float64[p, p], the triangle of [1, parents, node] by columns, R[j, i] in row i; B : float64[p - 1, >= length],
    the block's columns but the intercept's, overwritten; dots : float64[p], sums of these columns, overwritten.
    The sweep that applies one reflection to a column also takes its inner product for the next. Zeros fill the block up
    to a multiple of UNROLLED_ROWS, for which B has room: they change nothing, and loops have no slow ends.
    """
    p = R.shape[0]
    padded = (length + UNROLLED_ROWS - 1) // UNROLLED_ROWS * UNROLLED_ROWS
    for j in range(p - 1):
        for r in range(length, padded):
            B[j, r] = 0.0
    dots[0] = length
    for k in range(p):
        diagonal, squares = R[k, k], dots[k]
        norm = math.sqrt(diagonal * diagonal + squares)
        alpha = -norm if diagonal > 0.0 else norm
        head = diagonal - alpha
        scale = 1.0 / (norm * (norm + abs(diagonal))) if squares > TINY else 0.0
        for j in range(k + 1, p):
            dots[j] = (head * R[j, k] + dots[j]) * scale
            R[j, k] -= dots[j] * head
        if k == 0:
            for j in range(1, p):
                dots[j] = _subtract(B, j - 1, dots[j], 0, length)
        elif k + 1 < p:
            dots[k + 1] = _reduce(B, k, dots[k + 1], k - 1, padded)
            for j in range(k + 2, p - 1, 2):
                dots[j], dots[j + 1] = _reduce_two_beside(B, j - 1, dots[j], dots[j + 1], k - 1, k, padded)
            if (p - k) % 2 == 1:
                dots[p - 1] = _reduce_beside(B, p - 2, dots[p - 1], k - 1, k, padded)
        if squares > TINY:
            R[k, k] = alpha


@jit
def solve_triangle(R: Floats, n: int, in_cells: bool, centre: Floats, slopes: Floats) -> float:
    """Slopes and intercept from the triangle of [1, parents, node], dropping singular parents by the common rule.

    R : float64[p, p] as in reflect_block, overwritten; centre : float64[p - 1], what was subtracted from the columns
    slopes : float64[p - 1] (out), intercept last; R[0, j] is 1 for parents that were kept, 0 for others (out)
    -> residual sum of squares, as the triangle has it
    """
    p = R.shape[0]
    g = p - 2
    kept = np.empty(g + 1, np.int64)
    kept[0] = 0
    rank = 1
    slopes[:] = 0.0
    for j in range(1, g + 1):
        total = left = 0.0
        # The first row is the first parent's, unless that has no variance at all: then it is the next one's.
        lowest = j if g <= 2 and R[1, 1] * R[1, 1] > TINY else rank
        for i in range(1, j + 1):
            total += R[j, i] * R[j, i]
            if i >= lowest:
                left += R[j, i] * R[j, i]
        mean = centre[j - 1] + R[j, 0] / R[0, 0]
        R[0, j] = 0.0
        if is_singular(g, n, in_cells, total, left, total + n * mean * mean):
            continue
        R[0, j] = 1.0
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
    rss = 0.0
    for i in range(rank, p):
        rss += R[p - 1, i] * R[p - 1, i]
    # Backward substitution: R [mu, beta] = Q' x_i.
    for q in range(rank - 1, -1, -1):
        s = R[p - 1, q]
        for t in range(q + 1, rank):
            s -= R[kept[t], q] * slopes[kept[t] - 1]
        if q == 0:
            slopes[g] = s / R[0, 0]
        else:
            slopes[kept[q] - 1] = s / R[kept[q], q]
    return rss


@jit
def add_rows_qr(
    columns: Columns, which: Ints32, rows: Ints32, first: int, last: int, centre: Floats, R: Floats, B: Floats,
    dots: Floats,
) -> None:  # fmt: skip
    """Reflect rows first ... last - 1, or rows[first : last], onto a triangle, a block at a time. O(n (1 + g)^2).

    centre : float64[g + 1], what is subtracted from the columns; R, B, dots as in reflect_block
    """
    room = np.empty(REFLECTED_ROWS)  # not in B: values that overlap are summed in another order
    for start in range(first, last, REFLECTED_ROWS):
        length = min(REFLECTED_ROWS, last - start)
        for i in range(which.shape[0]):
            if rows.shape[0] == 0:
                x, scale = values_and_scale(columns, which[i], start, length, room)
                dots[i + 1] = centre_values(x, scale, centre[i], B, i)
            else:
                dots[i + 1] = _centre_rows(columns, which[i], rows[start : start + length], centre[i], B, i)
        reflect_block(R, B, length, dots)
