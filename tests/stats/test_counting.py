"""Counts of awkward tables against plain loops."""

from collections import Counter

import numpy as np
import pytest

from bnjit._threads import threads
from bnjit.data import Column, Table
from bnjit.stats.counting import CountingLimits, count_cells


def make_table(levels, n, seed=0, most=None):
    """Codes of the smallest type; only the first `most` levels are observed."""
    rng = np.random.default_rng(seed)
    columns = []
    for k in levels:
        kind = np.uint8 if k <= 2**8 else np.uint16 if k <= 2**16 else np.uint32
        columns.append(Column(rng.integers(0, min(k, most or k), n).astype(kind), tuple(range(k))))
    return Table([f"D{i}" for i in range(len(levels))], columns)


def assert_counts_as_loops(table, sets, rows=None, **limits):
    """Compare with a count of the rows one by one."""
    for variables, cells in zip(sets, count_cells(table, sets, rows, CountingLimits(**limits)), strict=True):
        codes = [table.columns[v].values.tolist() for v in variables]
        expected = Counter(zip(*codes, strict=True)) if codes else Counter([()] * table.n)
        assert cells.variables == variables
        assert cells.levels == tuple(table.levels[v] for v in variables)
        found = [tuple(row) for row in cells.codes().tolist()]
        assert found == sorted(expected)
        assert cells.counts.tolist() == [expected[row] for row in found]


SETS = [(0,), (0, 1), (2,), (0, 2), (1, 2), (0, 1, 2), (0, 3), (0, 2, 3), (0, 1, 2, 3), ()]


@pytest.mark.parametrize("n", [1, 2, 4095, 4097, 10_001])
@pytest.mark.parametrize("levels", [(2, 3, 4, 3), (1, 1, 2, 300), (3, 17, 200, 256), (257, 2, 5, 66_000)])
def test_awkward_tables(levels, n):
    assert_counts_as_loops(make_table(levels, n), SETS)
    assert_counts_as_loops(make_table(levels, n, most=2), SETS[::-1])


@pytest.mark.parametrize("n_threads", [1, 3])
def test_threads_and_ranges_of_rows(n_threads):
    table = make_table((2, 3, 4, 3), 9999)
    with threads(n_threads):
        assert_counts_as_loops(table, SETS, worth_threads=0, rows_per_range=1000)
        assert_counts_as_loops(table, [(0, 1)], worth_threads=0, rows_per_range=1000)


def test_tables_that_do_not_fit_in_memory_together():
    assert_counts_as_loops(make_table((2, 3, 4, 3), 500), SETS, range_bytes=100)


def test_many_columns_share_passes():
    table = make_table([2, 3, 4] * 10, 3000)
    assert_counts_as_loops(
        table, [tuple(sorted((4, 11, v))) for v in range(30) if v not in (4, 11)] + [(4,), (11,), (4, 11)]
    )
