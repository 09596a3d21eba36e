"""Rows with weights in place of equal rows, against all rows."""

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.stats import Request, SetBatch
from bnjit.stats.collapse import collapse
from bnjit.stats.opening import make_store
from bnjit.stats.tuning import COLLAPSE_AFTER
from tests.stats.test_counting import SETS, assert_counts_as_loops, make_table


@pytest.mark.parametrize("levels", [(2, 3, 4, 3), (2**16, 3, 2**16, 66_000)])  # one word, and two
def test_collapsed_rows(levels):
    table = make_table(levels, 300_001, most=5)
    rows = collapse(table)
    assert rows is not None
    assert rows.weights.sum() == table.n
    assert rows.columns.n < table.n / 2
    assert_counts_as_loops(table, SETS, rows)


def test_rows_that_differ_are_not_collapsed():
    assert collapse(make_table((200, 200, 200, 200), 20_000)) is None
    halves = make_table((200, 200, 200, 200), 40_000)
    for column in halves.columns:
        column.values[:20_000] = 0
    assert collapse(halves) is None
    assert collapse(make_table((2,), 100)) is None


def test_store_collapses_rows_of_mixed_tables():
    discrete = make_table((2, 3, 4, 3), 50_000)
    x = Column(np.random.default_rng(1).normal(size=50_000), None)
    table = Table(["X", *discrete.names], [x, *discrete.columns])
    store = make_store(table)
    requests = [Request((1, 2)), Request((2, 3, 4)), Request((4,))]
    before = [make_store(table).get([request])[0] for request in requests]
    members = np.array([[1, 2 + i % 3] for i in range(COLLAPSE_AFTER)], np.int32)
    sizes = np.full(COLLAPSE_AFTER, 2)
    (counts,) = store.count([SetBatch(1, members, sizes)])
    assert store.count([SetBatch(1, members.copy(), sizes)])[0] is counts
    for ours, theirs in zip(store.get(requests), before, strict=True):
        np.testing.assert_array_equal(ours.keys, theirs.keys)
        np.testing.assert_array_equal(ours.counts, theirs.counts)
