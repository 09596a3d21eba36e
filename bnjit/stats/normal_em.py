"""Moments of continuous columns with gaps, completed by EM: from the moments of every pattern of gaps, and no row."""

import math
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_threads
from bnjit.data.check import LEAST_DEVIATION
from bnjit.data.gaps import Gaps
from bnjit.data.schema import Schema
from bnjit.kernels.moments import Moments
from bnjit.kernels.patterns import expect_moments
from bnjit.stats.cells import Cells, join_all, table_bytes
from bnjit.stats.requests import Request
from bnjit.stats.store import Store
from bnjit.stats.triangles import CellTriangles
from bnjit.stats.tuning import EM_PATTERNS_APART, EM_STEPS, EM_TOLERANCE


class Completed(NamedTuple):
    """Statistics of a table as if it had no gaps, worth so many rows.

    Attributes
    ----------
    schema : Schema
        The columns as they were given.
    tables : list of Cells
        One: the expected moments of all columns.
    loglik : float
        Log-likelihood of what is observed, in the units of the store.
    steps : int
        EM steps that it took.
    converged : bool
        Whether the last one changed next to nothing.
    """

    schema: Schema
    tables: list[Cells]
    loglik: float
    steps: int
    converged: bool

    @property
    def triangles(self) -> list[CellTriangles]:
        """None: there are no rows."""
        return []


def pattern_cells(store: Store) -> Cells | None:
    """Cells of every pattern of gaps, with all columns; None where patterns are too many."""
    gaps = store.schema.gaps
    assert gaps is not None
    indicators = tuple(gaps.indicators.values())
    if store.schema.configurations(indicators) > 1 << 62:
        return None
    (counted,) = store.get([Request(indicators)])
    if table_bytes(len(counted.keys), len(store.schema.continuous)) > store.memory:
        return None
    (cells,) = store.get([Request(indicators, store.schema.continuous)])
    return cells


def missing_in(cells: Cells, gaps: Gaps) -> Ints64:
    """Which columns each pattern misses, int64[P, c]."""
    columns = {v: j for j, v in gaps.indicators.items()}
    out, codes = np.zeros((len(cells.keys), len(cells.columns)), np.int64), cells.codes()
    for at, v in enumerate(cells.variables):
        out[:, cells.columns.index(columns[v])] = codes[:, at]
    return out


def rows_worth(gaps: Gaps, cells: Cells) -> float:
    """Rows that the data are worth: those that observe two columns together, on average over all pairs."""
    seen = 1.0 - missing_in(cells, gaps)
    together = (seen * cells.counts[:, None]).T @ seen
    c = len(together)
    return float(together[np.tril_indices(c, -1)].mean()) if c > 1 else float(together[0, 0])


def complete_moments(store: Store, cells: Cells, steps: int = EM_STEPS, tolerance: float = EM_TOLERANCE) -> Completed:
    """Complete moments by EM for a normal distribution of all columns, from the cells of all patterns."""
    gaps = store.schema.gaps
    assert gaps is not None
    missing, c, n = missing_in(cells, gaps), len(cells.columns), int(cells.counts.sum())
    mean, variances = _from_observed(cells, missing)
    varying = np.flatnonzero(variances > 0.0)  # a constant is its own expectation, and says nothing of others
    some = cells.narrow(tuple(cells.columns[i] for i in varying))
    found = _converge(some, missing[:, varying], mean[varying], np.diag(variances[varying]), n, steps, tolerance)
    mean[varying], covariance = found.mean, np.zeros((c, c))
    covariance[np.ix_(varying, varying)] = found.covariance
    m = max(2, round(rows_worth(gaps, cells)))
    lower = np.tril_indices(c)
    moments = Moments(np.array([m]), mean[None], np.zeros((1, c)), (covariance * m)[lower][None])
    schema = Schema(gaps.schema.names, gaps.schema.labels)
    schema.n = m
    N = len(schema.names)
    whole = Cells((), (), cells.columns, np.zeros(1, np.int64), moments)
    if store.schema.scale is not None:
        schema.factors = store.schema.scale[:N]
        whole = whole.scaled(1.0 / schema.factors)
    return Completed(schema, [whole], found.loglik, found.steps, found.converged)


class _Normal(NamedTuple):
    """Mean and covariance that EM has found, and how: see Completed."""

    mean: Floats
    covariance: Floats
    loglik: float
    steps: int
    converged: bool


def _converge(
    cells: Cells, missing: Ints64, mean: Floats, covariance: Floats, n: int, steps: int, tolerance: float
) -> _Normal:
    """Make steps of EM until one changes next to nothing, for columns none of which is constant."""
    loglik = -np.inf
    if not len(mean):
        return _Normal(mean, covariance, loglik, 0, True)
    for step in range(1, steps + 1):
        before, deviation = (mean, covariance), np.sqrt(np.diag(covariance))
        loglik, mean, covariance = _step(cells, missing, mean, covariance, n)
        moved = np.abs(mean - before[0]) / deviation, np.abs(covariance - before[1]) / np.outer(deviation, deviation)
        if moved[0].max() < tolerance and moved[1].max() < tolerance:
            return _Normal(mean, covariance, loglik, step, True)
    return _Normal(mean, covariance, loglik, steps, False)


def _from_observed(cells: Cells, missing: Ints64) -> tuple[Floats, Floats]:
    """Means and variances of what is observed of each column, to begin with; the variance of a constant is 0."""
    c = len(cells.columns)
    mean, variances = np.zeros(c), np.zeros(c)
    for i in range(c):
        whole = join_all(cells.narrow((cells.columns[i],)), np.flatnonzero(missing[:, i] == 0))
        mean[i], variance = whole.means[0, 0], whole.crosses[0, 0] / whole.counts[0]
        if math.sqrt(variance) > LEAST_DEVIATION * abs(mean[i]):
            variances[i] = variance
    return mean, variances


def _step(cells: Cells, missing: Ints64, mean: Floats, covariance: Floats, n: int) -> tuple[float, Floats, Floats]:
    """One step of EM: the log-likelihood before it, and the new mean and covariance."""
    c, P = len(mean), len(cells.keys)
    parts = min(P, EM_PATTERNS_APART)  # fixed, so that threads change no digit
    bounds = [P * i // parts for i in range(parts + 1)]
    sums, products = np.zeros((parts, c)), np.zeros((parts, c, c))

    def expect(i: int) -> float:
        return expect_moments(bounds[i], bounds[i + 1], cells.moments, missing, mean, covariance, sums[i], products[i])

    logliks = in_threads([lambda i=i: expect(i) for i in range(parts)], P * c**3)  # type: ignore[misc]
    shift = sums.sum(axis=0) / n
    spread = products.sum(axis=0) / n - np.outer(shift, shift)
    return float(sum(logliks)), mean + shift, (spread + spread.T) / 2.0
