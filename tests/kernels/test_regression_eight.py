"""Regressions of eight cells at a time, against those of one."""

import numpy as np
import pytest

from bnjit._eight import fill_eight, load_eight, root_eight, size_eight, store_eight, where_less
from bnjit._jit import jit
from bnjit.kernels.folds_eight import eight_cells
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import between_means, fit_moments, residuals_moments
from bnjit.kernels.regression_eight import eight_fits, eight_sets, fit_eight
from bnjit.kernels.rules import NEEDS_ROWS, Rule
from tests.kernels.versions import BOTH, version

COLUMNS, Y = 6, 5
LOW = np.tril_indices(COLUMNS)
SETS = [(), (0,), (3,), (0, 1), (2, 3), (3, 4), (0, 1, 2), (0, 2, 3, 4), (0, 1, 2, 3, 4)]


@jit
def _compute(Z, out):
    """Use all that there is."""
    a, b = load_eight(Z, 0), load_eight(Z, 8)
    c = a * b + a - b / fill_eight(3.0)
    store_eight(out, 0, where_less(a, b, root_eight(size_eight(c)), c))


@pytest.mark.parametrize("which", BOTH)
def test_lanes_are_numbers(which):
    Z, out = np.random.default_rng(0).normal(size=16), np.empty(8)
    Z[3] = np.nan
    version(_compute, which)(Z, out)
    c = Z[:8] * Z[8:] + Z[:8] - Z[8:] / 3.0
    np.testing.assert_array_equal(out, np.where(Z[:8] < Z[8:], np.sqrt(np.abs(c)), c))


def moments_of(rng, n, odd):
    """Moments of eight cells; in the odd ones a column is constant, nearly so, a copy of another, or all but a sum."""
    out = Moments(np.full(8, n), np.empty((8, COLUMNS)), np.zeros((8, COLUMNS)), np.empty((8, len(LOW[0]))))
    for cell in range(8):
        X = rng.normal(size=(n, COLUMNS)) + 3.0
        if odd and cell in (1, 2, 5):
            X[:, 3] = {1: 2.0, 2: X[:, 0], 5: 2.0 + 1e-9 * X[:, 3]}[cell]
        if odd and cell == 6:
            X[:, Y] = X[:, 0] + X[:, 1] + 1e-6 * X[:, 2]
        out.means[cell] = X.mean(axis=0)
        Z = X - out.means[cell]
        out.crosses[cell] = (Z.T @ Z)[LOW]
    return out


def in_lanes(train, test):
    """The same moments as eight cells."""
    pairs = len(LOW[0])
    cells = eight_cells(1, COLUMNS, pairs)
    cells.counts[:], cells.scored[:] = train.counts, test.counts
    cells.means[:] = train.means.T.ravel()
    cells.crosses[:], cells.test[:] = train.crosses.T.ravel(), test.crosses.T.ravel()
    cells.between.reshape(COLUMNS, 8)[:] = [
        [between_means(train, test, cell, v) for cell in range(8)] for v in range(COLUMNS)
    ]
    return cells


@pytest.mark.parametrize("predictive", [False, True])
@pytest.mark.parametrize("in_cells", [False, True])
@pytest.mark.parametrize("odd", [False, True])
def test_eight_are_eight_times_one(predictive, in_cells, odd):
    """To the bit, where they are not marked; and marked where one needs its rows."""
    rng = np.random.default_rng(1)
    train, test = moments_of(rng, 40, odd), moments_of(rng, 15, odd)
    i, j = (np.asarray(x, np.int64) for x in LOW)
    parents = np.zeros((len(SETS), 5), np.int32)
    for row, own in zip(parents, SETS, strict=True):
        row[: len(own)] = own
    sizes = np.array([len(own) for own in SETS])
    sets = eight_sets(Y, parents, sizes, np.arange(COLUMNS), i, j, i * (i + 1) // 2 + j)
    cells, fits, rule = in_lanes(train, test), eight_fits(5), Rule(predictive, in_cells)
    L, slopes, needs_rows = np.empty((6, 6)), np.empty(6), 0
    for s, g in enumerate(sizes.tolist()):
        fit_eight(sets, s, cells, 0, rule, fits)
        for cell in range(8):
            rss, status = fit_moments(
                train.counts[cell], train.means[cell], train.crosses[cell], Y, parents[s], g, in_cells, L, slopes
            )
            error = rss
            if predictive and status != NEEDS_ROWS:
                error, status = residuals_moments(train, test, cell, Y, parents[s], g, slopes)
            assert (fits.marked[cell] != 0.0) == (status == NEEDS_ROWS)
            needs_rows += status == NEEDS_ROWS
            if status != NEEDS_ROWS:
                assert (fits.rss[cell], fits.error[cell]) == (rss, error)
    assert bool(needs_rows) == odd
