"""Totals of chunks are the counts of all rows."""

from itertools import pairwise

import numpy as np
import pytest

from bnjit.stats.count_totals import CountTotals, with_few_configurations
from bnjit.stats.counting import CountingLimits, count_cells
from tests.comparison import assert_same_cells
from tests.stats.readers.by_numpy import assert_cells_by_numpy
from tests.stats.rows import grouped_rows, mixed_rows


@pytest.mark.parametrize("range_bytes", [1, 40, 1 << 20])
def test_totals_of_chunks(range_bytes):
    """Of sets whose tables are filled one by one, some at a time, or all at once."""
    table, sets = grouped_rows(), [(0, 2), (2,), (0,)]
    totals = CountTotals(table, sets, CountingLimits(range_bytes=range_bytes))
    for a, b in pairwise((0, 1, 90, 200)):
        totals.add_chunk(table.take(np.arange(a, b)))
    assert totals.sets == [(2,), (0,), (0, 2)]
    for variables, cells in zip(totals.sets, totals.cells(), strict=True):
        assert cells.variables == variables
        assert_cells_by_numpy(cells, table, variables, ())
        assert_same_cells(cells, count_cells(table, [variables])[0])
    assert len(totals.cells()[2].keys) < table.configurations((0, 2))  # some were never observed


def test_sets_with_few_configurations():
    table = mixed_rows(100)  # five levels, and three
    sets = [(0, 1), (1,), (0,)]
    assert with_few_configurations(table, sets, 23) == [(1,), (0,), (0, 1)]
    assert with_few_configurations(table, sets, 22) == [(1,), (0,)]
    assert with_few_configurations(table, sets, 2) == []
