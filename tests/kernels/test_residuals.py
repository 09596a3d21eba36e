"""Residuals of rows under known fits, and cells where a parent may be dropped, against NumPy."""

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.kernels import residuals
from bnjit.kernels.rules import TOLERANCE
from bnjit.stats.cells import no_moments
from tests.kernels.versions import BOTH, version


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("g", [0, 1, 3])
@pytest.mark.parametrize("in_cells", [False, True])
def test_subtracting_a_fit(which, g, in_cells):
    rng = np.random.default_rng(g)
    n, m = 1300, 4
    x = rng.normal(size=(g + 1, n))
    table = Table([f"X{i}" for i in range(g + 1)], [Column(column, None) for column in x])
    cells = rng.integers(0, m, n) if in_cells else np.zeros(n, int)
    ids = cells.astype(np.int32) if in_cells else np.empty(0, np.int32)
    means, slopes = rng.normal(size=(m, g + 1)), rng.normal(size=(m, g))
    out = np.full(n, np.nan)
    at = np.arange(g + 1, dtype=np.int32)
    version(residuals.subtract_fit, which)(table.view, at, ids, 7, n - 5, means, slopes, out)
    away = x - means[cells].T
    np.testing.assert_allclose(out[7:-5], (away[g] - (slopes[cells].T * away[:g]).sum(axis=0))[7:-5], atol=1e-12)
    assert np.isnan(out[:7]).all()
    assert np.isnan(out[-5:]).all()


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("in_cells", [False, True])
def test_cells_where_a_parent_may_be_dropped(which, in_cells):
    rng = np.random.default_rng(0)
    m, c = 400, 3
    cells = no_moments(m, c)
    cells.counts[:] = rng.integers(2, 1000, m)
    cells.means[:] = 10.0 ** rng.uniform(-3, 9, (m, c))
    squares = np.array([0, 2, 5])  # of the lower triangle
    cells.crosses[:, squares] = 10.0 ** rng.uniform(-12, 3, (m, c))
    parents = np.array([0, 2], np.int32)
    found = np.ones(m, bool)
    version(residuals.mark_singular, which)(cells, parents, in_cells, found)
    n = cells.counts[:, None]
    total = cells.crosses[:, squares[parents]]
    raw = total + n * cells.means[:, parents] ** 2
    least = 4.0 * TOLERANCE * (1 if in_cells else n - 1)
    expected = ((total < least) | (total < 16.0 * TOLERANCE**2 * raw)).any(axis=1)
    assert found.tolist() == expected.tolist()
    assert 0 < expected.sum() < m
