"""The contract of all readers: counts, tables, triangles and replaced columns are those of plain NumPy on the rows."""

import itertools

import numpy as np
import pytest

from bnjit.errors import StatisticsError
from bnjit.stats import Request, SetBatch, Store, TriangleRequest, triangles_for
from bnjit.stats.requests import Plan
from tests.stats.readers.by_numpy import (
    READERS,
    assert_cells_by_numpy,
    assert_triangles_by_numpy,
    keys_by_numpy,
    mixed_columns,
    replaced_rows,
    rows_in,
)


@pytest.fixture(params=READERS)
def case(request):
    return READERS[request.param](mixed_columns())


def sets_of(table):
    """All sets of discrete variables but the empty one."""
    discrete = [v for v, is_discrete in enumerate(table.discrete) if is_discrete]
    return [s for size in range(1, len(discrete) + 1) for s in itertools.combinations(discrete, size)]


def test_what_is_said_of_the_rows(case):
    reader, rows, _ = case
    assert reader.n == rows.n
    assert reader.schema.names == rows.names
    assert reader.schema.labels == rows.labels
    assert Store(reader).in_passes == reader.in_passes
    if reader.table is not None:
        for ours, theirs in zip(reader.table.columns, rows.columns, strict=True):
            np.testing.assert_array_equal(ours.values, theirs.values)


def test_whole(case):
    assert_cells_by_numpy(case.reader.whole, case.rows, (), case.rows.continuous)
    assert_cells_by_numpy(Store(case.reader).whole, case.rows, (), case.rows.continuous)


def test_counts_and_tables(case):
    reader, rows, _ = case
    sets = sets_of(rows)
    plan = Plan(counts=sets, tables={s: rows.continuous[: 1 + len(s)] for s in sets})
    ((counts, tables, triangles),) = reader.read([(reader, plan)])
    assert triangles == []
    assert list(tables) == sets
    for variables, counted in zip(sets, counts, strict=True):
        assert_cells_by_numpy(counted, rows, variables, ())
        assert_cells_by_numpy(tables[variables], rows, variables, plan.tables[variables])


def test_known_configurations_change_nothing(case):
    reader, rows, _ = case
    tables = dict.fromkeys(sets_of(rows), rows.continuous)
    keys = {variables: np.unique(keys_by_numpy(rows, variables)) for variables in tables}
    ((_, found, _),) = reader.read([(reader, Plan(tables=tables, keys=keys))])
    for variables, cells in found.items():
        assert_cells_by_numpy(cells, rows, variables, rows.continuous)


def test_batches_of_counts(case):
    reader, rows, _ = case
    sets = [s for s in sets_of(rows) if s[0] == 0]
    if not sets:
        assert rows.continuous == (0, 1, 2)  # a replicate, which has nothing to count
        return
    members = np.zeros((len(sets), 3), np.int32)
    for row, s in zip(members, sets, strict=True):
        row[: len(s)] = s
    batch = SetBatch(0, members, np.array([len(s) for s in sets]))
    (counts,) = Store(reader).count([batch])
    for i, variables in enumerate(sets):
        found, expected = np.unique(keys_by_numpy(rows, variables), return_counts=True)
        at = slice(counts.starts[i], counts.ends[i])
        np.testing.assert_array_equal(counts.keys[at], found)
        np.testing.assert_array_equal(counts.counts[at], expected)


def triangle_requests(rows):
    """Of all rows, of some cells, of one, of all; cells by themselves and as one."""
    every = rows.continuous
    asked = [((), np.zeros(1, np.int64), every, False), ((), np.zeros(1, np.int64), every[1:], True)]
    if any(rows.discrete):
        asked += [
            ((0,), np.array([0, 2]), every, False), ((0,), np.array([1]), every[:2], False),
            ((2, 4), np.unique(keys_by_numpy(rows, (2, 4))), every[1:], False),
            ((0, 2), np.array([1, 2, 5]), every, True), ((4,), np.array([3]), every[:1], True),
        ]  # fmt: skip
    return [TriangleRequest(v, keys, columns, rows_in(rows, v, keys), one) for v, keys, columns, one in asked]


def test_triangles(case):
    reader, rows, has_rows = case
    requests = triangle_requests(rows)
    if not has_rows:
        with pytest.raises(StatisticsError, match="give the rows"):
            reader.read([(reader, Plan(triangles=requests))])
        return
    ((_, _, made),) = reader.read([(reader, Plan(triangles=requests))])
    for request, found in zip(requests, made, strict=True):
        assert found.columns == request.columns
        assert_triangles_by_numpy(found, rows, request)


def test_triangles_of_a_store(case):
    reader, rows, has_rows = case
    if has_rows:
        store, requests = Store(reader), triangle_requests(rows)
        for some in (requests[:2], requests, requests[::-1]):
            for request, found in zip(some, triangles_for([(store, r) for r in some]), strict=True):
                assert_triangles_by_numpy(found, rows, request)


def twice_by_cells(table, found):
    """Twice the last column, and the number of the configuration of the first."""
    values = 2.0 * table.columns[-1].values
    return values if not found.variables else values + 100.0 * table.columns[0].values


def test_a_replaced_column(case):
    reader, rows, has_rows = case
    column = rows.continuous[1]
    variables = (0,) if rows.discrete[0] else ()
    if not has_rows:
        with pytest.raises(StatisticsError, match="give the rows"):
            reader.replaced(column, variables, rows.continuous[2:], twice_by_cells)
        return
    values = 2.0 * rows.columns[-1].values + (100.0 * rows.columns[0].values if variables else 0.0)
    expected = replaced_rows(rows, column, values)
    store = Store(reader)
    other = store.replaced(column, variables, rows.continuous[2:], twice_by_cells)
    assert other.n == rows.n
    assert_cells_by_numpy(other.whole, expected, (), rows.continuous)
    for variables in sets_of(rows):
        assert_cells_by_numpy(other.get([Request(variables, rows.continuous)])[0], expected, variables, rows.continuous)
        assert_cells_by_numpy(other.get([Request(variables)])[0], expected, variables, ())
    requests = triangle_requests(rows)
    for request, found in zip(requests, triangles_for([(other, r) for r in requests]), strict=True):
        assert_triangles_by_numpy(found, expected, request)
    assert_cells_by_numpy(store.whole, rows, (), rows.continuous)  # the store itself has the values that it had


def test_extremes(case):
    reader, rows, has_rows = case
    for column in rows.continuous:
        if has_rows:
            values = rows.columns[column].values
            found = reader.extremes(column)
            assert (found.min(), found.max()) == (values.min(), values.max())
        else:
            with pytest.raises(StatisticsError):
                reader.extremes(column)


@pytest.mark.parametrize("share", [0, 1])
def test_little_memory_changes_no_answer(case, share):
    """A store that forgets all but the last table asks again, and gives the same."""
    reader, rows, _ = case
    store = Store(reader)
    for kept in (store.cache.tables, store.cache.counts):
        kept.memory = share
    asked = [Request(s, columns) for s in sets_of(rows) for columns in ((), rows.continuous[:1], rows.continuous)]
    asked = [*asked, *asked[::-1], Request((), rows.continuous)]
    for some in (asked[:1], asked, asked[::3]):
        for request, cells in zip(some, store.get(some), strict=True):
            assert_cells_by_numpy(cells, rows, *request)
