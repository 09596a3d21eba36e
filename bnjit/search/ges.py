"""Greedy equivalence search: from class to class of equivalent graphs, by one arc of any of their members.

Forward and backward phases of Chickering (2002), with the turning phase of Hauser and Buehlmann (2012), whose
notation this is: an operator adds, deletes or turns the arc u -> v, in a member of the class in which the nodes of the
clique C are the neighbours that come before v. With knowledge of arcs, or columns of both kinds, a class has only the
graphs that obey it; see `search/known_classes.py`.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from bnjit.errors import ArgumentError
from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels.graph import ADD, DELETE, REVERSE, Flags
from bnjit.search.classes import Pattern, class_of, extension
from bnjit.search.greedy import Search
from bnjit.search.operators import Changes, Operator, Ranking, score, screened
from bnjit.search.screening import Screen
from bnjit.search.state import Move, rank_of
from bnjit.search.tuning import SETS_AT_ONCE

PHASES = ("forward", "backward", "turning")


def equivalence_search(search: Search) -> None:
    """Add arcs, delete arcs, turn arcs, each while that improves the score; again while one of them does.

    Every graph on the way has the arcs of the whitelist and none that the blacklist, the tiers or the kinds of columns
    forbid, and at most `max_parents` parents of a node. A step goes to the best class that one arc leads to, from any
    graph of the class that obeys all this to another one that does.
    """
    _check(search)
    scores = search.state.scores
    before = scores.n_local_scores
    try:
        climb_classes(search)
    finally:
        search.state.n_local_scores += scores.n_local_scores - before


def climb_classes(search: Search) -> None:
    """Run all phases from the class of the state's graph, again while one of them finds a better class."""
    walk = walk_of(search)
    while sum(walk.climb(phase) for phase in PHASES):
        pass


def walk_of(search: Search) -> "ClassSearch":
    """A walk among classes of all graphs, or of those that obey what is known."""
    free = ~np.eye(search.state.limits.fixed.shape[0], dtype=bool)
    if search.state.apart is not None:
        free &= ~search.state.apart
    limits = search.state.limits
    if limits.fixed.any() or not limits.addable[free].all():
        from bnjit.search.known_classes import KnownClassSearch

        return KnownClassSearch(search)
    return ClassSearch(search)


def _check(search: Search) -> None:
    """Raise for scores that tell graphs of a class apart."""
    scores = search.state.scores
    if not scores.scorer.equal_in_classes:
        mixed = len(set(scores.schema.discrete)) > 1
        raise ArgumentError(
            'algorithm="ges" needs a score that equivalent graphs share: loglik, aic, bic, ebic, '
            + ('or marginal for columns of both kinds, without sparse="pool" or penalty="local"; use algorithm="boss"'
               if mixed else "bde, qnml or bge, or pred for continuous columns")
        )  # fmt: skip


class ClassSearch:
    """A walk from equivalence class to equivalence class."""

    def __init__(self, search: Search) -> None:
        self.search, self.scores = search, search.state.scores
        limits = search.state.limits
        self.most = limits.most
        self.N = len(search.best)
        allowed = limits.addable & ~np.eye(self.N, dtype=bool)
        self._sources = [bits_of(np.flatnonzero(allowed[:, v]).tolist()) for v in range(self.N)]
        self._stale = {phase: set(range(self.N)) for phase in PHASES}
        self._ranking = {phase: Ranking(self.N) for phase in PHASES}
        self._signatures: dict[tuple[str, int], object] = {}
        self._screen = Screen(self.scores, search.state.tolerance)
        self._member_now = [bits_of(search.state.parents(v)) for v in range(self.N)]
        self._arcs: Flags = search.state.arcs.copy()
        self._local = self.scores.get(list(enumerate(self._member_now)))
        self.graph = self._class_of(self._member_now)
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
        self._refresh(phase)
        ranked = self._ranking[phase].in_order(self.search.state.tolerance)
        return any(self._is_open(operator) and self._apply(operator, phase) for operator in ranked)

    def _refresh(self, phase: str) -> None:
        """Find the operators of nodes around which the graph has changed; all that they need is scored together."""
        changes: list[tuple[int, list[Changes]]] = []
        size = 0
        for v in sorted(self._stale[phase]):
            signature = self._signature(phase, v)
            if self._signatures.get((phase, v)) != signature:
                self._signatures[phase, v] = signature
                changes.append((v, list(self._changes(phase, v))))
                size += sum(each.size for each in changes[-1][1])
                if size > SETS_AT_ONCE:
                    self._score(phase, changes)
                    changes, size = [], 0
        self._score(phase, changes)
        self._stale[phase].clear()

    def _score(self, phase: str, changes: Sequence[tuple[int, list[Changes]]]) -> None:
        worth = screened(self.scores, [some for _, some in changes], self._screen)
        found = score(self.scores, worth, self.search.state.tolerance)
        for (v, _), improvements in zip(changes, found, strict=True):
            self._ranking[phase].put(v, improvements)

    def _signature(self, phase: str, v: int) -> object:
        """All that the operators which change the arcs into v depend on."""
        graph = self.graph
        signature: tuple[object, ...] = (graph.parents[v], graph.children[v], graph.neighbours[v])
        signature += tuple(graph.adjacent(z) for z in members_of(graph.neighbours[v]))
        if phase == "turning":
            around = members_of(graph.children[v] | graph.neighbours[v])
            signature += tuple((graph.parents[u], graph.neighbours[u], graph.adjacent(u)) for u in around)
        return signature

    def _changes(self, phase: str, v: int) -> Iterator[Changes]:
        """What may change the arcs into v."""
        return {"forward": self._insert, "backward": self._delete, "turning": self._turn}[phase](v)

    def _insert(self, v: int) -> Iterator[Changes]:
        graph = self.graph
        apart = self._sources[v] & ~graph.adjacent(v)
        for C in graph.cliques(graph.neighbours[v], self.most - graph.parents[v].bit_count() - 1):
            base = graph.parents[v] | C
            if base.bit_count() < self.most:
                closed = graph.around(graph.neighbours[v] & ~C)  # from which a neighbour after v leads back
                which = members_of(apart & ~closed)
                if which:
                    yield Changes(ADD, v, C, base, which, [])

    def _delete(self, v: int) -> Iterator[Changes]:
        graph = self.graph
        for K in graph.cliques(graph.neighbours[v], self.N):
            base = graph.parents[v] | K
            which = members_of(graph.parents[v])  # which are parents of all neighbours, too
            if which:
                yield Changes(DELETE, v, K, base, which, [])
            for u in members_of(K):
                yield Changes(DELETE, v, K & ~(1 << u), base, [u], [])

    def _turn(self, v: int) -> Iterator[Changes]:
        graph = self.graph
        for C in graph.cliques(graph.neighbours[v], self.most - graph.parents[v].bit_count() - 1):
            base = graph.parents[v] | C
            if base.bit_count() >= self.most:
                continue
            which, others = [], []
            for u in members_of(graph.children[v]):
                if not graph.neighbours[v] & graph.adjacent(u) & ~C:
                    which.append(u)
                    others.append(graph.parents[u])
            for u in members_of(graph.neighbours[v] & ~C):
                N = graph.neighbours[v] & graph.neighbours[u]
                if C & ~N and not graph.joined(C & ~N, N & ~C, graph.neighbours[v] & ~(C & N) & ~(1 << u)):
                    which.append(u)
                    others.append(graph.parents[u] | C & N | 1 << v)
            if which:
                yield Changes(REVERSE, v, C, base, which, others)

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
        graph.put_after(v, before)
        if kind == REVERSE:
            graph.put_after(u, C & self.graph.neighbours[u] if undirected else 0)
        return extension(graph)

    def _class_of(self, parents: Sequence[int]) -> Pattern:
        return class_of(parents)

    def _apply(self, operator: Operator, phase: str) -> bool:
        """Go to the class that an operator leads to, unless the walk has been there; whether it went."""
        delta, kind, u, v, _ = operator
        parents = self._member(operator)
        parents[v] ^= 1 << u
        if kind == REVERSE:
            parents[u] ^= 1 << v
        graph = self._class_of(parents)
        if graph.key in self.seen:
            return False
        self._go(parents)
        self.search.visit(Move(kind, u, v, delta), self._arcs, rank_of(self._local), float(self._local.sum()), phase)
        self._mark(graph)
        self.graph = graph
        self.seen.add(graph.key)
        return True

    def _go(self, parents: list[int]) -> None:
        """Make a graph the current one."""
        moved = [node for node, own in enumerate(parents) if own != self._member_now[node]]
        self._arcs, self._local = self._arcs.copy(), self._local.copy()
        self._local[moved] = self.scores.get([(node, parents[node]) for node in moved])
        self._arcs[:, moved] = False
        for node in moved:
            self._arcs[members_of(parents[node]), node] = True
        self._member_now = parents

    def _mark(self, graph: Pattern) -> None:
        """Mark the nodes whose operators may be other ones in the next graph: what changed, and what is around it."""
        before = zip(*self.graph, strict=True)
        changed = [v for v, (old, new) in enumerate(zip(before, zip(*graph, strict=True), strict=True)) if old != new]
        near = set(changed)
        for v in changed:
            near.update(members_of(graph.parents[v] | graph.neighbours[v]))
        for stale in self._stale.values():
            stale.update(near)
