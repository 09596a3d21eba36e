"""Linear regression of one cell from its moments, and what every estimator of it has in common.

Axis legend: g continuous parents; c columns.

One rule for singular regressors, whatever the estimator, so that a score never depends on it (it is bnlearn's):
- up to two parents: a parent is dropped if its variance is below TOLERANCE (with discrete parents, if its sum of
  squares in the cell is), and so is the second where |cor| > 1 - TOLERANCE, whatever became of the first;
- three and more: a parent is dropped when what the parents before it leave of it is less than TOLERANCE of its norm.
The degrees of freedom keep the dropped parents. A residual standard deviation below TOLERANCE makes a model singular.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints32, jit
from bnjit.kernels.moments import Moments

TOLERANCE = math.sqrt(np.finfo(np.float64).eps)
CLOSE = 2.0 * TOLERANCE - TOLERANCE**2  # 1 - cor^2 where |cor| = 1 - TOLERANCE
# Moments answer while rounding may change a residual sum of squares by at most about 1e-10 of itself.
GUARD = 1e-5

FINE, NEEDS_ROWS = 0, 1


@jit
def gaussian_loglik(n: int, degrees: int, rss: float) -> float:
    """Log-likelihood of n residuals with variance rss / degrees; -inf where the fit is singular.

    -(n / 2) log(2 pi s^2) - RSS / (2 s^2), and RSS / s^2 is the degrees of freedom.
    """
    if degrees <= 0:
        return -np.inf
    variance = rss / degrees
    if not variance >= TOLERANCE * TOLERANCE:
        return -np.inf
    return -0.5 * n * math.log(2.0 * math.pi * variance) - 0.5 * degrees


@jit
def predictive_loglik(n: int, rss: float, variance: float) -> float:
    """Log-density of n new residuals with sum of squares rss, given the variance that training found (eq. 10)."""
    if not variance >= TOLERANCE * TOLERANCE:
        return -np.inf
    return -0.5 * n * math.log(2.0 * math.pi * variance) - 0.5 * rss / variance


@jit
def is_singular(g: int, n: int, in_cells: bool, whole: float, left: float, raw: float) -> bool:
    """Whether a parent is to be dropped; see the top of this file.

    in_cells : whether the n rows are a cell of discrete parents; whole : the parent's centred sum of squares;
    left : what is left of it given the parents before it (of two, given the first even if that was dropped);
    raw : its sum of squares about zero
    """
    if g <= 2:
        least = TOLERANCE if in_cells else TOLERANCE * (n - 1)
        return whole < least or left < CLOSE * whole
    return left <= TOLERANCE * TOLERANCE * raw


@jit
def _cross(cross: Floats, i: int, j: int) -> float:
    """Entry (i, j) of a packed lower triangle."""
    return cross[i * (i + 1) // 2 + j] if i >= j else cross[j * (j + 1) // 2 + i]


@jit
def fit_moments(
    count: int, mean: Floats, cross: Floats, y: int, parents: Ints32, g: int, in_cells: bool, L: Floats, slopes: Floats
) -> tuple[float, int]:
    """Regression of column y on g parents from the moments of one cell, by Cholesky. O(g^3 / 6).

    mean : float64[c], cross : float64[c (c + 1) / 2], parents : int32[>= g], positions among the c columns
    in_cells : see is_singular; L : float64[g + 1, g + 1], scratch; slopes : float64[>= g] (out), 0 for dropped parents
    -> residual sum of squares, FINE or NEEDS_ROWS (rounding may have spoiled it: fit again from rows)
    """
    status = FINE
    rank = 0
    kept = np.empty(g, np.int64)
    for i in range(g + 1):
        is_node = i == g
        v = y if is_node else parents[i]
        whole = _cross(cross, v, v)
        slot = L[rank]
        left = whole
        for q in range(rank):
            s = _cross(cross, v, parents[kept[q]])
            for t in range(q):
                s -= slot[t] * L[q, t]
            slot[q] = s / L[q, q]
            left -= slot[q] * slot[q]
        if is_node:
            break
        slopes[i] = 0.0
        given = left
        if g == 2 and i == 1 and rank == 0 and _cross(cross, parents[0], parents[0]) > 0.0:
            s = _cross(cross, v, parents[0])
            given -= s * (s / _cross(cross, parents[0], parents[0]))
        raw = whole + count * mean[v] * mean[v]
        # What moments say of three and more parents is certain only far from the limit.
        if is_singular(g, count, in_cells, whole, given if g <= 2 else whole, raw):
            continue
        if left < GUARD * TOLERANCE * whole or (g > 2 and left < 4.0 * TOLERANCE * TOLERANCE * raw):
            return 0.0, NEEDS_ROWS
        kept[rank] = i
        L[rank, rank] = math.sqrt(left)
        rank += 1
    # Back substitution: L' slopes = the node's row.
    reach = math.sqrt(whole)
    for q in range(rank - 1, -1, -1):
        s = L[rank, q]
        for t in range(q + 1, rank):
            s -= L[t, q] * slopes[kept[t]]
        slopes[kept[q]] = s / L[q, q]
        reach += abs(slopes[kept[q]]) * math.sqrt(_cross(cross, parents[kept[q]], parents[kept[q]]))
    # Rounding the moments by a relative eps moves RSS by up to eps reach^2.
    if rank > 0 and left < GUARD * reach * reach:
        status = NEEDS_ROWS
    return left, status


@jit
def _between(train: Moments, test: Moments, cell: int, v: int) -> float:
    """Distance of a column's mean in the test rows from that in the training rows."""
    return (test.means[cell, v] - train.means[cell, v]) + (test.lows[cell, v] - train.lows[cell, v])


@jit
def residuals_moments(
    train: Moments, test: Moments, cell: int, y: int, parents: Ints32, g: int, slopes: Floats
) -> tuple[float, int]:
    """Sum of squared residuals of a cell's test rows under the slopes of its training rows. O(g^2).

    The regression passes through the training means. -> sum of squares, FINE or NEEDS_ROWS
    """
    cross = test.crosses[cell]
    offset = _between(train, test, cell, y)
    spread = _cross(cross, y, y)
    reach = math.sqrt(spread)
    for i in range(g):
        v = parents[i]
        offset -= slopes[i] * _between(train, test, cell, v)
        reach += abs(slopes[i]) * math.sqrt(_cross(cross, v, v))
        spread -= 2.0 * slopes[i] * _cross(cross, y, v)
        for j in range(g):
            spread += slopes[i] * slopes[j] * _cross(cross, v, parents[j])
    rss = max(spread, 0.0) + test.counts[cell] * offset * offset
    return rss, NEEDS_ROWS if g > 0 and rss < GUARD * reach * reach else FINE
