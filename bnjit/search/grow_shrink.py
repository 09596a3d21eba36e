"""Grow-shrink trees: the parents of a node given the nodes before it, found once for all prefixes that agree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints64
from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels.graph import Flags, Limits
from bnjit.kernels.order import ASKED, ROOM, SCORES, SHRINK, Trees, grow_all, score_positions
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.tuning import TREE_BYTES


class GrowShrinkTrees:
    """The grow-shrink trees of all nodes (Andrews et al. 2023).

    Growing begins with the parents that are fixed and adds the best parent while that improves the score; then
    shrinking drops the worst while that does. Kernels walk down the trees and say what they lack, which is found here
    in batches. The score of a branch is estimated when a prefix first has its node.
    """

    def __init__(self, scores: ScoreMemo, limits: Limits, tolerance: float, memory: int = TREE_BYTES) -> None:
        self.scores, self.limits, self.tolerance = scores, limits, tolerance
        self.n_nodes = len(limits.fixed)
        self.most = max(2 * self.n_nodes, memory // (12 * self.n_nodes + 40))  # tree nodes to keep
        self.fixed = [bits_of(np.flatnonzero(limits.fixed[:, v]).tolist()) for v in range(self.n_nodes)]
        self._plant()

    def _plant(self) -> None:
        """Begin all trees with their roots."""
        N = self.n_nodes
        self._sets: dict[int, tuple[int, int]] = dict(enumerate(enumerate(self.fixed)))  # owner and parents
        self._shrunk: dict[int, int] = {}
        T = 4 * N
        self.trees = Trees(
            np.zeros(T), np.full(T, np.nan), np.full((T, N), np.nan), np.full((T, N), -1, np.int32),
            np.zeros(T, np.int64), np.full(T, -1, np.int64), np.array([N]),
        )  # fmt: skip
        self.trees.score[:N] = self.scores.get(list(enumerate(self.fixed)))
        self.trees.added[:N][~(self.limits.addable & ~self.limits.fixed).T] = -np.inf
        self.trees.size[:N] = self.limits.fixed.sum(axis=0)

    def _set(self, t: int) -> tuple[int, int]:
        """Owner and parents of a tree node."""
        found = self._sets.get(t)
        if found is None:
            above = int(self.trees.above[t])
            owner, parents = self._set(above)
            x = int(np.flatnonzero(self.trees.child[above] == t)[0])
            found = self._sets[t] = owner, parents | 1 << x
        return found

    def _provide(self, missing: Ints64) -> None:
        """Find what a walk down the trees lacked."""
        lacking = sorted(set(missing[1 : missing[0] + 1].tolist()))
        branching = [code // 3 for code in lacking if code % 3 == SCORES]
        if branching:
            wanted = [np.flatnonzero(self.trees.added[t] == ASKED) for t in branching]
            found = self.scores.toggled(
                [Toggle(*self._set(t), which.tolist()) for t, which in zip(branching, wanted, strict=True)]
            )
            for t, which, values in zip(branching, wanted, found, strict=True):
                self.trees.added[t, which] = values
        self._shrink([code // 3 for code in lacking if code % 3 == SHRINK])
        if any(code % 3 == ROOM for code in lacking):
            score, value, added, child, size, above, used = self.trees
            longer = (_longer(score), _longer(value), _longer(added), _longer(child), _longer(size), _longer(above))
            self.trees = Trees(*longer, used)

    def _shrink(self, waiting: list[int]) -> None:
        """Drop the parents of tree nodes that are better dropped, the worst first."""
        owner = {t: self._set(t)[0] for t in waiting}
        parents = {t: self._set(t)[1] for t in waiting}
        score = {t: float(self.trees.score[t]) for t in waiting}
        while waiting:
            requests = [Toggle(owner[t], parents[t], members_of(parents[t] & ~self.fixed[owner[t]])) for t in waiting]
            found = self.scores.toggled(requests)
            again = []
            for t, request, values in zip(waiting, requests, found, strict=True):
                best = int(np.argmax(values)) if len(values) else -1
                if best >= 0 and values[best] > score[t] + self.tolerance:
                    parents[t] ^= 1 << request.which[best]
                    score[t] = float(values[best])
                    again.append(t)
                else:
                    self._shrunk[t] = parents[t]
                    self.trees.value[t] = score[t]
            waiting = again

    def place(self, order: Ints64, v: int, first: int, last: int, totals: Floats) -> None:
        """Score of the order with v in each of the places first ... last; see the kernel."""
        if self.trees.used[0] > self.most:
            self._plant()
        missing = np.empty(3 * self.n_nodes + 1, np.int64)
        while True:
            score_positions(self.trees, order, v, first, last, self.limits.most, self.tolerance, totals, missing)
            if not missing[0]:
                return
            self._provide(missing)

    def graph(self, order: Ints64) -> tuple[Flags, Floats]:
        """Arcs that an order leads to, and the local scores; nodes that are not in it have no arcs."""
        N = self.n_nodes
        leaves, missing = np.empty(N, np.int64), np.empty(N + 1, np.int64)
        while True:
            grow_all(self.trees, order, self.limits.most, self.tolerance, leaves, missing)
            if not missing[0]:
                break
            self._provide(missing)
        arcs = np.zeros((N, N), bool)
        local: Floats = self.trees.score[:N].copy()
        for v in order.tolist():
            arcs[members_of(self._shrunk[int(leaves[v])]), v] = True
        local[order] = self.trees.value[leaves[order]]
        return arcs, local


def _longer(array: NDArray[Any]) -> NDArray[Any]:
    """Copy of an array with twice as many rows, the new ones yet to be written."""
    longer = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
