"""Exchanges: another parent for one, or other discrete parents for those that a node has, where no single arc helps.

A configuration of three discrete parents may be what matters while each of them alone says little; greedy search then
takes others, and has no room left. Exchanging them at once is a move that no sequence of improving arcs makes.
"""

import math
from collections.abc import Callable
from itertools import chain, combinations

import numpy as np

from bnjit.graph.bits import bits_of
from bnjit.search.greedy import Search, hill_climbing
from bnjit.search.state import EXCHANGE, Move, State
from bnjit.search.tuning import EXCHANGED_DISCRETE, EXCHANGED_SETS

ParentSet = tuple[int, ...]


def with_exchanges(search: Search, algorithm: Callable[[Search], None], from_best: bool = False) -> None:
    """Search; then exchange parents and climb again while that improves the score.

    from_best : whether the algorithm ends elsewhere than at the best graph that it found
    """
    algorithm(search)
    state = search.state
    if from_best:
        state.jump(search.best)
    better = True
    while better:  # by more than rounding, which may make each of two sets look better than the other
        possible, score = state.rank
        better = exchange_parents(search)
        if better:
            hill_climbing(search)
            better = state.rank[0] > possible or state.rank[1] - score > state.tolerance


def exchange_parents(search: Search) -> bool:
    """Make the exchanges that improve the score, the best of each node; True if there are any.

    What a node gains does not depend on the parents of others: the largest come first, and those after them if they
    still close no cycle.
    """
    state = search.state
    possible = {j: _exchanges(state, j) for j in range(len(state.arcs))}
    before = state.scores.n_local_scores
    pairs = [(j, parents) for j, sets in possible.items() for parents in sets]
    scores = iter(state.scores.get([(j, bits_of(parents)) for j, parents in pairs]).tolist())
    state.n_local_scores += state.scores.n_local_scores - before
    found = []
    for j, options in possible.items():
        best, highest = None, -np.inf
        for parents in options:
            score = next(scores)
            if score > highest:
                best, highest = parents, score
        gain = highest - float(state.local[j])  # infinite for a node that was impossible
        if best is not None and gain > state.tolerance:
            found.append((gain, j, best))
    made = False
    for gain, j, parents in sorted(found, key=lambda one: (-one[0], one[1])):
        if not state.descendants(j)[list(parents)].any():
            arcs = state.arcs.copy()
            arcs[:, j] = False
            arcs[list(parents), j] = True
            state.jump(arcs)
            search.visit(Move(EXCHANGE, j, -1, gain), arcs, state.rank, state.score, "exchange")
            made = True
    return made


def _exchanges(state: State, j: int) -> list[ParentSet]:
    """Sets of parents that node j may have in exchange for those that it has."""
    limits, discrete = state.limits, state.scores.schema.discrete
    fixed = set(np.flatnonzero(limits.fixed[:, j]).tolist())
    free = (limits.addable[:, j] & ~state.descendants(j)).nonzero()[0].tolist()
    parents = set(state.parents(j))
    others = [v for v in free if v not in parents]
    sets = [parents - {a} | {b} for a in sorted(parents - fixed) for b in others]
    if not discrete[j]:
        places = [v for v in sorted({*free, *parents} - fixed) if discrete[v]]
        kept = {v for v in parents if not discrete[v]} | fixed
        if sum(math.comb(len(places), size) for size in range(1, EXCHANGED_DISCRETE + 1)) <= EXCHANGED_SETS:
            some = chain.from_iterable(combinations(places, size) for size in range(EXCHANGED_DISCRETE + 1))
            sets += [kept | set(chosen) for chosen in some]
    kinds = {tuple(sorted(one)) for one in sets if len(one) <= limits.most}
    return sorted(kinds - {tuple(sorted(parents))})
