"""Random weights of rows for bootstrap replicates, and the products of columns that they weigh.

Axis legend: R replicates; B rows of a block; c columns, w = 1 + c + c (c + 1) / 2.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, jit, jit_parallel, prange

Words = NDArray[np.uint64]


@jit
def _mixed(state: Any) -> Any:
    """Splitmix64's finaliser, as in data/split.py."""
    state = (state + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@jit
def weigh_rows(start: Any, first: int, below: Floats, out: Floats) -> None:
    """Weight of each row first, first + 1, ...: how many of `below` its random number reaches. O(B).

    start : uint64, what the seed came to; below : float64[k], distribution function of the weights; out : float64[B]
    """
    for i in range(out.shape[0]):
        u = np.float64(_mixed(np.uint64(first + i) + start) >> np.uint64(11)) * 2.0**-53
        weight = 0
        while weight < below.shape[0] and u >= below[weight]:
            weight += 1
        out[i] = weight


@jit_parallel
def weigh_replicates(starts: Words, first: int, below: Floats, out: Floats) -> None:
    """Weights of a block of rows in each replicate, threads over these; starts : uint64[R], out : float64[R, B]."""
    for r in prange(out.shape[0]):
        weigh_rows(starts[r], first, below, out[r])


@jit
def _multiply(Z: Floats, row: int, out: Floats) -> None:
    c = Z.shape[0]
    out[0] = 1.0
    at = 1 + c
    for i in range(c):
        x = Z[i, row]
        out[1 + i] = x
        for j in range(i + 1):
            out[at] = x * Z[j, row]
            at += 1


@jit_parallel
def multiply_columns(Z: Floats, out: Floats) -> None:
    """1, columns and their products for each row, threads over rows; Z : float64[c, B], out : float64[B, w]."""
    for row in prange(out.shape[0]):
        _multiply(Z, row, out[row])
