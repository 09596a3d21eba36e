"""Local scores of a continuous node for a batch of parent sets: one small regression per cell.

Axis legend: b candidate parent sets; g continuous parents; m cells of the discrete parents that all b share.
With no discrete parents there is one cell, and this is a Gaussian network's score.

A score is the log-likelihood of the rows that were fitted, or (`predictive`) of test rows under a fit to training
rows, eq. 12: then both tables have the same cells in the same order. Otherwise `test` is `train` again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.moments import Moments, unowned, unowned_moments
from bnjit.kernels.regression import fit_moments, residuals_moments
from bnjit.kernels.rules import FINE, NEEDS_ROWS, Rule, needs_fit, score_fit, score_without_fit

Marks = NDArray[np.uint8]


@jit
def _sum_cells(
    train: Moments, test: Moments, y: int, parents: Ints32, g: int, rule: Rule, doubtful: Marks, L: Floats,
    slopes: Floats,
) -> tuple[float, int]:  # fmt: skip
    """Sum of the scores that moments give accurately, and the number of other cells, which are marked; -inf ends it.

    Cells are scored here, and not by a function of the tables and a cell: handing over eight arrays takes as long as a
    regression on one parent.
    L : float64[>= g + 1, >= g + 1], slopes : float64[>= g + 1], scratch
    """
    train, test = unowned_moments(train), unowned_moments(test)
    parents, L, slopes = unowned(parents), unowned(L), unowned(slopes)
    total = 0.0
    count = 0
    for cell in range(train.counts.shape[0]):
        n, scored = train.counts[cell], test.counts[cell]
        if needs_fit(n, g, scored, rule):
            rss, status = fit_moments(
                n, train.means[cell], train.crosses[cell], y, parents, g, rule.in_cells, L, slopes
            )
            error = rss
            if rule.residual:
                for i in range(g):
                    if slopes[i] == 0.0:
                        status = NEEDS_ROWS
            if rule.predictive and status == FINE:
                error, status = residuals_moments(train, test, cell, y, parents, g, slopes)
            if status == NEEDS_ROWS:
                doubtful[cell] = 1
                count += 1
                continue
            value = score_fit(n, g, rss, scored, error, rule)
        else:
            value = score_without_fit(scored, rule)
        if value == -np.inf:
            return value, 0
        total += value
    return total, count


@jit
def batch_cells(
    first: int, last: int, train: Moments, test: Moments, y: int, parents: Ints32, sizes: Ints64, rule: Rule,
    out: Floats, flagged: Ints64, doubtful: Marks,
) -> None:  # fmt: skip
    """Score parent sets first ... last - 1 of b. O(m g^3) each.

    parents : int32[b, g max], positions among the columns of the tables; sizes : int64[b]; out : float64[b], sums
    over the cells that moments score accurately; flagged : int64[b], cells left out (out); doubtful : uint8[b, m],
    zeros, marks them
    """
    most = parents.shape[1] + 1
    L, slopes = np.empty((most, most)), np.empty(most)
    for i in range(first, last):
        out[i], flagged[i] = _sum_cells(train, test, y, parents[i], sizes[i], rule, doubtful[i], L, slopes)


class Task(NamedTuple):
    """Parent sets of a node: parents : int32[b, g max], column numbers; sizes : int64[b]."""

    node: int
    parents: Ints32
    sizes: Ints64
