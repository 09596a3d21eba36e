"""One configuration of all folds: the moments of what is outside each fold, and scores of its rows; see kernels.folds.

Axis legend: k folds; m groups; b parent sets of g continuous parents; c columns; u of these that some set needs; e
pairs of them. Eight groups at a time leave to this what moments may not give accurately.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, carray, jit, pointer
from bnjit.kernels.combine import leave_out
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import fit_moments, residuals_moments
from bnjit.kernels.rules import FINE, NEEDS_ROWS, Rule, score_fit


class FoldTables(NamedTuple):
    """Tables of k folds, which need not have the same cells.

    counts, means, mean_corrections, crosses : int64[k], addresses of their Moments, which the caller keeps alive
    at : int64[m, k], the cell of each group in each table, -1 where it has no rows; columns : c
    """

    counts: Ints64
    means: Ints64
    mean_corrections: Ints64
    crosses: Ints64
    at: Ints64
    columns: int


class FoldSets(NamedTuple):
    """Parent sets of a node, and what their regressions need; all are positions among the columns.

    parents : int32[b, g max]; sizes : int64[b]; used : int64[u], columns, ascending; first, second : int64[e], pairs of
    places in `used`, the first at least as large; entry : int64[e], their places in a packed lower triangle
    """

    y: int
    parents: Ints32
    sizes: Ints64
    used: Ints64
    first: Ints64
    second: Ints64
    entry: Ints64


class GroupRoom(NamedTuple):
    """Room for one group: its cells, what is outside each fold, and sums from either end.

    products : float64[2, k, e], of each fold about the mean of all rows, and those outside it;
    away : float64[2, k, u], distance of each fold's mean from that, and sums outside it
    """

    test: Moments
    train: Moments
    sums: Moments
    products: Floats
    away: Floats
    mean: Floats
    run: Floats


@jit
def group_room(k: int, c: int, u: int, e: int) -> GroupRoom:
    """Arrays for one set of columns, used again from cell to cell."""
    w = c * (c + 1) // 2
    test = Moments(np.zeros(k, np.int64), np.zeros((k, c)), np.zeros((k, c)), np.zeros((k, w)))
    train = Moments(np.zeros(k, np.int64), np.zeros((k, c)), np.zeros((k, c)), np.zeros((k, w)))
    sums = Moments(np.zeros(1, np.int64), np.zeros((1, c)), np.zeros((1, c)), np.zeros((1, w)))
    return GroupRoom(test, train, sums, np.zeros((2, k, e)), np.zeros((2, k, u)), np.zeros(u), np.zeros(max(u, e)))


@jit
def _read_group(tables: FoldTables, group: int, sets: FoldSets, test: Moments) -> int:
    """Copy what is needed of a group's cells. -> how many rows they have."""
    c = tables.columns
    w = c * (c + 1) // 2
    total = 0
    for f in range(tables.at.shape[1]):
        cell = tables.at[group, f]
        test.counts[f] = 0
        if cell < 0:
            continue
        test.counts[f] = carray(pointer(tables.counts[f]), (cell + 1,), np.int64)[cell]
        total += test.counts[f]
        means = carray(pointer(tables.means[f] + 8 * cell * c), (c,), np.float64)
        corrections = carray(pointer(tables.mean_corrections[f] + 8 * cell * c), (c,), np.float64)
        crosses = carray(pointer(tables.crosses[f] + 8 * cell * w), (w,), np.float64)
        for i in range(sets.used.shape[0]):
            v = sets.used[i]
            test.means[f, v] = means[v]
            test.mean_corrections[f, v] = corrections[v]
        for p in range(sets.entry.shape[0]):
            test.crosses[f, sets.entry[p]] = crosses[sets.entry[p]]
    return total


@jit
def _centre(total: int, sets: FoldSets, room: GroupRoom) -> None:
    """Find the mean of all rows of a group, and the products of each fold about it."""
    test, mean, away, products = room.test, room.mean, room.away[0], room.products[0]
    for i in range(sets.used.shape[0]):
        v = sets.used[i]
        begin, drift, found = 0.0, 0.0, False
        for f in range(test.counts.shape[0]):
            if test.counts[f] > 0:
                if not found:
                    begin, found = test.means[f, v], True
                drift += test.counts[f] * ((test.means[f, v] - begin) + test.mean_corrections[f, v])
        mean[i] = begin + drift / total
        for f in range(test.counts.shape[0]):
            away[f, i] = 0.0
            if test.counts[f] > 0:
                away[f, i] = (test.means[f, v] - mean[i]) + test.mean_corrections[f, v]
    for f in range(test.counts.shape[0]):
        n = test.counts[f]
        for p in range(sets.entry.shape[0]):
            products[f, p] = 0.0
            if n > 0:
                products[f, p] = test.crosses[f, sets.entry[p]] + n * away[f, sets.first[p]] * away[f, sets.second[p]]


@jit
def _sum_others(counts: Ints64, values: Floats, weighted: bool, run: Floats, out: Floats) -> None:
    """Sums of all folds but one, from both ends, so that nothing is subtracted. values, out : float64[k, length]."""
    k, length = values.shape
    for p in range(length):
        run[p] = 0.0
    for f in range(k):
        n = float(counts[f]) if weighted else 1.0
        for p in range(length):
            out[f, p] = run[p]
            run[p] += n * values[f, p]
    for p in range(length):
        run[p] = 0.0
    for f in range(k - 1, -1, -1):
        n = float(counts[f]) if weighted else 1.0
        for p in range(length):
            out[f, p] += run[p]
            run[p] += n * values[f, p]


@jit
def _leave_each_out(total: int, sets: FoldSets, room: GroupRoom) -> bool:
    """Moments of what is outside each fold of a group, from products about the mean of all rows. O(k e).

    -> whether that loses no digit: it does where the mean of all rows is far from that of those outside some fold
    """
    test, train = room.test, room.train
    _centre(total, sets, room)
    _sum_others(test.counts, room.away[0], True, room.run, room.away[1])
    _sum_others(test.counts, room.products[0], False, room.run, room.products[1])
    for f in range(test.counts.shape[0]):
        n = total - test.counts[f]
        train.counts[f] = n
        if n == 0 or test.counts[f] == 0:
            continue
        for i in range(sets.used.shape[0]):
            v = sets.used[i]
            step = room.away[1, f, i] / n
            train.means[f, v] = room.mean[i] + step
            train.mean_corrections[f, v] = step - (train.means[f, v] - room.mean[i])
            room.away[0, f, i] = step
        for p in range(sets.entry.shape[0]):
            i, j = sets.first[p], sets.second[p]
            moved = room.away[1, f, i] * room.away[0, f, j]
            if i == j and moved > 0.5 * room.products[1, f, p]:
                return False
            train.crosses[f, sets.entry[p]] = room.products[1, f, p] - moved
    return True


@jit
def _merge_others(room: GroupRoom) -> None:
    """Do the same by merging cells, which loses no digit anywhere. O(4 k c^2 / 2)."""
    k = room.test.counts.shape[0]
    at = np.full((1, k), -1, np.int64)
    for f in range(k):
        if room.test.counts[f] > 0:
            at[0, f] = f
        room.train.counts[f] = 0
    leave_out(room.test, at, 0, 1, room.sums, room.train)


@jit
def prepare_group(group: int, tables: FoldTables, sets: FoldSets, room: GroupRoom) -> int:
    """Moments of one group, and of what is outside each fold of it. -> how many rows it has."""
    total = _read_group(tables, group, sets, room.test)
    if total > 0 and not _leave_each_out(total, sets, room):
        _merge_others(room)
    return total


@jit
def score_group(
    f: int, i: int, total: int, sets: FoldSets, rule: Rule, room: GroupRoom, L: Floats, slopes: Floats
) -> tuple[float, int]:  # fmt: skip
    """Score of set i in fold f of the group that was prepared, if it needs a regression, and whether it is accurate."""
    g, n = sets.sizes[i], total - room.test.counts[f]
    rss, status = fit_moments(
        n, room.train.means[f], room.train.crosses[f], sets.y, sets.parents[i], g, rule.in_cells, L, slopes
    )
    if rule.residual:
        for j in range(g):
            if slopes[j] == 0.0:
                status = NEEDS_ROWS
    error = rss
    if status == FINE:
        error, status = residuals_moments(room.train, room.test, f, sets.y, sets.parents[i], g, slopes)
    if status == NEEDS_ROWS:
        return 0.0, status
    return score_fit(n, g, rss, room.test.counts[f], error, rule), status
