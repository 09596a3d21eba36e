"""Eight configurations of all folds at a time: the moments of what is outside each fold; see bnjit.kernels.folds.

Axis legend: k folds; u columns that some parent set needs, e pairs of these. Arrays are flat and hold eight values, one
for each configuration; those of a fold stand together.
"""

import numpy as np

from bnjit._eight import Eight, fill_eight, load_eight, store_eight, where_less
from bnjit._jit import Floats, carray, jit, pointer
from bnjit._simd import SIMD_WIDTH
from bnjit.kernels.regression_eight import EightCells, EightSets


@jit
def eight_cells(k: int, u: int, e: int) -> EightCells:
    """Room for eight configurations of k folds."""
    return EightCells(
        np.zeros(SIMD_WIDTH * k), np.zeros(SIMD_WIDTH * k), np.zeros(SIMD_WIDTH * k * u),
        np.zeros(SIMD_WIDTH * k * u), np.zeros(SIMD_WIDTH * k * e), np.zeros(SIMD_WIDTH * k * e),
    )  # fmt: skip


@jit
def read_cell(
    counts: int, means: int, corrections: int, crosses: int, cell: int, columns: int, sets: EightSets, lane: int,
    f: int, mean: Floats, correction: Floats, cross: Floats,
) -> int:  # fmt: skip
    """Copy what is needed of a cell to a lane of fold f. -> its rows.

    counts, means, corrections, crosses : addresses of Moments of so many columns; mean, correction : float64[8 k u];
    cross : float64[8 k e]
    """
    u, e = sets.used.shape[0], sets.entry.shape[0]
    w = columns * (columns + 1) // 2
    own = carray(pointer(means + 8 * cell * columns), (columns,), np.float64)
    rest = carray(pointer(corrections + 8 * cell * columns), (columns,), np.float64)
    products = carray(pointer(crosses + 8 * cell * w), (w,), np.float64)
    for i in range(u):
        at = SIMD_WIDTH * (f * u + i) + lane
        mean[at], correction[at] = own[sets.used[i]], rest[sets.used[i]]
    for p in range(e):
        cross[SIMD_WIDTH * (f * e + p) + lane] = products[sets.entry[p]]
    return carray(pointer(counts), (cell + 1,), np.int64)[cell]


@jit
def _sum_others(k: int, length: int, counts: Floats, weighted: bool, values: Floats, out: Floats) -> None:
    """Sums of all folds but one, from both ends, so that nothing is subtracted. values, out : float64[8 k length]."""
    step = SIMD_WIDTH * length
    for p in range(length):
        at = SIMD_WIDTH * p
        run = fill_eight(0.0)
        for f in range(k):
            store_eight(out, f * step + at, run)
            value = load_eight(values, f * step + at)
            run = run + load_eight(counts, SIMD_WIDTH * f) * value if weighted else run + value
        run = fill_eight(0.0)
        for f in range(k - 1, -1, -1):
            store_eight(out, f * step + at, load_eight(out, f * step + at) + run)
            value = load_eight(values, f * step + at)
            run = run + load_eight(counts, SIMD_WIDTH * f) * value if weighted else run + value


@jit
def _sum_each_anew(
    k: int, lost: Eight, own: Floats, correction: Floats, sets: EightSets, cells: EightCells, away: Floats
) -> None:  # fmt: skip
    """Moments of what is outside each fold about means of its own, where digits are lost. O(k^2 e).

    lost : 1 where that is so; cells : means of what is outside each fold, but for lost digits (in and out)
    """
    u, e, no = sets.used.shape[0], sets.entry.shape[0], fill_eight(0.0)
    for f in range(k):
        n = load_eight(cells.counts, SIMD_WIDTH * f)
        for i in range(u):
            at, drift = SIMD_WIDTH * (f * u + i), no
            mean = load_eight(cells.means, at)
            for h in range(k):
                if h != f:
                    other = SIMD_WIDTH * (h * u + i)
                    distance = (load_eight(own, other) - mean) + load_eight(correction, other)
                    drift = drift + load_eight(cells.scored, SIMD_WIDTH * h) * distance
            step = drift / n
            moved = mean + step
            rest = step - (moved - mean)
            for h in range(k):
                other = SIMD_WIDTH * (h * u + i)
                distance = (load_eight(own, other) - moved) + (load_eight(correction, other) - rest)
                store_eight(away, other, distance)
            store_eight(cells.means, at, where_less(no, lost, moved, mean))
            between = where_less(no, lost, load_eight(away, at), load_eight(cells.between, at))
            store_eight(cells.between, at, between)
        for p in range(e):
            at, first, second = SIMD_WIDTH * (f * e + p), SIMD_WIDTH * sets.first[p], SIMD_WIDTH * sets.second[p]
            product = no
            for h in range(k):
                if h != f:
                    row, scored = SIMD_WIDTH * h * u, load_eight(cells.scored, SIMD_WIDTH * h)
                    moved = scored * load_eight(away, row + first) * load_eight(away, row + second)
                    product = product + (load_eight(cells.test, SIMD_WIDTH * (h * e + p)) + moved)
            store_eight(cells.crosses, at, where_less(no, lost, product, load_eight(cells.crosses, at)))


@jit
def leave_each_out(
    k: int, total: Floats, begin: Floats, own: Floats, correction: Floats, sets: EightSets, cells: EightCells,
    away: Floats, products: Floats,
) -> None:  # fmt: skip
    """Moments of what is outside each fold, as in bnjit.kernels.folds, which has the formulas. O(k e).

    total : float64[8], rows of each configuration, overwritten; begin : float64[8 u], means of the first fold that has
    rows; own, correction : float64[8 k u], means of the folds; cells : rows of the folds as `scored`, their products as
    `test`; the rest is written; away : float64[2, 8 k u], products : float64[8 k e], scratch
    """
    u, e = sets.used.shape[0], sets.entry.shape[0]
    no, yes = fill_eight(0.0), fill_eight(1.0)
    everything = load_eight(total, 0)
    middle = np.empty(SIMD_WIDTH * u)
    for i in range(u):
        start = load_eight(begin, SIMD_WIDTH * i)
        drift = no
        for f in range(k):
            at = SIMD_WIDTH * (f * u + i)
            distance = (load_eight(own, at) - start) + load_eight(correction, at)
            n = load_eight(cells.scored, SIMD_WIDTH * f)
            drift = where_less(no, n, drift + n * distance, drift)
        mean = start + drift / everything
        store_eight(middle, SIMD_WIDTH * i, mean)
        for f in range(k):
            at = SIMD_WIDTH * (f * u + i)
            distance = (load_eight(own, at) - mean) + load_eight(correction, at)
            store_eight(away[0], at, where_less(no, load_eight(cells.scored, SIMD_WIDTH * f), distance, no))
    for f in range(k):
        n, row = load_eight(cells.scored, SIMD_WIDTH * f), SIMD_WIDTH * f * u
        store_eight(cells.counts, SIMD_WIDTH * f, everything - n)
        for p in range(e):
            first = load_eight(away[0], row + SIMD_WIDTH * sets.first[p])
            second = load_eight(away[0], row + SIMD_WIDTH * sets.second[p])
            at = SIMD_WIDTH * (f * e + p)
            store_eight(products, at, load_eight(cells.test, at) + n * first * second)
    _sum_others(k, u, cells.scored, True, away[0], away[1])
    _sum_others(k, e, cells.scored, False, products, cells.crosses)
    lost = no
    for f in range(k):
        n, scored = load_eight(cells.counts, SIMD_WIDTH * f), load_eight(cells.scored, SIMD_WIDTH * f)
        some = where_less(no, n, where_less(no, scored, yes, no), no)
        for i in range(u):
            at = SIMD_WIDTH * (f * u + i)
            mean = load_eight(middle, SIMD_WIDTH * i)
            step = load_eight(away[1], at) / n
            moved = mean + step
            store_eight(cells.means, at, moved)
            store_eight(away[0], at, step)
            rest = load_eight(correction, at) - (step - (moved - mean))
            store_eight(cells.between, at, (load_eight(own, at) - moved) + rest)
        for p in range(e):
            i, j, at = sets.first[p], sets.second[p], SIMD_WIDTH * (f * e + p)
            shift = load_eight(away[1], SIMD_WIDTH * (f * u + i)) * load_eight(away[0], SIMD_WIDTH * (f * u + j))
            product = load_eight(cells.crosses, at)
            if i == j:
                lost = where_less(fill_eight(0.5) * product, shift, where_less(no, some, yes, lost), lost)
            store_eight(cells.crosses, at, product - shift)
    store_eight(total, 0, lost)
    for lane in range(SIMD_WIDTH):
        if total[lane] > 0.0:
            _sum_each_anew(k, lost, own, correction, sets, cells, away[0])
            break
