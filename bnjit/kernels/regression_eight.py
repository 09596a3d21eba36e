"""Regressions of eight cells at a time, for the usual case; each as in bnjit.kernels.regression, to the bit.

Axis legend: as in bnjit.kernels.regression; u columns that some regression needs, e pairs of these. Arrays are flat and
hold eight values, one for each cell, where those of one cell hold one.

Where moments may not be accurate, a cell is marked, to be fitted by itself.
"""

from typing import NamedTuple

import numpy as np

from bnjit._eight import Eight, fill_eight, load_eight, root_eight, size_eight, store_eight, where_less
from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit._simd import SIMD_WIDTH
from bnjit.kernels.moments import unowned
from bnjit.kernels.rules import CLOSE, GUARD, MARGIN, TOLERANCE, Rule


class EightSets(NamedTuple):
    """Parent sets as places among the u columns: y; parents : int32[b, g max]; sizes : int64[b].

    used : int64[u], places of these columns in a table; first, second, entry : int64[e], pairs of them, the first at
    least as large, and where their products are in a packed lower triangle of the table; slot : int64[u (u + 1) / 2],
    which of these pairs a packed lower triangle of the u columns has
    """

    y: int
    parents: Ints32
    sizes: Ints64
    used: Ints64
    first: Ints64
    second: Ints64
    entry: Ints64
    slot: Ints64


class EightCells(NamedTuple):
    """Eight cells, k times: of each fold, or once.

    counts, scored : float64[8 k], fitted and scored rows; means : float64[8 k u], of the fitted rows; between :
    float64[8 k u], what those of the scored rows are larger by; crosses, test : float64[8 k e], of fitted and of scored
    rows
    """

    counts: Floats
    scored: Floats
    means: Floats
    between: Floats
    crosses: Floats
    test: Floats


class EightFits(NamedTuple):
    """Room for the fits of eight cells: rss, error, marked : float64[8] (out); L, slopes, kept : scratch.

    error : sum of squared residuals of the scored rows; marked : 1 where a cell is to be fitted by itself
    """

    rss: Floats
    error: Floats
    marked: Floats
    L: Floats
    slopes: Floats
    kept: Floats


@jit
def eight_fits(most: int) -> EightFits:
    """Room for regressions on up to so many parents."""
    return EightFits(
        np.empty(SIMD_WIDTH), np.empty(SIMD_WIDTH), np.empty(SIMD_WIDTH),
        np.empty((most + 1) * (most + 1) * SIMD_WIDTH), np.empty((most + 1) * SIMD_WIDTH),
        np.empty((most + 1) * SIMD_WIDTH),
    )  # fmt: skip


@jit
def unowned_sets(sets: EightSets) -> EightSets:
    """Views that do not count who refers to them; see moments.unowned."""
    return EightSets(
        sets.y, unowned(sets.parents), unowned(sets.sizes), unowned(sets.used), unowned(sets.first),
        unowned(sets.second), unowned(sets.entry), unowned(sets.slot),
    )  # fmt: skip


@jit
def unowned_cells(cells: EightCells) -> EightCells:
    """Such views of eight cells."""
    return EightCells(
        unowned(cells.counts), unowned(cells.scored), unowned(cells.means), unowned(cells.between),
        unowned(cells.crosses), unowned(cells.test),
    )  # fmt: skip


@jit
def unowned_fits(fits: EightFits) -> EightFits:
    """Such views of room for fits."""
    return EightFits(
        unowned(fits.rss), unowned(fits.error), unowned(fits.marked), unowned(fits.L), unowned(fits.slopes),
        unowned(fits.kept),
    )  # fmt: skip


@jit
def _product(sets: EightSets, i: int, j: int) -> int:
    """Where the products of columns i and j begin among those of all pairs."""
    return SIMD_WIDTH * sets.slot[i * (i + 1) // 2 + j if i >= j else j * (j + 1) // 2 + i]


@jit
def _is_kept(g: int, n: Eight, in_cells: bool, total: Eight, left: Eight, raw: Eight) -> Eight:
    """1 where a parent is not singular, else 0; see rules.is_singular, whose arguments these are."""
    no, yes = fill_eight(0.0), fill_eight(1.0)
    if g > 2:
        return where_less(fill_eight(TOLERANCE * TOLERANCE) * raw, total, yes, no)
    least = fill_eight(TOLERANCE)
    if not in_cells:
        least = least * (n - yes)
    return where_less(total, least, no, where_less(left, fill_eight(CLOSE) * total, no, yes))


@jit
def _is_doubtful(g: int, total: Eight, left: Eight, raw: Eight) -> Eight:
    """1 where moments do not tell what is left of a parent, else 0."""
    no, yes = fill_eight(0.0), fill_eight(1.0)
    marked = where_less(left, fill_eight(GUARD * TOLERANCE) * total, yes, no)
    if g > 2:
        marked = where_less(left, fill_eight(MARGIN * TOLERANCE * TOLERANCE) * raw, yes, marked)
    return marked


@jit
def fit_eight(sets: EightSets, i: int, cells: EightCells, f: int, rule: Rule, fits: EightFits) -> None:
    """Regressions of parent set i in eight cells, those of fold f, and what is left of their scored rows. O(g^3).

    Arguments and rules as in fit_moments and residuals_moments. Where a parent is dropped, zeros stand in its place.
    """
    y, parents, g = sets.y, sets.parents[i], sets.sizes[i]
    u, e = sets.used.shape[0], sets.entry.shape[0]
    at, mean = SIMD_WIDTH * f * e, SIMD_WIDTH * f * u
    crosses, L, slopes, kept, row = cells.crosses, fits.L, fits.slopes, fits.kept, SIMD_WIDTH * (g + 1)
    n, no, yes = load_eight(cells.counts, SIMD_WIDTH * f), fill_eight(0.0), fill_eight(1.0)
    marked = no
    total = left = no
    for r in range(g + 1):
        v = y if r == g else parents[r]
        total = load_eight(crosses, at + _product(sets, v, v))
        left = total
        for q in range(r):
            s = load_eight(crosses, at + _product(sets, v, parents[q]))
            for t in range(q):
                s = s - load_eight(L, r * row + SIMD_WIDTH * t) * load_eight(L, q * row + SIMD_WIDTH * t)
            s = s / load_eight(L, q * row + SIMD_WIDTH * q)
            s = where_less(no, load_eight(kept, SIMD_WIDTH * q), s, no)
            store_eight(L, r * row + SIMD_WIDTH * q, s)
            left = left - s * s
        if r < g:
            m = load_eight(cells.means, mean + SIMD_WIDTH * v)
            raw, given = total + n * m * m, left
            if g == 2 and r == 1:
                first = load_eight(crosses, at + _product(sets, parents[0], parents[0]))
                s = load_eight(crosses, at + _product(sets, v, parents[0]))
                alone = where_less(no, first, left - s * (s / first), left)
                given = where_less(no, load_eight(kept, 0), left, alone)
            is_kept = _is_kept(g, n, rule.in_cells, total, given, raw)
            store_eight(kept, SIMD_WIDTH * r, is_kept)
            doubt = where_less(no, is_kept, _is_doubtful(g, total, left, raw), no)
            marked = where_less(no, doubt, yes, marked)
            store_eight(L, r * row + SIMD_WIDTH * r, where_less(no, is_kept, root_eight(left), yes))
    rss = left
    store_eight(fits.rss, 0, rss)
    reach = root_eight(total)
    for q in range(g - 1, -1, -1):
        s = load_eight(L, g * row + SIMD_WIDTH * q)
        for t in range(q + 1, g):
            s = s - load_eight(L, t * row + SIMD_WIDTH * q) * load_eight(slopes, SIMD_WIDTH * t)
        is_kept = load_eight(kept, SIMD_WIDTH * q)
        s = where_less(no, is_kept, s / load_eight(L, q * row + SIMD_WIDTH * q), no)
        store_eight(slopes, SIMD_WIDTH * q, s)
        more = size_eight(s) * root_eight(load_eight(crosses, at + _product(sets, parents[q], parents[q])))
        reach = reach + where_less(no, is_kept, more, no)
        if rule.residual:
            marked = where_less(no, size_eight(s), marked, yes)
    if g > 0:
        marked = where_less(rss, fill_eight(GUARD) * reach * reach, yes, marked)
    if rule.predictive:
        marked = _residuals_eight(sets, i, cells, f, marked, fits)
    else:
        store_eight(fits.error, 0, rss)
    store_eight(fits.marked, 0, marked)


@jit
def _residuals_eight(sets: EightSets, i: int, cells: EightCells, f: int, marked: Eight, fits: EightFits) -> Eight:
    """Sums of squared residuals of the scored rows. -> what is marked, with those that moments do not give."""
    y, parents, g = sets.y, sets.parents[i], sets.sizes[i]
    at = SIMD_WIDTH * f * sets.entry.shape[0]
    between, test, slopes = SIMD_WIDTH * f * sets.used.shape[0], cells.test, fits.slopes
    offset = load_eight(cells.between, between + SIMD_WIDTH * y)
    spread = load_eight(test, at + _product(sets, y, y))
    reach = root_eight(spread)
    for a in range(g):
        v, slope = parents[a], load_eight(slopes, SIMD_WIDTH * a)
        offset = offset - slope * load_eight(cells.between, between + SIMD_WIDTH * v)
        reach = reach + size_eight(slope) * root_eight(load_eight(test, at + _product(sets, v, v)))
        spread = spread - fill_eight(2.0) * slope * load_eight(test, at + _product(sets, y, v))
        for b in range(g):
            product = load_eight(test, at + _product(sets, v, parents[b]))
            spread = spread + slope * load_eight(slopes, SIMD_WIDTH * b) * product
    no = fill_eight(0.0)
    error = where_less(spread, no, no, spread) + load_eight(cells.scored, SIMD_WIDTH * f) * offset * offset
    store_eight(fits.error, 0, error)
    if g == 0:
        return marked
    return where_less(error, fill_eight(GUARD) * reach * reach, fill_eight(1.0), marked)


@jit
def eight_sets(
    y: int, parents: Ints32, sizes: Ints64, used: Ints64, first: Ints64, second: Ints64, entry: Ints64
) -> EightSets:
    """Parent sets as places among the columns of a table, made into places among those that are used."""
    u = used.shape[0]
    place = np.zeros(used[u - 1] + 1, np.int32)
    for i in range(u):
        place[used[i]] = i
    own = np.zeros(parents.shape, np.int32)
    for s in range(parents.shape[0]):
        for a in range(sizes[s]):
            own[s, a] = place[parents[s, a]]
    slot = np.zeros(u * (u + 1) // 2, np.int64)
    for p in range(entry.shape[0]):
        slot[first[p] * (first[p] + 1) // 2 + second[p]] = p
    return EightSets(place[y], own, sizes, used, first, second, entry, slot)
