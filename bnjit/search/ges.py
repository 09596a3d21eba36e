"""Greedy equivalence search: from class to class of equivalent graphs, by one arc of any of their members.

Forward and backward phases of Chickering (2002), with the turning phase of Hauser and Buehlmann (2012), whose
notation this is: an operator adds, deletes or turns the arc u -> v, in a member of the class in which the nodes of the
clique C are the neighbours that come before v.
"""

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from bnjit.errors import ArgumentError
from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels.graph import ADD, DELETE, REVERSE
from bnjit.search.classes import Pattern, class_of, extension
from bnjit.search.greedy import Search
from bnjit.search.score_memo import Toggle
from bnjit.search.state import Move, rank_of


class Operator(NamedTuple):
    """Add, delete or turn u -> v, where the clique C comes before v; delta is what that adds to the score."""

    delta: float
    kind: int
    u: int
    v: int
    C: int


class Change(NamedTuple):
    """An operator before it is scored: its terms are the scores of `node` with `parents` and with x toggled."""

    kind: int
    u: int
    v: int
    C: int
    terms: tuple[tuple[int, int, int], ...]


def equivalence_search(search: Search) -> None:
    """Add arcs, delete arcs, turn arcs, each while that improves the score; again while one of them does."""
    _check(search)
    scores = search.state.scores
    before = scores.n_local_scores
    try:
        walk = ClassSearch(search)
        while any([walk.climb("forward"), walk.climb("backward"), walk.climb("turning")]):
            pass
    finally:
        search.state.n_local_scores += scores.n_local_scores - before


def _check(search: Search) -> None:
    """Raise for what a search among equivalence classes cannot do."""
    scores, limits = search.state.scores, search.state.limits
    if len(set(scores.schema.discrete)) > 1:
        raise ArgumentError(
            'algorithm="ges" is for columns that are all discrete or all continuous: arcs between the two kinds can '
            'only go one way; use algorithm="boss"'
        )
    if not scores.equivalent:
        raise ArgumentError(
            'algorithm="ges" needs a score that equivalent graphs share: loglik, aic, bic, ebic, bde, qnml or bge, or '
            "pred for continuous columns"
        )
    free = ~np.eye(len(limits.fixed), dtype=bool)
    if search.state.apart is not None:
        free &= ~search.state.apart
    if limits.fixed.any() or not limits.addable[free].all():
        raise ArgumentError(
            'algorithm="ges" takes no whitelist, blacklist or tiers: the graphs of an equivalence class differ in the '
            'directions of their arcs; use algorithm="boss"'
        )


class ClassSearch:
    """A walk from equivalence class to equivalence class."""

    def __init__(self, search: Search) -> None:
        self.search, self.scores = search, search.state.scores
        self.most = search.state.limits.most
        self.N = len(search.best)
        apart = search.state.apart
        self._apart = [0] * self.N if apart is None else [bits_of(np.flatnonzero(row).tolist()) for row in apart]
        self._operators: dict[tuple[str, int], tuple[object, list[Operator]]] = {}
        self.graph = class_of([bits_of(search.state.parents(v)) for v in range(self.N)])
        self.seen = {self.graph.key}

    def climb(self, phase: str) -> bool:
        """Apply the best operator of a phase while it improves the score; whether any did."""
        improved = False
        while self._step(phase):
            improved = True
        return improved

    def _step(self, phase: str) -> bool:
        """Apply the best operator that improves the score, is valid and leads to a new class; whether there is one.

        Paths are looked at for the best alone. Of columns that all but say each other, rounding may make each of two
        classes look better than the other; no class is visited twice, so that the walk ends.
        """
        found = [operator for v in range(self.N) for operator in self._around(phase, v)]
        ranked = in_order(found, self.search.state.tolerance)
        return any(self._is_open(operator) and self._apply(operator, phase) for operator in ranked)

    def _around(self, phase: str, v: int) -> list[Operator]:
        """Operators that change the arcs into v and improve the score; as before, if all they depend on is."""
        graph = self.graph
        signature: tuple[object, ...] = (graph.parents[v], graph.children[v], graph.neighbours[v])
        signature += tuple(graph.adjacent(z) for z in members_of(graph.neighbours[v]))
        if phase == "turning":
            around = members_of(graph.children[v] | graph.neighbours[v])
            signature += tuple((graph.parents[u], graph.neighbours[u]) for u in around)
            signature += tuple(graph.neighbours[v] & graph.adjacent(u) for u in around)
        kept = self._operators.get((phase, v))
        if kept is None or kept[0] != signature:
            changes = list({"forward": self._insert, "backward": self._delete, "turning": self._turn}[phase](v))
            kept = signature, self._scored(changes)
            self._operators[phase, v] = kept
        return kept[1]

    def _insert(self, v: int) -> Iterator[Change]:
        graph = self.graph
        near = graph.adjacent(v) | self._apart[v] | 1 << v
        apart = [u for u in range(self.N) if not near >> u & 1]
        for C in graph.cliques(graph.neighbours[v], self.most - graph.parents[v].bit_count() - 1):
            base = graph.parents[v] | C
            if base.bit_count() < self.most:
                for u in apart:
                    if not graph.neighbours[v] & graph.adjacent(u) & ~C:
                        yield Change(ADD, u, v, C, ((v, base, u),))

    def _delete(self, v: int) -> Iterator[Change]:
        graph = self.graph
        for K in graph.cliques(graph.neighbours[v], self.N):
            base = graph.parents[v] | K
            for u in members_of(graph.parents[v]):  # which are parents of all neighbours, too
                yield Change(DELETE, u, v, K, ((v, base, u),))
            for u in members_of(K):
                yield Change(DELETE, u, v, K & ~(1 << u), ((v, base, u),))

    def _turn(self, v: int) -> Iterator[Change]:
        graph = self.graph
        for C in graph.cliques(graph.neighbours[v], self.most - graph.parents[v].bit_count() - 1):
            base = graph.parents[v] | C
            if base.bit_count() >= self.most:
                continue
            for u in members_of(graph.children[v]):
                if not graph.neighbours[v] & graph.adjacent(u) & ~C:
                    yield Change(REVERSE, u, v, C, ((v, base, u), (u, graph.parents[u], v)))
            for u in members_of(graph.neighbours[v] & ~C):
                N = graph.neighbours[v] & graph.neighbours[u]
                if C & ~N and not graph.joined(C & ~N, N & ~C, graph.neighbours[v] & ~(C & N) & ~(1 << u)):
                    yield Change(REVERSE, u, v, C, ((v, base, u), (u, graph.parents[u] | C & N | 1 << v, v)))

    def _scored(self, changes: list[Change]) -> list[Operator]:
        """Operators that improve the score: all sets that they need are scored in one batch for each base."""
        wanted: dict[tuple[int, int], dict[int, float]] = {}
        for change in changes:
            for node, base, x in change.terms:
                wanted.setdefault((node, base), {})[x] = 0.0
        requests = [Toggle(node, base, list(which)) for (node, base), which in wanted.items()]
        found = self.scores.toggled(requests)
        before = self.scores.get(list(wanted)) if wanted else ()
        for request, values, score in zip(requests, found, before, strict=True):
            with np.errstate(invalid="ignore"):
                gains = values - score
            wanted[request.node, request.parents] = dict(zip(request.which, gains.tolist(), strict=True))
        operators = []
        for kind, u, v, C, terms in changes:
            delta = sum(wanted[node, base][x] for node, base, x in terms)
            if delta > self.search.state.tolerance:
                operators.append(Operator(delta, kind, u, v, C))
        return operators

    def _is_open(self, operator: Operator) -> bool:
        """Whether the arc would close no cycle: C, and what follows u, block all paths from v to u."""
        _, kind, u, v, C = operator
        if kind == ADD:
            return not self.graph.reaches(v, u, C)
        if kind == REVERSE and self.graph.children[v] >> u & 1:
            return not self.graph.reaches(v, u, C | self.graph.neighbours[u], first=~(1 << u))
        return True

    def _member(self, operator: Operator) -> list[int]:
        """Member of the class that the operator changes by one arc, as the parents of its nodes."""
        graph = self.graph.copy()
        _, kind, u, v, C = operator
        undirected = self.graph.neighbours[v] >> u & 1
        before = C | 1 << u if undirected and kind == DELETE else C
        _put_after(graph, v, before)
        if kind == REVERSE:
            _put_after(graph, u, C & self.graph.neighbours[u] if undirected else 0)
        return extension(graph)

    def _apply(self, operator: Operator, phase: str) -> bool:
        """Go to the class that an operator leads to, unless the walk has been there; whether it went."""
        delta, kind, u, v, _ = operator
        parents = self._member(operator)
        parents[v] ^= 1 << u
        if kind == REVERSE:
            parents[u] ^= 1 << v
        graph = class_of(parents)
        if graph.key in self.seen:
            return False
        local = self.scores.get(list(enumerate(parents)))
        arcs = np.zeros((self.N, self.N), bool)
        for node in range(self.N):
            arcs[members_of(parents[node]), node] = True
        self.search.visit(Move(kind, u, v, delta), arcs, rank_of(local), float(local.sum()), phase)
        self.graph = graph
        self.seen.add(graph.key)
        return True


def in_order(operators: list[Operator], tolerance: float) -> list[Operator]:
    """Operators, the best first; of those that differ by rounding alone, the order does not depend on it."""
    ranked = sorted(operators, key=lambda operator: -operator.delta)
    gaps = [0.0, *(a.delta - b.delta for a, b in pairwise(ranked))] if ranked else []
    groups = accumulate(gap > tolerance for gap in gaps)
    both = sorted(zip(groups, ranked, strict=True), key=lambda pair: (pair[0], pair[1].v, pair[1].u, pair[1].C))
    return [operator for _, operator in both]


def _put_after(graph: Pattern, v: int, before: int) -> None:
    """Direct the edges of v: some neighbours come before it, the others after."""
    for z in members_of(graph.neighbours[v]):
        if before >> z & 1:
            graph.direct(z, v)
        else:
            graph.direct(v, z)
