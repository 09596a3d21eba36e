"""Configurations of discrete variables: keys of rows and observed cells.

Axis legend: n rows; N columns; K declared configurations; m observed ones (cells).
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Ints32, Ints64, jit
from bnjit.kernels.columns import Columns, append_codes
from bnjit.kernels.splitmix import GOLDEN
from bnjit.kernels.tuning import KEYED_ROWS


class Numbering(NamedTuple):
    """Which cell each row is in, known row by row or from a table of all configurations.

    variables : int32[d], the discrete columns; rank : int32[K], the cell of each configuration, or empty;
    ids : int32[n], the cell of each row, if rank is empty. Neither is needed without variables: one cell
    """

    variables: Ints32
    rank: Ints32
    ids: Ints32


@jit
def find_cells(columns: Columns, numbering: Numbering, first: int, rows: int, cells: Ints32) -> None:
    """Cells of rows first ... first + rows - 1. O(n d).

    cells : int32[>= rows] (out)
    """
    if numbering.ids.shape[0] > 0:
        for r in range(rows):
            cells[r] = numbering.ids[first + r]
        return
    keys = np.empty(KEYED_ROWS, np.int64)
    for start in range(0, rows, KEYED_ROWS):
        length = min(KEYED_ROWS, rows - start)
        for r in range(length):
            keys[r] = 0
        for j in numbering.variables:
            append_codes(columns, j, first + start, keys, length)
        if numbering.variables.shape[0] == 0:
            for r in range(length):
                cells[start + r] = 0
        else:
            for r in range(length):
                cells[start + r] = numbering.rank[keys[r]]


@jit
def append_keys(columns: Columns, variables: Ints32, keys: Ints64) -> None:
    """Append the codes of `variables` to every row's key, in place. O(n |variables|).

    variables : int32[d], keys : int64[n]
    """
    n = keys.shape[0]
    for start in range(0, n, KEYED_ROWS):
        for j in variables:
            append_codes(columns, j, start, keys[start:], min(KEYED_ROWS, n - start))


@jit
def rank_dense(keys: Ints64, K: int, ids: Ints32) -> Ints64:
    """Observed keys in ascending order and each row's rank among them, by a table of all K keys. O(n + K).

    keys : int64[n] below K, ids : int32[n] (out) -> observed : int64[m]
    """
    seen = np.zeros(K, np.int32)
    for r in range(keys.shape[0]):
        seen[keys[r]] = 1
    m = 0
    for key in range(K):
        if seen[key] == 1:
            m += 1
            seen[key] = m
    observed = np.empty(m, np.int64)
    for key in range(K):
        if seen[key] > 0:
            observed[seen[key] - 1] = key
    for r in range(keys.shape[0]):
        ids[r] = seen[keys[r]] - 1
    return observed


@jit
def rank_sparse(keys: Ints64, ids: Ints32) -> Ints64:
    """Do what rank_dense does where K is too large for a table, by hashing. O(n + m log m).

    keys : int64[n], ids : int32[n] (out) -> observed : int64[m]
    """
    n = keys.shape[0]
    bits = 10
    size = 1 << bits
    slots = np.full(size, -1, np.int32)
    found = np.empty(size, np.int64)
    m = 0
    for r in range(n):
        if 2 * m >= size:
            bits += 1
            size = 1 << bits
            slots = np.full(size, -1, np.int32)
            larger = np.empty(size, np.int64)
            for i in range(m):
                larger[i] = found[i]
                slots[free_slot(slots, found, found[i], bits)] = i
            found = larger
        slot = free_slot(slots, found, keys[r], bits)
        if slots[slot] < 0:
            found[m] = keys[r]
            slots[slot] = m
            m += 1
        ids[r] = slots[slot]
    order = np.argsort(found[:m])
    rank = np.empty(m, np.int32)
    for i in range(m):
        rank[order[i]] = i
    for r in range(n):
        ids[r] = rank[ids[r]]
    return found[:m][order]


@jit
def free_slot(slots: Ints32, found: Ints64, key: int, bits: int) -> np.int64:
    """Slot that holds `key`, or the empty one where it belongs (Fibonacci hashing, linear probing)."""
    mask = (1 << bits) - 1
    slot = np.int64((np.uint64(key) * GOLDEN) >> np.uint64(64 - bits))
    while slots[slot] >= 0 and found[slots[slot]] != key:
        slot = (slot + 1) & mask
    return slot
