"""Orders of nodes whose parents come from a pool of parent sets: climbs, and climbs from perturbed orders.

Axis legend: N nodes; M <= N nodes of an order; P parent sets in the pool; W = ceil(N / 64) words of a set. The sets of
node v are first[v] ... first[v + 1] - 1, the best first; in an order a node has the best set that precedes it.
"""

import numpy as np

from bnjit._jit import Floats, Ints64, jit
from bnjit.kernels.graph import Bits, Flags

IMPOSSIBLE = -1e12  # in place of -inf, so that the other nodes of an order still count
WITHOUT = 10.0 * IMPOSSIBLE  # score of a node that has no set in an order


@jit
def find_undominated(sets: Bits, scores: Floats, tolerance: float, kept: Flags) -> None:
    """Find the sets that score more than each of their subsets. O(P^2 W).

    sets : uint64[P, W], smaller ones first; scores : float64[P]; kept : bool[P] (out)
    """
    P, W = sets.shape
    places = np.empty(P, np.int64)
    number = 0
    for i in range(P):
        kept[i] = True
        for k in range(number):
            j = places[k]
            if scores[j] < scores[i] - tolerance:
                continue
            within = True
            for word in range(W):
                if sets[j, word] & ~sets[i, word]:
                    within = False
                    break
            if within:
                kept[i] = False
                break
        if kept[i]:
            places[number] = i
            number += 1


@jit
def first_fitting(sets: Bits, first: Ints64, v: int, prefix: Bits) -> int:
    """Best set of v within a prefix, -1 if there is none; prefix : uint64[W]. O(P / N) where few fit."""
    W = prefix.shape[0]
    for p in range(first[v], first[v + 1]):
        within = True
        for word in range(W):
            if sets[p, word] & ~prefix[word]:
                within = False
                break
        if within:
            return p
    return -1


@jit
def _value(sets: Bits, first: Ints64, scores: Floats, v: int, prefix: Bits) -> float:
    """Score of v with its best set within a prefix."""
    p = first_fitting(sets, first, v, prefix)
    return WITHOUT if p < 0 else max(scores[p], IMPOSSIBLE)


@jit
def fit_all(sets: Bits, first: Ints64, order: Ints64, found: Ints64) -> None:
    """Find the best set of each node of an order. O(M) fits; found : int64[M], in that order (out)."""
    prefix = np.zeros(sets.shape[1], np.uint64)
    for i in range(order.shape[0]):
        v = order[i]
        found[i] = first_fitting(sets, first, v, prefix)
        prefix[v >> 6] |= np.uint64(1) << np.uint64(v & 63)


@jit
def _score_places(
    sets: Bits, first: Ints64, scores: Floats, others: Ints64, v: int, prefix: Bits, totals: Floats
) -> None:
    """Score what depends on the place of v among the others. O(M) fits.

    others : int64[M - 1]; prefix : uint64[W], used; totals : float64[M] (out)
    """
    M = totals.shape[0]
    prefix[:] = 0
    change = 0.0  # what it adds to those passed so far that they come before v
    home = v >> 6
    bit = np.uint64(1) << np.uint64(v & 63)
    for k in range(M):
        totals[k] = change + _value(sets, first, scores, v, prefix)
        if k == M - 1:
            break
        u = others[k]
        prefix[home] |= bit
        p = first_fitting(sets, first, u, prefix)
        prefix[home] &= ~bit
        if p >= 0 and sets[p, home] & bit:  # else v makes no difference to it
            change += _value(sets, first, scores, u, prefix) - max(scores[p], IMPOSSIBLE)
        prefix[u >> 6] |= np.uint64(1) << np.uint64(u & 63)


@jit
def climb_order(sets: Bits, first: Ints64, scores: Floats, tolerance: float, order: Ints64) -> float:
    """Move each node to its best place in turn, until none moves; the score. O(M^2) fits for each round.

    order : int64[M] (changed)
    """
    M = order.shape[0]
    prefix = np.zeros(sets.shape[1], np.uint64)
    totals = np.empty(M)
    others = np.empty(max(M - 1, 0), np.int64)
    nodes = order.copy()
    moved = True
    while moved:
        moved = False
        for v in nodes:
            at = 0
            k = 0
            for i in range(M):
                if order[i] == v:
                    at = i
                else:
                    others[k] = order[i]
                    k += 1
            _score_places(sets, first, scores, others, v, prefix, totals)
            best = at
            for k in range(M):
                if totals[k] > totals[best] + tolerance:
                    best = k
            if best != at:
                moved = True
                order[:best] = others[:best]
                order[best] = v
                order[best + 1 :] = others[best:]
    total = 0.0
    prefix[:] = 0
    for v in order:
        total += _value(sets, first, scores, v, prefix)
        prefix[v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    return total


@jit
def climb_orders(
    start: int, stop: int, sets: Bits, first: Ints64, scores: Floats, tolerance: float, moves: Ints64, orders: Ints64,
    totals: Floats,
) -> None:  # fmt: skip
    """Perturb the orders start ... stop - 1 and climb from each.

    moves : int64[R, m, 2], for each order the places between which a node moves, -1 for no more of them;
    orders : int64[R, M] (changed); totals : float64[R], their scores (out)
    """
    for r in range(start, stop):
        order = orders[r]
        for m in range(moves.shape[1]):
            a, b = moves[r, m]
            if a < 0:
                break
            v = order[a]
            step = 1 if a < b else -1
            for i in range(a, b, step):
                order[i] = order[i + step]
            order[b] = v
        totals[r] = climb_order(sets, first, scores, tolerance, order)
