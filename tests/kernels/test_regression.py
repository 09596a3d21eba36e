"""Regressions of one cell from moments, and by QR, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.kernels import regression
from bnjit.kernels.rules import FINE, NEEDS_ROWS
from bnjit.stats.cells import no_moments
from tests.kernels.fits_by_moments_and_qr import fits
from tests.kernels.versions import BOTH, QUICK, version
from tests.reference import naive
from tests.strategies import tables


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_discrete=0, min_rows=8), data=st.data())
@QUICK
def test_regressions(which, table, data):
    names = list(table)
    node = data.draw(st.sampled_from(names))
    parents = sorted(data.draw(st.lists(st.sampled_from(names), unique=True)), key=names.index)
    parents = [p for p in parents if p != node]
    _, _, expected = naive.regression(table[node], [table[p] for p in parents])
    scale = naive.regression(table[node], [])[2]
    for method, rss in fits(table, node, parents, which):
        assert rss == pytest.approx(expected, rel=1e-9, abs=1e-14 * scale + 1e-17 * max(map(abs, table[node])) ** 2), (
            method
        )


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("noise", [1.0, 1e-9])
def test_residuals_of_test_rows(which, noise):
    """They are those of the rows, and rows are asked for where rounding could hide them."""
    rng = np.random.default_rng(0)
    cells, tables = [], []
    for n in (50, 20):
        x = rng.normal(size=(n, 3))
        x[:, 2] = 1.0 + x[:, 0] - 2.0 * x[:, 1] + noise * rng.normal(size=n)
        out = no_moments(1, 3)
        out.counts[0], out.means[0] = n, x.mean(axis=0)
        out.crosses[0] = ((x - out.means[0]).T @ (x - out.means[0]))[np.tril_indices(3)]
        cells.append(out)
        tables.append(x)
    slopes, mean = np.array([1.0, -2.0]), cells[0].means[0]
    expected = ((tables[1] - mean)[:, 2] - (tables[1] - mean)[:, :2] @ slopes) ** 2
    found, status = version(regression.residuals_moments, which)(*cells, 0, 2, np.arange(2, dtype=np.int32), 2, slopes)
    assert status == (FINE if noise == 1.0 else NEEDS_ROWS)
    if status == FINE:
        assert found == pytest.approx(expected.sum(), rel=1e-12)
