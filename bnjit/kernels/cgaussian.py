"""Local scores of a continuous node for a batch of parent sets: one small regression per cell.

Axis legend: b candidate parent sets; g continuous parents; m cells of the discrete parents that all b share.
With no discrete parents there is one cell, and this is a Gaussian network's score.

A score is the log-likelihood of the rows that were fitted, or (`predictive`) of test rows under a fit to training
rows, eq. 10: then both tables have the same cells in the same order. Otherwise `test` is `train` again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, jit, jit_parallel, prange
from bnjit.kernels.columns import Columns
from bnjit.kernels.moments import RUN, Moments
from bnjit.kernels.regression import (
    FINE,
    NEEDS_ROWS,
    TOLERANCE,
    fit_moments,
    gaussian_loglik,
    predictive_loglik,
    residuals_moments,
)
from bnjit.kernels.rows import fit_qr, residuals_rows

Marks = NDArray[np.uint8]


class Rule(NamedTuple):
    """What is scored: test rows or the fitted ones; whether rows are grouped by discrete parents.

    A predictive variance divides by n - g - 1 in the cells of discrete parents, and by n - 1 without them. Cells with
    fewer than g + 2 fitted rows, or with a residual deviation below TOLERANCE, make a model impossible; a lenient rule
    leaves out the first, for scores/sparse.py to score, and takes TOLERANCE for the second. The node's values may be
    the residuals that some of its parents left: a fit that drops a parent as singular is then one for rows, since
    what that parent says was taken off already.
    """

    predictive: bool
    in_cells: bool
    lenient: bool = False
    residual: bool = False


@jit
def _degrees(n: int, g: int, rule: Rule) -> int:
    """Degrees of freedom of a predictive variance."""
    return n - g - 1 if rule.in_cells else n - 1


@jit
def _density(n: int, error: float, degrees: int, rss: float, rule: Rule) -> float:
    """Log-density of n residuals with sum of squares `error` (of the fit itself: rss), variance rss / degrees."""
    if rule.lenient and not rss >= TOLERANCE * TOLERANCE * degrees:
        return predictive_loglik(n, error, TOLERANCE * TOLERANCE)
    if rule.predictive:
        return predictive_loglik(n, error, rss / degrees)
    return gaussian_loglik(n, degrees, rss)


@jit
def _cell_from_moments(
    train: Moments,
    test: Moments,
    cell: int,
    y: int,
    parents: Ints32,
    g: int,
    rule: Rule,
    L: Floats,
    slopes: Floats,
) -> tuple[float, int]:
    """Score of one cell, and whether moments vouch for it (FINE or NEEDS_ROWS). O(g^3)."""
    n = train.counts[cell]
    if rule.predictive and test.counts[cell] == 0:
        return 0.0, FINE
    if n <= g + 1:
        return 0.0 if rule.lenient else -np.inf, FINE
    rss, status = fit_moments(n, train.means[cell], train.crosses[cell], y, parents, g, rule.in_cells, L, slopes)
    if rule.residual:
        for i in range(g):
            if slopes[i] == 0.0:
                status = NEEDS_ROWS
    if status == NEEDS_ROWS:
        return 0.0, status
    if not rule.predictive:
        return _density(n, rss, n - g - 1, rss, rule), FINE
    error, status = residuals_moments(train, test, cell, y, parents, g, slopes)
    return _density(test.counts[cell], error, _degrees(n, g, rule), rss, rule), status


@jit
def _sum_cells(
    train: Moments, test: Moments, y: int, parents: Ints32, g: int, rule: Rule, doubtful: Marks
) -> tuple[float, int]:
    """Sum of the scores that moments vouch for, and the number of the others, which are marked; -inf ends it."""
    L = np.empty((g + 1, g + 1))
    slopes = np.empty(g + 1)
    total = 0.0
    count = 0
    for cell in range(train.counts.shape[0]):
        value, status = _cell_from_moments(train, test, cell, y, parents, g, rule, L, slopes)
        if status == NEEDS_ROWS:
            doubtful[cell] = 1
            count += 1
        else:
            total += value
            if value == -np.inf:
                return value, 0
    return total, count


@jit_parallel
def batch_cells(
    train: Moments, test: Moments, y: int, parents: Ints32, sizes: Ints64, rule: Rule, out: Floats, flagged: Ints64,
    doubtful: Marks,
) -> None:  # fmt: skip
    """Score b parent sets, threads over them. O(b m g^3).

    parents : int32[b, g max], positions among the columns of the tables; sizes : int64[b]; out : float64[b], sums of
    what moments vouch for; flagged : int64[b], cells left out (out); doubtful : uint8[b, m], zeros, marks them
    """
    for i in prange(sizes.shape[0]):
        out[i], flagged[i] = _sum_cells(train, test, y, parents[i], sizes[i], rule, doubtful[i])


@jit
def few_cells(
    train: Moments, test: Moments, y: int, parents: Ints32, sizes: Ints64, rule: Rule, out: Floats, flagged: Ints64,
    doubtful: Marks,
) -> None:  # fmt: skip
    """Do what batch_cells does, where starting threads would take longer."""
    for i in range(sizes.shape[0]):
        out[i], flagged[i] = _sum_cells(train, test, y, parents[i], sizes[i], rule, doubtful[i])


class Task(NamedTuple):
    """Parent sets of a node: parents : int32[b, g max], column numbers; sizes : int64[b]."""

    node: int
    parents: Ints32
    sizes: Ints64


@jit
def _cell_from_rows(
    columns: Columns, first: int, last: int, test_columns: Columns, test_first: int, test_last: int, which: Ints32,
    rule: Rule, centre: Floats, slopes: Floats, Z: Floats,
) -> float:  # fmt: skip
    """Score of one cell, fitted from its rows by QR (Section 4.1)."""
    g = which.shape[0] - 1
    n = last - first
    if rule.predictive and test_first == test_last:
        return 0.0
    if n <= g + 1:
        return 0.0 if rule.lenient else -np.inf
    rss = fit_qr(columns, which, first, last, rule.in_cells, centre, slopes, Z)
    if not rule.predictive:
        return _density(n, rss, n - g - 1, rss, rule)
    error = residuals_rows(test_columns, which, test_first, test_last, centre, slopes, Z)
    return _density(test_last - test_first, error, _degrees(n, g, rule), rss, rule)


@jit
def _score_rows(
    columns: Columns, spans: Ints64, test_columns: Columns, test_spans: Ints64, cell: int, begin: int, end: int,
    task: Task, rule: Rule, out: Floats,
) -> None:  # fmt: skip
    """Scores of one cell for candidates begin ... end - 1."""
    most = task.parents.shape[1] + 1
    which = np.empty(most, np.int32)
    centre = np.empty(most)
    slopes = np.empty(most)
    Z = np.empty((most + 1, RUN))
    for candidate in range(begin, end):
        g = task.sizes[candidate]
        which[:g] = task.parents[candidate, :g]
        which[g] = task.node
        out[cell, candidate] = _cell_from_rows(
            columns, spans[cell, 0], spans[cell, 1], test_columns, test_spans[cell, 0], test_spans[cell, 1],
            which[: g + 1], rule, centre[: g + 1], slopes[: g + 1], Z,
        )  # fmt: skip


@jit_parallel
def batch_rows(
    columns: Columns, spans: Ints64, test_columns: Columns, test_spans: Ints64, pieces: int, task: Task, rule: Rule,
    out: Floats,
) -> None:  # fmt: skip
    """Score b parent sets in m cells from rows, threads over cells and pieces of the batch. O(b n (1 + g)^2).

    Columns are sorted by cell; spans : int64[m, 2], the rows of each; out : float64[m, b]
    """
    span = (out.shape[1] + pieces - 1) // pieces
    for at in prange(out.shape[0] * pieces):
        _score_rows(
            columns, spans, test_columns, test_spans, at // pieces, at % pieces * span,
            min(out.shape[1], (at % pieces + 1) * span), task, rule, out,
        )  # fmt: skip
