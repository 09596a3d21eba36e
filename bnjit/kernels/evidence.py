"""Scores of cells whose parameters are weighed by the rows of the cell itself, or integrated out.

Axis legend: b candidate parent sets; g continuous parents; m cells of the discrete parents that all b share.

For the n rows of a cell, with p = g + 1 coefficients, the residual sum of squares RSS and the matrix X of the intercept
and the parents, there are two kinds:
- LOCAL: the maximised log-likelihood -n / 2 (log(2 pi RSS / n) + 1) less (g + 2) / 2 log n, BIC's penalty with the
  rows that the parameters are estimated from;
- REFERENCE: log m = lgamma((n - p) / 2) - (n - p) / 2 log(pi RSS) - 1 / 2 log|X'X|, the marginal likelihood under the
  reference prior 1 / sigma^2, but for a constant that depends on p alone. The log-density of test rows given training
  rows, parameters integrated out, is log m(both) - log m(training). A parent that training rows drop as singular has
  no coefficient in the cell, and is not in X.
A cell that supports no regression of its own, for want of rows or of variation, is marked and left out.
"""

import math
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.cgaussian import Marks, Task
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import between_means, cross_entry, fit_moments
from bnjit.kernels.rows import solve_triangle
from bnjit.kernels.rules import FINE, NEEDS_ROWS, TOLERANCE, UNSUPPORTED
from bnjit.kernels.triangles import Triangles, family_of, narrow_both, narrow_triangle

LOCAL, REFERENCE = 0, 1
FREE_ROWS = 3  # rows of a cell beyond g that a regression of its own needs: two degrees of freedom


class Evidence(NamedTuple):
    """What is scored: the kind; test rows or the fitted ones; the rest as in bnjit.kernels.rules.Rule."""

    kind: int
    predictive: bool
    in_cells: bool
    residual: bool = False


@jit
def log_evidence(n: int, p: int, declared: int, rss: float, log_determinant: float, kind: int) -> float:
    """Score of a cell's n rows; p : coefficients; declared : parents, dropped ones too; log_determinant : of X'X."""
    if kind == LOCAL:
        return -0.5 * n * (math.log(2.0 * math.pi * rss / n) + 1.0) - 0.5 * (declared + 2) * math.log(n)
    return math.lgamma(0.5 * (n - p)) - 0.5 * (n - p) * math.log(math.pi * rss) - 0.5 * log_determinant


@jit
def has_rows(n: int, g: int, rule: Evidence) -> bool:
    """Whether n rows are enough for a regression; a node without discrete parents needs no more than by BIC."""
    return n >= g + FREE_ROWS - (0 if rule.in_cells else 1)


@jit
def _fit(
    n: int, mean: Floats, cross: Floats, y: int, parents: Ints32, g: int, rule: Evidence, L: Floats, slopes: Floats
) -> tuple[float, float, int, int]:
    """Fit of n rows to moments -> RSS, log-determinant of X'X, rank of the parents, and a status; see fit_moments."""
    for q in range(g):
        L[q, q] = -1.0
    rss, status = fit_moments(n, mean, cross, y, parents, g, rule.in_cells, L, slopes)
    log_determinant = math.log(n)
    rank = 0
    while rank < g and L[rank, rank] > 0.0:
        log_determinant += 2.0 * math.log(L[rank, rank])
        rank += 1
    if status == NEEDS_ROWS or (rule.residual and rank < g):
        return 0.0, 0.0, rank, NEEDS_ROWS
    if not rss >= TOLERANCE * TOLERANCE * (n - g - 1):
        return 0.0, 0.0, rank, UNSUPPORTED
    return rss, log_determinant, rank, FINE


@jit
def _kept(parents: Ints32, g: int, rank: int, L: Floats, kept: Ints32) -> None:
    """Write the parents that a fit did not drop; see fit_moments."""
    k = 0
    for i in range(g):
        if rank == g or L[g, i] == 1.0:
            kept[k] = parents[i]
            k += 1


@jit
def _join(
    train: Moments, test: Moments, cell: int, y: int, parents: Ints32, g: int, mean: Floats, cross: Floats
) -> int:
    """Moments of a cell's training and test rows together, parents first -> how many rows. O(g^2)."""
    before, new = train.counts[cell], test.counts[cell]
    n = before + new
    for a in range(g + 1):
        u = y if a == g else parents[a]
        apart = between_means(train, test, cell, u)
        mean[a] = train.means[cell, u] + apart * (new / n)
        for b in range(a + 1):
            v = y if b == g else parents[b]
            cross[a * (a + 1) // 2 + b] = (
                cross_entry(train.crosses[cell], u, v)
                + cross_entry(test.crosses[cell], u, v)
                + before * (new / n) * apart * between_means(train, test, cell, v)
            )
    return n


class _Scratch(NamedTuple):
    """L : float64[g + 1, g + 1]; slopes, mean : float64[g + 1]; cross : float64[packed]; kept, places : int32[g + 1].

    places are 0 ... g
    """

    L: Floats
    slopes: Floats
    mean: Floats
    cross: Floats
    kept: Ints32
    places: Ints32


@jit
def _score_cell(
    train: Moments, test: Moments, cell: int, y: int, parents: Ints32, g: int, rule: Evidence, scratch: _Scratch
) -> tuple[float, int]:
    """Score of one cell, and FINE, NEEDS_ROWS or UNSUPPORTED. O(g^3)."""
    n = train.counts[cell]
    if rule.predictive and test.counts[cell] == 0:
        return 0.0, FINE
    if not has_rows(n, g, rule):
        return 0.0, UNSUPPORTED
    L, slopes, kept = scratch.L, scratch.slopes, scratch.kept
    rss, log_determinant, rank, status = _fit(n, train.means[cell], train.crosses[cell], y, parents, g, rule, L, slopes)
    if status != FINE:
        return 0.0, status
    value = log_evidence(n, rank + 1, g, rss, log_determinant, rule.kind)
    if not rule.predictive:
        return value, FINE
    _kept(parents, g, rank, L, kept)
    n = _join(train, test, cell, y, kept, rank, scratch.mean, scratch.cross)
    rss, log_determinant, again, status = _fit(
        n, scratch.mean, scratch.cross, rank, scratch.places, rank, rule, L, slopes
    )
    if status == FINE and again < rank:
        status = NEEDS_ROWS
    return log_evidence(n, rank + 1, g, rss, log_determinant, rule.kind) - value if status == FINE else 0.0, status


@jit
def _sum_cells(
    train: Moments, test: Moments, y: int, parents: Ints32, g: int, rule: Evidence, marks: Marks
) -> tuple[float, int]:
    """Sum of the scores of the cells that are FINE, and the number of the others, which are marked."""
    scratch = _Scratch(
        np.empty((g + 1, g + 1)), np.empty(g + 1), np.empty(g + 1), np.empty((g + 1) * (g + 2) // 2),
        np.empty(g + 1, np.int32), np.arange(g + 1).astype(np.int32),
    )  # fmt: skip
    total = 0.0
    count = 0
    for cell in range(train.counts.shape[0]):
        value, status = _score_cell(train, test, cell, y, parents, g, rule, scratch)
        marks[cell] = status
        if status == FINE:
            total += value
        else:
            count += 1
    return total, count


@jit
def batch_evidence(
    first: int, last: int, train: Moments, test: Moments, y: int, parents: Ints32, sizes: Ints64, rule: Evidence,
    out: Floats, flagged: Ints64, marks: Marks,
) -> None:  # fmt: skip
    """Score parent sets first ... last - 1 of b. O(m g^3) each.

    parents : int32[b, g max], positions among the columns of the tables; sizes : int64[b]; out : float64[b], sums over
    the cells that are FINE; flagged : int64[b], cells left out; marks : uint8[b, m], status of each (out)
    """
    for i in range(first, last):
        out[i], flagged[i] = _sum_cells(train, test, y, parents[i], sizes[i], rule, marks[i])


@jit
def _solve(T: Floats, n: int, centre: Floats, rule: Evidence, slopes: Floats) -> tuple[float, float]:
    """RSS of n rows from their triangle, NaN where they support no regression, and the log-determinant of X'X."""
    g = T.shape[0] - 2
    log_determinant = 0.0
    for j in range(g + 1):  # what is zero belongs to a parent that is dropped
        log_determinant += 2.0 * math.log(abs(T[j, j])) if T[j, j] != 0.0 else 0.0
    rss = solve_triangle(T, n, rule.in_cells, centre, slopes)
    return rss if rss >= TOLERANCE * TOLERANCE * (n - g - 1) else np.nan, log_determinant


@jit
def _score_triangle(train: Triangles, test: Triangles, cell: int, which: Ints32, rule: Evidence) -> float:
    """Score of one cell; NaN where it supports no regression. which : int32[g + 1], parents and then the node."""
    g = which.shape[0] - 1
    n = train.counts[cell]
    if rule.predictive and test.counts[cell] == 0:
        return 0.0
    if not has_rows(n, g, rule):
        return np.nan
    slopes, centre = np.empty(g + 1), np.empty(g + 1)
    T = narrow_triangle(train, cell, which, centre)
    rss, log_determinant = _solve(T, n, centre, rule, slopes)
    if rule.kind == LOCAL:
        return log_evidence(n, g + 1, g, rss, log_determinant, rule.kind)
    kept = np.empty(g + 1, np.int32)
    rank = 0
    for i in range(g):
        if T[0, i + 1] == 1.0:  # see solve_triangle
            kept[rank] = which[i]
            rank += 1
    kept[rank] = which[g]
    kept = kept[: rank + 1]
    if rank < g:
        rss, log_determinant = _solve(narrow_triangle(train, cell, kept, centre), n, centre, rule, slopes)
    value = log_evidence(n, rank + 1, g, rss, log_determinant, rule.kind)
    if not rule.predictive:
        return value
    n += test.counts[cell]
    rss, log_determinant = _solve(narrow_both(train, test, cell, kept, centre), n, centre, rule, slopes)
    return log_evidence(n, rank + 1, g, rss, log_determinant, rule.kind) - value


@jit
def _score_triangles(train: Triangles, test: Triangles, cell: int, task: Task, rule: Evidence, out: Floats) -> None:
    """Scores of one cell for every parent set, float64[b] (out)."""
    room = np.empty(task.parents.shape[1] + 1, np.int32)
    for candidate in range(task.sizes.shape[0]):
        out[candidate] = _score_triangle(train, test, cell, family_of(task, candidate, room), rule)


@jit
def evidence_triangles(
    first: int, last: int, train: Triangles, test: Triangles, task: Task, rule: Evidence, out: Floats
) -> None:
    """Score b parent sets in cells first ... last - 1 from triangles; NaN for what is UNSUPPORTED.

    test : `train` again if the fitted rows are scored; out : float64[m, b]
    """
    for cell in range(first, last):
        _score_triangles(train, test, cell, task, rule, out[cell])
