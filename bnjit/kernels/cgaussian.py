"""Local scores of a continuous node for a batch of parent sets: one small regression per cell.

Axis legend: b candidate parent sets; g continuous parents; m cells of the discrete parents that all b share.
With no discrete parents there is one cell, and this is a Gaussian network's score.

A score is the log-likelihood of the rows that were fitted, or (`predictive`) of test rows under a fit to training
rows, eq. 12: then both tables have the same cells in the same order. Otherwise `test` is `train` again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, jit, jit_parallel, prange
from bnjit.kernels.columns import Columns
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import fit_moments, residuals_moments
from bnjit.kernels.rows import fit_qr, residuals_rows
from bnjit.kernels.rules import FINE, NEEDS_ROWS, Rule, needs_fit, score_fit, score_without_fit
from bnjit.kernels.tuning import RUN_ROWS

Marks = NDArray[np.uint8]


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
    """Score of one cell, and whether moments are accurate enough for it (FINE or NEEDS_ROWS). O(g^3)."""
    n, scored = train.counts[cell], test.counts[cell]
    if not needs_fit(n, g, scored, rule):
        return score_without_fit(scored, rule), FINE
    rss, status = fit_moments(n, train.means[cell], train.crosses[cell], y, parents, g, rule.in_cells, L, slopes)
    if rule.residual:
        for i in range(g):
            if slopes[i] == 0.0:
                status = NEEDS_ROWS
    if status == NEEDS_ROWS:
        return 0.0, status
    if not rule.predictive:
        return score_fit(n, g, rss, n, rss, rule), FINE
    error, status = residuals_moments(train, test, cell, y, parents, g, slopes)
    return score_fit(n, g, rss, scored, error, rule), status


@jit
def _sum_cells(
    train: Moments, test: Moments, y: int, parents: Ints32, g: int, rule: Rule, doubtful: Marks
) -> tuple[float, int]:
    """Sum of the scores that moments give accurately, and the number of other cells, which are marked; -inf ends it."""
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

    parents : int32[b, g max], positions among the columns of the tables; sizes : int64[b]; out : float64[b], sums
    over the cells that moments score accurately; flagged : int64[b], cells left out (out); doubtful : uint8[b, m],
    zeros, marks them
    """
    for i in prange(sizes.shape[0]):
        out[i], flagged[i] = _sum_cells(train, test, y, parents[i], sizes[i], rule, doubtful[i])


@jit
def batch_cells_serial(
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
    n, scored = last - first, test_last - test_first
    if not needs_fit(n, g, scored, rule):
        return score_without_fit(scored, rule)
    rss = fit_qr(columns, which, first, last, rule.in_cells, centre, slopes, Z)
    if not rule.predictive:
        return score_fit(n, g, rss, n, rss, rule)
    error = residuals_rows(test_columns, which, test_first, test_last, centre, slopes, Z)
    return score_fit(n, g, rss, scored, error, rule)


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
    Z = np.empty((most + 1, RUN_ROWS))
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
