"""Thorough search: all searches, each from where the others ended, and a pool of all parent sets that they scored.

No search finds the best network of every table. Here tabu search, greedy equivalence search and order search begin
where a user says; then each goes on from where the others ended. Restarts go on from the best network perturbed. After
each of them, what all have scored goes to the pool, whose best order may combine the parents that different searches
found. Where columns are few, the pool also has all pairs of parents; where they are many, families (see
`search/families.py`). Tables of few columns are searched exactly where that takes little.
"""

import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bnjit.errors import ArgumentError
from bnjit.kernels.graph import Flags
from bnjit.scores.bounds import GAUSSIAN, ScoreBounds
from bnjit.search.exact import exact_search
from bnjit.search.exchange import exchange_parents
from bnjit.search.ges import equivalence_search
from bnjit.search.greedy import Search, hill_climbing, tabu_search
from bnjit.search.order import OrderSearch
from bnjit.search.pool import ParentSetPool
from bnjit.search.state import ORDER, Move, State, rank_of
from bnjit.search.tuning import (
    EXACT_COLUMNS,
    EXACT_GAUSSIAN_COLUMNS,
    EXACT_VALUES,
    EXPANDED_SCORES,
    EXPANDED_SETS,
    FAMILY_VALUES,
    FAMILY_WIDTHS,
    LEAST_WORK,
    MIXED_WORK,
    MOST_MOVED,
    PAIR_VALUES,
    POOL_ROUNDS,
    TABU,
)

Part = Callable[[Search], None]


class Found(NamedTuple):
    """A graph where a search ended, and what makes it better than others."""

    arcs: Flags
    rank: tuple[int, float]

    def beats(self, other: "Found", tolerance: float) -> bool:
        """Whether it is better by more than rounding."""
        return self.rank[0] > other.rank[0] or (
            self.rank[0] == other.rank[0] and self.rank[1] - other.rank[1] > tolerance
        )


def thorough_search(search: Search, restarts: int, seconds: float | None = None, seed: int | None = None) -> None:
    """Search by all means; `seconds`, if given, may end that early, and then the result depends on the machine."""
    if is_quickly_exact(search.state):
        exact_search(search)
        return
    state, scores = search.state, search.state.scores
    asked, before = state.n_local_scores, scores.n_local_scores
    if seconds is not None:
        search.ends = time.perf_counter() + seconds, f"seconds={seconds:g}, which depends on the machine"
    try:
        with scores.remembering():
            ThoroughSearch(search, np.random.default_rng(0 if seed is None else seed)).run(restarts)
    finally:
        search.ends = None
        state.n_local_scores = asked + scores.n_local_scores - before


def is_quickly_exact(state: State) -> bool:
    """Whether an exact search takes seconds: by the number of columns, of parent sets, and of the rows to count."""
    limits, free = state.limits, state.free.tolist()
    kinds = {ScoreBounds(state.scores.scorer).kind(v) for v in free}
    if kinds == {GAUSSIAN}:  # which needs no rows
        return len(free) <= EXACT_GAUSSIAN_COLUMNS
    sets = 0
    for v in free:
        open_ = int((limits.addable & ~limits.fixed)[:, v].sum())
        room = min(open_, max(0, limits.most - int(limits.fixed[:, v].sum())))
        sets += sum(math.comb(open_, size) for size in range(room + 1))
    return len(free) <= EXACT_COLUMNS and sets * work_of(state) <= EXACT_VALUES


def work_of(state: State) -> float:
    """What scoring one set takes, about, as a number of rows of discrete columns; of moments, it takes none."""
    scorer, is_mixed = state.scores.scorer, len(set(state.scores.schema.discrete)) > 1
    rows = 0 if scorer.is_quick else scorer.store.n * (MIXED_WORK if is_mixed else 1)
    return float(max(rows, LEAST_WORK))


class ThoroughSearch:
    """A walk over local optima of several searches.

    Parameters
    ----------
    search : Search
        What is told of the networks, and remembers the best one.
    rng : Generator
        Draws perturbations.
    """

    def __init__(self, search: Search, rng: np.random.Generator) -> None:
        self.search, self.state, self.rng = search, search.state, rng
        self.orders = OrderSearch(search)
        self.pool = ParentSetPool(self.state.scores, self.state.limits, self.state.free, self.state.tolerance)
        M = len(self.state.free)
        self.work = work_of(self.state)
        # Then not all pairs of parents are scored, and searches go on only from the best of what they found at first.
        self.has_many = M * math.comb(max(M - 1, 0), 2) * self.work > PAIR_VALUES
        self.parts: list[Part] = [self._classes, self._orders, _tabu, _exchanges]

    def run(self, restarts: int) -> None:
        """Search from where the search is; then combine and perturb what was found."""
        start = self._best()
        climbed = self._after(start, hill_climbing)
        ends = [self._after(start, self._classes)]
        if self.has_many:  # order search takes long: what it might be stopped in comes after the best of the rest
            self._add_families()
            self._chain(self._combined(self._best()), self.parts)
        ends += [
            self._chain(self._after(climbed, self._orders), [self._classes, self._orders]),
            self._after(start, _tabu),
            self._after(climbed, _exchanges),
        ]
        if not self.has_many:
            for found in ends:
                self._chain(found, self.parts)
            self.pool.add_pairs()
        best = self._best()
        for turn in range(restarts + 1):
            if turn:
                self.search.n_restarts += 1
                best = self._better(best, self._chain(self._perturbed(best), self.parts))
            combined = self._combined(best)
            improves = combined.beats(best, self.state.tolerance)
            if improves or (self.has_many and not turn):
                start = combined if improves else best
                best = self._better(best, self._chain(start, self.parts))

    def _best(self) -> Found:
        return Found(self.search.best, self.search.best_rank)

    def _better(self, one: Found, other: Found) -> Found:
        return other if other.beats(one, self.state.tolerance) else one

    def _after(self, found: Found, part: Part) -> Found:
        """Best graph that a search finds from another; whatever ends it, the best one of all is kept."""
        search, kept = self.search, (self.search.best, self.search.best_rank, self.search.best_score)
        try:
            self.state.jump(found.arcs)
            search.accept_current()
            part(search)
        finally:
            reached = self._best()
            if not reached.beats(Found(*kept[:2]), self.state.tolerance):
                search.best, search.best_rank, search.best_score = kept
        return reached

    def _chain(self, found: Found, parts: Sequence[Part]) -> Found:
        """Best graph that searches find, each from where the last one ended, until none improves it."""
        since = 0  # parts since the last improvement
        for part in itertools.cycle(parts):
            reached = self._after(found, part)
            if reached.beats(found, self.state.tolerance):
                found, since = reached, 0
            since += 1
            if since == len(parts):
                break
        return found

    def _classes(self, search: Search) -> None:
        """Search among equivalence classes; where that does not apply, it is no part any more."""
        try:
            equivalence_search(search)
        except ArgumentError:
            self.parts = [part for part in self.parts if part != self._classes]

    def _orders(self, search: Search) -> None:
        self.orders.climb_from(search.best)

    def _perturbed(self, found: Found) -> Found:
        """Graph of an order with some nodes moved."""
        arcs, local = self.orders.perturb(found.arcs, MOST_MOVED, self.rng)
        return Found(arcs, rank_of(local))

    def _combined(self, found: Found) -> Found:
        """Best graph that the parent sets of the pool make."""
        state = self.state
        state.jump(found.arcs)  # so that the memo knows its parent sets
        self.pool.update()
        M = max(1, len(state.free))
        expanded = min(EXPANDED_SETS, EXPANDED_SCORES // (M * M))
        if expanded:
            self.pool.expand(expanded)
            self.pool.update()
        _, arcs = self.pool.search(self.orders.order_of(found.arcs), POOL_ROUNDS, self.rng)
        state.jump(arcs)
        before = self.search.best_score
        delta = state.score - before if np.isfinite(state.score) and np.isfinite(before) else 0.0
        self.search.visit(Move(ORDER, -1, -1, delta), arcs, rank_of(state.local), state.score, "pool")
        return Found(arcs, rank_of(state.local))

    def _add_families(self) -> None:
        """Score what grows from the best parents of each node, unless that would take too long."""
        if len(self.state.free) ** 2 * sum(FAMILY_WIDTHS) * self.work <= FAMILY_VALUES:
            for _ in self.pool.add_families():
                self.search.show("families")


def _tabu(search: Search) -> None:
    tabu_search(search, tabu=TABU, max_tabu=TABU)


def _exchanges(search: Search) -> None:
    """Exchange parents and climb, while that improves the score."""
    possible, score = search.state.rank
    while exchange_parents(search):
        hill_climbing(search)
        last = score
        now, score = search.state.rank
        if now == possible and score - last <= search.state.tolerance:
            return
        possible = now
