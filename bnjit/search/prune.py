"""The one-standard-error rule: arcs that folds do not agree on go, though they raise the held-out likelihood a little.

A search by held-out likelihood takes every arc that gains anything, and of many arcs that mean nothing about one in
six gains a little by chance. The differences that an arc makes in the k folds say how far its gain can be trusted.
They are compared with the same network without the arc, fold by fold, so that what all networks find hard or easy in a
fold cancels; beside the standard error of a whole score, which has that in it, most true arcs would look like nothing.

The rule compares pairs of networks and has no score of its own that a search could climb: taken into the search, it
could lead in circles. After the search it only deletes, and since what an arc is worth depends on nothing but the
parents of its child, the parents of each node are pruned by themselves; the order of the nodes makes no difference.
"""

import math

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.graph import DELETE
from bnjit.search.greedy import Search
from bnjit.search.state import Move


def prune(search: Search) -> None:
    """Delete arcs of the best graph while one loses no more than the standard error of that, the least sure first.

    In the end each arc that is left (or must be there) raises the held-out likelihood by more than one standard error.
    """
    state = search.state
    state.jump(search.best)
    search.certificate = None  # which was of the score alone
    for node in range(len(state.arcs)):
        _prune_node(search, node)


def _prune_node(search: Search, node: int) -> None:
    """Drop the parents of one node that are not sure."""
    state = search.state
    while True:
        parents = state.parents(node)
        free = [x for x in parents if not state.limits.fixed[x, node]]
        if not free:
            return
        sets = [parents, *(tuple(y for y in parents if y != x) for x in free)]
        folds = state.scores.by_fold(node, sets)
        state.n_local_scores += len(sets)
        sureness = [sureness_of(folds[:, 0], folds[:, b]) for b in range(1, len(sets))]
        least = int(np.argmin(sureness))
        if sureness[least] > 1.0:
            return
        gain = float(folds[:, 1 + least].sum() - folds[:, 0].sum())
        search.take(Move(DELETE, free[least], node, gain), "one_se")
        search.accept_current()


def sureness_of(scores: Floats, others: Floats) -> float:
    """How many standard errors the sum of k scores lies above that of k others, in pairs.

    Examples
    --------
    >>> round(sureness_of(np.array([3.0, 5.0]), np.array([2.0, 2.0])), 9)
    2.0
    """
    if not np.isfinite(scores).all():  # impossible as it is: anything possible is better
        return -math.inf if np.isfinite(others).all() else math.inf
    if not np.isfinite(others).all():
        return math.inf
    differences = scores - others
    gain, error = float(differences.sum()), math.sqrt(len(differences)) * float(differences.std(ddof=1))
    if error == 0.0:
        return math.inf if gain > 0.0 else -math.inf
    return gain / error
