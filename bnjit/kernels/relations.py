"""A quick test for columns that others determine: most tables have none, which is soon seen."""

import numpy as np

from bnjit._jit import Floats, jit


@jit
def least_left(crosses: Floats, c: int, L: Floats) -> float:
    """Least share of a column's variance that those before it leave, 1 at the most. O(c^3).

    crosses : float64[c (c + 1) / 2], sums of centred products, the lower triangle by rows; columns without any are left
    out; L : float64[c, c], scratch
    """
    least = 1.0
    for i in range(c):
        square = crosses[i * (i + 3) // 2]
        left = square
        for j in range(i):
            if L[j, j] == 0.0:
                continue
            value = crosses[i * (i + 1) // 2 + j]
            for k in range(j):
                if L[k, k] != 0.0:
                    value -= L[i, k] * L[j, k]
            L[i, j] = value / L[j, j]
            left -= L[i, j] * L[i, j]
        L[i, i] = 0.0
        if square > 0.0:
            share = left / square
            if share < least or np.isnan(share):
                least = share
            L[i, i] = np.sqrt(max(left, 0.0))
    return least
