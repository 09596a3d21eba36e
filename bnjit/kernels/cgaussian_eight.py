"""Local scores of a continuous node from many cells, eight at a time; each as in bnjit.kernels.cgaussian, to the bit.

Axis legend: as there; u columns that some parent set needs, e pairs of them that some set needs together.

What is needed of eight cells is copied side by side once for all parent sets. A cell for which moments may not be
accurate is fitted again by itself, which decides.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit._simd import SIMD_WIDTH
from bnjit.kernels.cgaussian import Marks
from bnjit.kernels.moments import Moments, unowned, unowned_moments
from bnjit.kernels.regression import between_means, fit_moments, residuals_moments
from bnjit.kernels.regression_eight import (
    EightCells,
    EightSets,
    eight_fits,
    fit_eight,
    unowned_cells,
    unowned_fits,
    unowned_sets,
)
from bnjit.kernels.rules import FINE, NEEDS_ROWS, Rule, needs_fit, score_fit, score_without_fit


@jit
def needed_pairs(first: int, last: int, y: int, parents: Ints32, sizes: Ints64, columns: int) -> EightSets:
    """Parent sets first ... last - 1 as places among the columns that they need, and the pairs that they need."""
    place = np.full(columns, -1, np.int32)
    place[y] = 0
    for s in range(first, last):
        for a in range(sizes[s]):
            place[parents[s, a]] = 0
    u = 0
    for v in range(columns):
        if place[v] == 0:
            place[v] = u
            u += 1
    used = np.empty(u, np.int64)
    for v in range(columns):
        if place[v] >= 0:
            used[place[v]] = v
    own = np.zeros((last - first, parents.shape[1] + 1), np.int32)
    slot = np.full(u * (u + 1) // 2, -1, np.int64)
    for s in range(last - first):
        g = sizes[first + s]
        own[s, g] = place[y]
        for a in range(g):
            own[s, a] = place[parents[first + s, a]]
        for a in range(g + 1):
            for b in range(g + 1):
                if own[s, a] >= own[s, b]:
                    slot[own[s, a] * (own[s, a] + 1) // 2 + own[s, b]] = 0
    e = 0
    pairs = np.empty((3, slot.shape[0]), np.int64)
    for i in range(u):
        for j in range(i + 1):
            if slot[i * (i + 1) // 2 + j] == 0:
                slot[i * (i + 1) // 2 + j] = e
                pairs[0, e], pairs[1, e], pairs[2, e] = i, j, used[i] * (used[i] + 1) // 2 + used[j]
                e += 1
    return EightSets(place[y], own, sizes[first:last], used, pairs[0, :e], pairs[1, :e], pairs[2, :e], slot)


@jit
def _read_eight(
    start: int, rows: int, train: Moments, test: Moments, predictive: bool, sets: EightSets, cells: EightCells
) -> None:
    """Copy what is needed of cells start ... start + rows - 1, up to eight; the last one fills up the eight."""
    for lane in range(SIMD_WIDTH):
        cell = start + min(lane, rows - 1)
        cells.counts[lane] = train.counts[cell]
        mean, cross = train.means[cell], train.crosses[cell]
        for i in range(sets.used.shape[0]):
            cells.means[SIMD_WIDTH * i + lane] = mean[sets.used[i]]
        for p in range(sets.entry.shape[0]):
            cells.crosses[SIMD_WIDTH * p + lane] = cross[sets.entry[p]]
        if predictive:
            cells.scored[lane] = test.counts[cell]
            other = test.crosses[cell]
            for i in range(sets.used.shape[0]):
                cells.between[SIMD_WIDTH * i + lane] = between_means(train, test, cell, sets.used[i])
            for p in range(sets.entry.shape[0]):
                cells.test[SIMD_WIDTH * p + lane] = other[sets.entry[p]]


@jit
def _score_alone(
    train: Moments, test: Moments, cell: int, y: int, parents: Ints32, g: int, rule: Rule, L: Floats, slopes: Floats
) -> tuple[float, int]:
    """Score of a cell that needs a regression, and whether moments give it accurately."""
    n, scored = train.counts[cell], test.counts[cell]
    rss, status = fit_moments(n, train.means[cell], train.crosses[cell], y, parents, g, rule.in_cells, L, slopes)
    error = rss
    if rule.residual:
        for i in range(g):
            if slopes[i] == 0.0:
                status = NEEDS_ROWS
    if rule.predictive and status == FINE:
        error, status = residuals_moments(train, test, cell, y, parents, g, slopes)
    if status == NEEDS_ROWS:
        return 0.0, status
    return score_fit(n, g, rss, scored, error, rule), status


@jit
def batch_eight(
    first: int, last: int, train: Moments, test: Moments, y: int, parents: Ints32, sizes: Ints64, rule: Rule,
    out: Floats, flagged: Ints64, doubtful: Marks,
) -> None:  # fmt: skip
    """Do what cgaussian.batch_cells does. O(m (e + b g^3))."""
    train, test, parents = unowned_moments(train), unowned_moments(test), unowned(parents)
    most = parents.shape[1] + 1
    L, slopes = np.empty((most, most)), np.empty(most)
    kept_sets = needed_pairs(first, last, y, parents, sizes, train.means.shape[1])
    u, e = kept_sets.used.shape[0], kept_sets.entry.shape[0]
    kept_cells = EightCells(
        np.zeros(SIMD_WIDTH), np.zeros(SIMD_WIDTH), np.zeros(SIMD_WIDTH * u), np.zeros(SIMD_WIDTH * u),
        np.zeros(SIMD_WIDTH * e), np.zeros(SIMD_WIDTH * e),
    )  # fmt: skip
    kept_fits = eight_fits(most)
    sets, cells, fits = unowned_sets(kept_sets), unowned_cells(kept_cells), unowned_fits(kept_fits)
    for i in range(first, last):
        out[i], flagged[i] = 0.0, 0
    m = train.counts.shape[0]
    for start in range(0, m, SIMD_WIDTH):
        rows = min(SIMD_WIDTH, m - start)
        _read_eight(start, rows, train, test, rule.predictive, sets, cells)
        for i in range(first, last):
            if out[i] == -np.inf:
                continue
            g = sizes[i]
            fit_eight(sets, i - first, cells, 0, rule, fits)
            for lane in range(rows):
                cell = start + lane
                n, scored = train.counts[cell], test.counts[cell]
                if not needs_fit(n, g, scored, rule):
                    value = score_without_fit(scored, rule)
                elif fits.marked[lane] == 0.0:
                    value = score_fit(n, g, fits.rss[lane], scored, fits.error[lane], rule)
                else:
                    value, status = _score_alone(train, test, cell, y, parents[i], g, rule, L, slopes)
                    if status == NEEDS_ROWS:
                        doubtful[i, cell] = 1
                        flagged[i] += 1
                        continue
                if value == -np.inf:
                    out[i], flagged[i] = value, 0
                    break
                out[i] += value
    # Views do not keep what they show alive.
    kept_cells.counts[0] = kept_fits.rss[0] = kept_sets.slot[0] = 0
