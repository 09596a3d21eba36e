"""Order search: the best place of every node in an order from which all arcs go forward (Andrews et al. 2023)."""

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.kernels.graph import Flags
from bnjit.search.ges import climb_classes
from bnjit.search.greedy import Search, hill_climbing
from bnjit.search.grow_shrink import GrowShrinkTrees
from bnjit.search.state import ORDER, PLACE, Move, rank_of
from bnjit.search.tuning import LEAST_MOVED, SHARE_MOVED


def order_search(search: Search, restarts: int = 0, perturb: int | None = None, seed: int | None = None) -> None:
    """Climb to a graph; then move the nodes of its order to their best places while that improves the score.

    The parents of a node are those that growing and shrinking finds among the nodes before it. Each restart moves
    `perturb` random nodes of the best order to random places, and searches again from there. Of discrete columns, and
    by a score that equivalent graphs share, the best graph is then improved by greedy equivalence search, and the order
    that this leads to by order search, while one of them finds a better one.
    """
    hill_climbing(search)
    scores = search.state.scores
    before = scores.n_local_scores
    try:
        OrderSearch(search).run(restarts, perturb, np.random.default_rng(0 if seed is None else seed))
    finally:
        search.state.n_local_scores += scores.n_local_scores - before


class OrderSearch:
    """A walk from order to order of the nodes that may have arcs; discrete ones come before continuous ones."""

    def __init__(self, search: Search) -> None:
        self.search, limits, scores = search, search.state.limits, search.state.scores
        self.trees = GrowShrinkTrees(scores, limits, search.state.tolerance)
        self.continuous: Flags = ~np.array(scores.schema.discrete)
        self.around = [
            (np.flatnonzero(row), np.flatnonzero(out)) for row, out in zip(limits.fixed.T, limits.fixed, strict=True)
        ]
        self.score = search.best_score

    def run(self, restarts: int, perturb: int | None, rng: np.random.Generator) -> None:
        """Search from the best graph that there is, then from the best order perturbed."""
        best, highest = self.order_of(self.search.best), -np.inf
        for turn in range(restarts + 1):
            order = best
            if turn:
                self.search.n_restarts += 1
                order = self._perturbed(best, perturb, rng)
            self._visit(ORDER, order, -1, -1, "perturb" if turn else "boss")
            order, total = self._climb(order)
            if total > highest + self.search.state.tolerance:
                best, highest = order, total
        if self.search.state.scores.equivalent and not self.continuous.any():
            while self._improved_by_classes():
                self.climb_from(self.search.best)

    def _improved_by_classes(self) -> bool:
        """Search among equivalence classes from the best graph; whether that found a better one."""
        before = self.search.best
        self.search.state.jump(before)
        climb_classes(self.search)
        return self.search.best is not before

    def order_of(self, arcs: Flags) -> Ints64:
        """Order of the nodes that may have arcs, in which those of a graph go forward."""
        order = topological_order(arcs, self.continuous)
        return order[np.isin(order, self.search.state.free)]

    def climb_from(self, arcs: Flags) -> None:
        """Search from the order of a graph."""
        self.score = self.search.best_score
        order = self.order_of(arcs)
        self._visit(ORDER, order, -1, -1, "boss")
        self._climb(order)

    def perturb(self, arcs: Flags, most: int, rng: np.random.Generator) -> tuple[Flags, Floats]:
        """Graph that the order of another leads to when up to so many random nodes move, and its local scores."""
        order = self.order_of(arcs)
        order = self._perturbed(order, min(most, moves_of(len(order))), rng)
        self._visit(ORDER, order, -1, -1, "perturb")
        return self.trees.graph(order)

    def _visit(self, kind: int, order: Ints64, v: int, follower: int, phase: str) -> None:
        arcs, local = self.trees.graph(order)
        before, self.score = self.score, float(local.sum())
        delta = self.score - before if np.isfinite(self.score) and np.isfinite(before) else 0.0
        self.search.visit(Move(kind, v, follower, delta), arcs, rank_of(local), self.score, phase)

    def _climb(self, order: Ints64) -> tuple[Ints64, float]:
        """Move every node to its best place in turn, until none moves; the order and its score."""
        totals = np.empty(len(order))
        moved = True
        while moved:
            moved = False
            for v in order.tolist():
                self.search.stop_in_time()  # many nodes may be tried before one moves
                self.trees.place(order, v, *self._places(order, v), totals)
                at, best = int(np.flatnonzero(order == v)[0]), int(np.argmax(totals))
                if totals[best] > totals[at] + self.search.state.tolerance:
                    order = moved_to(order, at, best)
                    follower = int(order[best + 1]) if best + 1 < len(order) else -1
                    self._visit(PLACE, order, v, follower, "boss")
                    moved = True
        return order, float(totals.max(initial=-np.inf))

    def _places(self, order: Ints64, v: int) -> tuple[int, int]:
        """First and last place that v may have among the other nodes."""
        others = order[order != v]
        border = len(others) - int(self.continuous[others].sum())
        first, last = (border, len(others)) if self.continuous[v] else (0, border)
        before, after = (np.flatnonzero(np.isin(others, nodes)) for nodes in self.around[v])
        return max([first, *(before + 1).tolist()]), min([last, *after.tolist()])

    def _perturbed(self, order: Ints64, perturb: int | None, rng: np.random.Generator) -> Ints64:
        """Move random nodes to random places that they may have."""
        moves = perturb or moves_of(len(order))
        for _ in range(moves if len(order) else 0):
            at = int(rng.integers(len(order)))
            first, last = self._places(order, int(order[at]))
            order = moved_to(order, at, int(rng.integers(first, last + 1)))
        return order


def moves_of(nodes: int) -> int:
    """How many nodes of an order a restart moves."""
    return max(LEAST_MOVED, int(SHARE_MOVED * nodes))


def moved_to(order: Ints64, at: int, place: int) -> Ints64:
    """Order with the node at one place moved to another.

    Examples
    --------
    >>> moved_to(np.array([5, 6, 7]), 0, 2).tolist()
    [6, 7, 5]
    """
    return np.insert(np.delete(order, at), place, order[at])


def topological_order(arcs: Flags, later: Flags) -> Ints64:
    """Nodes with parents before children, those of `later` after the others, by column where arcs do not say."""
    waiting = arcs.sum(axis=0)
    free = [(bool(later[v]), v) for v in np.flatnonzero(waiting == 0).tolist()]
    order = []
    while free:
        free.sort(reverse=True)
        v = free.pop()[1]
        order.append(v)
        for child in np.flatnonzero(arcs[v]).tolist():
            waiting[child] -= 1
            if waiting[child] == 0:
                free.append((bool(later[child]), child))
    return np.array(order, np.int64)
