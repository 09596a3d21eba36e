"""Find the distinct rows of discrete columns, by hashing.

Axis legend: n rows; d columns; W words, which hold a row's codes as mixed-radix numbers; m distinct rows.
"""

import numpy as np

from bnjit._jit import Ints32, Ints64, jit
from bnjit.kernels.columns import Columns, append_codes
from bnjit.kernels.splitmix import GOLDEN
from bnjit.kernels.tuning import KEYED_ROWS


@jit
def find_slot(slots: Ints32, found: Ints64, word: Ints64, bits: int) -> np.int64:
    """Slot that holds a row, or the empty one where it belongs (multiplicative hashing, linear probing).

    slots : int32[2^bits], found : int64[m, W], word : int64[W]
    """
    mixed = np.uint64(0)
    for w in range(word.shape[0]):
        mixed = (mixed ^ (mixed >> np.uint64(32)) ^ np.uint64(word[w])) * GOLDEN
    slot = np.int64(mixed >> np.uint64(64 - bits))
    while slots[slot] >= 0:
        same = True
        for w in range(word.shape[0]):
            same &= found[slots[slot], w] == word[w]
        if same:
            break
        slot = (slot + 1) & ((1 << bits) - 1)
    return slot


@jit
def distinct_rows(
    columns: Columns, variables: Ints32, word: Ints64, first: int, last: int, probe: int, where: Ints32, times: Ints32
) -> int:
    """Find the distinct rows of `variables` among rows first ... last - 1; give up where too many differ. O(n d).

    variables : int32[d]; word : int64[d], ascending, the word that each goes to; probe : rows of which most must not
    differ; where : int32[most] (out), the first row of each; times : int32[most] (out), how often it is there
    -> m, or -1 if there are more than `most` or most of the first `probe` differ
    """
    most = where.shape[0]
    W = word[-1] + 1
    found = np.empty((most, W), np.int64)
    bits = 12
    slots = np.full(1 << bits, -1, np.int32)
    block, key = np.empty((W, KEYED_ROWS), np.int64), np.empty(W, np.int64)
    m = 0
    for start in range(first, last, KEYED_ROWS):
        length = min(KEYED_ROWS, last - start)
        for w in range(W):
            for r in range(length):
                block[w, r] = 0
        for i in range(variables.shape[0]):
            append_codes(columns, variables[i], start, block[word[i]], length)
        for r in range(length):
            for w in range(W):
                key[w] = block[w, r]
            slot = find_slot(slots, found, key, bits)
            if slots[slot] >= 0:
                times[slots[slot]] += 1
                continue
            if m == most:
                return -1
            slots[slot] = m
            where[m], times[m] = start + r, 1
            for w in range(W):
                found[m, w] = key[w]
            m += 1
            if 2 * m > 1 << bits:
                bits += 2
                slots = np.full(1 << bits, -1, np.int32)
                for i in range(m):
                    slots[find_slot(slots, found, found[i], bits)] = i
        done = start + length - first
        if done == probe and 4 * m > 3 * done:
            return -1
    return m
