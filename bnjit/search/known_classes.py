"""Greedy equivalence search where not all graphs are allowed: arcs that must or must not be, columns of both kinds.

Of an equivalence class only the graphs count that obey what is known beforehand: the whitelist's arcs are there, those
that the blacklist, the tiers or the kinds of columns forbid are not. Such a set of graphs is what its arcs and edges
say (Meek 1995): its colliders are directed, so are the edges that knowledge lets go one way only, and so is what four
rules direct from these. Each edge that is left goes either way in some of the graphs.

An operator changes one arc of a graph of the set and must lead to a graph that obeys, too. The parents of v before it
are the directed ones and a clique C of neighbours. Which C there are cannot be told from the neighbours of v alone, as
it can without knowledge: edges are directed one by one, with what follows, until all around v (and around u, if u -> v
is turned) are, or one cannot be. Then a path of arcs from v to u says whether the new arc closes a cycle: the shortest
path in any graph of the set begins at v with an arc, goes on by rule 1, and so is directed in all of them.

Any two equivalent graphs are linked by turns of covered arcs, each of which has its direction from one of the two
(Chickering 1995). So all graphs on the way obey what both obey, and a score that is equal for graphs that differ by a
covered arc between columns of the same kind is equal for the set.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels.graph import ADD, DELETE, REVERSE
from bnjit.search.classes import Pattern, class_of, extension
from bnjit.search.ges import ClassSearch
from bnjit.search.greedy import Search
from bnjit.search.operators import Changes, Operator


class KnownClassSearch(ClassSearch):
    """A walk among classes of the graphs that obey what is known."""

    def __init__(self, search: Search) -> None:
        limits = search.state.limits
        one_way = limits.fixed | ~limits.addable.T
        self._one_way = [bits_of(np.flatnonzero(one_way[:, v]).tolist()) for v in range(len(one_way))]
        self._fixed = [bits_of(np.flatnonzero(limits.fixed[:, v]).tolist()) for v in range(len(one_way))]
        super().__init__(search)

    def _class_of(self, parents: Sequence[int]) -> Pattern:
        return class_of(parents, self._one_way)

    def _delete(self, v: int) -> Iterator[Changes]:
        graph = self.graph
        which = members_of(graph.parents[v] & ~self._fixed[v])
        for K in graph.cliques(graph.neighbours[v], self.N):
            base = graph.parents[v] | K
            if which:
                yield Changes(DELETE, v, K, base, which, [])
            for u in members_of(K):
                yield Changes(DELETE, v, K & ~(1 << u), base, [u], [])

    def _turn(self, v: int) -> Iterator[Changes]:
        """Arcs v -> u of members; what is a parent of v, and comes before v with C, comes before u as well."""
        graph = self.graph
        after = graph.children[v] | graph.neighbours[v]
        turned = [u for u in members_of(after & self._sources[v]) if not self._fixed[u] >> v & 1]
        for C in graph.cliques(graph.neighbours[v], self.most - graph.parents[v].bit_count() - 1):
            base = graph.parents[v] | C
            if base.bit_count() >= self.most:
                continue
            later = graph.neighbours[v] & ~C  # which no arc may lead from to u
            which = [u for u in turned if not C >> u & 1 and not later & graph.parents[u]]
            if which:
                yield Changes(REVERSE, v, C, base, which, [self._before(u, v, base) | 1 << v for u in which])

    def _before(self, u: int, v: int, base: int) -> int:
        """Parents of u in the members in which v has some parents and is one of them."""
        return self.graph.parents[u] | base & self.graph.neighbours[u]

    def _is_open(self, operator: Operator) -> bool:
        """Whether there is a member in which C comes before v, and in which the arc would close no cycle."""
        _, kind, u, v, _ = operator
        graph = self._directed(operator)
        if graph is None:
            return False
        return kind == DELETE or not graph.leads_to(v, u, first=-1 if kind == ADD else ~(1 << u))

    def _directed(self, operator: Operator) -> Pattern | None:
        """Members of the class that the operator can change; None if there are none."""
        _, kind, u, v, C = operator
        graph = self.graph.copy()
        if kind == DELETE:
            return graph if graph.put(v, C | 1 << u) else None
        if not graph.put(v, C):
            return None
        if kind == REVERSE and not graph.put(u, self._before(u, v, self.graph.parents[v] | C) | 1 << v):
            return None
        return graph

    def _member(self, operator: Operator) -> list[int]:
        """Member of the class that the operator changes by one arc, as the parents of its nodes."""
        graph = self._directed(operator)
        assert graph is not None  # it is open
        return extension(graph)
