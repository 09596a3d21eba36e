"""Count the configurations of discrete columns of a Table, many sets of them in one batch."""

import itertools
from collections.abc import Sequence

import numpy as np

from bnjit._jit import Ints32, Ints64
from bnjit.data import Table
from bnjit.kernels.configurations import append_keys, count_beside, count_tables
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import Cells
from bnjit.stats.collect import LANE_BYTES, ROWS_PER_LANE, dense_limit, make_cells, membership, padded

WORTH_A_BASE = 4  # sets that share their variables but one


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


def _counted(table: Table, variables: tuple[int, ...], keys: Ints64, counts: Ints64) -> Cells:
    """Cells with counts alone."""
    nothing = np.empty((len(keys), 0))
    return make_cells(table, variables, (), keys, Moments(counts, nothing, nothing, nothing))
