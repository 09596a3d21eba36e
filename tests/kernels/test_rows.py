"""QR from rows: triangles of blocks, and regressions, against NumPy. test_regression compares fits with plain loops."""

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.kernels import rows
from bnjit.kernels.tuning import REFLECTED_ROWS, RUN_ROWS
from tests.kernels.qr_fit import fit_qr
from tests.kernels.versions import BOTH, version


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("lengths", [(1, 1, 1, 1), (40,), (7, 33, 2)])
def test_triangle_of_blocks(which, lengths):
    """Blocks reflected one after the other make the triangle of all rows."""
    kernel = version(rows.reflect_block, which)
    rng = np.random.default_rng(9)
    x = rng.normal(size=(3, sum(lengths)))
    R, first = np.zeros((4, 4)), 0
    for length in lengths:
        B = np.full((3, REFLECTED_ROWS), np.nan)
        B[:, :length] = x[:, first : first + length]
        kernel(R, B, length, np.array([0.0, *B[:, :length].sum(axis=1)]))
        first += length
    design = np.vstack([np.ones(x.shape[1]), x])
    np.testing.assert_allclose(np.triu(R.T).T @ np.triu(R.T), design @ design.T, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("g", range(5))
def test_residuals_and_slopes(which, g):
    rng = np.random.default_rng(g)
    x = rng.normal(size=(g + 1, 700)) + 1e3
    table = Table([f"X{i}" for i in range(g + 1)], [Column(column, None) for column in x])
    at = np.arange(g + 1, dtype=np.int32)
    rss, centre, slopes = fit_qr(table.view, at, 50, 700, False, which)
    design = np.column_stack([np.ones(650), *(x[:g, 50:] - x[:g, [50]])])
    beta, expected, *_ = np.linalg.lstsq(design, x[g, 50:] - x[g, 50], rcond=None)
    assert rss == pytest.approx(expected[0], rel=1e-12)
    np.testing.assert_allclose(slopes, [*beta[1:], beta[0]], rtol=1e-9, atol=1e-12)
    assert centre.tolist() == x[:, 50].tolist()
    others = version(rows.residuals_rows, which)(table.view, at, 0, 50, centre, slopes, np.empty((g + 2, RUN_ROWS)))
    design = np.column_stack([np.ones(50), *(x[:g, :50] - x[:g, [50]])])
    assert others == pytest.approx(((x[g, :50] - x[g, 50] - design @ beta) ** 2).sum(), rel=1e-9)
