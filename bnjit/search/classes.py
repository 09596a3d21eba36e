"""Equivalence classes of DAGs on integers, sets of nodes as bits: the CPDAG of a DAG, and DAGs of a CPDAG.

`bnjit.graph.pdag` does the same on networkx graphs with names; a search does it at every step.
"""

import functools
import heapq
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bnjit.graph.bits import bits_of, members_of


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

    def close(self, arcs: list[tuple[int, int]]) -> None:
        """Direct the edges that follow from new arcs by Meek's four rules (1995), and from those in turn.

        Without knowledge beforehand the fourth finds nothing. The list is used up.
        """
        while arcs:
            for u, v in self._following(*arcs.pop()):
                if self.neighbours[u] >> v & 1:
                    self.direct(u, v)
                    arcs.append((u, v))

    def _following(self, a: int, b: int) -> list[tuple[int, int]]:
        """Edges that the arc a -> b directs, together with other arcs."""
        parents, children, neighbours = self
        apart = ~self.adjacent(a) & ~(1 << a)
        found = [(b, v) for v in members_of(neighbours[b] & apart)]  # rule 1: a -> b, a and v apart
        found += [(a, v) for v in members_of(children[b] & neighbours[a])]  # rule 2: a -> b -> v
        found += [(u, b) for u in members_of(parents[a] & neighbours[b])]  # rule 2: u -> a -> b
        sides = neighbours[a] & neighbours[b]
        if not sides:  # the other rules need a node with edges to both
            return found
        others = parents[b] & apart
        found += [(u, b) for u in members_of(sides) if others & neighbours[u]]  # rule 3: a -> b <- d, a and d apart
        for v in members_of(children[b] & apart):  # rule 4: a -> b -> v, a and v apart
            found += [(u, v) for u in members_of(sides & neighbours[v])]
        for d in members_of(parents[a] & ~self.adjacent(b)):  # rule 4: d -> a -> b, d and b apart
            found += [(u, b) for u in members_of(sides & neighbours[d])]
        return found

    def put_after(self, v: int, before: int) -> None:
        """Direct the edges of v: some neighbours come before it, the others after."""
        for z in members_of(self.neighbours[v]):
            if before >> z & 1:
                self.direct(z, v)
            else:
                self.direct(v, z)

    def put(self, v: int, before: int) -> bool:
        """Direct the edges of v one by one, with what follows: some nodes come before it; False if they cannot."""
        wanted = self.neighbours[v]
        for z in members_of(wanted):
            arc = (z, v) if before >> z & 1 else (v, z)
            if self.neighbours[v] >> z & 1:
                self.direct(*arc)
                self.close([arc])
        return not (self.parents[v] ^ before) & wanted

    def leads_to(self, start: int, target: int, first: int = -1) -> bool:
        """Whether a path of arcs leads to a node; first : nodes that its first step may lead to."""
        seen = 1 << start
        border = self.children[start] & first & ~seen
        while border:
            if border >> target & 1:
                return True
            seen |= border
            border = _union(self.children[v] for v in members_of(border)) & ~seen
        return False

    def around(self, nodes: int) -> int:
        """Nodes with an edge to some of these."""
        return _union(self.adjacent(v) for v in members_of(nodes))

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


def class_of(parents: Sequence[int], one_way: Sequence[int] | None = None) -> Pattern:
    """CPDAG of a DAG, given by the parents of its nodes: its colliders, and what Meek's rules direct (1995).

    one_way : for every node v, those whose arcs into v cannot be turned, by what is known beforehand. Then what is
    directed is what all graphs share that are equivalent and obey this knowledge.
    """
    N = len(parents)
    adjacent = list(parents)
    for v in range(N):
        for u in members_of(parents[v]):
            adjacent[u] |= 1 << v
    found = Pattern([0] * N, [0] * N, list(adjacent))
    arcs = []
    for v in range(N):
        known = 0 if one_way is None else one_way[v]
        for u in members_of(parents[v]):
            if parents[v] & ~adjacent[u] & ~(1 << u) or known >> u & 1:
                found.direct(u, v)
                arcs.append((u, v))
    found.close(arcs)
    return found


def extension(graph: Pattern) -> list[int]:
    """DAG with the arcs, edges and colliders of a partly directed graph that has one (Dor and Tarsi 1992).

    Of the nodes that can be sinks, the last goes first. Whether a node can be one changes only where a neighbour went.
    """
    parents = list(graph.parents)
    left = (1 << len(parents)) - 1
    sinks = [-v for v in range(len(parents)) if _can_be_sink(graph, v, left)]
    heapq.heapify(sinks)
    known = bits_of(-v for v in sinks)
    while left:
        sink = -heapq.heappop(sinks)
        parents[sink] |= graph.neighbours[sink] & left
        left ^= 1 << sink
        for v in members_of(graph.adjacent(sink) & left & ~known):
            if _can_be_sink(graph, v, left):
                heapq.heappush(sinks, -v)
                known |= 1 << v
    return parents


def _can_be_sink(graph: Pattern, v: int, left: int) -> bool:
    """Whether v has no arc out, and all its neighbours are adjacent to all other nodes around it."""
    if graph.children[v] & left:
        return False
    around = graph.adjacent(v) & left
    return all(not around & ~graph.adjacent(u) & ~(1 << u) for u in members_of(graph.neighbours[v] & left))
