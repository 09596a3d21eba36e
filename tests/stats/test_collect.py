"""How moments are collected: in blocks of rows, about rows that come first, in dense and sparse tables."""

import numpy as np
import pandas as pd
import pytest

from bnjit.data import Column, Table, read_table
from bnjit.stats import collect as collecting
from bnjit.stats.collect import VECTOR_BYTES, Scratch, cells_of_rows, membership, ranked
from bnjit.stats.counting import CountingLimits, count_cells
from bnjit.stats.requests import TriangleRequest
from bnjit.stats.triangles import add_rows, no_triangles
from tests.comparison import assert_same_cells
from tests.stats.rows import collect, mixed_rows


def test_sparse_and_dense_counting_agree():
    table = mixed_rows(3000)
    dense = collect(table, (0, 1), table.continuous), count_cells(table, [(0, 1), (0,), (1,)])
    counted = count_cells(table, [(0, 1), (0,), (1,)], limits=CountingLimits(dense=0))
    sparse = collect(table, (0, 1), table.continuous, dense=0), counted
    assert_same_cells(sparse[0], dense[0], rel=0)
    for ours, theirs in zip(sparse[1], dense[1], strict=True):
        assert_same_cells(ours, theirs, rel=0)


def test_blocks_of_rows_agree_with_the_whole():
    table = mixed_rows(70_000)
    whole = collect(table, (0, 1), table.continuous)
    assert_same_cells(collect(table, (0, 1), table.continuous, ordered=(1000, 1000)), whole)


@pytest.mark.parametrize("c", [2, 3, 5])
@pytest.mark.parametrize("variables", [(), (0,)])
def test_a_first_row_far_from_the_others_costs_no_digits(c, variables):
    """Sums are taken about rows that come first: an outlier there is noticed."""
    n = 15_000
    rng = np.random.default_rng(5)
    x = rng.normal(size=(c, n))
    x[:, 0] += 1e6
    z = np.arange(n) % 2
    z[1:50] = 1
    table = read_table({"z": z, **{f"x{i}": x[i] for i in range(c)}}, discrete=["z"])
    found = collect(table, variables, range(1, c + 1), ordered=(1, 1))
    rows = x[:, z == 0] if variables else x
    exact = rows.astype(np.longdouble)
    exact -= exact.mean(axis=1, keepdims=True)
    i, j = np.tril_indices(c)
    np.testing.assert_allclose(found.crosses[0], (exact[i] * exact[j]).sum(axis=1).astype(float), rtol=1e-14)


@pytest.mark.parametrize("levels", [3, 200])
def test_cells_of_rows_given_those_observed(levels):
    """By a table of all configurations, and where 200^3 are too many for one."""
    rng = np.random.default_rng(4)
    table = read_table(pd.DataFrame(rng.integers(0, levels, (500, 3)), columns=list("abc")), discrete=list("abc"))
    for variables in ((), (1,), (0, 1, 2)):
        found = membership(table, variables)
        assert (ranked(table, variables, found.keys) is None) == (len(variables) == 3 and levels == 200)
        assert cells_of_rows(table, variables, found.keys).tolist() == found.ids.tolist()


def test_scratch_begins_where_a_vector_does_and_is_used_again():
    scratch = Scratch()
    for size in range(1, 100, 7):
        with scratch.take(size) as first, scratch.take(1000) as second:
            assert (len(first), len(second)) == (size, 1000)
            assert not np.shares_memory(first, second)
            assert first.ctypes.data % VECTOR_BYTES == second.ctypes.data % VECTOR_BYTES == 0
        with scratch.take(size) as again:
            assert np.shares_memory(again, first)


def test_tables_that_are_filled_at_a_time():
    assert list(collecting.at_a_time([3, 3, 3, 9, 1], 6)) == [slice(0, 2), slice(2, 3), slice(3, 4), slice(4, 5)]
    assert list(collecting.at_a_time([], 6)) == [slice(0, 0)]


def test_how_many_tables_are_filled_at_a_time_changes_no_digit(monkeypatch):
    rng = np.random.default_rng(3)
    n = 40_000
    groups = [Column(rng.integers(0, 9, n).astype(np.uint8), tuple(range(9))) for _ in range(3)]
    table = Table(list("abcxyzuv"), [*groups, *(Column(rng.normal(size=n), None) for _ in range(5))])
    sets = [(0,), (1,), (0, 1), (1, 2)]
    asked = [collecting.TableTask(table, table.continuous, collecting.membership(table, some)) for some in sets]
    together = collecting.collect_batch(asked)
    monkeypatch.setattr(collecting, "RANGE_BYTES", 1 << 12)
    monkeypatch.setattr(collecting, "FILLED_SHARE", 0.0)
    monkeypatch.setattr(collecting, "_ranges", lambda n, m, c, tables, ranges=collecting._ranges: 2)
    apart = collecting.collect_batch(asked)
    monkeypatch.setattr(collecting, "RANGE_BYTES", 1 << 30)
    expected = collecting.collect_batch(asked)
    assert [cells.variables for cells in apart] == [cells.variables for cells in together]
    for one, other in zip(apart, expected, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one.moments, other.moments, strict=True))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 9])
def test_filled_columns_give_the_cells_of_filled_copies(columns, dtype):
    rng = np.random.default_rng(columns)
    n, fill = 3001, 0.3
    codes = Column(rng.integers(0, 5, n).astype(np.uint8), tuple("abcde"))
    values = [np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)).astype(dtype) for _ in range(columns)]
    names = ["g", *range(columns)]
    filled = Table(names, [codes, *(Column(x, None, fill) for x in values)])
    copies = Table(names, [codes, *(Column(np.where(np.isnan(x), dtype(fill), x), None) for x in values)])
    for variables in ((), (0,)):
        found = collecting.membership(filled, variables)
        one, other = (collecting.collect_cells(table, table.continuous, found) for table in (filled, copies))
        assert all(np.array_equal(a, b) for a, b in zip(one.moments, other.moments, strict=True))
        request = TriangleRequest(variables, found.keys, filled.continuous, n)
        made = [no_triangles(request), no_triangles(request)]
        for table, out in zip((filled, copies), made, strict=True):
            add_rows(table, request, out)
        assert all(np.array_equal(a, b) for a, b in zip(made[0].triangles, made[1].triangles, strict=True))
