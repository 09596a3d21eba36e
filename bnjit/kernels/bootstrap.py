"""Random weights of rows for bootstrap replicates, and the products of columns that they weigh.

Axis legend: R replicates; B rows of a block; c columns, w = 1 + c + c (c + 1) / 2.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, jit
from bnjit.kernels.splitmix import draw_share

Words = NDArray[np.uint64]


@jit
def weigh_rows(start: Any, first: int, below: Floats, out: Floats) -> None:
    """Weight of each row first, first + 1, ...: how many of `below` its random number reaches. O(B).

    start : uint64, from a seed; below : float64[k], distribution function of the weights; out : float64[B]
    """
    for i in range(out.shape[0]):
        u = draw_share(start, np.uint64(first + i))
        weight = 0
        while weight < below.shape[0] and u >= below[weight]:
            weight += 1
        out[i] = weight


@jit
def weigh_replicates(first: int, last: int, starts: Words, first_row: int, below: Floats, out: Floats) -> None:
    """Weights of a block of rows in replicates first ... last - 1; starts : uint64[R], out : float64[R, B]."""
    for r in range(first, last):
        weigh_rows(starts[r], first_row, below, out[r])


@jit
def _multiply(Z: Floats, i: int, out: Floats) -> None:
    """Column i, and its products with those up to it; see multiply_columns."""
    c, length = Z.shape
    x = Z[i]
    for r in range(length):
        out[1 + i, r] = x[r]
    for j in range(i + 1):
        y, product = Z[j], out[1 + c + i * (i + 1) // 2 + j]
        for r in range(length):
            product[r] = x[r] * y[r]


@jit
def multiply_columns(first: int, last: int, Z: Floats, out: Floats) -> None:
    """Columns first ... last - 1 and their products; Z : float64[c, B], out : float64[w, B].

    Rows of out: one that is left as it is, columns, products.
    """
    for i in range(first, last):
        _multiply(Z, i, out)
