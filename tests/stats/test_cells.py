"""Cells against plain loops; chunks, halves, roll-ups and folds against the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.data import read_table
from bnjit.errors import StatisticsError
from bnjit.stats import Request, Store, add, leave_one_out, roll_up, subtract
from bnjit.stats.collect import collect_cells, membership
from bnjit.stats.counting import Limits, count_cells
from bnjit.stats.opening import make_store
from bnjit.stats.readers.memory import MemoryReader
from bnjit.stats.tuning import ORDERED_ROWS
from tests.reference import naive
from tests.reference.mehra import sample_mehra
from tests.strategies import part, tables, to_table


def collect(table, variables, columns, dense=None, ordered=ORDERED_ROWS):
    return collect_cells(table, tuple(columns), membership(table, tuple(variables), dense), ordered)


def assert_same(ours, theirs, rel=1e-12):
    """Equal, relative to each cell's scale: means to their size or spread, cross-products to both spreads."""
    assert (ours.variables, ours.levels, ours.columns) == (theirs.variables, theirs.levels, theirs.columns)
    np.testing.assert_array_equal(ours.keys, theirs.keys)
    np.testing.assert_array_equal(ours.counts, theirs.counts)
    i, j = np.tril_indices(len(ours.columns))
    squares = np.sqrt(theirs.crosses[:, i == j])
    size = np.maximum(np.abs(theirs.means), squares / np.sqrt(theirs.counts)[:, None])
    assert np.all(np.abs(ours.means - theirs.means) <= rel * size)
    # Values that differ by no more than their rounding have no spread to speak of.
    spread = np.maximum(squares, 1e-15 * np.sqrt(theirs.counts)[:, None] * np.abs(theirs.means))
    assert np.all(np.abs(ours.crosses - theirs.crosses) <= rel * spread[:, i] * spread[:, j])


@given(table=tables(), data=st.data())
def test_against_loops(table, data):
    names = list(table)
    discrete = [name for name in names if naive.is_discrete(table[name])]
    continuous = [name for name in names if name not in discrete]
    variables = [v for v in discrete if data.draw(st.booleans())]
    columns = [c for c in continuous if data.draw(st.booleans())]
    cells = collect(to_table(table), [names.index(v) for v in variables], [names.index(c) for c in columns])
    expected = naive.cells(table, variables, columns)
    codes = [tuple(row) for row in cells.codes().tolist()]
    assert codes == sorted(expected)
    for cell, code in enumerate(codes):
        n, means, crosses = expected[code]
        assert cells.counts[cell] == n
        np.testing.assert_allclose(cells.means[cell], means, rtol=1e-12, atol=1e-12)
        lower = [crosses[i][j] for i in range(len(columns)) for j in range(i + 1)]
        spread = np.sqrt(np.diagonal(np.array(crosses).reshape(len(columns), len(columns))))
        scale = [max(spread[i] * spread[j], 1e-6) for i in range(len(columns)) for j in range(i + 1)]
        assert np.all(np.abs(cells.crosses[cell] - lower) <= 1e-10 * np.array(scale))


@given(table=tables(min_rows=8), data=st.data())
def test_parts_add_up_in_any_order(table, data):
    n = naive.rows_of(table)
    whole = to_table(table)
    variables = [j for j in range(len(whole.names)) if whole.discrete[j]]
    label = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    parts = [to_table(part(table, [r for r in range(n) if label[r] == k])) for k in set(label)]
    cells = [collect(p, variables, whole.continuous) for p in parts]
    expected = collect(whole, variables, whole.continuous)
    assert_same(add(cells), expected)
    assert_same(add(cells[::-1]), expected)


@given(table=tables(max_discrete=4), data=st.data())
def test_roll_up(table, data):
    whole = to_table(table)
    variables = [j for j in range(len(whole.names)) if whole.discrete[j]]
    keep = [v for v in variables if data.draw(st.booleans())]
    cells = collect(whole, variables, whole.continuous)
    assert_same(roll_up(cells, keep), collect(whole, keep, whole.continuous))


def mixed_rows(n, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 5, n)
    y = rng.integers(0, 3, n)
    x = rng.normal(size=(4, n)) * np.array([1.0, 1e-3, 1e4, 1.0])[:, None] + scale * (z + 1)
    return read_table({"Z": z.astype(str), "Y": y.astype(str), **{f"X{i}": x[i] for i in range(4)}})


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_folds(scale):
    table = mixed_rows(5000, scale=scale)
    fold = np.random.default_rng(1).integers(0, 5, table.n)
    total = collect(table, (0, 1), table.continuous)
    parts = [collect(table.take(fold == k), (0, 1), table.continuous) for k in range(5)]
    for k, training in enumerate(leave_one_out(parts)):
        expected = collect(table.take(fold != k), (0, 1), table.continuous)
        assert_same(training, expected, rel=1e-10)
        assert_same(subtract(total, parts[k]), expected, rel=1e-10)


def test_leave_one_out_of_two():
    table = mixed_rows(400)
    halves = [collect(table.take(np.arange(400) % 2 == k), (0,), table.continuous) for k in range(2)]
    first, second = leave_one_out(halves)
    assert_same(first, halves[1])
    assert_same(second, halves[0])
    with pytest.raises(StatisticsError, match="at least 2 parts"):
        leave_one_out(halves[:1])


def test_subtracting_refuses_to_lose_digits():
    rng = np.random.default_rng(2)
    x = np.concatenate([1e6 * rng.normal(size=50), 1e-3 * rng.normal(size=50)])
    table = read_table({"X": x})
    total = collect(table, (), (0,))
    wild = collect(table.take(np.arange(100) < 50), (), (0,))
    calm = collect(table.take(np.arange(100) >= 50), (), (0,))
    with pytest.raises(StatisticsError, match="lose digits"):
        subtract(total, wild)
    assert_same(subtract(total, calm), wild, rel=1e-10)
    with pytest.raises(StatisticsError, match="more rows than total"):
        subtract(calm, total)


def test_subtracting_drops_cells_that_become_empty():
    table = mixed_rows(1000)
    total = collect(table, (0,), table.continuous)
    first = table.columns[0].values == 0
    rest = subtract(total, collect(table.take(first), (0,), table.continuous))
    assert_same(rest, collect(table.take(~first), (0,), table.continuous), rel=1e-10)
    assert len(rest.keys) == len(total.keys) - 1
    with pytest.raises(StatisticsError, match="configuration that total has not"):
        subtract(rest, total)


def test_adding_different_cells_is_refused():
    table = mixed_rows(100)
    with pytest.raises(StatisticsError, match="cannot be added"):
        add([collect(table, (0,), (2,)), collect(table, (1,), (2,))])


def test_many_levels_do_not_exhaust_memory():
    rng = np.random.default_rng(3)
    n = 5000
    table = read_table(
        {f"D{i}": np.append(np.arange(100), rng.integers(0, 100, n - 100)).astype(str) for i in range(9)}
    )
    variables = tuple(range(9))
    assert table.configurations(variables) == 10**18
    (counted,) = count_cells(table, [variables])
    cells = collect(table, variables, ())
    np.testing.assert_array_equal(counted.keys, cells.keys)
    assert cells.counts.sum() == n
    assert len(cells.keys) <= n
    unique, counts = np.unique(np.stack([c.values for c in table.columns], axis=1), axis=0, return_counts=True)
    np.testing.assert_array_equal(cells.codes(), unique)
    np.testing.assert_array_equal(cells.counts, counts)


def test_sparse_and_dense_counting_agree():
    table = mixed_rows(3000)
    dense = collect(table, (0, 1), table.continuous), count_cells(table, [(0, 1), (0,), (1,)])
    counted = count_cells(table, [(0, 1), (0,), (1,)], limits=Limits(dense=0))
    sparse = collect(table, (0, 1), table.continuous, dense=0), counted
    assert_same(sparse[0], dense[0], rel=0)
    for ours, theirs in zip(sparse[1], dense[1], strict=True):
        assert_same(ours, theirs, rel=0)


def test_blocks_of_rows_agree_with_the_whole():
    table = mixed_rows(70_000)
    whole = collect(table, (0, 1), table.continuous)
    assert_same(collect(table, (0, 1), table.continuous, ordered=(1000, 1000)), whole)


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


def test_store_answers_from_what_it_has(monkeypatch):
    table = mixed_rows(3000)
    store = make_store(table)
    (large,) = store.get([Request((0, 1), table.continuous)])
    monkeypatch.setattr(MemoryReader, "quick_to_count", lambda *_: False)
    monkeypatch.setattr(MemoryReader, "read", lambda *_: pytest.fail("read the rows again"))
    again, rolled, counts, narrow, whole = store.get(
        [Request((0, 1), (2,)), Request((0,), table.continuous), Request((1,)), Request((0, 1)), Request((), (3,))]
    )
    assert again is large
    assert narrow is large
    assert whole is store.whole
    assert_same(rolled, collect(table, (0,), table.continuous))
    np.testing.assert_array_equal(counts.counts, np.bincount(table.columns[1].values))


def test_store_forgets_when_memory_runs_out():
    table = mixed_rows(3000)
    store = Store(MemoryReader(table, memory=1))
    for variables in ((0,), (1,), (0, 1), (0,)):
        (cells,) = store.get([Request(variables, table.continuous)])
        assert_same(cells, collect(table, variables, table.continuous))


def mehra_parts(shared, n):
    """Check adding, rolling up and folds on hostile numbers; see assert_same for the scale."""
    table = read_table(sample_mehra(shared / "data" / "mehra-complete.rda", n, seed=2))
    at = {name: i for i, name in enumerate(table.names)}
    columns = table.continuous
    sets = [(), ("Hour",), ("Zone", "Year"), ("Region", "Year", "Month", "Day")]
    rng = np.random.default_rng(0)
    chunk = np.repeat(np.arange(7), -(-n // 7))[:n]
    for names in sets:
        variables = tuple(sorted(at[name] for name in names))
        whole = collect(table, variables, columns)
        parts = [collect(table.take(chunk == k), variables, columns) for k in range(7)]
        assert_same(add([parts[k] for k in rng.permutation(7)]), whole)
        for size in range(len(variables)):
            smaller = variables[:size]
            assert_same(roll_up(whole, smaller), collect(table, smaller, columns))
        expected = collect(table.take(chunk != 3), variables, columns)
        assert_same(leave_one_out(parts)[3], expected, rel=1e-10)


def test_mehra_parts(shared):
    mehra_parts(shared, 60_000)


@pytest.mark.slow
def test_mehra_parts_of_a_million_rows(shared):
    mehra_parts(shared, 1_000_000)
