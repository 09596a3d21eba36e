"""State: the current graph with the paper's cache, B_i and Delta_ij, kept up to date move by move."""

from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.graph.bits import bits_of
from bnjit.kernels.graph import (
    ADD,
    DELETE,
    REVERSE,
    TOLERANCE,
    Bits,
    Flags,
    add_ancestors,
    best_move,
    find_ancestors,
    is_legal,
)
from bnjit.search.constraints import Constraints
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.tuning import FEW_NODES

PLACE, ORDER = 4, 5  # moves of a search among orders
EXCHANGE = 6
NAMES = {ADD: "add", DELETE: "delete", REVERSE: "reverse", PLACE: "place", ORDER: "order", EXCHANGE: "exchange"}
NOISE = 16 * np.finfo(np.float64).eps  # what rounding may do to a local score, relative to it


def rank_of(local: Floats) -> tuple[int, float]:
    """What makes local scores better: fewer impossible nodes, then a higher sum of the others."""
    possible = np.isfinite(local)
    return int(possible.sum()), float(local[possible].sum())


class Move(NamedTuple):
    """Add, delete or reverse the arc source -> target; delta is what that adds to the score.

    A search among orders places the node `source` before `target`, or last where that is -1, or takes a new order; an
    exchange gives the node `source` other parents.
    """

    kind: int
    source: int
    target: int
    delta: float

    @property
    def name(self) -> str:
        """Return "add", "delete", "reverse", "place", "order" or "exchange"."""
        return NAMES[self.kind]


class State:
    """A graph, the scores B_i of its nodes, and the differences Delta_ij that toggling each arc would make.

    After a move only the differences of the nodes whose parents changed are estimated anew (Section 2), when they are
    next needed; all additions, deletions and reversals are then compared without estimating anything.

    Attributes
    ----------
    arcs : bool[N, N]
        arcs[i, j] for i -> j.
    local : float64[N]
        B_i, the local scores.
    delta : float64[N, N]
        Delta_ij, what adding (or, if it is there, deleting) i -> j adds to the score; -inf where that is not allowed.
    free : int64[<= N]
        Nodes that may have arcs.
    shift : float
        What is added to scores of graphs that are shown; see `Scorer`.
    n_local_scores : int
        Local distributions estimated to fill the differences.
    """

    def __init__(self, scores: ScoreMemo, constraints: Constraints) -> None:
        self.scores, self.limits, self.apart = scores, constraints.limits, constraints.apart
        self.copies, self._removable = constraints.copies, ~constraints.limits.fixed
        N = len(constraints.start)
        self.free: Ints64 = np.arange(N) if self.apart is None else np.flatnonzero(~self.apart.diagonal())
        self.n_local_scores, self.shift = 0, scores.shift
        self._stale: set[int] = set()
        self.local: Floats = np.zeros(N)
        self._tolerance: float | None = None  # of these, if it is known
        self.delta: Floats = np.full((N, N), -np.inf)
        self._toggled: Floats = np.full((N, N), np.nan)  # local score of j with i -> j toggled, where it was estimated
        self._bounds: Floats = np.empty(N)  # what no legal addition from a node exceeds
        self.ancestors: Bits = np.zeros((N, (N + 63) // 64), np.uint64)
        # Zobrist codes: a structure is the exclusive or of its arcs' codes; the seed only has to be fixed.
        self.codes: Bits = np.random.default_rng(0).integers(0, 2**64, (N, N), np.uint64)
        self.jump(constraints.start)

    def jump(self, arcs: Flags) -> None:
        """Go to another graph."""
        old = getattr(self, "arcs", None)
        self.arcs: Flags = arcs.copy()
        self._present: Ints64 = np.flatnonzero(self.arcs)
        self._bounds.fill(np.inf)
        self.n_parents: Ints64 = arcs.sum(axis=0)
        if old is not None or arcs.any():  # nobody has ancestors at first: a kernel less to load
            find_ancestors(self.arcs, self.ancestors)
        self.code = np.bitwise_xor.reduce(self.codes[self.arcs], initial=np.uint64(0))
        changed = range(len(arcs)) if old is None else np.flatnonzero((old != arcs).any(axis=0)).tolist()
        self._rescore(changed)

    def _rescore(self, nodes: Iterable[int]) -> None:
        """Score the nodes whose parents changed; their differences wait until they are needed."""
        changed, self._tolerance = list(nodes), None
        self.local[changed] = self.scores.get([(node, bits_of(self.parents(node))) for node in changed])
        self._stale.update(changed)

    def parents(self, node: int) -> tuple[int, ...]:
        """Parents of a node, ascending."""
        return tuple(np.flatnonzero(self.arcs[:, node]).tolist())

    def descendants(self, node: int) -> Flags:
        """Nodes that can be reached from a node, which is one of them, bool[N]."""
        found: Flags = (self.ancestors[:, node >> 6] >> np.uint64(node & 63) & np.uint64(1)).astype(bool)
        found[node] = True
        return found

    @property
    def score(self) -> float:
        """Score of the graph."""
        return float(self.local.sum())

    @property
    def rank(self) -> tuple[int, float]:
        """What makes a graph better: fewer impossible nodes, then a higher score of the others."""
        return rank_of(self.local)

    @property
    def tolerance(self) -> float:
        """Differences below this are no differences: bnlearn's tolerance, or what rounding does to large scores."""
        if self._tolerance is None:
            finite = np.abs(self.local[np.isfinite(self.local)])
            self._tolerance = max(TOLERANCE, NOISE * float(finite.max(initial=0.0)))
        return self._tolerance

    def best_move(self, least: float = 0.0, forbidden: Bits | None = None) -> Move | None:
        """Best legal move that adds more than `least` and leads to no forbidden structure."""
        self.refresh()
        none = np.empty(0, np.uint64)
        kind, i, j, gain = best_move(
            self.delta, self.arcs, self._present, self._bounds, self.n_parents, self.ancestors, self.limits, least,
            self.tolerance, none if forbidden is None else forbidden, self.code, self.codes,
        )  # fmt: skip
        return Move(kind, i, j, gain) if kind else None

    def legal(self, kind: int, source: int, target: int) -> bool:
        """Whether a move keeps the graph acyclic and within the limits."""
        return bool(is_legal(kind, source, target, self.arcs, self.n_parents, self.ancestors, self.limits))

    def apply(self, move: Move) -> None:
        """Make a move; the scores of the nodes that it changes were estimated with their differences."""
        i, j = move.source, move.target
        self.toggle(move)
        for node, score in ((j, self._toggled[i, j]), (i, self._toggled[j, i]))[: 1 + (move.kind == REVERSE)]:
            if node in self._stale or np.isnan(score):
                self._rescore([node])
            else:
                self.local[node], self._tolerance = score, None
                self._stale.add(node)

    def toggle(self, move: Move) -> None:
        """Change the graph alone, without any score."""
        kind, i, j, _ = move
        self.arcs[i, j] = kind == ADD
        self.n_parents[j] += 1 if kind == ADD else -1
        self.code ^= self.codes[i, j]
        if kind == REVERSE:
            self.arcs[j, i] = True
            self.n_parents[i] += 1
            self.code ^= self.codes[j, i]
        if kind == ADD:
            self._add_present(len(self.arcs) * i + j)
            add_ancestors(self.ancestors, i, j)
        else:  # what was illegal may be legal now
            self._present = np.flatnonzero(self.arcs)
            self._bounds.fill(np.inf)
            find_ancestors(self.arcs, self.ancestors)

    def _add_present(self, arc: int) -> None:
        """Add an arc to those that are there; of few nodes, looking for all of them is faster."""
        if len(self.arcs) < FEW_NODES:
            self._present = np.flatnonzero(self.arcs)
            return
        before = int(np.searchsorted(self._present, arc))
        self._present = np.concatenate([self._present[:before], [arc], self._present[before:]])

    def refresh(self) -> None:
        """Estimate the differences of all nodes that changed since the last time."""
        copied, asked, requests, tolerance = {}, [], [], self.tolerance
        for j in sorted(self._stale):
            sources = self.worth_knowing(j, self.arcs[:, j])
            if self._can_copy(j):
                copied[j] = self._same_as_reverse(j) & sources
                sources &= ~copied[j]
            asked.append(sources.nonzero()[0])
            requests.append(Toggle(j, bits_of(self.parents(j)), asked[-1].tolist()))
        found = self.scores.toggled(requests, self._likely_toggles)
        for (j, _, _), which, new in zip(requests, asked, found, strict=True):
            before = float(self.local[j])
            change = new - before if isfinite(before) else np.where(np.isfinite(new), np.inf, 0.0)
            change[np.abs(change) < tolerance] = 0.0
            self.delta[:, j] = -np.inf
            self.delta[which, j] = change
            self._toggled[:, j] = np.nan
            self._toggled[which, j] = new
            self.n_local_scores += len(which)
        for j, same in copied.items():
            self.delta[same, j] = self.delta[j, same]
        for j, _, _ in requests:
            np.maximum(self._bounds, self.delta[:, j], out=self._bounds)
        self._stale.clear()

    def _likely_toggles(self) -> list[Toggle]:
        """What will be asked for after the best arc into each node, whose differences are known, is added or deleted.

        A node's best move stays its best until its parents change, whatever happens elsewhere. So what a search needs
        after it is known before it is made, and where rows are read in passes one of them serves about one move of
        every node.
        """
        found = []
        for j in range(len(self.arcs)):
            if j in self._stale:
                continue
            for i in np.argsort(-self.delta[:, j], kind="stable").tolist():
                gain = float(self.delta[i, j])
                if gain <= self.tolerance:
                    break
                if self.legal(DELETE if self.arcs[i, j] else ADD, i, j):
                    found.append((gain, i, j))
                    break
        requests = []
        for _, i, j in sorted(found, key=lambda move: (-move[0], move[2])):
            there = self.arcs[:, j].copy()
            there[i] = not there[i]
            which = np.flatnonzero(self.worth_knowing(j, there)).tolist()
            requests.append(Toggle(j, bits_of(np.flatnonzero(there).tolist()), which))
        return requests

    def worth_knowing(self, j: int, there: Flags) -> Flags:
        """Sources i whose arc i -> j may be toggled if j had these parents, bool[N]."""
        if np.count_nonzero(there) < self.limits.most:
            return np.where(there, self._removable[:, j], self.limits.addable[:, j])
        return there & self._removable[:, j]

    def _can_copy(self, j: int) -> bool:
        """Whether some i -> j may be worth as much as j -> i, which is then not estimated."""
        return self.scores.equivalent and self.n_parents[j] == 0 and self.limits.most > 0

    def _same_as_reverse(self, j: int) -> Flags:
        """Sources i > j for which score equivalence makes i -> j worth as much as j -> i: neither has parents."""
        same = np.zeros(len(self.arcs), bool)
        same[j + 1 :] = (self.n_parents[j + 1 :] == 0) & self.limits.addable[j, j + 1 :]
        return same
