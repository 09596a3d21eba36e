"""Triangles of the rows of cells, chunk by chunk."""

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.stats import Store, TriangleRequest, triangles_for
from bnjit.stats.readers.memory import MemoryReader
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


def test_cells_asked_for_again_where_nothing_can_be_kept():
    """Triangles that were forgotten between two requests are made again, also of cells that were there before."""
    rng = np.random.default_rng(1)
    columns = [Column(rng.integers(0, 3, 300).astype(np.uint8), tuple("abc")) for _ in range(2)]
    columns += [Column(rng.normal(size=300), None) for _ in range(2)]
    store = Store(MemoryReader(Table(list("pqxy"), columns), memory=0))

    def ask(*cells):
        return triangles_for([(store, TriangleRequest((v,), np.array(keys), (2, 3), rows=100)) for v, keys in cells])

    ask((0, [0]), (1, [1]))
    for (variable, keys), made in zip(asked := [(0, [0, 1]), (1, [0, 1, 2]), (0, [2])], ask(*asked), strict=True):
        assert made.variables == (variable,)
        assert made.keys.tolist() == keys
        expected = [(columns[variable].values == key).sum() for key in keys]
        assert made.triangles.counts.tolist() == expected
