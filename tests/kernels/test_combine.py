"""Statistics of cells that are joined, against those of their rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.kernels import combine
from bnjit.kernels.tuning import PARTIAL_CELLS
from bnjit.stats.cells import no_moments
from tests.kernels.versions import BOTH, QUICK, version


@pytest.mark.parametrize("which", BOTH)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 4), k=st.integers(2, 5), c=st.integers(0, 3))
@QUICK
def test_leaving_out(which, seed, m, k, c):
    rng = np.random.default_rng(seed)
    rows = [[rng.normal(size=(rng.integers(1, 6), c)) + 1e4 for _ in range(k)] for _ in range(m)]
    at = np.arange(m * k).reshape(m, k)
    at[rng.random((m, k)) < 0.3] = -1
    lower = np.tril_indices(c)

    def moments(groups):
        out = no_moments(len(groups), c)
        for g, parts in enumerate(groups):
            if parts:
                x = np.concatenate(parts)
                out.counts[g], out.means[g] = len(x), x.mean(axis=0)
                out.crosses[g] = ((x - x.mean(axis=0)).T @ (x - x.mean(axis=0)))[lower]
        return out

    cells = moments([[x] for group in rows for x in group])
    expected = moments(
        [
            [x for part, x in enumerate(group) if part != left and at[g, part] >= 0]
            for left in range(k)
            for g, group in enumerate(rows)
        ]
    )
    out = no_moments(k * m, c)
    for first, last in ((0, m // 2), (m // 2, m)):
        version(combine.leave_out, which)(cells, at, first, last, no_moments(1, c), out)
    np.testing.assert_array_equal(out.counts, expected.counts)
    np.testing.assert_allclose(out.means + out.mean_corrections, expected.means, rtol=1e-13)
    np.testing.assert_allclose(out.crosses, expected.crosses, atol=1e-8)


@pytest.mark.parametrize("which", BOTH)
def test_joining_many_cells(which):
    """More cells than a partial sum has, some without rows, about a mean that doubles do not hold exactly."""
    rng = np.random.default_rng(0)
    m, c = 2 * PARTIAL_CELLS + 5, 2
    rows = [1e9 + rng.normal(size=(i % 4, c)) for i in range(m)]
    lower = np.tril_indices(c)
    cells, merged = no_moments(m, c), no_moments(1, c)
    for i, x in enumerate(rows):
        if len(x):
            near = (x - 1e9).mean(axis=0)  # taking off the offset is exact
            cells.counts[i], cells.means[i] = len(x), 1e9 + near
            cells.mean_corrections[i] = near - (cells.means[i] - 1e9)
            cells.crosses[i] = ((x - 1e9 - near).T @ (x - 1e9 - near))[lower]
        version(combine.merge, which)(merged, type(cells)(*(array[i : i + 1] for array in cells)), 0, 1)
    joined = no_moments(1, c)
    version(combine.combine, which)(np.arange(m), np.array([0, m]), cells, 0, 1, joined)
    every = np.concatenate(rows) - 1e9
    near = every.mean(axis=0)
    for found in (joined, merged):
        assert found.counts.tolist() == [len(every)]
        np.testing.assert_allclose((found.means[0] - 1e9) + found.mean_corrections[0], near, atol=1e-14)
        np.testing.assert_allclose(found.crosses[0], ((every - near).T @ (every - near))[lower], rtol=1e-12)
