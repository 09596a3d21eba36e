"""Triangles of the rows of cells, chunk by chunk."""

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.stats import TriangleRequest
from bnjit.stats.triangles import add_rows, no_triangles


@pytest.mark.parametrize("seed", range(20))
def test_chunks_with_fewer_rows_than_columns(seed):
    # What is left of a column after as many reflections as there are rows is rounding, then rounding of that, until it
    # has no square any more.
    rng = np.random.default_rng(seed)
    n, c = 40, 24
    X = rng.normal(size=(n, c)) * 10.0 ** rng.uniform(-7, 6, c)
    X[:, 12] = 2.0 * X[:, 3]
    request = TriangleRequest((), np.zeros(1, np.int64), tuple(range(c)), n)
    out = no_triangles(request)
    first = 0
    while first < n:
        rows = X[first : first + rng.integers(1, 4)]
        table = Table([f"X{j}" for j in range(c)], [Column(rows[:, j].copy(), None) for j in range(c)])
        add_rows(table, request, out)
        first += len(rows)
    assert out.triangles.counts.tolist() == [n]
    design = np.column_stack([np.ones(n), X - out.triangles.shifts[0]])
    R = np.tril(out.triangles.R[0])
    scale = np.outer(norms := np.linalg.norm(design, axis=0), norms)
    np.testing.assert_allclose((R @ R.T) / scale, (design.T @ design) / scale, atol=1e-13)
