"""Parents that need no score: they cannot improve that of a discrete node, whatever the rows say."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints64
from bnjit.graph.bits import members_of
from bnjit.scores.bounds import DISCRETE, ScoreBounds
from bnjit.search.score_memo import ScoreMemo
from bnjit.search.tuning import ROUNDING


class Screen:
    """Tells which parents may improve a score, by bounds that hold for penalised likelihoods of discrete nodes.

    A parent gains at most what the node's parents leave unexplained, and at most its own entropy times the rows, and
    costs parameters (`scores/bounds.py`). Searches that use only what improves a score find the same with and without.
    """

    def __init__(self, scores: ScoreMemo, tolerance: float) -> None:
        self._bounds = ScoreBounds(scores.scorer)
        self._tolerance = tolerance
        self._levels = np.array(scores.schema.levels, np.float64)
        self._bounded = [self._bounds.kind(v) == DISCRETE for v in range(len(self._levels))]
        self._uncertain = np.full(len(self._levels), np.inf)  # entropy of each column, times the rows
        at = [v for v, bounded in enumerate(self._bounded) if bounded]
        if at:
            prices = [self._bounds.of_discrete(v, 1.0, 0) for v in at]
            self._uncertain[at] = np.array(prices) - scores.get([(v, 0) for v in at])

    def bounds(self, node: int) -> bool:
        """Whether there are bounds on what a node may gain."""
        return self._bounded[node]

    def may_improve(self, node: int, parents: int, score: float, which: Sequence[int] | Ints64) -> NDArray[np.bool_]:
        """Whether each of some parents may improve the score that a node has with others, given as bits."""
        if not self._bounded[node] or not np.isfinite(score) or len(which) == 0:
            return np.ones(len(which), bool)
        known = members_of(parents)
        configurations = self._bounds.configurations(known)
        price = -self._bounds.of_discrete(node, configurations, len(known))
        prices = -self._bounds.of_discrete(node, configurations * self._levels[which], len(known) + 1)
        gains = np.minimum(-(score + price), self._uncertain[which]) - (prices - price)
        found: NDArray[np.bool_] = gains > self._tolerance - ROUNDING * (abs(score) + prices)
        return found
