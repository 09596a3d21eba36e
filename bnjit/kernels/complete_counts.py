"""Counts of rows without gaps, from counts in which a gap is one more level.

Axis legend: b sets of discrete columns; w members at the most; N columns.
"""

from typing import NamedTuple

from bnjit._jit import Ints32, Ints64, jit


class CountedSets(NamedTuple):
    """Sets and their counts: members : int32[b, w]; sizes : int64[b]; starts, ends : int64[b]; keys, counts : int64."""

    members: Ints32
    sizes: Ints64
    starts: Ints64
    ends: Ints64
    keys: Ints64
    counts: Ints64


@jit
def keep_complete(
    sets: CountedSets, levels: Ints64, declared: Ints64, starts: Ints64, ends: Ints64, keys: Ints64, counts: Ints64,
    rows: Ints64,
) -> None:  # fmt: skip
    """Leave out the cells in which a member is missing, and number the others without that level. O(cells w).

    levels : int64[N], without the level of a gap; declared : int64[N], with it; starts, ends : int64[b], keys, counts :
    int64, as in `sets`, of which there are no more; rows : int64[b], in all cells that are left (out)
    """
    at = 0
    for i in range(sets.sizes.shape[0]):
        starts[i] = at
        rows[i] = 0
        for cell in range(sets.starts[i], sets.ends[i]):
            rest, key, weight, complete = sets.keys[cell], 0, 1, True
            for j in range(sets.sizes[i] - 1, -1, -1):
                v = sets.members[i, j]
                digit = rest % declared[v]
                rest //= declared[v]
                if digit == levels[v]:
                    complete = False
                    break
                key += digit * weight
                weight *= levels[v]
            if complete:
                keys[at], counts[at] = key, sets.counts[cell]
                rows[i] += sets.counts[cell]
                at += 1
        ends[i] = at
