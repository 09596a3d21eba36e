"""Rows in memory: the cells of rows are kept, residuals share them, and rows are collapsed once that pays."""

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.stats import Request, Store
from bnjit.stats.readers.memory import MemoryReader, memory_for
from bnjit.stats.requests import Plan, SetBatch
from bnjit.stats.tuning import COLLAPSE_AFTER, LEAST_MEMORY, MEMORY_SHARE, QUICK_COUNT, ROLL_UP_FACTOR
from tests.stats.readers.by_numpy import assert_cells_by_numpy, keys_by_numpy, replaced_rows
from tests.stats.rows import collect, mixed_rows


def test_memory_grows_with_the_table():
    small = mixed_rows(100)
    assert memory_for(small) == LEAST_MEMORY == MemoryReader(small).memory
    large = Table(["x"], [Column(np.zeros(LEAST_MEMORY // 2), None)])
    assert memory_for(large) == int(MEMORY_SHARE * large.nbytes) > LEAST_MEMORY
    assert MemoryReader(small, memory=7).memory == 7


def test_cells_of_rows_are_found_once():
    table = mixed_rows(300)
    reader = MemoryReader(table)
    found = reader.members((0, 1))
    np.testing.assert_array_equal(found.keys[found.ids], keys_by_numpy(table, (0, 1)))
    assert reader.members((0, 1)) is found
    other = reader.replaced(3, (0, 1), (2,), lambda rows, cells: rows.columns[2].values * (1.0 + cells.ids))
    assert other.members((0, 1)) is found  # the discrete columns are the same
    assert other.memory < reader.memory
    forgetful = MemoryReader(table, memory=0)
    first = forgetful.members((0,))
    forgetful.members((1,))
    assert forgetful.members((0,)) is not first


def test_residuals_of_residuals():
    table = mixed_rows(300)
    once = MemoryReader(table).replaced(3, (), (2,), lambda rows, _: rows.columns[2].values + 1.0)
    twice = once.replaced(4, (), (3,), lambda rows, _: 2.0 * rows.columns[3].values)
    values = table.columns[2].values + 1.0
    expected = replaced_rows(replaced_rows(table, 3, values), 4, 2.0 * values)
    assert_cells_by_numpy(twice.whole, expected, (), table.continuous)
    assert_cells_by_numpy(Store(twice).get([Request((0,), (3, 4))])[0], expected, (0,), (3, 4))


def test_what_is_quick():
    reader = MemoryReader(mixed_rows(300))
    assert reader.quick_to_count((0, 1))
    assert not reader.quick_to_count((0,) * (QUICK_COUNT // 300 + 1))
    cells = collect(reader.table, (0, 1), ())
    assert len(cells.keys) * ROLL_UP_FACTOR < 300
    assert reader.worth_rolling_up(cells)
    assert not MemoryReader(mixed_rows(15)).worth_rolling_up(cells)


@pytest.mark.parametrize("one_by_one", [True, False])
def test_collapsed_rows_count_the_same(one_by_one):
    """Rows are collapsed when many sets were counted, through plans or in batches."""
    rng = np.random.default_rng(1)
    table = Table(["a", "b"], [Column(rng.integers(0, 3, 50_000).astype(np.uint8), (0, 1, 2)) for _ in range(2)])
    reader = MemoryReader(table)
    plan, batch = Plan(counts=[(0, 1)]), SetBatch(0, np.array([[0, 1]], np.int32), np.array([2]))
    expected = np.bincount(keys_by_numpy(table, (0, 1)), minlength=9)
    for _ in range(COLLAPSE_AFTER + 2):
        if one_by_one:
            ((counts, _, _),) = reader.read([(reader, plan)])
            found = counts[0].counts
        else:
            found = reader.count_batch(batch).counts
        np.testing.assert_array_equal(found, expected)
    assert reader._rows.columns.n < table.n
