"""Counts of what is outside each fold, from the counts of all folds.

Axis legend: k folds; b sets of discrete columns; T configurations that are counted, over all folds and sets; U of them
that differ. Those of set i in fold f are starts[f, i] ... ends[f, i] - 1 of all keys, ascending.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Ints64, jit


class FoldCounts(NamedTuple):
    """Counts of k folds: starts, ends : int64[k, b]; keys, counts : int64[T]."""

    starts: Ints64
    ends: Ints64
    keys: Ints64
    counts: Ints64


@jit
def merge_counts(folds: FoldCounts, ends: Ints64, keys: Ints64, counts: Ints64) -> None:
    """Add up the folds. O(k U).

    ends : int64[b], where the configurations of each set end; keys, counts : int64[T], of which U are written (out)
    """
    k, b = folds.starts.shape
    at = np.empty(k, np.int64)
    number = 0
    for i in range(b):
        at[:] = folds.starts[:, i]
        while True:
            first = -1
            for f in range(k):
                if at[f] < folds.ends[f, i] and (first < 0 or folds.keys[at[f]] < folds.keys[at[first]]):
                    first = f
            if first < 0:
                break
            key = folds.keys[at[first]]
            total = 0
            for f in range(first, k):
                if at[f] < folds.ends[f, i] and folds.keys[at[f]] == key:
                    total += folds.counts[at[f]]
                    at[f] += 1
            keys[number], counts[number] = key, total
            number += 1
        ends[i] = number


@jit
def leave_counts_out(
    folds: FoldCounts, f: int, merged: Ints64, keys: Ints64, counts: Ints64, ends: Ints64, left_keys: Ints64,
    left: Ints64,
) -> None:  # fmt: skip
    """Counts of all folds but f; configurations that only it has are left out. O(U).

    merged : int64[b], keys, counts : int64[U], as merge_counts wrote them; ends : int64[b], left_keys, left : int64[U],
    the same for the others (out)
    """
    number = cell = 0
    for i in range(folds.starts.shape[1]):
        own = folds.starts[f, i]
        while cell < merged[i]:
            rest = counts[cell]
            if own < folds.ends[f, i] and folds.keys[own] == keys[cell]:
                rest -= folds.counts[own]
                own += 1
            if rest > 0:
                left_keys[number], left[number] = keys[cell], rest
                number += 1
            cell += 1
        ends[i] = number
