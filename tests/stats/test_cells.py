"""Cells against plain loops; chunks, halves, roll-ups and folds against the whole."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.data import read_table
from bnjit.errors import StatisticsError
from bnjit.stats import add, leave_one_out, roll_up
from bnjit.stats.cells import add_to
from bnjit.stats.counting import count_cells
from tests.comparison import assert_same_cells
from tests.reference import naive
from tests.reference.mehra import sample_mehra
from tests.stats.rows import collect, mixed_rows
from tests.strategies import tables, take_rows, to_table


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
    parts = [to_table(take_rows(table, [r for r in range(n) if label[r] == k])) for k in set(label)]
    cells = [collect(p, variables, whole.continuous) for p in parts]
    expected = collect(whole, variables, whole.continuous)
    assert_same_cells(add(cells), expected)
    assert_same_cells(add(cells[::-1]), expected)
    assert_same_cells(functools.reduce(add_to, cells), expected)


@given(table=tables(max_discrete=4), data=st.data())
def test_roll_up(table, data):
    whole = to_table(table)
    variables = [j for j in range(len(whole.names)) if whole.discrete[j]]
    keep = [v for v in variables if data.draw(st.booleans())]
    cells = collect(whole, variables, whole.continuous)
    assert_same_cells(roll_up(cells, keep), collect(whole, keep, whole.continuous))


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_folds(scale):
    table = mixed_rows(5000, scale=scale)
    fold = np.random.default_rng(1).integers(0, 5, table.n)
    parts = [collect(table.take(fold == k), (0, 1), table.continuous) for k in range(5)]
    for k, training in enumerate(leave_one_out(parts)):
        expected = collect(table.take(fold != k), (0, 1), table.continuous)
        assert_same_cells(training, expected, rel=1e-10)


def test_leave_one_out_of_two():
    table = mixed_rows(400)
    halves = [collect(table.take(np.arange(400) % 2 == k), (0,), table.continuous) for k in range(2)]
    first, second = leave_one_out(halves)
    assert_same_cells(first, halves[1])
    assert_same_cells(second, halves[0])
    with pytest.raises(StatisticsError, match="at least 2 parts"):
        leave_one_out(halves[:1])


def test_adding_different_cells_is_refused():
    table = mixed_rows(100)
    with pytest.raises(StatisticsError, match="cannot be added"):
        add([collect(table, (0,), (2,)), collect(table, (1,), (2,))])
    with pytest.raises(StatisticsError, match="cannot be added"):
        add_to(collect(table, (0,), (2,)), collect(table, (0,), (3,)))


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


def assert_mehra_parts_add_up(shared, n):
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
        assert_same_cells(add([parts[k] for k in rng.permutation(7)]), whole)
        for size in range(len(variables)):
            smaller = variables[:size]
            assert_same_cells(roll_up(whole, smaller), collect(table, smaller, columns))
        expected = collect(table.take(chunk != 3), variables, columns)
        assert_same_cells(leave_one_out(parts)[3], expected, rel=1e-10)


def test_mehra_parts(shared):
    assert_mehra_parts_add_up(shared, 60_000)


@pytest.mark.slow
def test_mehra_parts_of_a_million_rows(shared):
    assert_mehra_parts_add_up(shared, 1_000_000)
