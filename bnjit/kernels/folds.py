"""Scores of all folds of some parent sets at once: the rows of each under regressions on those of all others.

Axis legend: k folds; m groups, each a configuration of the discrete parents that all sets share, with a cell in every
fold that has rows of it; b parent sets of g continuous parents; c columns; u of these that some set needs; e pairs of
them that some set needs together, entries of a packed lower triangle.

The moments of what is outside a fold are formed for eight groups at a time, for these pairs alone, and used while a
cache has them. Eight groups are fitted at a time, too; what that leaves open is done group by group.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, carray, jit, pointer
from bnjit._simd import SIMD_WIDTH
from bnjit.kernels.cgaussian import Marks
from bnjit.kernels.combine import leave_out
from bnjit.kernels.folds_eight import eight_cells, leave_each_out, read_cell
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import fit_moments, residuals_moments
from bnjit.kernels.regression_eight import (
    EightCells,
    EightFits,
    EightSets,
    eight_fits,
    eight_sets,
    fit_eight,
    unowned_cells,
    unowned_fits,
    unowned_sets,
)
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
def _prepare(group: int, tables: FoldTables, sets: FoldSets, room: _Scratch) -> int:
    """Moments of one group, and of what is outside each fold of it. -> how many rows it has."""
    total = _read_group(tables, group, sets, room.test)
    if total > 0 and not _leave_each_out(total, sets, room):
        _merge_others(room)
    return total


@jit
def _score_one(
    f: int, i: int, total: int, sets: FoldSets, rule: Rule, room: _Scratch, L: Floats, slopes: Floats
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


@jit
def _read_eight(
    first: int, last: int, tables: FoldTables, sets: EightSets, cells: EightCells, total: Floats, begin: Floats,
    own: Floats, correction: Floats,
) -> None:  # fmt: skip
    """Copy what is needed of groups first ... last - 1, up to eight, as leave_each_out takes it."""
    k, u, e = tables.at.shape[1], sets.used.shape[0], sets.entry.shape[0]
    for lane in range(SIMD_WIDTH):
        total[lane] = 0.0
        for f in range(k - 1, -1, -1):
            cell = tables.at[first + lane, f] if lane < last - first else -1
            cells.scored[SIMD_WIDTH * f + lane] = 0.0
            if cell < 0:
                for p in range(e):
                    cells.test[SIMD_WIDTH * (f * e + p) + lane] = 0.0
                continue
            n = read_cell(
                tables.counts[f], tables.means[f], tables.mean_corrections[f], tables.crosses[f], cell, tables.columns,
                sets, lane, f, own, correction, cells.test,
            )  # fmt: skip
            cells.scored[SIMD_WIDTH * f + lane] = n
            total[lane] += n
            if n > 0:
                for i in range(u):
                    begin[SIMD_WIDTH * i + lane] = own[SIMD_WIDTH * (f * u + i) + lane]


@jit
def _score_left(
    group: int, lane: int, tables: FoldTables, sets: FoldSets, rule: Rule, out: FoldSums, doubtful: Marks,
    room: _Scratch, L: Floats, slopes: Floats, left: Marks, values: Floats,
) -> None:  # fmt: skip
    """Score a group by itself where it is left, uint8[b, k, 8], to values, float64[b, k, 8]."""
    total = -1
    for i in range(left.shape[0]):
        for f in range(left.shape[1]):
            if out.scores[f, i] == -np.inf:
                break
            if left[i, f, lane] == 0:
                continue
            if total < 0:
                total = _prepare(group, tables, sets, room)
            values[i, f, lane], status = _score_one(f, i, total, sets, rule, room, L, slopes)
            if status == NEEDS_ROWS:
                doubtful[f, i, group] = 1
                out.flagged[f, i] += 1


@jit
def _score_groups(
    first: int, last: int, tables: FoldTables, sets: FoldSets, eight: EightSets, rule: Rule, out: FoldSums,
    doubtful: Marks, room: _Scratch, cells: EightCells, fits: EightFits, L: Floats, slopes: Floats,
) -> None:  # fmt: skip
    """Do what score_folds does in memory that it keeps."""
    k, b = out.scores.shape
    u, e = eight.used.shape[0], eight.entry.shape[0]
    total, begin = np.empty(SIMD_WIDTH), np.zeros(SIMD_WIDTH * u)
    own, correction = np.zeros(SIMD_WIDTH * k * u), np.zeros(SIMD_WIDTH * k * u)
    away, rows = np.zeros((2, SIMD_WIDTH * k * u)), np.empty(SIMD_WIDTH)
    products = np.zeros(SIMD_WIDTH * k * e)
    values = np.zeros((b, k, SIMD_WIDTH))
    left = np.zeros((b, k, SIMD_WIDTH), np.uint8)
    for start in range(first, last, SIMD_WIDTH):
        end = min(start + SIMD_WIDTH, last)
        _read_eight(start, end, tables, eight, cells, total, begin, own, correction)
        for lane in range(SIMD_WIDTH):
            rows[lane] = total[lane]
        leave_each_out(k, total, begin, own, correction, eight, cells, away, products)
        alone = False
        for i in range(b):
            for f in range(k):
                if out.scores[f, i] == -np.inf:
                    break
                fit_eight(eight, i, cells, f, rule, fits)
                for lane in range(end - start):
                    scored = cells.scored[SIMD_WIDTH * f + lane]
                    n = rows[lane] - scored
                    left[i, f, lane] = 0
                    if scored == 0:
                        values[i, f, lane] = 0.0
                    elif not needs_fit(n, sets.sizes[i], scored, rule):
                        values[i, f, lane] = score_without_fit(scored, rule)
                    elif fits.marked[lane] == 0.0:
                        rss, error = fits.rss[lane], fits.error[lane]
                        values[i, f, lane] = score_fit(n, sets.sizes[i], rss, scored, error, rule)
                    else:
                        left[i, f, lane] = 1
                        alone = True
        for lane in range(end - start if alone else 0):
            _score_left(start + lane, lane, tables, sets, rule, out, doubtful, room, L, slopes, left, values)
        for i in range(b):
            for f in range(k):
                if out.scores[f, i] == -np.inf:
                    break
                for lane in range(end - start):
                    out.scores[f, i] += values[i, f, lane]
                if out.scores[f, i] == -np.inf:  # the model is impossible
                    for other in range(k):
                        out.scores[other, i] = -np.inf


@jit
def score_folds(
    first: int, last: int, tables: FoldTables, sets: FoldSets, rule: Rule, out: FoldSums, doubtful: Marks
) -> None:
    """Add the scores of groups first ... last - 1. O(m (k e + k b g^3)).

    out : zeros; doubtful : uint8[k, b, m], zeros, marks the cells that moments do not score accurately
    """
    most, k = sets.parents.shape[1] + 1, out.scores.shape[0]
    L, slopes = np.empty((most, most)), np.empty(most)
    room = _room(k, tables.columns, sets.used.shape[0], sets.entry.shape[0])
    eight = eight_sets(sets.y, sets.parents, sets.sizes, sets.used, sets.first, sets.second, sets.entry)
    cells, fits = eight_cells(k, sets.used.shape[0], sets.entry.shape[0]), eight_fits(most)
    _score_groups(
        first, last, tables, sets, unowned_sets(eight), rule, out, doubtful, room, unowned_cells(cells),
        unowned_fits(fits), L, slopes,
    )  # fmt: skip
    # Views do not keep what they show alive.
    cells.counts[0] = fits.rss[0] = eight.slot[0] = 0
