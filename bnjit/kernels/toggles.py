"""Parent sets that differ by one parent from given ones: many nodes in one batch.

Axis legend: r given sets of at most w parents; b sets.
"""

from bnjit._jit import Ints32, Ints64, jit, jit_within


@jit_within
def _toggle(parents: Ints32, size: int, x: int, out: Ints32) -> int:
    """Write a set without x if it is there, else with it, ascending, and return its size."""
    p = 0
    waiting = True
    for i in range(size):
        if waiting and parents[i] >= x:
            waiting = False
            if parents[i] == x:
                continue
            out[p] = x
            p += 1
        out[p] = parents[i]
        p += 1
    if waiting:
        out[p] = x
        p += 1
    return p


@jit
def toggle_sets(parents: Ints32, sizes: Ints64, rows: Ints32, which: Ints32, members: Ints32, lengths: Ints64) -> None:
    """Sets that differ by one parent from given ones. O(b w).

    parents : int32[r, w], ascending; sizes : int64[r]; rows, which : int32[b], the set that each differs from, and by
    whom; members : int32[b, w + 1], lengths : int64[b] (out)
    """
    for at in range(rows.shape[0]):
        row = rows[at]
        lengths[at] = _toggle(parents[row], sizes[row], which[at], members[at])
