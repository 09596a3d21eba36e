"""Orders of nodes whose parents come from a pool of parent sets: climbs, and climbs from perturbed orders.

Axis legend: N nodes; M <= N nodes of an order; P parent sets in the pool; W = ceil(N / 64) words of a set; L members of
all sets. The sets of node v are first[v] ... first[v + 1] - 1, the best first; in an order a node has the best set that
precedes it.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.graph import Bits, Flags

IMPOSSIBLE = -1e12  # in place of -inf, so that the other nodes of an order still count
WITHOUT = 10.0 * IMPOSSIBLE  # score of a node that has no set in an order


class PoolTables(NamedTuple):
    """Parent sets of all nodes, by node and by member.

    Attributes
    ----------
    first : int64[N + 1]
        Where the sets of each node begin.
    scores : float64[P]
        Their scores, the best of each node first.
    starts : int64[P + 1]
        Where the members of each set begin.
    members : int32[L]
        Members of the sets.
    nodes : int32[P]
        Whose set each is.
    listed : int64[N + 1]
        Where the sets that have each node as a member begin.
    sets_with : int32[L]
        These sets, ascending.
    """

    first: Ints64
    scores: Floats
    starts: Ints64
    members: Ints32
    nodes: Ints32
    listed: Ints64
    sets_with: Ints32


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
def list_sets(pool: PoolTables) -> None:
    """List the sets that have each node as a member. O(L); pool.listed : zeros (out); pool.sets_with (out)."""
    N = pool.first.shape[0] - 1
    for x in pool.members:
        pool.listed[x + 1] += 1
    for v in range(N):
        pool.listed[v + 1] += pool.listed[v]
    filled = pool.listed[:N].copy()
    for p in range(pool.nodes.shape[0]):
        for i in range(pool.starts[p], pool.starts[p + 1]):
            x = pool.members[i]
            pool.sets_with[filled[x]] = p
            filled[x] += 1


@jit
def _fits(pool: PoolTables, p: int, places: Ints64, at: int) -> bool:
    """Whether all members of a set are before a place."""
    for i in range(pool.starts[p], pool.starts[p + 1]):
        if places[pool.members[i]] >= at:
            return False
    return True


@jit
def _has(pool: PoolTables, p: int, v: int) -> bool:
    """Whether v is a member of a set."""
    for i in range(pool.starts[p], pool.starts[p + 1]):
        if pool.members[i] == v:
            return True
    return False


@jit
def _value(pool: PoolTables, p: int) -> float:
    """Score of a node with a set, or with none of its sets."""
    return WITHOUT if p < 0 else max(pool.scores[p], IMPOSSIBLE)


@jit
def _fit_all(pool: PoolTables, order: Ints64, places: Ints64, found: Ints64) -> None:
    """Find the best set of each node of an order, -1 if there is none. O(P / N) sets for a node where few fit.

    places : int64[N], M of nodes that are not in the order (out); found : int64[N] (out)
    """
    places[:] = order.shape[0]
    found[:] = -1
    for i in range(order.shape[0]):
        places[order[i]] = i
    for v in order:
        for p in range(pool.first[v], pool.first[v + 1]):
            if _fits(pool, p, places, places[v]):
                found[v] = p
                break


@jit
def fit_all(pool: PoolTables, order: Ints64, found: Ints64) -> None:
    """Find the best set of each node of an order, -1 if there is none; found : int64[N] (out)."""
    _fit_all(pool, order, np.empty(pool.first.shape[0] - 1, np.int64), found)


@jit
def _find_other(pool: PoolTables, v: int, places: Ints64, found: Ints64, other: Ints64) -> None:
    """Find the set that each node would have if v were on its other side: after it, if it is before, and before it.

    O(sets that have v), and of each node whose set has v those that score less until one fits.

    places : int64[N], that of v is changed meanwhile; found : int64[N]; other : int64[N], a copy of found, changed for
    nodes that v makes a difference to (out)
    """
    at = places[v]
    last = -1
    for i in range(pool.listed[v], pool.listed[v + 1]):
        p = pool.sets_with[i]
        u = pool.nodes[p]
        if u == last:
            continue
        now = found[u]
        if at < places[u]:
            last = u
            if now >= 0 and _has(pool, now, v):
                other[u] = -1
                places[v] = places.shape[0]
                for q in range(now + 1, pool.first[u + 1]):
                    if _fits(pool, q, places, places[u]):
                        other[u] = q
                        break
                places[v] = at
        elif now >= 0 and p > now:
            last = u
        else:
            places[v] = -1
            if _fits(pool, p, places, places[u]):
                other[u] = p
                last = u
            places[v] = at


@jit
def _score_places(
    pool: PoolTables, order: Ints64, places: Ints64, found: Ints64, other: Ints64, v: int, own: Ints64, totals: Floats
) -> None:
    """Score what depends on the place of v among the others. O(M + sets of v).

    order : int64[M]; places, found, other : int64[N]; own : int64[M], set of v at each place (out);
    totals : float64[M] (out)
    """
    M = order.shape[0]
    at = places[v]
    own[:] = -1
    lowest = M
    for p in range(pool.first[v], pool.first[v + 1]):
        least = 0  # others that must come before v
        for i in range(pool.starts[p], pool.starts[p + 1]):
            place = places[pool.members[i]]
            least = max(least, place if place > at else place + 1)
        if least < lowest:
            own[least:lowest] = p
            lowest = least
            if lowest == 0:
                break
    change = 0.0  # what it adds to those passed so far that they come before v
    for k in range(M):
        totals[k] = change + _value(pool, own[k])
        if k == M - 1:
            break
        u = order[k] if k < at else order[k + 1]
        if other[u] != found[u]:
            after, before = (other[u], found[u]) if k < at else (found[u], other[u])
            change += _value(pool, before) - _value(pool, after)


@jit
def _move(order: Ints64, places: Ints64, found: Ints64, other: Ints64, v: int, to: int) -> None:
    """Move v to another place; nodes between have the sets found for that. O(M)."""
    at = places[v]
    step = 1 if at < to else -1
    for i in range(at, to, step):
        u = order[i + step]
        order[i] = u
        places[u] = i
        found[u] = other[u]
    order[to] = v
    places[v] = to


@jit
def climb_order(pool: PoolTables, tolerance: float, order: Ints64) -> float:
    """Move each node to its best place in turn, until none moves; the score. O(M^2 + P) for each round, about.

    order : int64[M] (changed)
    """
    M = order.shape[0]
    N = pool.first.shape[0] - 1
    places, found, other = np.empty(N, np.int64), np.empty(N, np.int64), np.empty(N, np.int64)
    own, totals = np.empty(M, np.int64), np.empty(M)
    _fit_all(pool, order, places, found)
    nodes = order.copy()
    moved = True
    while moved:
        moved = False
        for v in nodes:
            other[:] = found
            _find_other(pool, v, places, found, other)
            _score_places(pool, order, places, found, other, v, own, totals)
            best = places[v]
            for k in range(M):
                if totals[k] > totals[best] + tolerance:
                    best = k
            if best != places[v]:
                moved = True
                found[v] = own[best]
                _move(order, places, found, other, v, best)
    total = 0.0
    for v in order:
        total += _value(pool, found[v])
    return total


@jit
def climb_orders(
    start: int, stop: int, pool: PoolTables, tolerance: float, moves: Ints64, orders: Ints64, totals: Floats
) -> None:
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
        totals[r] = climb_order(pool, tolerance, order)
