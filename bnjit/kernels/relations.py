"""Quick tests for columns that others determine: most have none, which is soon seen."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, jit
from bnjit.kernels.columns import Columns, append_codes, read_values

Marks = NDArray[np.uint8]


@jit
def mark_alike(columns: Columns, which: Ints32, rows: int, alike: Ints32) -> None:
    """Find discrete columns that divide some of the first rows alike. O(v rows^2).

    alike : int32[v], for each of the v columns the first one that divides these rows as it does, itself if none does
    """
    v = len(which)
    begin: Any = np.int64(0)
    first = np.empty((v, rows), np.int32)  # for each row, the first row with the same level
    codes = np.empty(rows, np.int64)
    for a in range(v):
        for i in range(rows):
            codes[i] = 0
        append_codes(columns, which[a], begin, codes, rows)
        for i in range(rows):
            first[a, i] = i
            for k in range(i):
                if codes[k] == codes[i]:
                    first[a, i] = k
                    break
        alike[a] = a
        for b in range(a):
            same = alike[b] == b
            for i in range(rows):
                same = same and first[a, i] == first[b, i]
            if same:
                alike[a] = b
                break


@jit
def mark_constant(columns: Columns, which: Ints32, values: Ints32, rows: int, marks: Marks) -> None:
    """Mark continuous columns that have one value for each level of a discrete one, in some of the first rows.

    which : int32[v], discrete columns; values : int32[w], continuous ones; marks : uint8[v, w] (out), 1 where no two
    rows of a level differ. O((v + w) rows^2)
    """
    begin: Any = np.int64(0)
    codes, numbers = np.empty(rows, np.int64), np.empty((len(values), rows))
    for b in range(len(values)):
        read_values(columns, values[b], begin, numbers[b], rows)
    for a in range(len(which)):
        for i in range(rows):
            codes[i] = 0
        append_codes(columns, which[a], begin, codes, rows)
        for b in range(len(values)):
            marks[a, b] = 1
        for i in range(rows):
            for k in range(i):
                if codes[k] == codes[i]:
                    for b in range(len(values)):
                        if numbers[b, k] != numbers[b, i]:
                            marks[a, b] = 0
                    break


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
