"""Greedy search, the paper's Algorithm 1: hill climbing (step 3), tabu search (step 4), random restarts (step 5)."""

import itertools
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bnjit.kernels.graph import ADD, DELETE, REVERSE, Flags
from bnjit.search.copies import join_copies
from bnjit.search.state import Move, State
from bnjit.search.tuning import LONGEST_TABU

UNCOUNTED = ("perturb", "one_se")  # phases whose moves max_iter does not limit


class Step(NamedTuple):
    """An accepted move: the score after it, the phase it belongs to, and seconds since the search began."""

    move: Move
    score: float
    phase: str
    seconds: float


class Outcome(NamedTuple):
    """What a search has found, without the statistics that it needed.

    best : arcs of the best network, bool[N, N]; score : as it is shown; steps : with scores as they are shown; seconds
    : since the search began; the rest as in Search
    """

    best: Flags
    score: float
    steps: list[Step]
    n_local_scores: int
    n_restarts: int
    stopped_by: str | None
    certificate: str | None
    seconds: float

    @property
    def best_parents(self) -> list[tuple[int, ...]]:
        """Parents of each node in the best graph, ascending."""
        return parents_of(self.best)


class Stopped(Exception):  # noqa: N818 - it ends a search, it is no error
    """The search has made as many moves as it may."""


class Search:
    """A walk from graph to graph that remembers the best one, whatever ends it.

    Parameters
    ----------
    state : State
        Where to start.
    max_iter : int, optional
        Moves to make at the most, not counting perturbations and what is pruned afterwards.
    on_step : callable
        Told of every step.

    Attributes
    ----------
    n_restarts : int
        Restarts that were begun.
    came_back : bool
        Whether a step led back to the best graph since there is one, or since a restart began.
    certificate : str or None
        What the search has proven of the best graph.
    ends : (float, str) or None
        When it ends, as time.perf_counter tells time, and what to say then.
    """

    def __init__(self, state: State, max_iter: int | None, on_step: Callable[[Step], None]) -> None:
        self.state, self.max_iter, self.on_step = state, max_iter, on_step
        self.began = time.perf_counter()
        self.steps: list[Step] = []
        self.moves = self.n_restarts = 0
        self.came_back = False
        self.best: Flags = state.arcs.copy()
        self.best_rank = state.rank
        self.best_score = state.score
        self.stopped_by: str | None = None
        self.certificate: str | None = None
        self.ends: tuple[float, str] | None = None

    def take(self, move: Move, phase: str) -> bool:
        """Make a move; True if it leads to a new best graph."""
        self._count(phase)
        self.state.apply(move)
        return self._record(move, self.state.arcs, self.state.rank, self.state.score, phase)

    def visit(self, move: Move, arcs: Flags, rank: tuple[int, float], score: float, phase: str) -> bool:
        """Look at a graph that is not one move from the last; True if it is a new best one."""
        self._count(phase)
        return self._record(move, arcs, rank, score, phase)

    def _count(self, phase: str) -> None:
        self.stop_in_time()
        if phase not in UNCOUNTED:
            if self.max_iter is not None and self.moves >= self.max_iter:
                raise Stopped(f"max_iter={self.max_iter}")
            self.moves += 1

    def stop_in_time(self) -> None:
        """End the search if its time is over."""
        if self.ends is not None and time.perf_counter() > self.ends[0]:
            raise Stopped(self.ends[1])

    def _record(self, move: Move, arcs: Flags, rank: tuple[int, float], score: float, phase: str) -> bool:
        step = Step(move, score + self.state.shift, phase, self.seconds)
        self.steps.append(step)
        better = rank[0] > self.best_rank[0] or (
            rank[0] == self.best_rank[0] and rank[1] - self.best_rank[1] > self.state.tolerance
        )
        if better:
            self.best, self.best_rank, self.best_score = arcs.copy(), rank, score
            self.came_back = False
        elif np.array_equal(arcs, self.best):
            self.came_back = True
        self.on_step(step)
        return better

    def show(self, phase: str) -> None:
        """Show that something was done which is no move."""
        self.stop_in_time()
        self.on_step(Step(Move(0, -1, -1, 0.0), self.best_score + self.state.shift, phase, self.seconds))

    def accept_current(self) -> None:
        """Take the current graph for the best one, for reasons beside its score."""
        self.best, self.best_rank, self.best_score = self.state.arcs.copy(), self.state.rank, self.state.score

    @property
    def best_parents(self) -> list[tuple[int, ...]]:
        """Parents of each node in the best graph, ascending."""
        return parents_of(self.best)

    @property
    def outcome(self) -> Outcome:
        """What was found."""
        state = self.state
        return Outcome(
            self.best, self.best_score + state.shift, self.steps, state.n_local_scores, self.n_restarts,
            self.stopped_by, self.certificate, self.seconds,
        )  # fmt: skip

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return time.perf_counter() - self.began

    def run_all(self, algorithms: Sequence[Callable[["Search"], None]]) -> None:
        """Run one algorithm after the other, and join copies to their originals, until the user interrupts."""
        for algorithm in (*algorithms, join_copies):
            if self.stopped_by != "Ctrl-C":
                self.run(algorithm)

    def run(self, algorithm: Callable[["Search"], None]) -> None:
        """Search until the algorithm ends, max_iter is reached or the user interrupts."""
        self.stopped_by = run_until_stopped(lambda: algorithm(self)) or self.stopped_by


def run_until_stopped(action: Callable[[], None]) -> str | None:
    """Do something; None, or what ended it before its end: "Ctrl-C", or that a search made all moves it may."""
    try:
        action()
    except Stopped as stop:
        return str(stop)
    except KeyboardInterrupt:
        return "Ctrl-C"
    except SystemError as error:  # Ctrl-C while Numba hands over a result
        cause = _interruption(error)
        if cause is None:
            raise
        if isinstance(cause, SystemExit):
            raise cause from None
        return "Ctrl-C"
    return None


def parents_of(arcs: Flags) -> list[tuple[int, ...]]:
    """Parents of each node, ascending."""
    return [tuple(own.nonzero()[0].tolist()) for own in arcs.T]


def _interruption(error: BaseException | None) -> BaseException | None:
    """Ctrl-C or SIGTERM, if an error comes of it, however often it was wrapped."""
    while error is not None and not isinstance(error, KeyboardInterrupt | SystemExit):
        error = error.__cause__ or error.__context__
    return error


def hill_climbing(search: Search) -> None:
    """Take the best move while there is one that improves the score (step 3)."""
    while (move := search.state.best_move()) is not None:
        search.take(move, "hc")


def tabu_search(search: Search, tabu: int, max_tabu: int) -> None:
    """Climb, but not back to the last `tabu` graphs (t1); where nothing improves take the least bad move (step 4).

    A new best graph returns to climbing; `max_tabu` (t0) moves that do not improve the score, without one, end it.
    """
    state = search.state
    tabu = min(tabu, LONGEST_TABU)
    visited = np.zeros(tabu, np.uint64)
    losses = 0
    for turn in itertools.count():
        visited[turn % tabu] = state.code
        forbidden = visited[: min(turn + 1, tabu)]
        phase = "hc"
        move = state.best_move(forbidden=forbidden)
        if move is None:
            phase = "tabu"
            if losses >= max_tabu:
                return
            losses += 1
            move = state.best_move(least=-np.inf, forbidden=forbidden)
            if move is None:
                return
        if search.take(move, phase):
            losses = 0


def random_restarts(
    search: Search, algorithm: Callable[[Search], None], restarts: int, perturb: int, seed: int | None,
    until_repeated: bool = False,
) -> None:  # fmt: skip
    """Search, then `restarts` times perturb the best graph by random moves and search again (step 5).

    With `until_repeated`, one that leads back to the graph that was perturbed, and to no better one, is the last (step
    5(b)). A graph that is merely equivalent to it is another one.
    """
    rng = np.random.default_rng(0 if seed is None else seed)
    algorithm(search)
    for _ in range(restarts):
        previous = search.best
        search.state.jump(previous)
        perturb_graph(search, perturb, rng)
        search.n_restarts += 1
        search.came_back = False
        algorithm(search)
        if until_repeated and search.best is previous and search.came_back:
            return


def perturb_graph(search: Search, moves: int, rng: np.random.Generator) -> None:
    """Make `moves` random legal moves, or as many as 3 times that many attempts find (as bnlearn does)."""
    state = search.state
    state.refresh()
    free, made = state.free, 0  # others take no part in what is drawn, so that they change nothing
    for _ in range(3 * moves if len(free) else 0):
        kind = int(rng.choice([ADD, DELETE, REVERSE]))
        source, target = free[rng.integers(0, len(free), 2)].tolist()
        if kind != ADD:
            there = np.argwhere(state.arcs)
            if not len(there):
                continue
            source, target = there[rng.integers(len(there))].tolist()
        if not state.legal(kind, source, target):
            continue
        delta = state.delta[source, target] + (state.delta[target, source] if kind == REVERSE else 0.0)
        if np.isfinite(delta):
            search.take(Move(kind, source, target, float(delta)), "perturb")
            state.refresh()
            made += 1
        if made == moves:
            return
