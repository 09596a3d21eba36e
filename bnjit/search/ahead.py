"""Look ahead where rows come in chunks: what the next moves will need is collected in the same pass.

A node's best move stays its best until its parents change, whatever happens elsewhere. So what a search needs after it
is known before it is made, and one pass serves about one move of every node.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit.scores import Scorer
from bnjit.scores.batch import ParentSet, toggled

if TYPE_CHECKING:
    from bnjit.search.state import State

Indices = NDArray[np.intp]


class Ahead:
    """Scores of nodes with each arc into them toggled, by node and parents, before they are asked for."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._known: dict[tuple[int, ParentSet], Floats] = {}

    def _knows(self, node: int, parents: ParentSet, asked: Indices) -> bool:
        known = self._known.get((node, parents))
        return known is not None and not np.isnan(known[asked]).any()

    def prepare(self, state: "State", toggles: dict[int, Indices]) -> None:
        """Score what is asked for and not known yet, and along with it what is likely to be asked for next."""
        jobs = [
            (j, state.parents(j), asked) for j, asked in toggles.items() if not self._knows(j, state.parents(j), asked)
        ]
        if not jobs:
            return
        for _, i, j in state.likely_moves():
            there = state.arcs[:, j].copy()
            there[i] = not there[i]
            parents, asked = tuple(np.flatnonzero(there).tolist()), np.flatnonzero(state.worth_knowing(j, there))
            if len(asked) and not self._knows(j, parents, asked):
                jobs.append((j, parents, asked))
        made = self._scorer.batch([(j, toggled(parents, asked)) for j, parents, asked in jobs])
        for (j, parents, asked), scores in zip(jobs, made, strict=True):
            known = np.full(len(state.arcs), np.nan)
            known[asked] = scores
            self._known[j, parents] = known

    def scores(self, node: int, parents: ParentSet, asked: Indices) -> Floats:
        """Local scores of a node with each of some arcs into it toggled."""
        return self._known[node, parents][asked]
