"""Residuals of a column, row by row, under regressions that are known for each cell.

Axis legend: n rows; m cells; g parents.
"""

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, jit
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.moments import Moments
from bnjit.kernels.rules import may_be_singular
from bnjit.kernels.tuning import RUN_ROWS


@jit
def subtract_fit(
    columns: Columns, which: Ints32, ids: Ints32, first: int, last: int, means: Floats, slopes: Floats, out: Floats
) -> None:
    """Residuals of rows first ... last - 1: x - mean - sum slope_i (u_i - mean_i). O(n g).

    which : int32[g + 1], parents then node; ids : int32[n], cells of the rows, empty for one cell; means :
    float64[m, g + 1]; slopes : float64[m, g]; out : float64[n]
    """
    g: int = slopes.shape[1]
    Z = np.empty(RUN_ROWS)
    cells = np.zeros(RUN_ROWS, np.int32)
    for start in range(first, last, RUN_ROWS):
        length = min(RUN_ROWS, last - start)
        if ids.shape[0]:
            for r in range(length):
                cells[r] = ids[start + r]
        x = view(columns, which[g], start, length, Z)
        for r in range(length):
            out[start + r] = x[r] - means[cells[r], g]
        for i in range(g):
            u = view(columns, which[i], start, length, Z)
            for r in range(length):
                out[start + r] -= slopes[cells[r], i] * (u[r] - means[cells[r], i])


@jit
def mark_singular(moments: Moments, parents: Ints32, in_cells: bool, out: NDArray[np.bool_]) -> None:
    """Mark the cells where a regression may drop one of the parents as singular, whatever its other parents are.

    What was subtracted by the slope of such a parent would come back as residuals.
    parents : int32[g], positions among the columns; in_cells : see rules.is_singular; out : bool[m]
    """
    for cell in range(out.shape[0]):
        n = moments.counts[cell]
        out[cell] = False
        for v in parents:
            mean, total = moments.means[cell, v], moments.crosses[cell, v * (v + 3) // 2]
            out[cell] |= may_be_singular(n, in_cells, total, total + n * (mean * mean))
