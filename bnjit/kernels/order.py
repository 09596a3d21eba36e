"""Orders of nodes: the score of an order for every position of a node, from grow-shrink trees.

Axis legend: N nodes; M <= N nodes of an order; T tree nodes. The tree of a network's node holds what growing its
parents finds, whatever nodes precede it: a tree node is a set of parents, and a branch adds one more. With a given
prefix, growing follows the best branch among the nodes of the prefix while that improves the score.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.graph import Flags

IMPOSSIBLE = -1e12  # in place of -inf, so that the other nodes of an order still count
ASKED = np.inf  # in place of a score that is wanted and not there
SCORES, SHRINK, ROOM = range(3)  # what a walk may lack: scores of branches, a shrunk score, room for tree nodes


class Trees(NamedTuple):
    """Grow-shrink trees of all nodes in one pool; tree node v < N is the root of node v.

    score : float64[T], of the set; value : float64[T], after shrinking, NaN until it is known;
    added : float64[T, N], score with one more parent, NaN until it is known, -inf if it may not be;
    child : int32[T, N], tree node that a branch leads to, -1 until there is one; size : int64[T], parents;
    above : int64[T], tree node above, -1 for roots; used : int64[1], number of tree nodes
    """

    score: Floats
    value: Floats
    added: Floats
    child: Ints32
    size: Ints64
    above: Ints64
    used: Ints64


@jit
def _report_missing(missing: Ints64, what: int, t: int) -> int:
    """Record what a walk lacks, as 3 t + what, and return -1; missing : int64[>= walks + 1], number and list."""
    missing[0] += 1
    missing[missing[0]] = 3 * t + what
    return -1


@jit
def _add_tree_node(trees: Trees, t: int, x: int) -> int:
    """Make the tree node that adds x to t."""
    new = trees.used[0]
    trees.used[0] += 1
    trees.child[t, x] = new
    trees.score[new] = trees.added[t, x]
    trees.value[new] = np.nan
    trees.size[new] = trees.size[t] + 1
    trees.above[new] = t
    for i in range(trees.added.shape[1]):
        trees.added[new, i] = -np.inf if trees.added[t, i] == -np.inf or i == x else np.nan
        trees.child[new, i] = -1
    return new


@jit
def grow(trees: Trees, root: int, prefix: Flags, most: int, tolerance: float, missing: Ints64) -> int:
    """Tree node where growing with a prefix ends, or -1 if something is missing. O(N depth).

    prefix : bool[N]; most : parents that a node may have; tolerance : what an improvement must exceed
    """
    t = root
    while True:
        best = trees.score[t] + tolerance
        branch = -1
        unknown = False
        if trees.size[t] < most:
            for x in range(prefix.shape[0]):
                if prefix[x]:
                    s = trees.added[t, x]
                    if np.isnan(s) or s == ASKED:
                        trees.added[t, x] = ASKED
                        unknown = True
                    elif s > best:
                        best = s
                        branch = x
        if unknown:
            return _report_missing(missing, SCORES, t)
        if branch < 0:
            return _report_missing(missing, SHRINK, t) if np.isnan(trees.value[t]) else t
        below = trees.child[t, branch]
        if below < 0:
            if trees.used[0] == trees.score.shape[0]:
                return _report_missing(missing, ROOM, t)
            below = _add_tree_node(trees, t, branch)
        t = below


@jit
def _value(trees: Trees, root: int, prefix: Flags, most: int, tolerance: float, missing: Ints64) -> float:
    """Score of a node with a prefix."""
    t = grow(trees, root, prefix, most, tolerance, missing)
    return 0.0 if t < 0 else max(trees.value[t], IMPOSSIBLE)


@jit
def score_positions(
    trees: Trees, order: Ints64, v: int, first: int, last: int, most: int, tolerance: float, totals: Floats,
    missing: Ints64,
) -> None:  # fmt: skip
    """Score of the order with v moved to each of the positions first ... last. O(M) walks down the trees.

    order : int64[M]; totals : float64[M], -inf elsewhere (out); missing : int64[3 M + 1] (out): where its first entry
    is not 0 the totals mean nothing
    """
    M = order.shape[0]
    missing[0] = 0
    prefix = np.zeros(trees.added.shape[1], np.bool_)
    at = 0
    base = 0.0  # all others, those from `first` on as after v
    change = 0.0  # what it adds that those passed so far come before v
    for k in range(M):
        totals[k] = -np.inf
    for k in range(M):
        if first <= k <= last:
            totals[k] = change + _value(trees, v, prefix, most, tolerance, missing)
        if k == M - 1:
            break
        if order[at] == v:
            at += 1
        u = order[at]
        at += 1
        prefix[v] = k >= first
        after = _value(trees, u, prefix, most, tolerance, missing)
        base += after
        prefix[v] = False
        if first <= k < last:
            change += _value(trees, u, prefix, most, tolerance, missing) - after
        prefix[u] = True
    for k in range(first, last + 1):
        totals[k] += base


@jit
def grow_all(trees: Trees, order: Ints64, most: int, tolerance: float, leaves: Ints64, missing: Ints64) -> None:
    """Tree node of every node in an order.

    order : int64[M]; leaves : int64[N], of these alone (out); missing : int64[M + 1], as in score_positions (out)
    """
    missing[0] = 0
    prefix = np.zeros(trees.added.shape[1], np.bool_)
    for v in order:
        leaves[v] = grow(trees, v, prefix, most, tolerance, missing)
        prefix[v] = True
