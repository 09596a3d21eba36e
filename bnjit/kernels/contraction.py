"""Products of tables, summed over what they share.

Axis legend: s kept axes that both tables have; m kept axes of the left one; n kept axes of the right one; x axes that
are summed over.
"""

from bnjit._jit import Floats, jit


@jit
def contract_tables(first: int, last: int, left: Floats, right: Floats, out: Floats) -> None:
    """Write out[s, m, n] = sum over x of left[s, m, x] right[s, x, n], pairs first ... last - 1 of s m. O(x n) each.

    left : float64[s, m, x]; right : float64[s, x, n]; out : float64[s, m, n]
    """
    m, x, n = left.shape[1], left.shape[2], right.shape[2]
    for row in range(first, last):
        s, i = row // m, row % m
        for j in range(n):
            out[s, i, j] = 0.0
        for k in range(x):
            share = left[s, i, k]
            if share != 0.0:
                for j in range(n):
                    out[s, i, j] += share * right[s, k, j]
