"""What a store answers from what it keeps, by rolling up, and by having rows read once for a batch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnjit.data import read_table
from bnjit.errors import StatisticsError
from bnjit.stats import Request, Store, TriangleRequest, cells_for, triangles_for
from bnjit.stats.opening import make_store
from bnjit.stats.readers.chunked import ChunkedReader
from bnjit.stats.readers.memory import MemoryReader
from bnjit.stats.store import fitting
from bnjit.stats.tuning import TRIANGLE_COLUMNS
from tests.comparison import assert_same_cells
from tests.stats.readers.by_numpy import (
    READERS,
    assert_cells_by_numpy,
    assert_triangles_by_numpy,
    count_reads,
    mixed_columns,
    replaced_rows,
    rows_in,
)
from tests.stats.rows import collect, mixed_rows


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
    assert_same_cells(rolled, collect(table, (0,), table.continuous))
    np.testing.assert_array_equal(counts.counts, np.bincount(table.columns[1].values))


def test_store_forgets_when_memory_runs_out():
    table = mixed_rows(3000)
    store = Store(MemoryReader(table, memory=1))
    for variables in ((0,), (1,), (0, 1), (0,)):
        (cells,) = store.get([Request(variables, table.continuous)])
        assert_same_cells(cells, collect(table, variables, table.continuous))


@pytest.fixture
def chunked():
    """Rows of mixed columns that come in chunks, and the rows."""
    case = READERS["chunks of 37"](mixed_columns())
    return case.reader.source, case.rows


def test_a_batch_is_read_once():
    store = make_store(mixed_rows(3000))
    plans = count_reads(store)
    requests = [Request((0,), (2,)), Request((0, 1), (3, 4)), Request((1,)), Request((0,), (5,)), Request((), (2,))]
    found = store.get(requests)
    with_columns = [plan for (plan,) in plans if plan.tables]
    assert len(with_columns) == 1  # counts that plan the tables may be another
    for request, cells in zip(requests, found, strict=True):
        assert_cells_by_numpy(cells, store.reader.table, *request)
    plans.clear()
    again = store.get(requests[::-1])
    assert plans == []
    assert all(a is b for a, b in zip(again, reversed(found), strict=True))


def test_one_pass_for_what_several_stores_of_one_root_are_asked(chunked):
    """Rows as they are, with a column replaced, and those of the same source through another store."""
    source, rows = chunked
    first, second = (Store(ChunkedReader(source, 1 << 24)) for _ in range(2))
    other = first.replaced(3, (0,), (5,), lambda table, _: 2.0 * table.columns[5].values)
    with_other = replaced_rows(rows, 3, 2.0 * rows.columns[5].values)
    asked = [
        (first, Request((0,), (1, 3))), (other, Request((0,), (1, 3))), (second, Request((2, 4))),
        (other, Request((), rows.continuous)), (other, Request((0, 2))), (first, Request((0,), (1, 3))),
    ]  # fmt: skip
    before = source.root.passes
    found = cells_for(asked)
    assert source.root.passes == before + 1
    for (store, request), cells in zip(asked, found, strict=True):
        assert_cells_by_numpy(cells, with_other if store is other else rows, *request)
    again = cells_for(asked)
    assert source.root.passes == before + 1
    assert all(a is b for a, b in zip(again, found, strict=True))
    assert first.get([Request((0, 2))])[0] is found[4]  # the store of replaced rows counts where the first one does


def test_other_sets_are_counted_in_the_same_pass(chunked):
    source, rows = chunked
    store = Store(ChunkedReader(source, 1 << 24))
    before = source.root.passes
    store.get([Request((0,))])
    for variables in ((2,), (0, 2), (0, 2, 4)):
        assert_cells_by_numpy(store.get([Request(variables)])[0], rows, variables, ())
    assert source.root.passes == before + 1


@pytest.mark.parametrize("rows_memory", [0, 1 << 24])
def test_triangles_of_other_cells_are_made_in_the_same_pass(chunked, rows_memory):
    """All cells of the same variables, and those of a table that divide such cells; rows may come to memory beside."""
    source, rows = chunked
    store = Store(ChunkedReader(source, 1 << 24, rows_memory))
    store.get([Request((0,), rows.continuous), Request((2,))])
    before = source.root.passes

    def ask(variables, keys):
        request = TriangleRequest(variables, np.array(keys), rows.continuous[:2], rows_in(rows, variables, keys))
        (found,) = triangles_for([(store, request)])
        assert_triangles_by_numpy(found.narrow(request.columns), rows, request)

    ask((0,), [1])
    ask((0,), [0, 1])
    assert source.root.passes == before + 1
    store.get([Request((0, 2), rows.continuous)])
    assert source.root.passes == before + 2
    ask((0, 2), [1, 2])
    assert source.root.passes == before + 2


def test_subsets_of_what_is_known_take_no_pass(chunked):
    source, rows = chunked
    store = Store(ChunkedReader(source, 1 << 24))
    store.get([Request((0, 2, 4), rows.continuous)])
    before = source.root.passes
    for variables in ((0,), (2, 4), (0, 4), ()):
        for columns in ((), rows.continuous[:2], rows.continuous):
            request = Request(variables, columns if variables else rows.continuous)
            assert_cells_by_numpy(store.get([request])[0], rows, *request)
    assert source.root.passes == before


def test_more_configurations_than_can_be_numbered():
    rng = np.random.default_rng(0)
    codes = {f"D{i}": np.append(np.arange(100), rng.integers(0, 100, 100)).astype(str) for i in range(10)}
    store = make_store(read_table({**codes, "X": rng.normal(size=200)}))
    nine, ten = tuple(range(9)), tuple(range(10))
    assert store.schema.configurations(nine) == 10**18 < 2**62 < store.schema.configurations(ten)
    assert store.get([Request(nine, (10,))])[0].counts.sum() == 200
    for columns in ((), (10,)):
        with pytest.raises(StatisticsError, match=r"10 discrete columns have more than 2\^62 configurations"):
            store.get([Request(ten, columns)])


@pytest.mark.parametrize("memory", [0, 1])
@given(data=st.data())
@settings(max_examples=20)
def test_any_order_of_requests_with_little_memory(memory, data):
    table = mixed_rows(200)
    store = Store(MemoryReader(table, memory=memory))
    sets = st.sampled_from([(), (0,), (1,), (0, 1)])
    columns = st.sets(st.integers(2, 5)).map(lambda some: tuple(sorted(some)))
    batches = data.draw(st.lists(st.lists(st.builds(Request, sets, columns), min_size=1, max_size=4), max_size=4))
    for batch in batches:
        for request, cells in zip(batch, store.get(batch), strict=True):
            assert_cells_by_numpy(cells, table, request.variables, request.columns)


def test_lists_of_requests_that_fit_together():
    table = mixed_rows(3000)
    store, small = make_store(table), Store(MemoryReader(table, memory=1))
    lists = [[(store, Request((0,), (2,)))], [(store, Request((0, 1), table.continuous))], []]
    assert fitting(lists) == 3
    assert fitting([[(small, request) for _, request in some] for some in lists]) == 1
    assert fitting([]) == 0


def asked_for(table, variables, keys, columns):
    return TriangleRequest(variables, np.array(keys), columns, rows_in(table, variables, keys))


def test_triangles_of_overlapping_requests():
    """Cells that several ask for, with other columns, before and after they are kept; each cell is made once."""
    table = mixed_rows(400)
    store = make_store(table)
    plans = count_reads(store)
    batches = [
        [((0,), [0, 2], (2, 3)), ((0,), [2, 4], (3, 4)), ((1,), [1], (2,))],
        [((0,), [0, 1], (3,)), ((0,), [0, 2, 4], (2, 3, 4)), ((), [0], (2, 5))],
        [((0,), [0, 1, 2, 3, 4], (5,)), ((0,), [3], (2, 3)), ((1,), [0, 1, 2], (2,)), ((), [0], (2, 3))],
    ]
    for batch in batches:
        requests = [asked_for(table, *one) for one in batch]
        for request, found in zip(requests, triangles_for([(store, r) for r in requests]), strict=True):
            assert found.keys.tolist() == request.keys.tolist()
            assert_triangles_by_numpy(found, table, request)
    assert len(plans) == len(batches)
    again = [asked_for(table, *one) for one in batches[-1]]
    for request, found in zip(again, triangles_for([(store, r) for r in again]), strict=True):
        assert_triangles_by_numpy(found, table, request)
    assert sum(len(plan.triangles) for (plan,) in plans[len(batches) :]) == 0


def test_triangles_as_one_stand_beside_others():
    table = mixed_rows(400)
    store = make_store(table)
    cells = asked_for(table, (0,), [1, 3], (2, 4))
    requests = [cells._replace(as_one=True), cells, cells._replace(as_one=True, columns=(5,)), cells]
    for _ in range(2):
        for request, found in zip(requests, triangles_for([(store, r) for r in requests]), strict=True):
            assert_triangles_by_numpy(found, table, request)


@pytest.mark.parametrize("memory", [1, 1 << 20])
@given(data=st.data())
@settings(max_examples=25)
def test_triangles_in_any_order(memory, data):
    table = mixed_rows(200)
    store = Store(MemoryReader(table, memory=memory))
    columns = st.sets(st.integers(2, 5), min_size=1).map(lambda some: tuple(sorted(some)))
    keys = st.sets(st.integers(0, 2), min_size=1).map(sorted)
    one = st.tuples(st.sampled_from([(0,), (1,)]), keys, columns)
    for batch in data.draw(st.lists(st.lists(one, min_size=1, max_size=4), max_size=4)):
        requests = [asked_for(table, *arguments) for arguments in batch]
        for request, found in zip(requests, triangles_for([(store, r) for r in requests]), strict=True):
            assert_triangles_by_numpy(found, table, request)


def test_triangles_that_are_forgotten_while_others_are_kept():
    """Room for one set of variables: keeping the first drops the cells that the second was to be joined with."""
    table = mixed_rows(400)
    store = Store(MemoryReader(table, memory=1))
    triangles_for([(store, asked_for(table, (0,), [0], table.continuous))])
    requests = [asked_for(table, (1,), [0], table.continuous), asked_for(table, (0,), [0, 1], table.continuous)]
    for request, found in zip(requests, triangles_for([(store, r) for r in requests]), strict=True):
        assert_triangles_by_numpy(found, table, request)


def test_triangles_of_wide_tables():
    """Beyond some number of columns a triangle has those that were asked for, and others are made anew."""
    rng = np.random.default_rng(1)
    columns = {f"X{j}": rng.normal(size=200) for j in range(TRIANGLE_COLUMNS + 1)}
    table = read_table({"g": rng.integers(0, 3, 200).astype(str), **columns})
    store = make_store(table)
    for keys, columns in (([0, 1], (1, 2)), ([1, 2], (1, 2)), ([0], (2, 3)), ([0, 1, 2], (1, 3)), ([2], (1,))):
        request = asked_for(table, (0,), keys, columns)
        (found,) = triangles_for([(store, request)])
        assert len(found.columns) <= 3
        assert_triangles_by_numpy(found, table, request)
