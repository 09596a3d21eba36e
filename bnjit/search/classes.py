"""Equivalence classes of DAGs on integers, sets of nodes as bits: the CPDAG of a DAG, and DAGs of a CPDAG.

`bnjit.graph.pdag` does the same on networkx graphs with names; a search does it at every step.
"""

import functools
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bnjit.graph.bits import members_of


class Pattern(NamedTuple):
    """A partly directed graph: the parents, children and neighbours (by undirected edges) of every node, as bits."""

    parents: list[int]
    children: list[int]
    neighbours: list[int]

    @property
    def key(self) -> tuple[int, ...]:
        """What tells it from other graphs."""
        return (*self.parents, *self.neighbours)

    def adjacent(self, v: int) -> int:
        """Nodes with an edge to v, of any kind."""
        return self.parents[v] | self.children[v] | self.neighbours[v]

    def direct(self, a: int, b: int) -> None:
        """Make the undirected edge between two nodes an arc."""
        self.neighbours[a] &= ~(1 << b)
        self.neighbours[b] &= ~(1 << a)
        self.children[a] |= 1 << b
        self.parents[b] |= 1 << a

    def copy(self) -> "Pattern":
        """Return a graph that can be changed."""
        return Pattern(list(self.parents), list(self.children), list(self.neighbours))

    def reaches(self, start: int, target: int, avoiding: int, first: int = -1) -> bool:
        """Whether a path that goes along arcs and edges leads to a node, around some others.

        first : nodes that its first step may lead to
        """
        seen = avoiding | 1 << start
        border = (self.children[start] | self.neighbours[start]) & first & ~seen
        while border:
            if border >> target & 1:
                return True
            seen |= border
            border = _union(self.children[v] | self.neighbours[v] for v in members_of(border)) & ~seen
        return False

    def joined(self, a: int, b: int, within: int) -> bool:
        """Whether edges among the nodes `within` lead from some of a to some of b."""
        seen = border = a & within
        while border:
            if border & b:
                return True
            border = _union(self.adjacent(v) for v in members_of(border)) & within & ~seen
            seen |= border
        return False

    def cliques(self, among: int, most: float) -> Iterator[int]:
        """All sets of at most so many nodes, all adjacent to each other; the empty one too."""
        waiting = [(0, among, 0)]
        while waiting:
            clique, others, size = waiting.pop()
            yield clique
            if size < most:
                for v in members_of(others):
                    others ^= 1 << v
                    waiting.append((clique | 1 << v, others & self.adjacent(v), size + 1))


def _union(sets: Iterable[int]) -> int:
    return functools.reduce(operator.or_, sets, 0)


def class_of(parents: Sequence[int]) -> Pattern:
    """CPDAG of a DAG, given by the parents of its nodes: its colliders, and what Meek's rules direct (1995)."""
    N = len(parents)
    adjacent = list(parents)
    for v in range(N):
        for u in members_of(parents[v]):
            adjacent[u] |= 1 << v
    found = Pattern([0] * N, [0] * N, list(adjacent))
    waiting = []
    for v in range(N):
        for u in members_of(parents[v]):
            if parents[v] & ~adjacent[u] & ~(1 << u):
                found.direct(u, v)
            else:
                waiting.append((u, v))
    while True:
        compelled = [arc for arc in waiting if _is_compelled(found, adjacent, *arc)]
        if not compelled:
            return found
        for arc in compelled:
            found.direct(*arc)
        waiting = [arc for arc in waiting if arc not in set(compelled)]


def _is_compelled(graph: Pattern, adjacent: Sequence[int], u: int, v: int) -> bool:
    """Whether one of Meek's rules 1 to 3 directs u -> v; without other knowledge there is no need of the fourth."""
    if graph.parents[u] & ~adjacent[v] or graph.children[u] & graph.parents[v]:
        return True
    sides = graph.parents[v] & graph.neighbours[u]
    return any(sides & ~adjacent[c] & ~(1 << c) for c in members_of(sides))


def extension(graph: Pattern) -> list[int]:
    """DAG with the arcs, edges and colliders of a partly directed graph that has one (Dor and Tarsi 1992)."""
    parents = list(graph.parents)
    left = (1 << len(parents)) - 1
    while left:
        sink = next(v for v in reversed(members_of(left)) if _can_be_sink(graph, v, left))
        parents[sink] |= graph.neighbours[sink] & left
        left ^= 1 << sink
    return parents


def _can_be_sink(graph: Pattern, v: int, left: int) -> bool:
    """Whether v has no arc out, and all its neighbours are adjacent to all other nodes around it."""
    around = graph.adjacent(v) & left
    return not graph.children[v] & left and all(
        not around & ~graph.adjacent(u) & ~(1 << u) for u in members_of(graph.neighbours[v] & left)
    )
