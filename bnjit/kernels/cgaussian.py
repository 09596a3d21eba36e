"""Local scores of a continuous node for a batch of parent sets: one small regression per cell.

Axis legend: b candidate parent sets; g continuous parents; m cells of the discrete parents that all b share.
With no discrete parents there is one cell, and this is a Gaussian network's score.

A score is the log-likelihood of the rows that were fitted, or (`predictive`) of test rows under a fit to training
rows, eq. 10: then both tables have the same cells in the same order. Otherwise `test` is `train` again.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit, jit_parallel, prange
from bnjit.kernels.columns import Columns
from bnjit.kernels.moments import RUN, TILE, Moments
from bnjit.kernels.regression import (
    FINE,
    NEEDS_ROWS,
    fit_moments,
    gaussian_loglik,
    predictive_loglik,
    residuals_moments,
)
from bnjit.kernels.rows import fit_closed, fit_qr, residuals_rows


class GroupedRows(NamedTuple):
    """Rows of a table grouped by cell, as group_rows gives them; no rows: they are in order, one cell."""

    rows: Ints32
    starts: Ints64


class Rule(NamedTuple):
    """What is scored: test rows or the fitted ones; whether rows are grouped by discrete parents.

    A predictive variance divides by n - g - 1 in the cells of discrete parents, and by n - 1 without them.
    """

    predictive: bool
    in_cells: bool


@jit
def _degrees(n: int, g: int, rule: Rule) -> int:
    """Degrees of freedom of a predictive variance."""
    return n - g - 1 if rule.in_cells else n - 1


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
        return -np.inf, FINE
    rss, status = fit_moments(n, train.means[cell], train.crosses[cell], y, parents, g, rule.in_cells, L, slopes)
    if status == NEEDS_ROWS:
        return 0.0, status
    if not rule.predictive:
        return gaussian_loglik(n, n - g - 1, rss), FINE
    error, status = residuals_moments(train, test, cell, y, parents, g, slopes)
    return predictive_loglik(test.counts[cell], error, rss / _degrees(n, g, rule)), status


@jit
def score_cells(
    train: Moments, test: Moments, y: int, parents: Ints32, g: int, rule: Rule, values: Floats, flags: Ints32
) -> None:
    """Score every cell for one parent set. O(m g^3).

    parents : int32[>= g], positions among the columns of the tables; values : float64[m], flags : int32[m] (out)
    """
    L = np.empty((g + 1, g + 1))
    slopes = np.empty(g + 1)
    for cell in range(values.shape[0]):
        values[cell], flags[cell] = _cell_from_moments(train, test, cell, y, parents, g, rule, L, slopes)


@jit
def _sum_cells(train: Moments, test: Moments, y: int, parents: Ints32, g: int, rule: Rule) -> tuple[float, int]:
    """Sum of the scores that moments vouch for, and the number of the others; -inf ends it."""
    L = np.empty((g + 1, g + 1))
    slopes = np.empty(g + 1)
    total = 0.0
    doubtful = 0
    for cell in range(train.counts.shape[0]):
        value, status = _cell_from_moments(train, test, cell, y, parents, g, rule, L, slopes)
        if status == NEEDS_ROWS:
            doubtful += 1
        else:
            total += value
            if value == -np.inf:
                return value, 0
    return total, doubtful


@jit_parallel
def batch_cells(
    train: Moments, test: Moments, y: int, parents: Ints32, sizes: Ints64, rule: Rule, out: Floats, flagged: Ints64
) -> None:
    """Score b parent sets, threads over them. O(b m g^3).

    parents : int32[b, g max], sizes : int64[b], out : float64[b], flagged : int64[b], cells left out (out)
    """
    for candidate in prange(sizes.shape[0]):
        out[candidate], flagged[candidate] = _sum_cells(train, test, y, parents[candidate], sizes[candidate], rule)


@jit
def _cell_from_rows(
    columns: Columns, train: GroupedRows, test_columns: Columns, test: GroupedRows, cell: int, which: Ints32,
    closed: int, rule: Rule, centre: Floats, slopes: Floats, Z: Floats,
) -> float:  # fmt: skip
    """Score of one cell, fitted from its rows: in closed form up to `closed` parents, else by QR (Section 4.1)."""
    g = which.shape[0] - 1
    first, last = train.starts[cell], train.starts[cell + 1]
    test_first, test_last = test.starts[cell], test.starts[cell + 1]
    n = last - first
    if rule.predictive and test_first == test_last:
        return 0.0
    if n <= g + 1:
        return -np.inf
    if g <= closed:
        rss = fit_closed(columns, which, train.rows, first, last, rule.in_cells, centre, slopes, Z)
    else:
        rss = fit_qr(columns, which, train.rows, first, last, rule.in_cells, centre, slopes, Z)
    if not rule.predictive:
        return gaussian_loglik(n, n - g - 1, rss)
    error = residuals_rows(test_columns, which, test.rows, test_first, test_last, centre, slopes, Z)
    return predictive_loglik(test_last - test_first, error, rss / _degrees(n, g, rule))


@jit
def _sum_rows(
    columns: Columns, train: GroupedRows, test_columns: Columns, test: GroupedRows, first: int, last: int, node: int,
    parents: Ints32, g: int, closed: int, rule: Rule,
) -> float:  # fmt: skip
    """Sum of the scores of cells first ... last - 1; -inf ends it."""
    which = np.empty(g + 1, np.int32)
    which[:g] = parents[:g]
    which[g] = node
    centre = np.empty(g + 1)
    slopes = np.empty(g + 1)
    Z = np.empty((max(g + 2, TILE), RUN))
    total = 0.0
    for cell in range(first, last):
        total += _cell_from_rows(columns, train, test_columns, test, cell, which, closed, rule, centre, slopes, Z)
        if total == -np.inf:
            break
    return total


@jit_parallel
def batch_rows(
    columns: Columns, train: GroupedRows, test_columns: Columns, test: GroupedRows, bounds: Ints64, node: int,
    parents: Ints32, sizes: Ints64, closed: int, rule: Rule, out: Floats,
) -> None:  # fmt: skip
    """Score b parent sets from rows, threads over them and over lanes of cells. O(b n (1 + g)^2).

    bounds : int64[lanes + 1], the cells of each lane; parents : int32[b, g max], column numbers; sizes : int64[b];
    out : float64[b, lanes]
    """
    lanes = bounds.shape[0] - 1
    for task in prange(sizes.shape[0] * lanes):
        out[task // lanes, task % lanes] = _sum_rows(
            columns, train, test_columns, test, bounds[task % lanes], bounds[task % lanes + 1],
            node, parents[task // lanes], sizes[task // lanes], closed, rule,
        )  # fmt: skip
