"""Grow-shrink trees: the parents of a node given the nodes before it, found once for all prefixes that agree."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints64
from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels.graph import Bits, Flags, Limits
from bnjit.kernels.order import ROOM, SCORES, SHRINK, Trees, add_scores, grow_all, score_positions
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.screening import Screen
from bnjit.search.tuning import BYTES_PER_TREE_NODE, TREE_BYTES

OF_BRANCHES = ("node", "gained", "child")
OF_TREE_NODES = tuple(name for name in Trees._fields if name not in (*OF_BRANCHES, "used"))


class GrowShrinkTrees:
    """The grow-shrink trees of all nodes (Andrews et al. 2023).

    Growing begins with the parents that are fixed and adds the best parent while that improves the score; then
    shrinking drops the worst while that does. Kernels walk down the trees and say what they lack, which is found here
    in batches. The score of a branch is estimated when a prefix first has its node.
    """

    def __init__(self, scores: ScoreMemo, limits: Limits, tolerance: float, memory: int = TREE_BYTES) -> None:
        self.scores, self.limits, self.tolerance = scores, limits, tolerance
        self.n_nodes = len(limits.fixed)
        self.screen = Screen(scores, tolerance)
        self.memory = memory  # bytes of tree nodes and branches to keep
        self.fixed = [bits_of(np.flatnonzero(limits.fixed[:, v]).tolist()) for v in range(self.n_nodes)]
        self._plant()

    def _plant(self) -> None:
        """Begin all trees with their roots."""
        N, W = self.n_nodes, (self.n_nodes + 63) // 64
        self._sets: dict[int, tuple[int, int]] = dict(enumerate(enumerate(self.fixed)))  # owner and parents
        self._shrunk: dict[int, int] = {}
        T, P = 4 * N, 16 * N
        known, asked, never = np.zeros((3, T, W), np.uint64)
        score, size, above, first, branches = (np.zeros(T, kind) for kind in (float, *[np.int64] * 4))
        self.trees = Trees(
            score, np.full(T, np.nan), known, asked, never, size, above, np.full(T, -1, np.int32), first, branches,
            np.zeros(P, np.int32), np.zeros(P), np.zeros(P, np.int32), np.array([N, 0]),
        )  # fmt: skip
        score[:N] = self.scores.get(list(enumerate(self.fixed)))
        above[:N] = -1
        never[:N] = _words(~(self.limits.addable & ~self.limits.fixed).T, W)
        known[:N] = never[:N]
        size[:N] = self.limits.fixed.sum(axis=0)

    def _used(self) -> int:
        """Bytes that tree nodes and branches take."""
        nodes, branches = self.trees.used.tolist()
        return int(nodes) * (24 * self.trees.known.shape[1] + BYTES_PER_TREE_NODE) + 16 * int(branches)

    def _set(self, t: int) -> tuple[int, int]:
        """Owner and parents of a tree node."""
        found = self._sets.get(t)
        if found is None:
            owner, parents = self._set(int(self.trees.above[t]))
            found = self._sets[t] = owner, parents | 1 << int(self.trees.added[t])
        return found

    def _provide(self, missing: Ints64) -> None:
        """Find what a walk down the trees lacked."""
        lacking = sorted(set(missing[1 : missing[0] + 1].tolist()))
        branching = [code // 3 for code in lacking if code % 3 == SCORES]
        if branching:
            self._branch(branching)
        self._shrink([code // 3 for code in lacking if code % 3 == SHRINK])
        if any(code % 3 == ROOM for code in lacking):
            self.trees = self.trees._replace(**{name: _longer(getattr(self.trees, name)) for name in OF_TREE_NODES})

    def _branch(self, tree_nodes: Sequence[int]) -> None:
        """Score the branches that are asked for."""
        wanted = _members(self.trees.asked[tree_nodes])
        sets = [self._set(t) for t in tree_nodes]
        worth = [
            self.screen.may_improve(*own, float(self.trees.score[t]), which) if self.screen.bounds(own[0]) else None
            for t, own, which in zip(tree_nodes, sets, wanted, strict=True)
        ]
        chosen = [which if keep is None else which[keep] for which, keep in zip(wanted, worth, strict=True)]
        found = self.scores.toggled([Toggle(*own, some.tolist()) for own, some in zip(sets, chosen, strict=True)])
        self._make_room(int(self.trees.branches[tree_nodes].sum()) + sum(map(len, wanted)))
        for t, which, keep, values in zip(tree_nodes, wanted, worth, found, strict=True):
            every = values
            if keep is not None:
                every = np.full(len(which), np.nan)  # which no score exceeds
                every[keep] = values
            add_scores(self.trees, t, which, every, self.trees.score[t] + self.tolerance)

    def _make_room(self, branches: int) -> None:
        """Make the pool of branches long enough for some more."""
        while self.trees.used[1] + branches > len(self.trees.node):
            self.trees = self.trees._replace(**{name: _longer(getattr(self.trees, name)) for name in OF_BRANCHES})

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
        if self._used() > self.memory:
            self._plant()
        missing = np.empty(3 * self.n_nodes + 1, np.int64)
        while True:
            score_positions(self.trees, order, v, first, last, self.limits.most, totals, missing)
            if not missing[0]:
                return
            self._provide(missing)

    def graph(self, order: Ints64) -> tuple[Flags, Floats]:
        """Arcs that an order leads to, and the local scores; nodes that are not in it have no arcs."""
        N = self.n_nodes
        leaves, missing = np.empty(N, np.int64), np.empty(N + 1, np.int64)
        while True:
            grow_all(self.trees, order, self.limits.most, leaves, missing)
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


def _words(flags: Flags, W: int) -> Bits:
    """Rows of flags as bits of words, uint64[rows, W]."""
    padded = np.zeros((len(flags), 64 * W), bool)
    padded[:, : flags.shape[1]] = flags
    packed = np.packbits(padded, axis=1, bitorder="little")
    return packed.view(np.uint64)


def _members(words: Bits) -> list[Ints64]:
    """Bits that are set in each row."""
    flags = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    rows, members = np.nonzero(flags)
    ends = np.searchsorted(rows, np.arange(len(words) + 1)).tolist()
    return [members[a:b] for a, b in pairwise(ends)]
