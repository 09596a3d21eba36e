"""Scores of all folds of some parent sets at once: the rows of each under regressions on those of all others.

Axis legend: k folds; m groups, each a configuration of the discrete parents that all sets share, with a cell in every
fold that has rows of it; b parent sets of g continuous parents; c columns; u of these that some set needs; e pairs of
them that some set needs together, entries of a packed lower triangle.

The moments of what is outside a fold are formed group by group, for these pairs alone, and used while a cache has them.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, carray, jit, pointer
from bnjit.kernels.cgaussian import Marks
from bnjit.kernels.combine import leave_out
from bnjit.kernels.moments import Moments, unowned, unowned_moments
from bnjit.kernels.regression import fit_moments, residuals_moments
from bnjit.kernels.rules import FINE, NEEDS_ROWS, Rule, needs_fit, score_fit, score_without_fit


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


class FoldSums(NamedTuple):
    """Sums over groups: scores, float64[k, b]; how many cells are not in them, int64[k, b]; -inf of a set ends it."""

    scores: Floats
    flagged: Ints64


class _Scratch(NamedTuple):
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
def _room(k: int, c: int, u: int, e: int) -> _Scratch:
    """Arrays for one set of columns, used again from cell to cell."""
    w = c * (c + 1) // 2
    test = Moments(np.zeros(k, np.int64), np.zeros((k, c)), np.zeros((k, c)), np.zeros((k, w)))
    train = Moments(np.zeros(k, np.int64), np.zeros((k, c)), np.zeros((k, c)), np.zeros((k, w)))
    sums = Moments(np.zeros(1, np.int64), np.zeros((1, c)), np.zeros((1, c)), np.zeros((1, w)))
    return _Scratch(test, train, sums, np.zeros((2, k, e)), np.zeros((2, k, u)), np.zeros(u), np.zeros(max(u, e)))


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
def _centre(total: int, sets: FoldSets, room: _Scratch) -> None:
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
def _leave_each_out(total: int, sets: FoldSets, room: _Scratch) -> bool:
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
def _merge_others(room: _Scratch) -> None:
    """Do the same by merging cells, which loses no digit anywhere. O(4 k c^2 / 2)."""
    k = room.test.counts.shape[0]
    at = np.full((1, k), -1, np.int64)
    for f in range(k):
        if room.test.counts[f] > 0:
            at[0, f] = f
        room.train.counts[f] = 0
    leave_out(room.test, at, 0, 1, room.sums, room.train)


@jit
def _score_groups(
    first: int, last: int, tables: FoldTables, sets: FoldSets, rule: Rule, out: FoldSums, doubtful: Marks,
    room: _Scratch, L: Floats, slopes: Floats,
) -> None:  # fmt: skip
    """Do what score_folds does in memory that it keeps."""
    k, b = out.scores.shape
    L, slopes = unowned(L), unowned(slopes)
    room = _Scratch(
        unowned_moments(room.test), unowned_moments(room.train), unowned_moments(room.sums), unowned(room.products),
        unowned(room.away), unowned(room.mean), unowned(room.run),
    )  # fmt: skip
    sets = FoldSets(
        sets.y, unowned(sets.parents), unowned(sets.sizes), unowned(sets.used), unowned(sets.first),
        unowned(sets.second), unowned(sets.entry),
    )  # fmt: skip
    for group in range(first, last):
        total = _read_group(tables, group, sets, room.test)
        if total > 0 and not _leave_each_out(total, sets, room):
            _merge_others(room)
        for i in range(b):
            g = sets.sizes[i]
            for f in range(k):
                scored, n = room.test.counts[f], total - room.test.counts[f]
                if scored == 0 or out.scores[f, i] == -np.inf:
                    continue
                if not needs_fit(n, g, scored, rule):
                    value = score_without_fit(scored, rule)
                else:
                    rss, status = fit_moments(
                        n, room.train.means[f], room.train.crosses[f], sets.y, sets.parents[i], g, rule.in_cells, L,
                        slopes,
                    )  # fmt: skip
                    if rule.residual:
                        for j in range(g):
                            if slopes[j] == 0.0:
                                status = NEEDS_ROWS
                    error = rss
                    if status == FINE:
                        error, status = residuals_moments(
                            room.train, room.test, f, sets.y, sets.parents[i], g, slopes
                        )  # fmt: skip
                    if status == NEEDS_ROWS:
                        doubtful[f, i, group] = 1
                        out.flagged[f, i] += 1
                        continue
                    value = score_fit(n, g, rss, scored, error, rule)
                out.scores[f, i] += value
                if value == -np.inf:  # the model is impossible
                    for other in range(k):
                        out.scores[other, i] = value
                    break


@jit
def score_folds(
    first: int, last: int, tables: FoldTables, sets: FoldSets, rule: Rule, out: FoldSums, doubtful: Marks
) -> None:
    """Add the scores of groups first ... last - 1. O(m (k e + k b g^3)).

    out : zeros; doubtful : uint8[k, b, m], zeros, marks the cells that moments do not score accurately
    """
    most = sets.parents.shape[1] + 1
    L, slopes = np.empty((most, most)), np.empty(most)
    room = _room(out.scores.shape[0], tables.columns, sets.used.shape[0], sets.entry.shape[0])
    _score_groups(first, last, tables, sets, rule, out, doubtful, room, L, slopes)
