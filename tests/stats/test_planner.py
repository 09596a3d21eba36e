"""Which tables are made for a batch of requests: each answers its request, and none is larger than allowed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnjit._simd import SIMD_WIDTH
from bnjit.data import read_table
from bnjit.data.schema import Schema
from bnjit.stats import Request
from bnjit.stats.cache import CellCache
from bnjit.stats.cells import table_bytes
from bnjit.stats.planner import Planner
from tests.stats.rows import collect, mixed_rows


def planner_of(table, most_cells=0, widens=False, memory=1 << 20):
    cache = CellCache(table, memory, memory, memory)
    return Planner(table, cache, memory, most_cells, widens), cache


def test_what_is_asked_for_is_made():
    planner, _ = planner_of(mixed_rows(100))
    requests = [Request((0,), (2, 3)), Request((0, 1), (2,)), Request((0,), (5,))]
    tables, source = planner.plan(requests)
    assert tables == {(0,): (2, 3, 5), (0, 1): (2,)}
    assert source == {requests[0]: (0,), requests[1]: (0, 1), requests[2]: (0,)}


def test_tables_of_all_columns_are_rolled_up_from_one():
    table = mixed_rows(100)
    planner, _ = planner_of(table)
    large, small = Request((0, 1), table.continuous), Request((1,), table.continuous)
    tables, source = planner.plan([large, small])
    assert tables == {(0, 1): table.continuous}
    assert source == {large: (0, 1), small: (0, 1)}


def test_small_tables_are_made_larger_where_that_is_cheap():
    table = mixed_rows(100)  # five levels, and three
    request = Request((0,), table.continuous)
    for most_cells, expected in ((14, (0,)), (15, (0, 1)), (10**6, (0, 1))):
        planner, _ = planner_of(table, most_cells)
        assert planner.plan([request]) == ({expected: table.continuous}, {request: expected})
    narrow = Request((0,), (2,))
    assert planner.plan([narrow]) == ({(0,): (2,)}, {narrow: (0,)})


def test_columns_that_are_there_stay_if_that_costs_nothing():
    table = mixed_rows(100)
    planner, cache = planner_of(table)
    cache.keep(collect(table, (0,), (2, 3)))
    assert SIMD_WIDTH >= 4
    assert planner.plan([Request((0,), (5,))])[0] == {(0,): (2, 3, 5)}


def test_a_table_that_is_asked_for_more_columns_gets_them_all():
    table = mixed_rows(100)
    planner, cache = planner_of(table, widens=True)
    assert planner.plan([Request((0,), (2, 5))])[0] == {(0,): (2, 5)}
    cache.keep(collect(table, (0,), (2, 3)))
    assert planner.plan([Request((0,), (5,))])[0] == {(0,): table.continuous}


def test_columns_where_reading_takes_a_pass():
    """Those that are there stay, and more come at their price, unless memory does not hold them."""
    table = read_table({"Z": list("ab") * 50, **{f"X{j:02}": np.arange(100.0) for j in range(2 * SIMD_WIDTH)}})
    some, two = table.continuous[: SIMD_WIDTH - 1], table.continuous[-2:]
    size = 2 * 4 * 4  # of two cells: memory for a number of columns, by most_cells_with

    def columns(there, asked, in_passes=True, memory=1 << 20):
        cache = CellCache(table, 1 << 20, 1 << 20, 1 << 20)
        cache.keep(collect(table, (0,), there))
        return Planner(table, cache, memory, 0, False, in_passes).plan([Request((0,), asked)])[0][0,]

    assert columns(some, two, in_passes=False) == two
    assert columns(some, two) == table.continuous
    both = len(some) + len(two)
    assert columns(some, two, memory=size * both * (both + 3)) == (*some, *two)
    assert columns(some, two, memory=size * both * (both + 2)) == two
    assert columns(some[:1], two) == (some[0], *two)  # so few have a price of their own
    assert columns(some[:2], two) == tuple(sorted({*table.continuous[: SIMD_WIDTH - 2], *two}))


def test_columns_that_nobody_asked_for_take_a_part_of_the_memory():
    """Of several tables that are there, the first keep their columns, while that takes no more than half."""
    discrete = {"Y": list("abcd") * 50, "Q": list("dcba") * 50, "Z": list("aabb") * 50}
    table = read_table({**discrete, **{x: np.arange(200.0) for x in "stuvwx"}})
    there, asked = table.continuous[:5], table.continuous[5:]
    four, two = (table_bytes(m, 6) - table_bytes(m, 1) for m in (4, 2))

    def columns(memory):
        cache = CellCache(table, 1 << 20, 1 << 20, 1 << 20)
        for v in range(3):
            cache.keep(collect(table, (v,), there))
        planner = Planner(table, cache, memory, 0, False, True)
        return [len(some) for some in planner.plan([Request((v,), asked) for v in range(3)])[0].values()]

    assert columns(2 * (four + four + two)) == [6, 6, 6]
    assert columns(2 * (four + four + two) - 2) == [6, 6, 1]


def test_what_memory_holds():
    planner, _ = planner_of(mixed_rows(100), memory=4 * 8 * 10 * 5)
    assert planner.most_cells_with(2) == 10
    assert planner.most_cells_with(3) < 10


@given(data=st.data())
def test_every_request_has_a_table_that_answers_it(data):
    """Whatever is kept and asked for: the variables and the columns of a request are in its table."""
    schema = Schema(list("abcdxyz"), [(0, 1), (0, 1, 2), (0,), (0, 1, 2, 3), None, None, None])
    most = data.draw(st.integers(0, 60))
    planner = Planner(schema, CellCache(schema, 1 << 20, 1 << 20, 1 << 20), 1 << 20, most, data.draw(st.booleans()))
    sets = st.sets(st.integers(0, 3), min_size=1).map(lambda some: tuple(sorted(some)))
    columns = st.sets(st.integers(4, 6), min_size=1).map(lambda some: tuple(sorted(some)))
    requests = data.draw(st.lists(st.builds(Request, sets, columns), max_size=6))
    tables, source = planner.plan(requests)
    assert set(source) == set(requests)
    for request in requests:
        variables = source[request]
        assert set(request.variables) <= set(variables)
        assert set(request.columns) <= set(tables[variables])
        asked = any(other.variables == variables for other in requests)
        assert asked or schema.configurations(variables) <= most
