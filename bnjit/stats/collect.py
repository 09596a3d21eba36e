"""Collect Cells from the rows of a Table: the only place that reads them for statistics."""

import itertools
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from bnjit._jit import Ints32, Ints64, in_threads
from bnjit.data import Table
from bnjit.kernels.configurations import append_keys, count_beside, count_tables, rank_dense, rank_sparse
from bnjit.kernels.few import MOST_COLUMNS, add_few
from bnjit.kernels.moments import Moments, add_all, add_by_cell
from bnjit.stats.cells import Cells, join, no_moments

DENSE = 1 << 16  # a table of all declared configurations is used up to this, or four times the rows
ROWS_PER_LANE = 1 << 14
WORTH_A_BASE = 4  # sets that share their variables but one
TASKS = 8  # lanes of all tables of a batch, at least
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
    """Counts of sets whose declared configurations are few enough for a table of them all."""
    base = set(sets[0]).intersection(*sets)
    beside = [s for s in sets if len(s) == len(base) + 1] if len(sets) >= WORTH_A_BASE and base else []
    rest = [s for s in sets if s not in set(beside)]
    counts = dict(zip(rest, _tables(table, rest, None), strict=True)) if rest else {}
    if beside:
        # What a search asks: a node and its parents, and each further column.
        counts.update(zip(beside, _tables(table, beside, tuple(sorted(base))), strict=True))
    results = []
    for s in sets:
        observed = np.flatnonzero(counts[s])
        results.append(_counted(table, s, observed, counts[s][observed].astype(np.int64)))
    return results


def _tables(table: Table, sets: Sequence[tuple[int, ...]], base: tuple[int, ...] | None) -> list[Ints32]:
    """Rows of every declared configuration of each set; `base` is what all sets have, but for one variable each."""
    offsets = np.concatenate([[0], np.cumsum([table.configurations(s) for s in sets])]).astype(np.int64)
    # Counts are integers: splitting the rows where requests are few cannot change them.
    lanes = 4 if len(sets) < 4 and table.n >= 4 * ROWS_PER_LANE and 4 * offsets[-1] <= table.n else 1
    counts = np.zeros((lanes, int(offsets[-1])), np.int32)
    if base is None:
        count_tables(table.view, *padded(sets), offsets, lanes, counts)
    else:
        keys = np.zeros(table.n, np.int64)
        append_keys(table.view, np.array(base, np.int32), keys)
        others = np.array([next(v for v in s if v not in base) for s in sets], np.int32)
        count_beside(table.view, keys.astype(np.int32), others, offsets, lanes, counts)
    whole = counts[0] if lanes == 1 else counts.sum(axis=0, dtype=np.int32)
    parts = [whole[a:b] for a, b in itertools.pairwise(offsets.tolist())]
    if base is None:
        return parts
    return [_reordered(table, part, s, base) for part, s in zip(parts, sets, strict=True)]


def _reordered(table: Table, counts: Ints32, variables: tuple[int, ...], base: tuple[int, ...]) -> Ints32:
    """Put the variable that came last in its place."""
    at = next(i for i, v in enumerate(variables) if v not in base)
    after = table.configurations(variables[at + 1 :])
    return counts.reshape(-1, after, table.levels[variables[at]]).swapaxes(1, 2).ravel()


def collect_cells(table: Table, columns: tuple[int, ...], found: Membership) -> Cells:
    """Counts, means and cross-products of `columns` in every cell."""
    return collect_batch(table, [(columns, found)])[0]


def collect_batch(table: Table, jobs: Sequence[tuple[tuple[int, ...], Membership]]) -> list[Cells]:
    """Cells of several sets of variables, each with columns of its own; threads over them and over lanes of rows.

    Lanes are combined in a fixed order, and depend on the shape of the data alone: the number of threads changes no
    digit.
    """
    parts, tasks = [], []
    for columns, found in jobs:
        m, c = len(found.keys), len(columns)
        width = 8 * m * (1 + 2 * c + c * (c + 1) // 2)
        lanes = MAX_LANES if m == 1 else min(-(-TASKS // len(jobs)), LANE_BYTES // width)
        lanes = max(1, min(lanes, table.n // max(ROWS_PER_LANE, ROWS_PER_CELL * m)))
        part = [no_moments(m, c) for _ in range(lanes)]
        tasks += [partial(_collect_lane, table, columns, found, lane, lanes, part[lane]) for lane in range(lanes)]
        parts.append(part)
    in_threads(tasks, table.n * sum(len(columns) for columns, _ in jobs))
    return [
        _cells(table, found.variables, columns, found.keys, _joined(part))
        for (columns, found), part in zip(jobs, parts, strict=True)
    ]


def _collect_lane(
    table: Table, columns: tuple[int, ...], found: Membership, lane: int, lanes: int, out: Moments
) -> None:
    """Statistics of some of the rows."""
    first, last = table.n * lane // lanes, table.n * (lane + 1) // lanes
    which = np.array(columns, np.int32)
    if 0 < len(columns) <= MOST_COLUMNS:
        add_few(table.view, which, found.ids, first, last, out)
    elif len(found.keys) == 1:
        add_all(table.view, which, first, last, 0, out)
    else:
        block = min(last - first, max(SORTED_ROWS, ROWS_PER_CELL * len(found.keys)))
        add_by_cell(table.view, which, found.ids, first, last, block, out)


def _joined(parts: list[Moments]) -> Moments:
    """Sum of tables with the same cells."""
    if len(parts) == 1:
        return parts[0]
    lanes, (m, c) = len(parts), parts[0].means.shape
    whole = no_moments(m, c)
    order = np.arange(lanes * m).reshape(lanes, m).T.ravel()
    join(order, np.arange(m + 1) * lanes, Moments(*map(np.concatenate, zip(*parts, strict=True))), whole)
    return whole


def lanes_of_cells(starts: Ints64) -> Ints64:
    """Split cells into ranges with about as many rows each, int64[at most MAX_LANES + 1]."""
    wanted = np.linspace(0, starts[-1], MAX_LANES + 1)
    bounds = np.searchsorted(starts, wanted)
    bounds[0], bounds[-1] = 0, len(starts) - 1
    return np.unique(bounds).astype(np.int64)


def _counted(table: Table, variables: tuple[int, ...], keys: Ints64, counts: Ints64) -> Cells:
    """Cells with counts alone."""
    nothing = np.empty((len(keys), 0))
    return _cells(table, variables, (), keys, Moments(counts, nothing, nothing, nothing))


def _cells(table: Table, variables: tuple[int, ...], columns: tuple[int, ...], keys: Ints64, moments: Moments) -> Cells:
    return Cells(variables, tuple(table.levels[v] for v in variables), columns, keys, moments)
