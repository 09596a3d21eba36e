"""Tests of discrete columns, from counts: Pearson's X2 and the likelihood ratio G2, in every configuration given."""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.markov.outcome import Outcome, chi_squared_outcome
from bnjit.stats import Cells


class Strata(NamedTuple):
    """Observed cells (x, y, z) with their margins, float64[m], and the rows of each configuration z, float64[s].

    n : rows of the cell; n_xz, n_yz, n_z : margins; z : int64[m], its stratum; adjusted : float64[s], degrees of
    freedom of each stratum, from the levels that are observed in it
    """

    n: Floats
    n_xz: Floats
    n_yz: Floats
    z: Ints64
    rows: Floats
    adjusted: Floats


def compare_levels(cells: Cells, x: int, y: int, test: str) -> Outcome:
    """Test whether two discrete variables of a table of counts are independent given the others."""
    strata = _strata(cells, x, y)
    n = int(cells.counts.sum())
    if test.endswith(("-adf", "-adj")):
        df = float(strata.adjusted.sum())
    else:
        r = dict(zip(cells.variables, cells.levels, strict=True))
        df = (r[x] - 1.0) * (r[y] - 1.0) * float(np.prod([r[v] for v in cells.variables if v not in (x, y)]))
    statistic = _likelihood_ratio(strata) if test.startswith("mi") else _pearson(strata, scaled=test == "x2-adj")
    return chi_squared_outcome(statistic, df, n)


def _strata(cells: Cells, x: int, y: int) -> Strata:
    codes, n = cells.codes(), cells.counts.astype(np.float64)
    i, j = cells.variables.index(x), cells.variables.index(y)
    key = np.zeros(len(n), np.int64)
    for v in range(len(cells.levels)):
        if v not in (i, j):
            key = key * cells.levels[v] + codes[:, v]
    _, z = np.unique(key, return_inverse=True)
    s, rx, ry = int(z.max()) + 1, cells.levels[i], cells.levels[j]
    at_x, at_y = z * rx + codes[:, i], z * ry + codes[:, j]
    of_x, of_y = np.bincount(at_x, n, s * rx), np.bincount(at_y, n, s * ry)
    adjusted = np.ones(s)
    for of in (of_x, of_y):
        adjusted *= np.count_nonzero(of.reshape(s, -1), axis=1) - 1
    return Strata(n, of_x[at_x], of_y[at_y], z, np.bincount(z, n, s).astype(np.float64), adjusted)


def _likelihood_ratio(strata: Strata) -> float:
    n, n_xz, n_yz, z, rows, _ = strata
    return max(0.0, 2.0 * float((n * np.log(n * rows[z] / (n_xz * n_yz))).sum()))


def _pearson(strata: Strata, scaled: bool) -> float:
    """X2; scaled by (n - 1) / n in each stratum it has the mean of a chi-squared variable, however few the rows are."""
    n, n_xz, n_yz, z, rows, _ = strata
    expected = n_xz * n_yz / rows[z]
    terms = np.bincount(z, (n - expected) ** 2 / expected, len(rows))
    terms += np.maximum(0.0, rows - np.bincount(z, expected, len(rows)))  # cells that are not observed
    return float((terms * (1.0 - 1.0 / rows)).sum() if scaled else terms.sum())
