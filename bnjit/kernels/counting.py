"""Count the configurations of many sets of discrete variables in few passes over the rows.

A pass counts the union of several sets in one small table, of which each set's counts are sums.

Axis legend: n rows; p passes; b sets, their tables end to end; K declared configurations; m observed ones (cells).
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Ints32, Ints64, jit, jit_within
from bnjit.kernels.columns import Columns, Keys, append_codes
from bnjit.kernels.tuning import KEYED_ROWS, OFFSET_CELLS

SHORT = 1 << 16  # keys below this are uint16


class Sets(NamedTuple):
    """Sets of variables: members : int32[b, d], ascending in each set and then anything; sizes : int64[b].

    starts : int64[b + 1], where the table of each begins; of passes, where the sets begin that it serves
    """

    members: Ints32
    sizes: Ints64
    starts: Ints64


@jit
def plan_passes(levels: Ints64, sets: Sets, limit: int, passes: Sets) -> int:
    """Unions of consecutive sets, to be counted in one pass each. O(b d) for unions of d variables.

    A set joins the pass before it while their union has at most `limit` configurations: what a search asks, a node
    and its parents with each further column, takes a few passes. Best if sets with few configurations come first.
    passes : room for b of them, sizes zero (out), since Ctrl-C while Numba returns a NamedTuple kills the process
    -> how many there are
    """
    b = sets.sizes.shape[0]
    members, sizes, starts = passes
    p = 0
    K = grown = np.int64(limit + 1)
    for i in range(b):
        before = members[p - 1, : sizes[p - 1]]  # empty before the first pass
        kept = sets.members[i, : sets.sizes[i]]
        grown = K
        for v in kept:
            if grown <= limit and not _contains(before, v):
                grown *= levels[v]
        if grown > limit:
            starts[p] = i
            p += 1
            grown = sets.starts[i + 1] - sets.starts[i]
        K = grown
        for v in kept:
            at = sizes[p - 1]
            if not _contains(members[p - 1, :at], v):
                while at > 0 and members[p - 1, at - 1] > v:
                    members[p - 1, at] = members[p - 1, at - 1]
                    at -= 1
                members[p - 1, at] = v
                sizes[p - 1] += 1
    starts[p] = b
    return p


@jit
def _contains(variables: Ints32, v: int) -> bool:
    """Whether v is one of them."""
    for u in variables:
        if u == v:
            return True
    return False


@jit
def _count_rows(
    columns: Columns, weights: Ints32, variables: Ints32, first: int, last: int, keys: Keys, table: Ints32
) -> None:
    """Count the configurations in rows first ... last - 1; they fit in the type of keys[KEYED_ROWS]. O(n)."""
    for start in range(first, last, KEYED_ROWS):
        length = min(KEYED_ROWS, last - start)
        for r in range(length):
            keys[r] = 0
        for j in variables:
            append_codes(columns, j, start, keys, length)
        if weights.shape[0] == 0:
            for r in range(length):
                table[keys[r]] += 1
        else:
            times = weights[start : start + length]
            for r in range(length):
                table[keys[r]] += times[r]


@jit
def _find_offsets(variables: Ints32, levels: Ints64, kept: Ints32, offsets: Ints64) -> None:
    """Share of each configuration of `variables` in its offset in the table of `kept`.

    variables : int32[d], kept : int32[s], offsets : int64[K] (out)
    """
    offsets[0] = 0
    done = 1
    for last in range(variables.shape[0] - 1, -1, -1):
        v = variables[last]
        stride, there = 1, False
        for u in kept:
            there |= u == v
            stride *= levels[u] if u > v else 1
        for code in range(1, levels[v]):
            for i in range(done):
                offsets[code * done + i] = offsets[i] + (code * stride if there else 0)
        done *= levels[v]


@jit_within
def _sum_onto(levels: Ints64, variables: Ints32, table: Ints32, kept: Ints32, out: Ints32) -> None:
    """Sum the table of some variables onto that of a few of them. O(K).

    variables : int32[d], table : int32[K], kept : int32[s], out : int32[K of kept] (out, zeros)
    """
    split = variables.shape[0]
    inner = 1
    while split > 0 and inner * levels[variables[split - 1]] <= OFFSET_CELLS:
        split -= 1
        inner *= int(levels[variables[split]])
    outer = table.shape[0] // inner
    near, far = np.empty(inner, np.int64), np.empty(outer, np.int64)
    _find_offsets(variables[split:], levels, kept, near)
    _find_offsets(variables[:split], levels, kept, far)
    for o in range(outer):
        counts, part = table[o * inner :], out[far[o] :]
        for i in range(inner):
            part[near[i]] += counts[i]


@jit
def count_sets(
    columns: Columns, weights: Ints32, passes: Sets, sets: Sets, a: int, b: int, first: int, last: int, dense: Ints32
) -> None:
    """Count every declared configuration of what passes a ... b - 1 serve, in rows first ... last - 1.

    weights : int32[n], how often each row is there, or empty: each once; dense : int32[sets.starts[b]] (out, zeros)
    O(n) for a pass, O(K of its pass) for a set.
    """
    for p in range(a, b):
        variables = passes.members[p, : passes.sizes[p]]
        K = 1
        for v in variables:
            K *= columns.levels[v]
        s, end = passes.starts[p], passes.starts[p + 1]
        alone = s + 1 == end  # a pass for one set has its very table
        table = dense[sets.starts[s] : sets.starts[end]] if alone else np.zeros(K, np.int32)
        if K <= SHORT:
            _count_rows(columns, weights, variables, first, last, np.empty(KEYED_ROWS, np.uint16), table)
        else:
            _count_rows(columns, weights, variables, first, last, np.empty(KEYED_ROWS, np.uint32), table)
        while not alone and s < end:
            kept = sets.members[s, : sets.sizes[s]]
            _sum_onto(columns.levels, variables, table, kept, dense[sets.starts[s] : sets.starts[s + 1]])
            s += 1


@jit
def count_observed(first: int, last: int, dense: Ints32, starts: Ints64, found: Ints64) -> None:
    """Count the observed configurations of sets first ... last - 1. O(K).

    dense : int32[starts[b]]; found : int64[b] (out)
    """
    for i in range(first, last):
        number = 0
        for cell in range(starts[i], starts[i + 1]):
            number += dense[cell] > 0
        found[i] = number


@jit
def keep_observed(
    first: int, last: int, dense: Ints32, starts: Ints64, bounds: Ints64, keys: Ints64, counts: Ints64
) -> None:
    """Observed configurations of sets first ... last - 1, those of each set ascending. O(K).

    dense : int32[starts[b]]; bounds : int64[b + 1], where those of each set are; keys, counts : int64[bounds[b]] (out)
    """
    for i in range(first, last):
        at = bounds[i]
        for cell in range(starts[i], starts[i + 1]):
            if dense[cell] > 0:
                keys[at] = cell - starts[i]
                counts[at] = dense[cell]
                at += 1
