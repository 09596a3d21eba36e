"""Residuals of a column, row by row, under regressions that are known for each cell.

Axis legend: n rows; m cells; g parents.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, jit
from bnjit.kernels.columns import Columns, view
from bnjit.kernels.moments import RUN


@jit
def subtract_fit(
    columns: Columns, which: Ints32, ids: Ints32, first: int, last: int, means: Floats, slopes: Floats, out: Floats
) -> None:
    """Residuals of rows first ... last - 1: x - mean - sum slope_i (u_i - mean_i). O(n g).

    which : int32[g + 1], parents then node; ids : int32[n], cells of the rows, empty for one cell; means :
    float64[m, g + 1]; slopes : float64[m, g]; out : float64[n]
    """
    g: int = slopes.shape[1]
    Z = np.empty(RUN)
    cells = np.zeros(RUN, np.int32)
    for start in range(first, last, RUN):
        length = min(RUN, last - start)
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
