"""Exact search: the best network there is, by dynamic programming over subsets of the columns.

The best network of a set of nodes has a node without children, a sink; without it, it is the best network of the others
(Koivisto and Sood 2004; Silander and Myllymaki 2006). The parents of the sink are the best within the others. Scores
alone are kept, of the best parents and the best network within each set; the network is read off by finding its sinks
and their parents again.
"""

from collections.abc import Iterator

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_ranges
from bnjit.data.chunked.memory import free_memory
from bnjit.errors import ArgumentError
from bnjit.graph.bits import bits_of
from bnjit.kernels.graph import Flags
from bnjit.kernels.subsets import fill_blocks, find_sink, spread, without_bit
from bnjit.scores.bounds import DISCRETE, GAUSSIAN, UNBOUNDED, ScoreBounds
from bnjit.search.candidates import NodeCandidates
from bnjit.search.entropies import Entropies
from bnjit.search.greedy import Search, hill_climbing
from bnjit.search.regressions import AllRegressions
from bnjit.search.state import ORDER, Move, State, rank_of
from bnjit.search.tuning import BLOCK_NODES, BLOCKS_AT_ONCE, EXACT_SHARE, FEWEST_LOW_NODES, SPREAD_AT_ONCE


def exact_search(search: Search) -> None:
    """Climb, so that there is a network if the user interrupts; then find the best one.

    The certificate of the search says what was proven, or between which bounds the best score lies.
    """
    state = search.state
    refuse_too_many(len(state.free))
    hill_climbing(search)
    scores = state.scores
    before = scores.n_local_scores
    try:
        ExactSearch(search).run()
    finally:
        state.n_local_scores += scores.n_local_scores - before


def memory_of(columns: int) -> float:
    """Bytes of the tables of an exact search: parents within each set of the others, and networks of each set."""
    return 8.0 * (columns + 2) * 2.0 ** (columns - 1)


def refuse_too_many(columns: int) -> None:
    """Raise where the tables of all sets of columns do not fit in memory."""
    needed, free = memory_of(columns), free_memory()
    if needed > EXACT_SHARE * free:
        raise ArgumentError(
            f'algorithm="exact" needs {needed / 1e9:,.1f} GB of memory for the sets of {columns} columns, and '
            f"{free / 1e9:,.1f} GB are free; drop columns, or use algorithm=bnjit.Boss(restarts=20)"
        )


def forecast_exact(state: State) -> str:
    """One line on what an exact search will take."""
    M, limits = len(state.free), state.limits
    bounds = ScoreBounds(state.scores.scorer)
    sets = sum(2.0 ** int((limits.addable & ~limits.fixed)[:, v].sum()) for v in state.free.tolist())
    bounded = sum(bounds.kind(v) != UNBOUNDED for v in state.free.tolist())
    return (
        f"exact search over {M} columns: {memory_of(M) / 1e9:,.2f} GB of memory, and up to {sets:,.0f} parent sets; "
        f"bounds leave out some of those of {bounded} columns"
    )


class ExactSearch:
    """The dynamic program over the nodes that may have arcs.

    Parameters
    ----------
    search : Search
        What is told of the network.
    prunes : bool
        Whether bounds leave out parent sets; without them, all are scored.
    """

    def __init__(self, search: Search, prunes: bool = True) -> None:
        self.search, self.state = search, search.state
        self.nodes: list[int] = search.state.free.tolist()
        self.bounds = ScoreBounds(search.state.scores.scorer) if prunes else None
        self.tolerance = search.state.tolerance
        self.regressions = AllRegressions(search.state)

    def run(self) -> None:
        """Find the best network."""
        within = self.tables()
        best = self._networks(within)
        arcs = self._read_off(within, best)
        local = self.state.scores.get([(v, bits_of(np.flatnonzero(own).tolist())) for v, own in enumerate(arcs.T)])
        score, before = float(local.sum()), self.search.best_score
        delta = score - before if np.isfinite(score) and np.isfinite(before) else 0.0
        self.search.visit(Move(ORDER, -1, -1, delta), arcs, rank_of(local), score, "exact")
        self.state.jump(arcs)
        self.search.accept_current()  # of networks that tie with the climb's, too
        self.search.certificate = self._certificate()

    def tables(self) -> Floats:
        """Score of the best parents of each node within each set of the others, float64[M, 2^(M - 1)]."""
        M = len(self.nodes)
        within = np.full((M, 1 << max(0, M - 1)), -np.inf)
        discrete = [v for v in self.nodes if self.bounds is not None and self.bounds.kind(v) == DISCRETE]
        entropies = Entropies(self.state.scores, self.bounds, discrete) if self.bounds and len(discrete) > 1 else None
        for i, v in enumerate(self.nodes):
            if self.bounds is None or self.bounds.kind(v) != GAUSSIAN or not self.regressions.fill(i, within[i]):
                self._fill(i, within[i], entropies)
            self.search.show("parent sets")
        del entropies
        self._note_bounds(within)
        _soften(within, [self._place(i, self.fixed(v)) for i, v in enumerate(self.nodes)])
        for i in range(0, M, SPREAD_AT_ONCE):
            part = within[i : i + SPREAD_AT_ONCE]
            in_ranges(spread, len(part), self.tolerance, part)
            self.search.show("parent sets")
        return within

    def fixed(self, v: int) -> list[int]:
        """Parents that a node must have."""
        return np.flatnonzero(self.state.limits.fixed[:, v]).tolist()

    def _place(self, i: int, parents: list[int]) -> int:
        """Where the score of a set of parents is in the table of the i-th node."""
        return int(without_bit(bits_of(self.nodes.index(x) for x in parents), i))

    def _fill(self, i: int, scores: Floats, entropies: Entropies | None) -> None:
        """Score the parent sets of a node that may be needed."""
        state, v = self.state, self.nodes[i]
        candidates = NodeCandidates(state.scores, state.limits, self.bounds, v, self.tolerance, entropies)
        sets, values = zip(*candidates.run(), strict=True)
        at = np.zeros(len(sets), np.int64)
        every = np.array(sets, object)
        for place, x in enumerate(y for y in self.nodes if y != v):
            at |= ((every >> x & 1).astype(np.int64)) << place
        scores[at] = values

    def _note_bounds(self, within: Floats) -> None:
        """Note what the best score cannot exceed: the sum of what each node could have by itself."""
        others = np.delete(self.state.local, self.nodes).sum()
        top = float(within.max(axis=1).sum() + others) + self.state.shift
        least = self.search.best_score + self.state.shift
        self.search.certificate = f"none, stopped early: the best score is between {least:,.4f} and {top:,.4f}"

    def _networks(self, within: Floats) -> Floats:
        """Score of the best network of every set of nodes, float64[2^M]."""
        M = len(self.nodes)
        high = max(0, min(BLOCK_NODES, M - FEWEST_LOW_NODES))
        best = np.empty(1 << M)
        for blocks in blocks_in_turn(high):
            in_ranges(fill_blocks, len(blocks), blocks, M - high, self.tolerance, within, best)
            self.search.show("subsets")
        return best

    def _read_off(self, within: Floats, best: Floats) -> Flags:
        """Arcs of the best network of all nodes, bool[N, N], sink by sink."""
        arcs = np.zeros_like(self.search.best)
        left = len(best) - 1
        while left:
            _, i = find_sink(left, self.tolerance, within, best)
            left ^= 1 << i
            arcs[self._parents(within, i, left), self.nodes[i]] = True
        return arcs

    def _parents(self, within: Floats, i: int, among: int) -> list[int]:
        """Best parents of the i-th node among some others: what it takes to have their score."""
        scores, left = within[i], int(without_bit(among, i))
        others = [v for v in self.nodes if v != self.nodes[i]]
        needed = [x for x in range(len(others)) if left >> x & 1]
        for x in reversed(list(needed)):
            if scores[left ^ 1 << x] == scores[left]:
                left ^= 1 << x
                needed.remove(x)
        return [others[x] for x in needed]

    def _certificate(self) -> str:
        """What has been proven."""
        limits = self.state.limits
        free = ~np.eye(len(limits.fixed), dtype=bool)
        if self.state.apart is not None:
            free &= ~self.state.apart
        discrete = np.array(self.state.scores.schema.discrete)
        known = limits.fixed.any() or not (limits.addable | (~discrete[:, None] & discrete[None, :]))[free].all()
        text = "exact: no network scores higher"
        if limits.most < len(self.nodes) - 1:
            text += f" among those with at most {limits.most} parents of a node"
        if known:
            text += " with the arcs that were asked for, and without those that were ruled out"
        return text


def _soften(within: Floats, fewest: list[int]) -> None:
    """Give sets that must be there and are impossible a score, so low that it is better to avoid them.

    No gain elsewhere is worth an impossible node, and the other nodes still count. A node that is always impossible
    adds 0. fewest : where each node has the score of the parents that it must have
    """
    ends = [(float(own.min(where=own > -np.inf, initial=np.inf)), float(own.max())) for own in within]
    low = 1.0 + sum(highest - lowest for lowest, highest in ends if highest > -np.inf)
    for scores, (lowest, highest), at in zip(within, ends, fewest, strict=True):
        if scores[at] == -np.inf:
            scores[at] = lowest - low if highest > -np.inf else 0.0


def blocks_in_turn(high: int) -> Iterator[Ints64]:
    """Sets of the higher nodes, in parts that need only what comes before them, and so can be filled side by side.

    Examples
    --------
    >>> [blocks.tolist() for blocks in blocks_in_turn(2)]
    [[0], [1, 2], [3]]
    """
    by_size: list[list[int]] = [[] for _ in range(high + 1)]
    for block in range(1 << high):
        by_size[block.bit_count()].append(block)
    for blocks in by_size:
        for first in range(0, len(blocks), BLOCKS_AT_ONCE):
            yield np.array(blocks[first : first + BLOCKS_AT_ONCE], np.int64)
