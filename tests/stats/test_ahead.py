"""What is asked for ahead: counts that say those of all sets of a size, and triangles of cells within doubtful ones."""

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnjit.stats.ahead import BYTES_PER_CELL, sets_to_count, triangles_ahead
from bnjit.stats.cache import CellCache
from bnjit.stats.requests import TriangleRequest
from bnjit.stats.triangles import nbytes_of, no_triangles
from bnjit.stats.tuning import SETS_AHEAD
from tests.stats.rows import mixed_rows


@given(levels=st.lists(st.integers(0, 5), max_size=7), n=st.integers(1, 10**6), memory=st.integers(0, 20_000))
def test_chosen_sets_cover_all_of_a_size(levels, n, memory):
    chosen = sets_to_count(levels, n, memory)
    discrete = [v for v, own in enumerate(levels) if own > 1]
    cells = {s: math.prod(levels[v] for v in s) for s in chosen}
    assert all(set(s) <= set(discrete) and 0 < size <= n for s, size in cells.items())
    assert BYTES_PER_CELL * sum(cells.values()) <= memory
    assert not any(set(a) < set(b) for a, b in itertools.permutations(chosen, 2))  # which says it already
    for size in range(1, max(map(len, chosen), default=0) + 1):
        for s in itertools.combinations(discrete, size):
            assert math.prod(levels[v] for v in s) > n or any(set(s) <= set(other) for other in chosen)


def test_how_large_sets_are():
    assert sets_to_count([0, 2, 3, 1, 4], 100, 10_000) == [(1, 2, 4)]
    assert sets_to_count([0, 2, 3, 1, 4], 12, 10_000) == [(1, 2), (1, 4), (2, 4)]
    assert sets_to_count([0, 3, 3, 1, 4], 100, 16 * (9 + 12 + 12)) == [(1, 2), (1, 4), (2, 4)]
    assert sets_to_count([2] * 20, 10**6, 1 << 30) == [(v,) for v in range(20)]
    assert math.comb(20, 2) > SETS_AHEAD
    assert sets_to_count([0, 0], 100, 10_000) == []


def test_triangles_within_doubtful_cells():
    table, own = mixed_rows(300), np.arange(15)
    everything = table.continuous
    tables, keys = {(0, 1): everything, (1,): everything}, {(0, 1): own, (1,): own[:3]}
    expected = TriangleRequest((0, 1), own, everything, 300)

    def ahead(n=300, tables=tables, keys=keys, room=1 << 20, doubtful=(0,)):
        cache = CellCache(table, 1, 1, 1 << 20)
        if doubtful is not None:
            cache.keep_triangles(no_triangles(TriangleRequest(doubtful, own[:5], everything, 300)))
        return triangles_ahead(cache, n, room, tables, keys)

    assert ahead() == [expected]
    assert [request.variables for request in ahead(doubtful=())] == [(0, 1), (1,)]  # of all rows
    assert ahead(doubtful=None) == []
    assert ahead(doubtful=(0, 1)) == []  # there already
    assert ahead(n=59) == []  # fewer rows than columns in a cell
    assert ahead(tables=tables | {(0, 1): everything[:2]}) == []
    assert ahead(keys={}) == []
    assert ahead(room=nbytes_of(15, 4) - 1) == []
    assert ahead(room=nbytes_of(15, 4)) == [expected]
