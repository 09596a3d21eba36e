"""Bitmaps of the levels of a table's discrete columns, and counts of small tables by counting bits."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints32, Ints64
from bnjit._threads import in_ranges, in_threads
from bnjit.data import Table
from bnjit.kernels.bitmaps import Based, Bitmaps, choose_bases, count_by_bits, fill_bitmaps
from bnjit.kernels.counting import count_observed, keep_observed
from bnjit.stats.tuning import (
    BITMAP_BYTES,
    BITMAP_LEVELS,
    BITMAP_SHARE,
    BITS_WORTH_THREADS,
    CELLS_WORTH_THREADS,
    MOST_BIT_CELLS,
)

NONE = Bitmaps(np.empty((0, 0), np.uint64), np.empty(0, np.int64))


def make_bitmaps(table: Table) -> Bitmaps:
    """Bitmaps of the levels of discrete columns, those with few levels first, as memory allows."""
    words = -(-table.n // 64)
    levels = np.array(table.levels, np.int64)
    order = np.argsort(levels, kind="stable")
    order = order[(levels[order] > 0) & (levels[order] <= BITMAP_LEVELS)]
    ends = np.cumsum(levels[order])
    order = order[ends * words * 8 <= max(BITMAP_BYTES, int(BITMAP_SHARE * table.nbytes))]
    first = np.full(len(levels), -1, np.int64)
    first[order] = np.cumsum(levels[order]) - levels[order]
    made = np.zeros((int(levels[order].sum()), words), np.uint64)
    tasks = [
        partial(fill_bitmaps, table.view, v, 0, table.n, made[first[v] : first[v] + levels[v]]) for v in order.tolist()
    ]
    in_threads(tasks, table.n * len(tasks))
    return Bitmaps(made, first)


def countable(table: Table, maps: Bitmaps, members: Ints32, sizes: Ints64) -> Ints64:
    """Sets that are counted faster by bits: the place of the variable that is not in the base, -1 for the others."""
    last = np.full(len(sizes), -1, np.int64)
    if maps.words.size:
        choose_bases(table.view.levels, maps.first >= 0, members, sizes, MOST_BIT_CELLS, last)
    return last


def count_small(
    table: Table, maps: Bitmaps, members: Ints32, sizes: Ints64, last: Ints64, declared: NDArray[np.float64]
) -> tuple[Ints64, Ints64, Ints64]:
    """Observed configurations of sets that bits count: their bounds, keys and counts; see `Counts`."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(declared, out=starts[1:], dtype=np.int64)
    dense = np.zeros(int(starts[-1]), np.int32)
    threaded = len(dense) * maps.words.shape[1] >= BITS_WORTH_THREADS
    in_ranges(
        count_by_bits, len(sizes), maps, table.view.levels, Based(members, sizes, last, starts), dense,
        threaded=threaded,
    )  # fmt: skip
    return without_empty(dense, starts)


def without_empty(dense: Ints32, starts: Ints64) -> tuple[Ints64, Ints64, Ints64]:
    """Observed configurations, given the counts of all of several sets: their bounds, keys and counts."""
    b, threaded = len(starts) - 1, len(dense) >= CELLS_WORTH_THREADS
    bounds = np.zeros(b + 1, np.int64)
    in_ranges(count_observed, b, dense, starts, bounds[1:], threaded=threaded)
    np.cumsum(bounds, out=bounds)
    keys, counts = np.empty((2, bounds[-1]), np.int64)
    in_ranges(keep_observed, b, dense, starts, bounds, keys, counts, threaded=threaded)
    return bounds, keys, counts
