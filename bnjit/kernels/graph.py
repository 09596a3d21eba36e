"""Directed acyclic graphs as matrices: ancestors, and the best single move.

Axis legend: N nodes; W = ceil(N / 64) words. arcs : bool[N, N], arcs[i, j] for i -> j. ancestors : uint64[N, W], bit i
of row j for a directed path from i to j. delta : float64[N, N], delta[i, j] what toggling i -> j adds to the score.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints64, jit

TOLERANCE = math.sqrt(np.finfo(np.float64).eps)  # what a move must add to the score, as in bnlearn
NONE, ADD, DELETE, REVERSE = range(4)

Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]


class Limits(NamedTuple):
    """What a search may do.

    addable : bool[N, N], arcs that may be added; fixed : bool[N, N], arcs that stay; most : parents of a node
    """

    addable: Flags
    fixed: Flags
    most: int


@jit
def has_bit(bits: Bits, node: int, i: int) -> bool:
    """Whether i is in the set of `node`."""
    return (bits[node, i >> 6] >> np.uint64(i & 63)) & np.uint64(1) != np.uint64(0)


@jit
def _inherit(ancestors: Bits, j: int, i: int) -> None:
    """Add i and its ancestors to those of j."""
    for word in range(ancestors.shape[1]):
        ancestors[j, word] |= ancestors[i, word]
    ancestors[j, i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@jit
def find_ancestors(arcs: Flags, ancestors: Bits) -> bool:
    """Ancestors of every node, from scratch, in topological order; False if there is a cycle. O(N^2 + arcs W)."""
    N = arcs.shape[0]
    for j in range(N):
        for word in range(ancestors.shape[1]):
            ancestors[j, word] = 0
    waiting = np.zeros(N, np.int64)
    for i in range(N):
        for j in range(N):
            if arcs[i, j]:
                waiting[j] += 1
    ready = np.empty(N, np.int64)
    filled = 0
    for j in range(N):
        if waiting[j] == 0:
            ready[filled] = j
            filled += 1
    done = 0
    while done < filled:
        i = ready[done]
        done += 1
        for j in range(N):
            if arcs[i, j]:
                _inherit(ancestors, j, i)
                waiting[j] -= 1
                if waiting[j] == 0:
                    ready[filled] = j
                    filled += 1
    return done == N


@jit
def add_ancestors(ancestors: Bits, i: int, j: int) -> None:
    """Bring ancestors up to date for a new arc i -> j: j and its descendants gain i and its ancestors. O(N W)."""
    for k in range(ancestors.shape[0]):
        if k == j or has_bit(ancestors, k, j):
            _inherit(ancestors, k, i)


@jit
def reversal_closes_cycle(arcs: Flags, ancestors: Bits, i: int, j: int) -> bool:
    """Whether i reaches j by another path than the arc i -> j. O(N)."""
    for p in range(arcs.shape[0]):
        if arcs[p, j] and p != i and has_bit(ancestors, p, i):
            return True
    return False


@jit
def is_legal(move: int, i: int, j: int, arcs: Flags, n_parents: Ints64, ancestors: Bits, limits: Limits) -> bool:
    """Whether a move keeps the graph acyclic and within the limits."""
    if move == ADD:
        return (
            i != j
            and limits.addable[i, j]
            and not arcs[i, j]
            and not arcs[j, i]
            and n_parents[j] < limits.most
            and not has_bit(ancestors, i, j)
        )
    if not arcs[i, j] or limits.fixed[i, j]:
        return False
    if move == DELETE:
        return True
    return limits.addable[j, i] and n_parents[i] < limits.most and not reversal_closes_cycle(arcs, ancestors, i, j)


@jit
def _is_forbidden(after: int, forbidden: Bits) -> bool:
    """Whether a structure is one of those not to visit again."""
    for structure in forbidden:
        if structure == after:
            return True
    return False


@jit
def best_move(
    delta: Floats, arcs: Flags, present: Ints64, bounds: Floats, n_parents: Ints64, ancestors: Bits, limits: Limits,
    least: float, tolerance: float, forbidden: Bits, state: int, codes: Bits,
) -> tuple[int, int, int, float]:  # fmt: skip
    """Best legal move and what it adds, or NONE. O(N + arcs), and O(N) for each source whose bound beats the best.

    Additions come first, then deletions, then reversals, each by column of the source and then of the target, and a
    move wins only if it beats the best so far by more than the tolerance: ties go to the first, as in bnlearn.
    present : int64[arcs], N i + j of every arc i -> j, ascending
    bounds : float64[N], what no legal addition from a node exceeds; brought down where the node's arcs are looked at
    least : what a move must beat, 0 to climb and -inf to take the least bad
    forbidden : uint64[t], structures not to visit again; state, codes : uint64[N, N]: a structure is the exclusive or
    of its arcs' codes (Zobrist hashing)
    """
    N = delta.shape[0]
    add: Any = np.int64(ADD)  # with a literal, is_legal would be compiled once more
    best, best_i, best_j = NONE, -1, -1
    gain = least
    for i in range(N):
        if not bounds[i] - gain > tolerance:
            continue
        highest = -np.inf
        for j in range(N):
            value = delta[i, j]
            beats = value - gain > tolerance
            if not (beats or value > highest) or not is_legal(add, i, j, arcs, n_parents, ancestors, limits):
                continue
            highest = max(highest, value)
            if beats and not _is_forbidden(state ^ codes[i, j], forbidden):
                best, best_i, best_j = ADD, i, j
                gain = value
        bounds[i] = highest
    for move in (DELETE, REVERSE):
        for arc in present:
            i, j = arc // N, arc % N
            value, after = delta[i, j], state ^ codes[i, j]
            if move == REVERSE:
                value += delta[j, i]
                after ^= codes[j, i]
            if not value - gain > tolerance or _is_forbidden(after, forbidden):
                continue
            if is_legal(move, i, j, arcs, n_parents, ancestors, limits):
                best, best_i, best_j = move, i, j
                gain = value
    return best, best_i, best_j, gain
