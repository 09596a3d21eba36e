"""Sums of n log n over the configurations of sets of discrete columns: each set is counted once for all of its nodes.

The log-likelihood of a discrete node v with parents U is f(U + v) - f(U), where f(S) is the sum of n log n over the
configurations of S. So the sets that exact search counts for one node say, up to rounding, what it would find for
others. What may matter is then scored as ever, so that nothing depends on that rounding.
"""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.graph.bits import bits_of, members_of
from bnjit.scores.bounds import ScoreBounds
from bnjit.search.score_memo import ScoreMemo
from bnjit.search.tuning import ROUNDING


class Entropies:
    """The sums f of sets of discrete columns, as far as they were needed; a set is bits of places among the columns.

    Parameters
    ----------
    scores, bounds
        Where penalised likelihoods come from, and what they are without the likelihood.
    columns : sequence of int
        The discrete columns.
    """

    def __init__(self, scores: ScoreMemo, bounds: ScoreBounds, columns: Sequence[int]) -> None:
        self.scores, self.bounds, self.columns = scores, bounds, list(columns)
        self._levels = [float(scores.schema.levels[v]) for v in columns]
        self._place = {1 << v: 1 << i for i, v in enumerate(columns)}
        self._are_all = self.columns == list(range(len(self.columns)))  # then places are the columns themselves
        n = float(scores.scorer.store.n)
        self._sums = np.full(1 << len(self.columns), np.nan)  # NaN where a set was not counted
        self._sums[0] = n * np.log(n)
        self.rounding = ROUNDING * max(1.0, float(self._sums[0]))  # more than what rounding does to a score

    def scores_of(self, v: int, parents: Sequence[int]) -> Floats:
        """Scores of a column with sets of parents, which are bits of columns, up to rounding; NaN where unknown."""
        at = self.columns.index(v)
        sets = np.array(parents if self._are_all else [self._places(bits) for bits in parents], np.int64)
        whole = sets | 1 << at
        self._count(sets, at)
        self._count(whole, at)
        scores: Floats = self._sums[whole] - self._sums[sets] + self._price(at, sets)
        return scores

    def _places(self, parents: int) -> int:
        """A set of columns as bits of their places."""
        found = 0
        while parents:
            low = parents & -parents
            found |= self._place[low]
            parents ^= low
        return found

    def _price(self, at: int | Ints64, sets: Ints64) -> Floats:
        """What the scores of columns with some parents are without the likelihood, by the columns' places."""
        configurations, sizes = np.ones(len(sets)), np.zeros(len(sets))
        for i, levels in enumerate(self._levels):
            there = (sets >> i & 1).astype(bool)
            configurations[there] *= levels
            sizes += there
        own = np.array(self._levels)[at]
        return self.bounds.without_likelihood(own, configurations, sizes)

    def _count(self, sets: Ints64, first: int) -> None:
        """Find the sums of sets, each from the score of one of its columns: the `first`, if it is there."""
        missing = np.unique(sets[np.isnan(self._sums[sets])])
        if not len(missing):
            return
        child = np.where(missing >> first & 1, 1 << first, missing & -missing)
        rest: Ints64 = np.bitwise_xor(missing, child)
        self._count(rest, first)
        at = np.round(np.log2(child)).astype(np.int64)
        keys = [
            (self.columns[i], bits if self._are_all else bits_of(self.columns[place] for place in members_of(bits)))
            for i, bits in zip(at.tolist(), rest.tolist(), strict=True)
        ]
        found = self.scores.get(keys) - self._price(at, rest) + self._sums[rest]
        self._sums[missing] = np.where(np.isfinite(found), found, np.nan)
