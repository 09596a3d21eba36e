"""Orders of nodes: the score of an order for every position of a node, from grow-shrink trees.

Axis legend: N nodes; M <= N nodes of an order; T tree nodes; W = ceil(N / 64) words; P branches. The tree of a
network's node holds what growing its parents finds, whatever nodes precede it: a tree node is a set of parents, and a
branch adds one more that improves the score. With a given prefix, growing follows the best branch whose node is in the
prefix. Sets of nodes are bits.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.graph import Bits, has_bit

IMPOSSIBLE = -1e12  # in place of -inf, so that the other nodes of an order still count
SCORES, SHRINK, ROOM = range(3)  # what a walk may lack: scores of branches, a shrunk score, room for tree nodes


class Trees(NamedTuple):
    """Grow-shrink trees of all nodes in one pool; tree node v < N is the root of node v.

    score : float64[T], of the set; value : float64[T], after shrinking, NaN until it is known;
    known, asked, never : uint64[T, W], nodes whose branch was scored or may not be, those whose score is wanted, and
    those that may not be parents here or below; size : int64[T], parents; above : int64[T], tree node above, -1 for
    roots; added : int32[T], what was added to that; first, branches : int64[T], where its branches begin, and how many
    there are: node : int32[P], gained : float64[P], score with it, falling (ties by node), child : int32[P], tree node
    that it leads to, -1 until there is one; used : int64[2], number of tree nodes and of branches
    """

    score: Floats
    value: Floats
    known: Bits
    asked: Bits
    never: Bits
    size: Ints64
    above: Ints64
    added: Ints32
    first: Ints64
    branches: Ints64
    node: Ints32
    gained: Floats
    child: Ints32
    used: Ints64


@jit
def _report_missing(missing: Ints64, what: int, t: int) -> int:
    """Record what a walk lacks, as 3 t + what, and return -1; missing : int64[>= walks + 1], number and list."""
    missing[0] += 1
    missing[missing[0]] = 3 * t + what
    return -1


@jit
def _add_tree_node(trees: Trees, t: int, branch: int) -> int:
    """Make the tree node that a branch of t leads to."""
    new = trees.used[0]
    trees.used[0] += 1
    x = trees.node[branch]
    trees.child[branch] = new
    trees.score[new] = trees.gained[branch]
    trees.value[new] = np.nan
    trees.size[new] = trees.size[t] + 1
    trees.above[new] = t
    trees.added[new] = x
    trees.first[new] = trees.branches[new] = 0
    for w in range(trees.never.shape[1]):
        trees.never[new, w] = trees.never[t, w]
        trees.asked[new, w] = 0
    trees.never[new, x >> 6] |= np.uint64(1) << np.uint64(x & 63)
    for w in range(trees.never.shape[1]):
        trees.known[new, w] = trees.never[new, w]
    return new


@jit
def add_scores(trees: Trees, t: int, which: Ints64, scores: Floats, least: float) -> None:
    """Take scores of branches of a tree node; its branches go to the end of the pool, which has room. O(k^2).

    which : int64[b], nodes that were asked for; scores : float64[b]; least : what the score of a branch must exceed
    """
    first = int(trees.used[1])
    last = first
    for i in range(trees.branches[t]):
        old = trees.first[t] + i
        trees.node[last], trees.gained[last], trees.child[last] = trees.node[old], trees.gained[old], trees.child[old]
        last += 1
    for i in range(which.shape[0]):
        x, s = which[i], scores[i]
        bit = np.uint64(1) << np.uint64(x & 63)
        trees.known[t, x >> 6] |= bit
        if s == -np.inf:
            trees.never[t, x >> 6] |= bit
        if not s > least:
            continue
        at = last
        while at > first and (trees.gained[at - 1] < s or (trees.gained[at - 1] == s and trees.node[at - 1] > x)):
            trees.node[at], trees.gained[at] = trees.node[at - 1], trees.gained[at - 1]
            trees.child[at] = trees.child[at - 1]
            at -= 1
        trees.node[at], trees.gained[at], trees.child[at] = x, s, -1
        last += 1
    for w in range(trees.asked.shape[1]):
        trees.asked[t, w] = 0
    trees.first[t], trees.branches[t] = first, last - first
    trees.used[1] = last


@jit
def grow(trees: Trees, root: int, prefix: Bits, most: int, missing: Ints64) -> int:
    """Tree node where growing with a prefix ends, or -1 if something is missing. O((W + branches) depth).

    prefix : uint64[1, W]; most : parents that a node may have
    """
    t = root
    while True:
        branch = -1
        if trees.size[t] < most:
            unknown = False
            for w in range(prefix.shape[1]):
                lacking = prefix[0, w] & ~trees.known[t, w]
                if lacking != np.uint64(0):
                    trees.asked[t, w] |= lacking
                    unknown = True
            if unknown:
                return _report_missing(missing, SCORES, t)
            first = trees.first[t]
            for b in range(first, first + trees.branches[t]):
                if has_bit(prefix, 0, trees.node[b]):
                    branch = b
                    break
        if branch < 0:
            return _report_missing(missing, SHRINK, t) if np.isnan(trees.value[t]) else t
        below = int(trees.child[branch])
        if below < 0:
            if trees.used[0] == trees.score.shape[0]:
                return _report_missing(missing, ROOM, t)
            below = _add_tree_node(trees, t, branch)
        t = below


@jit
def _value(trees: Trees, root: int, prefix: Bits, most: int, missing: Ints64) -> float:
    """Score of a node with a prefix."""
    t = grow(trees, root, prefix, most, missing)
    return 0.0 if t < 0 else max(trees.value[t], IMPOSSIBLE)


@jit
def _put(prefix: Bits, x: int, there: bool) -> None:
    """Put a node into a prefix, or take it out."""
    bit = np.uint64(1) << np.uint64(x & 63)
    if there:
        prefix[0, x >> 6] |= bit
    else:
        prefix[0, x >> 6] &= ~bit


@jit
def score_positions(
    trees: Trees, order: Ints64, v: int, first: int, last: int, most: int, totals: Floats, missing: Ints64
) -> None:
    """Score of the order with v moved to each of the positions first ... last. O(M) walks down the trees.

    order : int64[M]; totals : float64[M], -inf elsewhere (out); missing : int64[3 M + 1] (out): where its first entry
    is not 0 the totals mean nothing
    """
    M = order.shape[0]
    missing[0] = 0
    prefix = np.zeros((1, trees.known.shape[1]), np.uint64)
    at = 0
    base = 0.0  # all others, those from `first` on as after v
    change = 0.0  # what it adds that those passed so far come before v
    for k in range(M):
        totals[k] = -np.inf
    for k in range(M):
        if first <= k <= last:
            totals[k] = change + _value(trees, v, prefix, most, missing)
        if k == M - 1:
            break
        if order[at] == v:
            at += 1
        u = order[at]
        at += 1
        _put(prefix, v, k >= first)
        after = _value(trees, u, prefix, most, missing)
        base += after
        _put(prefix, v, False)
        if first <= k < last:
            change += _value(trees, u, prefix, most, missing) - after
        _put(prefix, u, True)
    for k in range(first, last + 1):
        totals[k] += base


@jit
def grow_all(trees: Trees, order: Ints64, most: int, leaves: Ints64, missing: Ints64) -> None:
    """Tree node of every node in an order.

    order : int64[M]; leaves : int64[N], of these alone (out); missing : int64[M + 1], as in score_positions (out)
    """
    missing[0] = 0
    prefix = np.zeros((1, trees.known.shape[1]), np.uint64)
    for v in order:
        leaves[v] = grow(trees, v, prefix, most, missing)
        _put(prefix, v, True)
