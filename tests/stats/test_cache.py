"""What a store keeps as memory lasts, and what is found among it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnjit.stats import Request, SetBatch, TriangleRequest
from bnjit.stats.cache import CellCache, Dearest, Recent
from bnjit.stats.counting import all_rows, count_batch
from bnjit.stats.triangles import add_rows, joined, no_triangles
from tests.stats.readers.by_numpy import assert_cells_by_numpy, assert_triangles_by_numpy
from tests.stats.rows import collect, mixed_rows

ROOM = 1 << 20


@given(steps=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.booleans())), memory=st.integers(0, 20))
def test_recent_values_against_a_list(steps, memory):
    """Values of some size by key; a plain list has those used longest ago first."""
    recent: Recent[int, int] = Recent(memory, lambda size: size)
    kept: list[tuple[int, int]] = []
    for key, size, reads in steps:
        if reads:
            expected = dict(kept).get(key)
            assert recent.recall(key) == expected
            kept = [pair for pair in kept if pair[0] != key] + ([] if expected is None else [(key, expected)])
        else:
            recent.remember(key, size)
            kept = [*(pair for pair in kept if pair[0] != key), (key, size)]
            while sum(own for _, own in kept) > memory and len(kept) > 1:
                del kept[0]
        assert list(recent.items()) == kept
        assert recent.used == sum(own for _, own in kept)


@given(steps=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9), st.booleans())), memory=st.integers(0, 20))
def test_dearest_values_against_a_list(steps, memory):
    """Values of some size that all cost the same; the rank of each is kept in a plain dict."""
    dearest: Dearest[int, int] = Dearest(memory, lambda size: size, lambda _: 1.0)
    kept: dict[int, int] = {}
    ranks: dict[int, float] = {}
    floor = 0.0
    for key, size, reads in steps:
        if reads:
            assert dearest.recall(key) == kept.get(key)
            if key in kept:
                ranks[key] = floor + 1.0 / kept[key]
                kept[key] = kept.pop(key)  # last in order
        else:
            dearest.remember(key, size)
            kept.pop(key, None)
            while kept and sum(kept.values()) + size > memory:
                least = min(kept, key=ranks.__getitem__)  # of those that are equal the one used longest ago
                floor = ranks[least]
                del kept[least]
            kept[key], ranks[key] = size, floor + 1.0 / size
            assert dearest.recall(key) == size
        assert list(dearest.items()) == list(kept.items())
        assert dearest.used == sum(kept.values())


def test_what_is_dear_for_its_size_stays():
    """One large value does not push out several small ones that each cost as much, unless it is used again."""
    dearest: Dearest[str, int] = Dearest(10, lambda size: size, lambda _: 1.0)
    for key, size in (("large", 6), ("a", 2), ("b", 2), ("c", 2)):
        dearest.remember(key, size)
    assert sorted(dearest) == ["a", "b", "c"]
    dearest.release()
    assert (len(dearest), dearest.used) == (0, 0)
    dearest.remember("large", 6)
    assert dearest.recall("large") == 6


def test_tables_serve_requests_for_fewer_columns_and_counts():
    table = mixed_rows(300)
    cache = CellCache(table, ROOM, ROOM, ROOM)
    assert cache.find(Request((0,))) is None
    wide = collect(table, (0,), (2, 3))
    cache.keep(wide)
    assert cache.find(Request((0,), (3,))) is wide
    assert cache.find(Request((0,))) is wide
    assert cache.find(Request((0,), (2, 4))) is None
    assert cache.has_table((0,))
    assert not cache.has_table((1,))
    assert cache.keys_of((1,)) is None
    counts = collect(table, (1,), ())
    cache.keep(counts)
    assert not cache.has_table((1,))
    assert cache.keys_of((1,)) is counts.keys
    assert cache.find(Request((1,), (2,))) is None


def test_the_smallest_larger_table_is_found():
    table = mixed_rows(300)
    cache = CellCache(table, ROOM, ROOM, ROOM)
    both, counts = collect(table, (0, 1), (2, 3)), collect(table, (0, 1), ())
    cache.keep(both)
    assert cache.find_larger(Request((0,), (2,)), lambda cells: True) is both
    assert cache.find_larger(Request((0,), (4,)), lambda cells: True) is None
    assert cache.find_larger(Request((0,), (2,)), lambda cells: False) is None
    cache.keep(counts)
    assert cache.find_larger(Request((0,), (2,)), lambda cells: True) is both
    assert cache.find_larger(Request((1,)), lambda cells: not cells.columns) is counts
    small = collect(table, (1,), (2, 3))
    cache.keep(small)
    assert cache.find_larger(Request((), (3,)), lambda cells: True) is small


def test_counts_of_a_batch_serve_its_sets():
    table = mixed_rows(300)
    cache = CellCache(table, ROOM, ROOM, ROOM)
    sets = SetBatch(0, np.array([[0, 9], [0, 1]], np.int32), np.array([1, 2]))
    assert cache.find_batch(sets) is None
    counts = count_batch(table, sets.members, sets.sizes, all_rows(table))
    cache.keep_batch(sets, counts)
    assert cache.find_batch(SetBatch(0, sets.members.copy(), sets.sizes.copy())) is counts
    assert cache.find_batch(sets._replace(node=1)) is None
    for variables in ((0,), (0, 1)):
        assert cache.find(Request(variables)) is None
        assert_cells_by_numpy(cache.find_in_batches(variables), table, variables, ())
        assert_cells_by_numpy(cache.find(Request(variables)), table, variables, ())
    assert cache.find_in_batches((1,)) is None


def made(table, keys, columns):
    request = TriangleRequest((0,), np.array(keys), columns, table.n)
    out = no_triangles(request)
    add_rows(table, request, out)
    return request, out


def test_triangles_of_some_cells_and_columns():
    table = mixed_rows(300)
    cache = CellCache(table, ROOM, ROOM, ROOM)
    first, some = made(table, [0, 3], (2, 3))
    assert cache.find_triangles(first) is None
    assert not cache.has_triangles((0,))
    cache.keep_triangles(some)
    assert cache.has_triangles((0,))
    assert cache.find_triangles(first._replace(as_one=True)) is None
    more = first._replace(keys=np.array([0, 1, 3]))
    assert cache.find_triangles(more) is None
    assert cache.known_triangles(more) is some
    assert cache.known_triangles(more._replace(columns=(2, 3, 4))) is None
    cache.keep_triangles(joined(some, made(table, [1], (2, 3))[1]))
    for request in (more, first, more._replace(columns=(3,))):
        assert_triangles_by_numpy(cache.find_triangles(request), table, request)
    cache.keep_triangles(made(table, [1], (4,))[1])
    assert cache.find_triangles(first) is None
