"""Scores of all folds of some parent sets at once: the rows of each under regressions on those of all others.

Axis legend: k folds; m groups, each a configuration of the discrete parents that all sets share, with a cell in every
fold that has rows of it; b parent sets of g continuous parents; c columns; u of these that some set needs; e pairs of
them that some set needs together, entries of a packed lower triangle.

The moments of what is outside a fold are formed for eight groups at a time, for these pairs alone, and used while a
cache has them. Eight groups are fitted at a time, too; what that leaves open is done group by group.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64, jit
from bnjit._simd import SIMD_WIDTH
from bnjit.kernels.cgaussian import Marks
from bnjit.kernels.folds_eight import eight_cells, leave_each_out, read_cell
from bnjit.kernels.folds_one import FoldSets, FoldTables, GroupRoom, group_room, prepare_group, score_group
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
from bnjit.kernels.rules import NEEDS_ROWS, Rule, needs_fit, score_fit, score_without_fit


class FoldSums(NamedTuple):
    """Sums over groups: scores, float64[k, b]; how many cells are not in them, int64[k, b]; -inf of a set ends it."""

    scores: Floats
    flagged: Ints64


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
    room: GroupRoom, L: Floats, slopes: Floats, left: Marks, values: Floats,
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
                total = prepare_group(group, tables, sets, room)
            values[i, f, lane], status = score_group(f, i, total, sets, rule, room, L, slopes)
            if status == NEEDS_ROWS:
                doubtful[f, i, group] = 1
                out.flagged[f, i] += 1


@jit
def _score_groups(
    first: int, last: int, tables: FoldTables, sets: FoldSets, eight: EightSets, rule: Rule, out: FoldSums,
    doubtful: Marks, room: GroupRoom, cells: EightCells, fits: EightFits, L: Floats, slopes: Floats,
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
    room = group_room(k, tables.columns, sets.used.shape[0], sets.entry.shape[0])
    eight = eight_sets(sets.y, sets.parents, sets.sizes, sets.used, sets.first, sets.second, sets.entry)
    cells, fits = eight_cells(k, sets.used.shape[0], sets.entry.shape[0]), eight_fits(most)
    _score_groups(
        first, last, tables, sets, unowned_sets(eight), rule, out, doubtful, room, unowned_cells(cells),
        unowned_fits(fits), L, slopes,
    )  # fmt: skip
    # Views do not keep what they show alive.
    cells.counts[0] = fits.rss[0] = eight.slot[0] = 0
