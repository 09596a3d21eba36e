"""Linear regression of one cell from its moments, by Cholesky.

Axis legend: g continuous parents; c columns. The rules that decide which parents are dropped are in
bnjit.kernels.rules.
"""

import math

from bnjit._jit import Floats, Ints32, jit
from bnjit.kernels.moments import Moments
from bnjit.kernels.rules import FINE, GUARD, NEEDS_ROWS, is_nearly_singular, is_rounding, is_singular


@jit
def cross_entry(cross: Floats, i: int, j: int) -> float:
    """Entry (i, j) of a packed lower triangle."""
    return cross[i * (i + 1) // 2 + j] if i >= j else cross[j * (j + 1) // 2 + i]


@jit
def fit_moments(
    count: float,
    mean: Floats,
    cross: Floats,
    y: int,
    parents: Ints32,
    g: int,
    in_cells: bool,
    L: Floats,
    slopes: Floats,
) -> tuple[float, int]:
    """Regression of column y on g parents from the moments of one cell, by Cholesky. O(g^3 / 6).

    mean : float64[c], cross : float64[c (c + 1) / 2], parents : int32[>= g], positions among the c columns
    in_cells : see rules.is_singular; L : float64[>= g + 1, >= g + 1], scratch: its first row lists the parents
    that are not dropped, from the second place on, and if one is, L[g, i] is 1 for those that are not
    slopes : float64[>= g] (out), 0 for parents that are dropped
    -> residual sum of squares, FINE or NEEDS_ROWS (rounding may have spoiled it: fit again from rows)
    """
    status = FINE
    rank = 0
    for i in range(g + 1):
        is_node = i == g
        v = y if is_node else parents[i]
        total = cross_entry(cross, v, v)
        left = total
        for q in range(rank):
            s = cross_entry(cross, v, parents[int(L[0, q + 1])])
            for t in range(q):
                s -= L[rank, t] * L[q, t]
            L[rank, q] = s / L[q, q]
            left -= L[rank, q] * L[rank, q]
        if is_node:
            break
        slopes[i] = 0.0
        given = left
        if g == 2 and i == 1 and rank == 0 and cross_entry(cross, parents[0], parents[0]) > 0.0:
            s = cross_entry(cross, v, parents[0])
            given -= s * (s / cross_entry(cross, parents[0], parents[0]))
        raw = total + count * mean[v] * mean[v]
        # Of three and more parents, moments drop only one that is nearly constant; rows decide the other close cases.
        if is_singular(g, count, in_cells, total, given if g <= 2 else total, raw):
            continue
        if is_rounding(left, total) or (g > 2 and is_nearly_singular(left, raw)):
            return 0.0, NEEDS_ROWS
        L[0, rank + 1] = i
        L[rank, rank] = math.sqrt(left)
        rank += 1
    if rank < g:  # the last row is free
        for i in range(g):
            L[g, i] = 0.0
        for q in range(rank):
            L[g, int(L[0, q + 1])] = 1.0
    # Back substitution: L' slopes = the node's row. With one parent j the slope is COV(i, j) / VAR(j), where the paper
    # (Section 4.1) prints VAR(i); with two, the denominator is VAR(j) VAR(k) - COV(j, k)^2, printed without the square.
    reach = math.sqrt(total)
    for q in range(rank - 1, -1, -1):
        s = L[rank, q]
        for t in range(q + 1, rank):
            s -= L[t, q] * slopes[int(L[0, t + 1])]
        i = int(L[0, q + 1])
        slopes[i] = s / L[q, q]
        reach += abs(slopes[i]) * math.sqrt(cross_entry(cross, parents[i], parents[i]))
    # Rounding the moments by a relative eps moves RSS by up to eps reach^2.
    if rank > 0 and left < GUARD * reach * reach:
        status = NEEDS_ROWS
    return left, status


@jit
def between_means(train: Moments, test: Moments, cell: int, v: int) -> float:
    """Distance of a column's mean in the test rows from that in the training rows."""
    between = test.means[cell, v] - train.means[cell, v]
    return between + (test.mean_corrections[cell, v] - train.mean_corrections[cell, v])


@jit
def residuals_moments(
    train: Moments, test: Moments, cell: int, y: int, parents: Ints32, g: int, slopes: Floats
) -> tuple[float, int]:
    """Sum of squared residuals of a cell's test rows under the slopes of its training rows (eq. 12). O(g^2).

    The regression passes through the training means. -> sum of squares, FINE or NEEDS_ROWS
    """
    cross = test.crosses[cell]
    offset = between_means(train, test, cell, y)
    spread = cross_entry(cross, y, y)
    reach = math.sqrt(spread)
    for i in range(g):
        v = parents[i]
        offset -= slopes[i] * between_means(train, test, cell, v)
        reach += abs(slopes[i]) * math.sqrt(cross_entry(cross, v, v))
        spread -= 2.0 * slopes[i] * cross_entry(cross, y, v)
        for j in range(g):
            spread += slopes[i] * slopes[j] * cross_entry(cross, v, parents[j])
    rss = max(spread, 0.0) + test.counts[cell] * offset * offset
    return rss, NEEDS_ROWS if g > 0 and rss < GUARD * reach * reach else FINE
