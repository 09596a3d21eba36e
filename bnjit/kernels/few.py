"""Means and cross-products of up to three columns per cell, without sorting: what closed forms need (Section 4.1).

Axis legend as in bnjit.kernels.moments; S holds the sums of up to three columns x, u, v about given values, and then
their products xx, xu, uu, xv, uv, vv. The values are the first row's of each cell: never raw second moments.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, jit, jit_reordering
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.configurations import Numbering, find_cells
from bnjit.kernels.moments import RUN, Moments, begin_again, settle

MOST_COLUMNS = 3


@jit_reordering
def _products_of_one(x: Floats, a: float, S: Floats) -> None:
    """Add the sum and the sum of squares about a to S[0], S[3]."""
    s = ss = 0.0
    for r in range(x.shape[0]):
        z = x[r] - a
        s += z
        ss += z * z
    S[0] += s
    S[3] += ss


@jit_reordering
def _products_of_two(x: Floats, u: Floats, a: float, b: float, S: Floats) -> None:
    """Add sums S[0], S[1] and products S[3] = xx, S[4] = xu, S[5] = uu about a, b."""
    s = t = ss = st = tt = 0.0
    for r in range(x.shape[0]):
        z = x[r] - a
        w = u[r] - b
        s += z
        t += w
        ss += z * z
        st += z * w
        tt += w * w
    S[0] += s
    S[1] += t
    S[3] += ss
    S[4] += st
    S[5] += tt


@jit_reordering
def _products_of_three(x: Floats, u: Floats, v: Floats, a: float, b: float, c: float, S: Floats) -> None:
    """Add sums S[:3] and products S[3:] = xx, xu, uu, xv, uv, vv about a, b, c."""
    s = t = q = ss = st = tt = sq = tq = qq = 0.0
    for r in range(x.shape[0]):
        z = x[r] - a
        w = u[r] - b
        y = v[r] - c
        s += z
        t += w
        q += y
        ss += z * z
        st += z * w
        tt += w * w
        sq += z * y
        tq += w * y
        qq += y * y
    S[0] += s
    S[1] += t
    S[2] += q
    S[3] += ss
    S[4] += st
    S[5] += tt
    S[6] += sq
    S[7] += tq
    S[8] += qq


@jit
def add_products(x: Floats, u: Floats, v: Floats, shift: Floats, c: int, S: Floats) -> None:
    """Add sums and products of c columns about shift[:c], where all rows are one cell. S : float64[9]."""
    if c == 1:
        _products_of_one(x, shift[0], S)
    elif c == 2:
        _products_of_two(x, u, shift[0], shift[1], S)
    else:
        _products_of_three(x, u, v, shift[0], shift[1], shift[2], S)


@jit
def _add_by_cell(ids: Ints32, x: Floats, u: Floats, v: Floats, shifted: bool, out: Moments) -> None:
    """Add sums (to lows) and products about the first row of each cell (means). O(n c^2 / 2).

    ids : int32[>= rows]; u, v are x again where c is less; shifted : the means are there already
    """
    c = out.means.shape[1]
    counts, shifts, rests, crosses = out.counts, out.means, out.lows, out.crosses
    for r in range(x.shape[0]):
        cell = ids[r]
        if counts[cell] == 0 and not shifted:
            shifts[cell, 0] = x[r]
            if c > 1:
                shifts[cell, 1] = u[r]
            if c > 2:
                shifts[cell, 2] = v[r]
        counts[cell] += 1
        z = x[r] - shifts[cell, 0]
        rests[cell, 0] += z
        crosses[cell, 0] += z * z
        if c > 1:
            w = u[r] - shifts[cell, 1]
            rests[cell, 1] += w
            crosses[cell, 1] += z * w
            crosses[cell, 2] += w * w
            if c > 2:
                y = v[r] - shifts[cell, 2]
                rests[cell, 2] += y
                crosses[cell, 3] += z * y
                crosses[cell, 4] += w * y
                crosses[cell, 5] += y * y


@jit
def _add_about(
    columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, shifted: bool, out: Moments
) -> bool:
    """Do what add_few does in one pass. -> whether shifts were too far off; shifted : they are in `out` already."""
    c = which.shape[0]
    Z = np.empty((MOST_COLUMNS, RUN))
    S = np.zeros(9)
    ids = np.empty(RUN, np.int32)
    whole = numbering.variables.shape[0] == 0
    mean = out.means[0]
    if whole:
        out.counts[0] = last - first
        for i in range(0 if shifted else c):
            mean[i] = view(columns, which[i], first, 1, Z[i])[0]
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
        x = view(columns, which[0], start, length, Z[0])
        u = view(columns, which[min(1, c - 1)], start, length, Z[1])
        v = view(columns, which[c - 1], start, length, Z[2])
        if not whole:
            find_cells(columns, numbering, start, length, ids)
            _add_by_cell(ids, x, u, v, shifted, out)
        else:
            add_products(x, u, v, mean, c, S)
    if whole:
        for i in range(c):
            out.lows[0, i] = S[i]
        for ij in range(c * (c + 1) // 2):
            out.crosses[0, ij] = S[3 + ij]
    return settle(out)


@jit
def add_few(columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, out: Moments) -> None:
    """Statistics of rows first ... last - 1 in their cells. O(n c^2 / 2), twice that if a first row is an outlier.

    which : int32[c], c up to MOST_COLUMNS; out : cells, zeros
    """
    shifted = False
    while _add_about(columns, which, numbering, first, last, shifted, out) and not shifted:
        begin_again(out)
        shifted = True
