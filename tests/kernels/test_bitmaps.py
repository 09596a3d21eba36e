"""Counts by bits against counts by loops, for any sets and any numbers of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnjit.data import Column, Table
from bnjit.kernels import bitmaps as kernels
from bnjit.kernels.bitmaps import Based
from bnjit.stats import bitmaps
from bnjit.stats.collect import padded
from bnjit.stats.counting import all_rows, count_batch


def random_rows(rng, n, levels):
    columns = [Column(rng.integers(0, r, n).astype(np.uint8), tuple(range(r))) for r in levels]
    return Table([f"D{i}" for i in range(len(levels))], columns)


@given(
    seed=st.integers(0, 10**6), n=st.sampled_from([1, 63, 64, 65, 4096, 4097, 9000]),
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=12),
)  # fmt: skip
@settings(max_examples=40)
def test_counts_are_those_of_rows(seed, n, sizes):
    rng = np.random.default_rng(seed)
    levels = rng.integers(1, 6, 7).tolist()
    levels[3] = 40  # has no bitmaps
    table = random_rows(rng, n, levels)
    sets = [sorted(rng.choice(7, size, replace=False).tolist()) for size in sizes]
    base = sorted(rng.choice(7, 2, replace=False).tolist())
    sets += [sorted({*base, x}) for x in range(7) if x not in base]  # as a search asks for them
    members, lengths = padded(sets)
    rows = all_rows(table)
    expected = count_batch(table, members, lengths, rows)
    found = count_batch(table, members, lengths, rows._replace(bitmaps=bitmaps.make_bitmaps(table)))
    for i in range(len(sets)):
        before, after = (slice(counts.starts[i], counts.ends[i]) for counts in (expected, found))
        np.testing.assert_array_equal(found.keys[after], expected.keys[before])
        np.testing.assert_array_equal(found.counts[after], expected.counts[before])


def test_small_sets_are_counted_by_bits_and_others_are_not():
    table = random_rows(np.random.default_rng(0), 500, [2, 3, 4, 40, 5, 30])
    members, sizes = padded([[0], [0, 1], [0, 2], [0, 3], [0, 1, 2], [1, 4, 5]])
    last = bitmaps.countable(table, bitmaps.make_bitmaps(table), members, sizes)
    assert last.tolist() == [-1, 1, 1, -1, 2, -1]


def test_bases_are_shared():
    """Sets that differ in one variable are divided there, wherever it stands."""
    table = random_rows(np.random.default_rng(0), 100, [2] * 6)
    members, sizes = padded([[0, 2, 4], [1, 2, 4], [2, 3, 4], [2, 4, 5], [2, 4], [1, 3]])
    last = bitmaps.countable(table, bitmaps.make_bitmaps(table), members, sizes)
    assert last.tolist()[:4] == [0, 0, 1, 2]
    sets = Based(members, sizes, last, np.zeros(7, np.int64))
    assert [kernels._same_base(sets, i, i + 1) for i in range(4)] == [True, True, True, False]


@pytest.mark.parametrize("r", [1, 2, 3, 4, 5, 6])
def test_bases_that_are_read_in_parts_and_have_configurations_without_rows(r):
    n, levels = 14_000, [4, 4, 5, r]
    table = random_rows(np.random.default_rng(r), n, levels)
    table.columns[1].values[:] = np.where(table.columns[0].values == 2, 3, table.columns[1].values)
    table.columns[2].values[:9000] = 1  # the first part lacks more than the second
    words = -(-n // 64)
    assert words > kernels.BASE_WORDS // 80
    expected = np.ravel_multi_index([c.values for c in table.columns], levels)
    maps, members, sizes = bitmaps.make_bitmaps(table), np.array([[0, 1, 2, 3]], np.int32), np.array([4])
    for last in (3, 0) if r > 1 else (3,):
        dense = np.zeros(80 * r, np.int32)
        sets = Based(members, sizes, np.array([last]), np.array([0, 80 * r]))
        kernels.count_by_bits(0, 1, maps, table.view.levels, sets, dense)
        np.testing.assert_array_equal(dense, np.bincount(expected, minlength=80 * r))


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1, 0x123456789ABCDEF0])
def test_kernels_do_what_their_python_does(word):
    with np.errstate(over="ignore"):
        assert int(kernels.count_ones.py_func(np.uint64(word))) == word.bit_count()
    table = random_rows(np.random.default_rng(word % 1000), 200, [2, 3, 2])
    maps = bitmaps.make_bitmaps(table)
    assert sum(int(w).bit_count() for w in maps.words[:2].ravel()) == 200
    members, sizes = padded([[0, 1], [1, 2], [0, 1, 2]])
    last, starts = np.array([0, 1, 1]), np.array([0, 6, 12, 24])
    dense, python = np.zeros((2, 24), np.int32)
    kernels.count_by_bits(0, 3, maps, table.view.levels, Based(members, sizes, last, starts), dense)
    kernels.count_by_bits.py_func(0, 3, maps, table.view.levels, Based(members, sizes, last, starts), python)
    np.testing.assert_array_equal(dense, python)
    assert dense.sum() == 600
