"""Folds: every row is in one of them, and what is outside each is the rest."""

import numpy as np
import pytest

from bnjit.data.split import row_numbers
from bnjit.errors import DataError
from bnjit.stats import Request
from bnjit.stats.readers.folds import Folds
from bnjit.stats.requests import SetBatch
from tests.stats.readers.by_numpy import assert_cells_by_numpy, count_reads, keys_by_numpy
from tests.stats.rows import mixed_rows

REQUESTS = [Request((0,), (2, 3)), Request((0, 1), (2, 3, 4, 5)), Request((1,)), Request((), (2, 3, 4, 5))]


@pytest.mark.parametrize(("k", "seed"), [(2, None), (3, 5), (7, 1)])
def test_rows_of_folds(k, seed):
    table = mixed_rows(400)
    folds = Folds(table, k, seed)
    fold = (row_numbers(400, seed) * k).astype(int)
    assert len(folds.tests) == len(folds.trains) == k
    assert folds.everything.n == 400
    for f in range(k):
        inside, outside = table.take(fold == f), table.take(fold != f)
        for store, rows in ((folds.tests[f], inside), (folds.trains[f], outside), (folds.everything, table)):
            assert store.n == rows.n
            for request, cells in zip(REQUESTS, store.get(REQUESTS), strict=True):
                assert_cells_by_numpy(cells, rows, *request)
            ours, theirs = (np.stack([c.values for c in t.columns], axis=1) for t in (store.reader.table, rows))
            np.testing.assert_array_equal(*(np.unique(values, axis=0) for values in (ours, theirs)))


def test_tables_outside_all_folds_are_made_together():
    folds = Folds(mixed_rows(400), 4, 1)
    read = [count_reads(store) for store in folds.tests]
    folds.trains[0].get(REQUESTS[:2])
    tables = [[plan.tables for plan in plans] for reads in read for plans in reads]
    assert [len(some) for some in tables if any(some)] == [4]
    for reads in read:
        reads.clear()
    for train in folds.trains[1:]:
        train.get(REQUESTS[:2])
    assert not any(read)


def test_batches_of_counts_outside_each_fold():
    """Some configurations are in one fold alone: outside it they are not there."""
    table = mixed_rows(60)
    folds = Folds(table, 3, 2)
    fold = (row_numbers(60, 2) * 3).astype(int)
    sets = SetBatch(0, np.array([[0, 1], [0, 9]], np.int32), np.array([2, 1]))
    for f, train in enumerate(folds.trains):
        (counts,) = train.count([sets])
        for i, variables in enumerate([(0, 1), (0,)]):
            keys, expected = np.unique(keys_by_numpy(table.take(fold != f), variables), return_counts=True)
            at = slice(counts.starts[i], counts.ends[i])
            np.testing.assert_array_equal(counts.keys[at], keys)
            np.testing.assert_array_equal(counts.counts[at], expected)


def test_too_few_rows():
    with pytest.raises(DataError, match="20 rows are too few for 15 folds"):
        Folds(mixed_rows(20), 15, None)
