"""Triangles of the rows of cells, chunk by chunk."""

from itertools import pairwise

import numpy as np
import pytest

from bnjit._threads import threads
from bnjit.data import Column, Table
from bnjit.stats import Store, TriangleRequest, triangles_for
from bnjit.stats.counting import count_cells
from bnjit.stats.readers import memory
from bnjit.stats.readers.memory import MemoryReader
from bnjit.stats.triangles import add_in_parts, add_rows, are_few_and_large, joined, no_triangles, summed
from bnjit.stats.tuning import MOST_SPLIT_CELLS, SPLIT_CELL
from tests.stats.readers.by_numpy import assert_triangles_by_numpy
from tests.stats.rows import mixed_rows


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


def made_of(table, keys, columns=(2, 3, 4), as_one=False):
    request = TriangleRequest((0,), np.array(keys), columns, table.n, as_one)
    out = no_triangles(request)
    add_rows(table, request, out)
    return request, out


@pytest.mark.parametrize("as_one", [False, True])
@pytest.mark.parametrize("cuts", [(0, 300), (0, 1, 7, 7, 150, 300), tuple(range(301))])
def test_parts_are_summed(cuts, as_one):
    table = mixed_rows(300)
    request, _ = made_of(table, [0, 2, 3], as_one=as_one)
    parts = [made_of(table.take(np.arange(a, b)), [0, 2, 3], as_one=as_one)[1] for a, b in pairwise(cuts)]
    before = [part.triangles.counts.copy() for part in parts]
    assert_triangles_by_numpy(summed(parts), table, request)
    assert all(np.array_equal(a, b.triangles.counts) for a, b in zip(before, parts, strict=True))  # they stay


def test_cells_are_joined_and_taken():
    table = mixed_rows(300)
    first, second = made_of(table, [1, 4])[1], made_of(table, [0, 1, 3])[1]
    both = joined(first, second)
    assert both.keys.tolist() == [0, 1, 3, 4]
    assert both.nbytes == first.nbytes * 2
    assert both.take(np.array([1])).triangles.R[0].tolist() == first.triangles.R[0].tolist()
    for keys in ([0, 1, 3, 4], [3], [0, 4]):
        request = made_of(table, keys)[0]
        assert_triangles_by_numpy(both.take(request.keys), table, request)


def test_fewer_columns():
    table = mixed_rows(300)
    _, made = made_of(table, [0, 1])
    assert made.narrow((2, 3, 4)) is made
    for columns in ((2,), (4,), (2, 4)):
        assert_triangles_by_numpy(made.narrow(columns), table, made_of(table, [0, 1], columns)[0])


def test_large_cells_are_split_among_threads():
    """Few cells of many rows: the parts depend on the rows alone, so that threads change nothing."""
    table = mixed_rows(SPLIT_CELL + 1000)
    found = []
    for n in (1, 3):
        with threads(n):
            request, made = made_of(table, [0, 1, 2, 3], (2, 5))
        found.append(made)
        assert len(request.keys) <= MOST_SPLIT_CELLS
        assert_triangles_by_numpy(made, table, request)
    np.testing.assert_array_equal(found[0].triangles.R, found[1].triangles.R)


@pytest.mark.parametrize("most", [1, 700, 10**6])
@pytest.mark.parametrize("variables", [(0,), (0, 1)])
def test_parts_change_no_digit(variables, most):
    """Cells in parts of so many rows, of which each may have more; some have rows that threads share."""
    table = mixed_rows(SPLIT_CELL + 2000)
    counts = count_cells(table, [variables])[0]
    some = np.arange(0, len(counts.keys), 2)
    request = TriangleRequest(variables, counts.keys[some], (2, 3, 4), int(counts.counts[some].sum()))
    assert are_few_and_large(len(some), SPLIT_CELL + 1) == (variables == (0,))
    whole, parts = no_triangles(request), no_triangles(request)
    add_rows(table, request, whole)
    add_in_parts(table, request, counts.counts[some], most, parts)
    for a, b in zip(whole.triangles, parts.triangles, strict=True):
        np.testing.assert_array_equal(a, b)


def test_many_rows_are_copied_in_parts(monkeypatch):
    table = mixed_rows(3000)
    monkeypatch.setattr(memory, "TRIANGLE_ROWS", 1 << 14)
    monkeypatch.setattr(memory, "TRIANGLE_ROWS_SHARE", 0.0)
    made = [made_by_store(table)]
    monkeypatch.setattr(memory, "add_in_parts", lambda *_: pytest.fail("in parts"))
    monkeypatch.setattr(memory, "TRIANGLE_ROWS_SHARE", 1.0)
    made.append(made_by_store(table))
    for a, b in zip(*(one.triangles for one in made), strict=True):
        np.testing.assert_array_equal(a, b)


def test_cells_that_are_not_there_are_copied_in_parts_as_well(monkeypatch):
    """Folds are asked for the triangles of the same cells, of which each may have some only."""
    table = mixed_rows(600)
    cells = 3 * table.columns[0].values.astype(int) + table.columns[1].values
    table = table.take(~np.isin(cells, [0, 7, 13, 14]))
    request = TriangleRequest((0, 1), np.arange(15), (2, 3), table.n)
    whole = no_triangles(request)
    add_rows(table, request, whole)
    monkeypatch.setattr(memory, "TRIANGLE_ROWS", 1 << 10)
    monkeypatch.setattr(memory, "TRIANGLE_ROWS_SHARE", 0.0)
    (made,) = triangles_for([(Store(MemoryReader(table)), request)])
    assert (np.flatnonzero(made.triangles.counts == 0) == [0, 7, 13, 14]).all()
    for a, b in zip(whole.triangles, made.triangles, strict=True):
        np.testing.assert_array_equal(a, b)


def made_by_store(table):
    store = Store(MemoryReader(table))
    return triangles_for([(store, TriangleRequest((0, 1), np.array([1, 5, 7]), (2, 3), 600))])[0]
