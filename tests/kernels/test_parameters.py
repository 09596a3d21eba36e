"""Coefficients of continuous nodes in every cell, against plain loops."""

import numpy as np
import pytest

from bnjit.kernels import parameters
from bnjit.kernels.rules import FINE, NEEDS_ROWS
from bnjit.stats.collect import collect_cells, membership
from tests.kernels.versions import BOTH, version
from tests.reference import naive
from tests.strategies import to_table


def make_columns(noise):
    """Two cells, one of them far from zero; the node is a sum of its parents and of noise."""
    rng = np.random.default_rng(3)
    z = np.arange(50) % 2
    a, b = rng.normal(size=(2, 50)) + 100.0 * z
    y = 2.0 + a - 3.0 * b + noise * rng.normal(size=50)
    return z, {"Z": (z.tolist(), 2), "A": a.tolist(), "B": b.tolist(), "Y": y.tolist()}


@pytest.mark.parametrize("which", BOTH)
def test_from_moments(which):
    z, columns = make_columns(0.5)
    table = to_table(columns)
    members = membership(table, (0,))
    cells = collect_cells(table, (1, 2, 3), members)
    found, rss, flags = np.empty((2, 3)), np.empty(2), np.empty(2, np.int32)
    parents = np.array([0, 1], np.int32)
    version(parameters.regressions_from_moments, which)(0, 2, cells.moments, 2, parents, True, found, rss, flags)
    assert flags.tolist() == [FINE, FINE]
    for cell in range(2):
        a, b, y = (np.array(columns[name])[z == cell].tolist() for name in "ABY")
        intercept, slopes, expected = naive.regression(y, [a, b], in_cells=True)
        np.testing.assert_allclose(found[cell], [intercept, *slopes], rtol=1e-9)
        assert rss[cell] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("which", BOTH)
def test_cells_that_moments_leave_to_rows(which):
    _, columns = make_columns(1e-7)
    table = to_table(columns)
    cells = collect_cells(table, (1, 2, 3), membership(table, (0,)))
    found, rss, flags = np.empty((2, 3)), np.empty(2), np.empty(2, np.int32)
    parents = np.array([0, 1], np.int32)
    version(parameters.regressions_from_moments, which)(0, 2, cells.moments, 2, parents, True, found, rss, flags)
    assert flags.tolist() == [NEEDS_ROWS, NEEDS_ROWS]
