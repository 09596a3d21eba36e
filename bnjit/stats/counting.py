"""Count the configurations of discrete columns of a Table, many sets of them in one batch."""

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints32, Ints64
from bnjit._threads import in_threads, thread_count
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.kernels.bitmaps import Bitmaps
from bnjit.kernels.columns import Columns
from bnjit.kernels.counting import Sets, count_sets, plan_passes
from bnjit.kernels.families import count_configurations
from bnjit.kernels.moments import Moments
from bnjit.stats.bitmaps import NONE, count_small, countable, without_empty
from bnjit.stats.cells import Cells
from bnjit.stats.collect import dense_limit, make_cells, membership, padded
from bnjit.stats.tuning import (
    CALLS_PER_THREAD,
    LEAST_SHARED,
    MOST_SHARED,
    RANGE_BYTES,
    ROWS_PER_RANGE,
    ROWS_PER_SHARED_CELL,
    ROWS_WORTH_THREADS,
    VALUES_TOGETHER,
)

LONGEST_KEY = 1 << 32  # of the keys that kernels count


class CountingLimits(NamedTuple):
    """How counting is divided.

    dense : declared configurations up to which a table has them all, None for `dense_limit`; range_bytes : what tables
    that are filled at a time may take; rows_per_range : rows that a thread takes at least; worth_threads : rows to
    read, over all passes, that are worth threads
    """

    dense: int | None = None
    range_bytes: int = RANGE_BYTES
    rows_per_range: int = ROWS_PER_RANGE
    worth_threads: int = ROWS_WORTH_THREADS


LIMITS = CountingLimits()


class RowsToCount(NamedTuple):
    """RowsToCount to count: weights, int32[n], say how often each is there; empty where each is there once.

    values : arrays that columns points to, kept alive; bitmaps : of all rows, if there are any
    """

    columns: Columns
    weights: Ints32
    values: tuple[NDArray[Any], ...]
    bitmaps: Bitmaps = NONE


class Counts(NamedTuple):
    """Observed configurations of b sets: those of set i at starts[i] ... ends[i] of keys and counts, keys ascending."""

    starts: Ints64
    ends: Ints64
    keys: Ints64
    counts: Ints64

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return sum(array.nbytes for array in self)


def all_rows(table: Table) -> RowsToCount:
    """RowsToCount of a table as they are."""
    return RowsToCount(table.view, np.empty(0, np.int32), tuple(c.values for c in table.columns))


def count_cells(
    table: Table, sets: Sequence[tuple[int, ...]], rows: RowsToCount | None = None, limits: CountingLimits = LIMITS
) -> list[Cells]:
    """Counts of the observed configurations of several sets of variables, in one batch; see `count_batch`."""
    found = count_batch(table, *padded(sets), rows or all_rows(table), limits)
    return [cells_of(table, variables, found, i) for i, variables in enumerate(sets)]


def cells_of(schema: Schema, variables: tuple[int, ...], found: Counts, i: int) -> Cells:
    """Counts of set i as Cells, a copy, so that keeping them does not keep the batch."""
    part = slice(found.starts[i], found.ends[i])
    keys, counts = found.keys[part].copy(), found.counts[part].copy()
    nothing = np.empty((len(counts), 0))
    return make_cells(schema, variables, (), keys, Moments(counts, nothing, nothing, nothing))


def counts_of(found: Sequence[Cells]) -> Counts:
    """Counts of sets that were counted each by itself."""
    ends = np.cumsum([len(cells.keys) for cells in found])
    starts = np.concatenate([[0], ends[:-1]])
    return Counts(
        starts, ends, np.concatenate([cells.keys for cells in found]), np.concatenate([cells.counts for cells in found])
    )


def count_batch(
    table: Table, members: Ints32, sizes: Ints64, rows: RowsToCount, limits: CountingLimits = LIMITS
) -> Counts:
    """Counts of the observed configurations of several sets of variables, in one batch.

    members : int32[b, d], ascending in each set and then anything; sizes : int64[b]. `rows` are those of the table, as
    they are or collapsed.
    """
    declared = np.empty(len(sizes))
    count_configurations(table.view.levels, members, sizes, declared, np.empty(len(sizes), np.int64))
    last = countable(table, rows.bitmaps, members, sizes)
    small = np.flatnonzero(last >= 0)
    order = np.argsort(np.where(last < 0, declared, -1.0), kind="stable")[len(small) :]
    limit = min(dense_limit(table.n) if limits.dense is None else limits.dense, LONGEST_KEY)
    dense = int(np.searchsorted(declared[order], limit, side="right"))
    starts, ends = np.empty((2, len(sizes)), np.int64)
    keys, counts = [], []
    at = done = 0
    if len(small):
        everything = len(small) == len(sizes)
        part = slice(None) if everything else small
        bounds, *found_small = count_small(table, rows.bitmaps, members[part], sizes[part], last[part], declared[part])
        starts[part], ends[part] = bounds[:-1], bounds[1:]
        keys.append(found_small[0])
        counts.append(found_small[1])
        at = int(bounds[-1])
    while done < dense:
        # As many tables at a time as memory holds, and at least one.
        places = np.zeros(dense - done + 1, np.int64)
        np.cumsum(declared[order[done:dense]], out=places[1:], dtype=np.int64)
        some = max(1, int(np.searchsorted(places, limits.range_bytes // 4, side="right")) - 1)
        part = order[done : done + some]
        found = _count_dense(rows, Sets(members[part], sizes[part], places[: some + 1]), limits)
        starts[part], ends[part] = at + found.starts, at + found.ends
        keys.append(found.keys)
        counts.append(found.counts)
        at += len(found.keys)
        done += some
    for i in order[dense:].tolist():
        each = membership(table, tuple(members[i, : sizes[i]].tolist()), limits.dense)
        keys.append(each.keys)
        counts.append(np.bincount(each.ids, minlength=len(each.keys)).astype(np.int64))
        starts[i], ends[i] = at, at + len(each.keys)
        at = ends[i]
    if len(keys) == 1:
        return Counts(starts, ends, keys[0], counts[0])
    return Counts(starts, ends, np.concatenate(keys), np.concatenate(counts))


def room_for_passes(columns: int, b: int) -> Sets:
    """Room for the passes over at most b sets, for `plan_passes`."""
    return Sets(np.empty((b, columns), np.int32), np.zeros(b, np.int64), np.zeros(b + 1, np.int64))


def _count_dense(rows: RowsToCount, sets: Sets, limits: CountingLimits) -> Counts:
    """Counts of sets whose declared configurations are few enough for a table of them all."""
    bounds, keys, counts = without_empty(count_all(rows, *sets, limits), sets.starts)
    return Counts(bounds[:-1], bounds[1:], keys, counts)


def count_all(rows: RowsToCount, members: Ints32, sizes: Ints64, starts: Ints64, limits: CountingLimits) -> Ints32:
    """Counts of all declared configurations of some sets, whose tables begin at `starts`, int32[starts[b]]."""
    sets, size = Sets(members, sizes, starts), int(starts[-1])
    n = rows.columns.n
    limit = min(MOST_SHARED, max(LEAST_SHARED, n // ROWS_PER_SHARED_CELL))
    passes = room_for_passes(len(rows.columns.levels), len(sizes))
    p = plan_passes(rows.columns.levels, sets, limit, passes)
    if n * p < limits.worth_threads:
        dense = np.zeros(size, np.int32)
        count_sets(*rows[:2], passes, sets, 0, p, 0, n, dense)
        return dense
    # Counts are integers: splitting the rows where passes are few cannot change them.
    ranges = min(-(-2 * thread_count() // p), n // max(limits.rows_per_range, 4 * size))
    parts = np.zeros((max(1, ranges), size), np.int32)
    bounds = [n * i // len(parts) for i in range(len(parts) + 1)]
    together = 1  # passes of a call, which ends soon enough for Ctrl-C to be heard
    if len(parts) == 1:
        together = max(1, min(p // (CALLS_PER_THREAD * thread_count()), VALUES_TOGETHER // n))
    tasks = [
        partial(count_sets, *rows[:2], passes, sets, i, min(i + together, p), a, b, part)
        for i in range(0, p, together)
        for (a, b), part in zip(itertools.pairwise(bounds), parts, strict=True)
    ]
    in_threads(tasks, n * p)
    return parts[0] if len(parts) == 1 else parts.sum(axis=0, dtype=np.int32)
