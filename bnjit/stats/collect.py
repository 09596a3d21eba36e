"""Collect Cells from the rows of a Table: the only place that reads them for statistics."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Ints32, Ints64
from bnjit.data import Table
from bnjit.kernels.combine import combine
from bnjit.kernels.configurations import append_keys, count_tables, rank_dense, rank_sparse
from bnjit.kernels.moments import Moments, moments_of_all, moments_of_cells
from bnjit.kernels.sorting import place_rows, scatter_columns
from bnjit.stats.cells import Cells, no_moments

DENSE = 1 << 16  # a table of all declared configurations is used up to this, or four times the rows
ROWS_PER_LANE = 1 << 14
MAX_LANES = 64
LANE_BYTES = 1 << 26  # all lanes' tables together
SORTED_ROWS = 1 << 18  # rows that are sorted at a time, or so many for each cell:
ROWS_PER_CELL = 16


class Membership(NamedTuple):
    """Which cell each row is in.

    variables : the discrete variables; keys : int64[m], ascending; ids : int32[n], empty where all rows are one cell
    """

    variables: tuple[int, ...]
    keys: Ints64
    ids: Ints32


NOBODY = Membership((), np.zeros(1, np.int64), np.empty(0, np.int32))


def padded(sets: Iterable[Sequence[int]]) -> tuple[Ints32, Ints64]:
    """Sets as a matrix, int32[b, longest], and their sizes, int64[b], as kernels take them."""
    sets = list(sets)
    sizes = np.array([len(s) for s in sets], np.int64)
    members = np.zeros((len(sets), max(1, int(sizes.max(initial=0)))), np.int32)
    for i, s in enumerate(sets):
        members[i, : len(s)] = s
    return members, sizes


def dense_limit(n: int) -> int:
    """Largest table of declared configurations worth filling."""
    return max(DENSE, 4 * n)


def membership(table: Table, variables: tuple[int, ...]) -> Membership:
    """Find the cell of every row, numbering only the observed ones."""
    if not variables:
        return NOBODY
    ids = np.empty(table.n, np.int32)
    keys = np.zeros(table.n, np.int64)
    append_keys(table.view, np.array(variables, np.int32), keys)
    declared = table.configurations(variables)
    dense = declared <= dense_limit(table.n)
    observed = rank_dense(keys, declared, ids) if dense else rank_sparse(keys, ids)
    return Membership(variables, observed, ids)


def count_cells(table: Table, sets: Sequence[tuple[int, ...]]) -> list[Cells]:
    """Counts of the observed configurations of several sets of variables, in one batch."""
    results: dict[tuple[int, ...], Cells] = {}
    dense = [s for s in dict.fromkeys(sets) if table.configurations(s) <= dense_limit(table.n)]
    while dense:
        # As many tables at a time as LANE_BYTES holds, and at least one.
        sizes = np.cumsum([table.configurations(s) for s in dense])
        some = max(1, int(np.searchsorted(sizes, LANE_BYTES // 4, side="right")))
        results.update(zip(dense[:some], _count_dense(table, dense[:some]), strict=True))
        dense = dense[some:]
    for s in sets:
        if s not in results:
            found = membership(table, s)
            counts = np.bincount(found.ids, minlength=len(found.keys))
            results[s] = _counted(table, s, found.keys, counts.astype(np.int64))
    return [results[s] for s in sets]


def _count_dense(table: Table, sets: Sequence[tuple[int, ...]]) -> list[Cells]:
    members, sizes = padded(sets)
    declared = [table.configurations(s) for s in sets]
    offsets = np.concatenate([[0], np.cumsum(declared)]).astype(np.int64)
    # Counts are integers: splitting the rows where requests are few cannot change them.
    lanes = 4 if len(sets) < 4 and table.n >= 4 * ROWS_PER_LANE and 4 * offsets[-1] <= table.n else 1
    tables = np.zeros((lanes, int(offsets[-1])), np.int32)
    count_tables(table.view, members, sizes, offsets, lanes, tables)
    whole = tables[0] if lanes == 1 else tables.sum(axis=0)
    results = []
    for request, s in enumerate(sets):
        counts = whole[offsets[request] : offsets[request + 1]]
        observed = np.flatnonzero(counts)
        results.append(_counted(table, s, observed, counts[observed].astype(np.int64)))
    return results


def collect_cells(table: Table, columns: tuple[int, ...], found: Membership) -> Cells:
    """Counts, means and cross-products of `columns` in every cell.

    One cell: lanes of rows, combined in a fixed order. Several: blocks of rows are sorted by cell, and ranges of cells
    take up what is theirs. Lanes and blocks depend on the shape of the data alone, so that the number of threads
    changes no digit.
    """
    m, c = len(found.keys), len(columns)
    which = np.array(columns, np.int32)
    moments = no_moments(m, c)
    if m == 1:
        lanes = max(1, min(MAX_LANES, table.n // ROWS_PER_LANE))
        parts = no_moments(lanes, c)
        moments_of_all(table.view, which, lanes, parts)
        combine(np.arange(lanes), np.array([0, lanes]), parts, moments)
        return _cells(table, found.variables, columns, found.keys, moments)
    slots = np.arange(m, dtype=np.int32)
    block = min(table.n, max(SORTED_ROWS, ROWS_PER_CELL * m))
    values = np.empty((c, block))
    for start in range(0, table.n, block):
        place, starts = place_rows(found.ids[start : start + block], slots, m)
        scatter_columns(table.view, which, start, place, values)
        moments_of_cells(values, starts, lanes_of_cells(starts), moments)
    return _cells(table, found.variables, columns, found.keys, moments)


def lanes_of_cells(starts: Ints64, lanes: int = MAX_LANES) -> Ints64:
    """Split cells into ranges with about as many rows each, int64[at most lanes + 1]."""
    wanted = np.linspace(0, starts[-1], lanes + 1)
    bounds = np.searchsorted(starts, wanted)
    bounds[0], bounds[-1] = 0, len(starts) - 1
    return np.unique(bounds).astype(np.int64)


def _counted(table: Table, variables: tuple[int, ...], keys: Ints64, counts: Ints64) -> Cells:
    """Cells with counts alone."""
    nothing = np.empty((len(keys), 0))
    return _cells(table, variables, (), keys, Moments(counts, nothing, nothing, nothing))


def _cells(table: Table, variables: tuple[int, ...], columns: tuple[int, ...], keys: Ints64, moments: Moments) -> Cells:
    return Cells(variables, tuple(table.levels[v] for v in variables), columns, keys, moments)
