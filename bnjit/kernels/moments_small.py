"""Sums and products of up to three columns per cell, in one pass over rows in any order.

Axis legend as in bnjit.kernels.moments. Sums are taken about a shift, which is the first row of each cell: raw second
moments are never formed. Where all rows are one cell, S holds the sums of up to three columns x, u, v about the shift
and then their products xx, xu, uu, xv, uv, vv.

Where there are more cells, each has a row of its own in a table T, so that a row of the data touches one or two lines
of a cache: c shifts, c sums, then the products, lower triangle row by row. To add to the arrays of Moments instead
took 1.1 to 1.3 times as long (1,000,000 rows, 10 to 10,000 cells, one thread). Rows are counted apart, since closed
forms know their counts: counting in T made them 7 to 28 percent slower.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, jit, jit_reordering
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.configurations import Numbering, find_cells
from bnjit.kernels.moments import Moments, centre_sums, reset_sums
from bnjit.kernels.tuning import RUN_ROWS

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
def _add_one_by_cell(ids: Ints32, x: Floats, T: Floats) -> None:
    """Add one column to the sums of its cells. T : float64[m, 3]."""
    for r in range(x.shape[0]):
        t = T[ids[r]]
        if t[0] != t[0]:
            t[0] = x[r]
        z = x[r] - t[0]
        t[1] += z
        t[2] += z * z


@jit
def _add_two_by_cell(ids: Ints32, x: Floats, u: Floats, T: Floats) -> None:
    """Add two columns to the sums of their cells. T : float64[m, 7]."""
    for r in range(x.shape[0]):
        t = T[ids[r]]
        if t[0] != t[0]:
            t[0] = x[r]
            t[1] = u[r]
        z = x[r] - t[0]
        w = u[r] - t[1]
        t[2] += z
        t[3] += w
        t[4] += z * z
        t[5] += z * w
        t[6] += w * w


@jit
def _add_three_by_cell(ids: Ints32, x: Floats, u: Floats, v: Floats, T: Floats) -> None:
    """Add three columns to the sums of their cells. T : float64[m, 12]."""
    for r in range(x.shape[0]):
        t = T[ids[r]]
        if t[0] != t[0]:
            t[0] = x[r]
            t[1] = u[r]
            t[2] = v[r]
        z = x[r] - t[0]
        w = u[r] - t[1]
        y = v[r] - t[2]
        t[3] += z
        t[4] += w
        t[5] += y
        t[6] += z * z
        t[7] += z * w
        t[8] += w * w
        t[9] += z * y
        t[10] += w * y
        t[11] += y * y


@jit
def empty_sums(m: int, c: int) -> Floats:
    """Table of sums of no rows, float64[m, c (c + 5) / 2]; shifts are NaN before the first row of a cell."""
    T = np.zeros((m, c * (c + 5) // 2))
    T[:, :c] = np.nan
    return T


@jit
def add_by_cell(ids: Ints32, x: Floats, u: Floats, v: Floats, c: int, T: Floats) -> None:
    """Add rows of c columns to the sums of their cells. O(n c^2 / 2).

    ids : int32[>= rows], cells of the rows; u, v : x again where c is less; T : see the top of this file
    """
    if c == 1:
        _add_one_by_cell(ids, x, T)
    elif c == 2:
        _add_two_by_cell(ids, x, u, T)
    else:
        _add_three_by_cell(ids, x, u, v, T)


@jit
def _unpack(T: Floats, out: Moments) -> None:
    """Write a table of sums to the arrays of Moments: shifts to means, sums to mean_corrections."""
    c, w = out.means.shape[1], out.crosses.shape[1]
    for cell in range(out.counts.shape[0]):
        t = T[cell]
        if out.counts[cell] > 0:
            for i in range(c):
                out.means[cell, i] = t[i]
                out.mean_corrections[cell, i] = t[c + i]
            for ij in range(w):
                out.crosses[cell, ij] = t[2 * c + ij]


@jit
def _add_in_cells(
    columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, shifted: bool, out: Moments
) -> None:
    """Sums of rows first ... last - 1 about a shift in each of their cells; arguments as in _add_once."""
    c, m = which.shape[0], out.counts.shape[0]
    Z, ids = np.empty((MOST_COLUMNS, RUN_ROWS)), np.empty(RUN_ROWS, np.int32)
    T = empty_sums(m, c)
    for cell in range(m if shifted else 0):
        for i in range(c):
            T[cell, i] = out.means[cell, i]
    for start in range(first, last, RUN_ROWS):
        length = min(RUN_ROWS, last - start)
        find_cells(columns, numbering, start, length, ids)
        for r in range(length):
            out.counts[ids[r]] += 1
        x = view(columns, which[0], start, length, Z[0])
        u = view(columns, which[min(1, c - 1)], start, length, Z[1])
        v = view(columns, which[c - 1], start, length, Z[2])
        add_by_cell(ids, x, u, v, c, T)
    _unpack(T, out)


@jit
def _add_in_one_cell(columns: Columns, which: Ints32, first: int, last: int, shifted: bool, out: Moments) -> None:
    """Sums of rows first ... last - 1 about one shift; arguments as in _add_once."""
    c = which.shape[0]
    Z, S = np.empty((MOST_COLUMNS, RUN_ROWS)), np.zeros(9)
    shift = out.means[0]
    out.counts[0] = last - first
    for i in range(0 if shifted else c):
        shift[i] = view(columns, which[i], first, 1, Z[i])[0]
    for start in range(first, last, RUN_ROWS):
        length = min(RUN_ROWS, last - start)
        x = view(columns, which[0], start, length, Z[0])
        u = view(columns, which[min(1, c - 1)], start, length, Z[1])
        v = view(columns, which[c - 1], start, length, Z[2])
        add_products(x, u, v, shift, c, S)
    for i in range(c):
        out.mean_corrections[0, i] = S[i]
    for ij in range(c * (c + 1) // 2):
        out.crosses[0, ij] = S[3 + ij]


@jit
def _add_once(
    columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, shifted: bool, out: Moments
) -> bool:
    """Do what add_up_to_three does in one pass. -> whether shifts were too far off; shifted : they are in `out`."""
    if numbering.variables.shape[0] == 0:
        _add_in_one_cell(columns, which, first, last, shifted, out)
    else:
        _add_in_cells(columns, which, numbering, first, last, shifted, out)
    return centre_sums(out)


@jit
def add_up_to_three(columns: Columns, which: Ints32, numbering: Numbering, first: int, last: int, out: Moments) -> None:
    """Statistics of rows first ... last - 1 in their cells. O(n c^2 / 2), twice that if a first row is an outlier.

    which : int32[c], c up to MOST_COLUMNS; out : cells, zeros
    """
    shifted = False
    while _add_once(columns, which, numbering, first, last, shifted, out) and not shifted:
        reset_sums(out)
        shifted = True
