"""Marginal likelihood of a continuous node in the cells of its discrete parents, under a normal-Wishart prior.

Axis legend: b candidate parent sets; g continuous parents; m cells of the discrete parents that all b share.

In each cell the columns are normal with a mean and a precision matrix of their own. The prior of every cell is the
same: the mean is that of `strength` imaginary rows at `centre`, the precision is Wishart with scale diag(`scale`). The
score of a node given its parents is log m(parents and node) - log m(parents). With R = diag(scale) + S +
n k / (n + k) d d', where S are the centred cross-products of the n rows, k is the strength and d the distance of the
mean from the centre, all that it needs of the rows are the pivots of R's Cholesky factor (Geiger and Heckerman 2002;
Bottcher 2001).
"""

import math
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.cgaussian import Marks, Task
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import cross_entry
from bnjit.kernels.rules import FINE, NEEDS_ROWS, is_rounding
from bnjit.kernels.triangles import Triangles, family_of, make_triangle


class CellPrior(NamedTuple):
    """Prior of every cell: centre, scale : float64[c], of the columns of a table.

    strength : imaginary rows of the mean; freedom : degrees of freedom of the Wishart prior of no parents and no node
    """

    centre: Floats
    scale: Floats
    strength: float
    freedom: float


@jit
def _log_marginal(n: int, g: int, prior: CellPrior, parents: float, both: float, scales: float, own: float) -> float:
    """Score of a cell's n rows from log-determinants of R: of the parents, and of the parents and the node.

    scales : sum of the logarithms of the parents' scales; own : that of the node's
    """
    free = prior.freedom + g
    return (
        0.5 * (math.log(prior.strength) - math.log(n + prior.strength))
        + math.lgamma(0.5 * (n + free + 1.0))
        - math.lgamma(0.5 * (free + 1.0))
        - 0.5 * n * math.log(math.pi)
        + 0.5 * (free + 1.0) * (scales + own)
        - 0.5 * free * scales
        + 0.5 * (n + free) * parents
        - 0.5 * (n + free + 1.0) * both
    )


@jit
def _score_cell(
    cells: Moments, cell: int, y: int, parents: Ints32, g: int, prior: CellPrior, L: Floats
) -> tuple[float, int]:
    """Score of one cell, and FINE or NEEDS_ROWS. O(g^3 / 6)."""
    n = cells.counts[cell]
    apart = n * (prior.strength / (n + prior.strength))
    log_parents = log_both = scales = own = 0.0
    for i in range(g + 1):
        u = y if i == g else parents[i]
        du = cells.means[cell, u] - prior.centre[u] + cells.mean_corrections[cell, u]
        for k in range(i + 1):
            v = y if k == g else parents[k]
            dv = cells.means[cell, v] - prior.centre[v] + cells.mean_corrections[cell, v]
            s = cross_entry(cells.crosses[cell], u, v) + apart * du * dv
            if k == i:
                s += prior.scale[u]
            total = s
            for t in range(k):
                s -= L[i, t] * L[k, t]
            if k < i:
                L[i, k] = s / L[k, k]
            elif is_rounding(s, total):
                return 0.0, NEEDS_ROWS
            else:
                L[i, i] = math.sqrt(s)
                log_parents = log_both
                log_both += math.log(s)
                scales += own
                own = math.log(prior.scale[u])
    return _log_marginal(n, g, prior, log_parents, log_both, scales, own), FINE


@jit
def _sum_cells(cells: Moments, y: int, parents: Ints32, g: int, prior: CellPrior, marks: Marks) -> tuple[float, int]:
    """Sum of the scores that moments give accurately, and the number of other cells, which are marked."""
    L = np.empty((g + 1, g + 1))
    total = 0.0
    count = 0
    for cell in range(cells.counts.shape[0]):
        value, status = _score_cell(cells, cell, y, parents, g, prior, L)
        marks[cell] = status
        total += value
        count += status
    return total, count


@jit
def batch_marginals(
    first: int, last: int, cells: Moments, y: int, parents: Ints32, sizes: Ints64, prior: CellPrior, out: Floats,
    flagged: Ints64, marks: Marks,
) -> None:  # fmt: skip
    """Score parent sets first ... last - 1 of b. O(m g^3) each.

    parents : int32[b, g max], positions among the columns; out : float64[b], sums over accurate cells; flagged :
    int64[b], how many others there are; marks : uint8[b, m], FINE or NEEDS_ROWS (out)
    """
    for i in range(first, last):
        out[i], flagged[i] = _sum_cells(cells, y, parents[i], sizes[i], prior, marks[i])


@jit
def _score_triangle(cells: Triangles, cell: int, which: Ints32, prior: CellPrior) -> float:
    """Score of one cell from its triangle, on which the prior stands as rows. which : int32[g + 1], the node last."""
    g, p = which.shape[0] - 1, cells.R.shape[2]
    q = g + 2
    T = np.zeros((q, p + 1 + q))
    root = math.sqrt(prior.strength)
    scales = own = 0.0
    for j in range(q):
        at = 0 if j == 0 else which[j - 1] + 1
        for i in range(p):
            T[j, i] = cells.R[cell, at, i]
        T[j, p] = root
        if j > 0:
            T[j, p] *= prior.centre[at - 1] - cells.shifts[cell, at - 1]
            T[j, p + j] = math.sqrt(prior.scale[at - 1])
            scales += own
            own = math.log(prior.scale[at - 1])
    make_triangle(T)
    log_parents = 0.0
    for j in range(1, g + 1):
        log_parents += 2.0 * math.log(abs(T[j, j]))
    log_both = log_parents + 2.0 * math.log(abs(T[g + 1, g + 1]))
    return _log_marginal(cells.counts[cell], g, prior, log_parents, log_both, scales, own)


@jit
def _score_triangles(cells: Triangles, cell: int, task: Task, prior: CellPrior, out: Floats) -> None:
    """Scores of one cell for every parent set, float64[b] (out)."""
    room = np.empty(task.parents.shape[1] + 1, np.int32)
    for candidate in range(task.sizes.shape[0]):
        out[candidate] = _score_triangle(cells, cell, family_of(task, candidate, room), prior)


@jit
def marginal_triangles(first: int, last: int, cells: Triangles, task: Task, prior: CellPrior, out: Floats) -> None:
    """Score b parent sets in cells first ... last - 1 from triangles. out : float64[m, b]."""
    for cell in range(first, last):
        _score_triangles(cells, cell, task, prior, out[cell])
