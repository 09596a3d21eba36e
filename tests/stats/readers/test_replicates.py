"""Bootstrap replicates: moments are known without rows, which are drawn only if something needs them."""

import numpy as np

from bnjit.data import read_table
from bnjit.stats import Store, TriangleRequest, triangles_for
from bnjit.stats.bootstrap import replicate_wholes, starts_of, weights_of
from bnjit.stats.readers.memory import MemoryReader
from bnjit.stats.readers.replicates import ReplicateReader
from tests.stats.readers.by_numpy import assert_cells_by_numpy, assert_triangles_by_numpy, continuous_columns


def replicates(number=3, seed=9):
    """Readers of replicates, each with the rows that were drawn by hand."""
    table = read_table(continuous_columns())
    starts = starts_of(seed, number)
    for start, whole in zip(starts, replicate_wholes(table, MemoryReader(table).whole, starts), strict=True):
        rows = table.take(np.repeat(np.arange(table.n), weights_of(table.n, start)))
        yield ReplicateReader(table, start, whole), rows


def test_moments_need_no_rows(monkeypatch):
    drawn = []
    monkeypatch.setattr(ReplicateReader, "_rows", property(drawn.append))
    for reader, rows in replicates():
        store = Store(reader)
        assert store.n == rows.n
        assert_cells_by_numpy(store.whole, rows, (), rows.continuous)
    assert drawn == []


def test_rows_are_drawn_for_triangles():
    sizes = set()
    for reader, rows in replicates():
        sizes.add(rows.n)
        request = TriangleRequest((), np.zeros(1, np.int64), rows.continuous, rows.n)
        (found,) = triangles_for([(Store(reader), request)])
        assert_triangles_by_numpy(found, rows, request)
        np.testing.assert_array_equal(reader.table.columns[0].values, rows.columns[0].values)
    assert len(sizes) > 1
