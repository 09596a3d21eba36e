"""What a penalised likelihood takes off."""

import math

import numpy as np

from bnjit._jit import Floats
from bnjit.options import EBIC, Penalised
from bnjit.scores.sparse import Pooled
from bnjit.stats import Store
from bnjit.stats.parent_sets import Batch


class Penalty:
    """A penalty of k per parameter, and for ebic of 4 gamma log N per parent.

    Parameters count declared levels and configurations, observed or not; but where sparse configurations of a
    continuous node share a regression, they count as one.
    """

    def __init__(self, store: Store, score: Penalised, pooled: Pooled | None = None) -> None:
        self.schema, self.pooled = store.schema, pooled
        self._levels = np.array(store.schema.levels, np.float64)
        self.k = {"loglik": 0.0, "aic": 1.0}.get(score.name, math.log(store.n) / 2.0)
        self.per_parent = 4.0 * score.gamma * math.log(len(store.schema.names)) if isinstance(score, EBIC) else 0.0

    def parameters(self, batch: Batch) -> Floats:
        """Free parameters of nodes, each with its parent set: (r - 1) q if discrete, (g + 2) q if continuous."""
        sets = batch.sets
        if not any(self.schema.discrete):
            return (sets.sizes + 2).astype(np.float64)
        levels = np.where(sets.inside(), self._levels[sets.members], 1.0)
        continuous = levels == 0.0
        q: Floats = np.where(continuous, 1.0, levels).prod(axis=1)
        r = self._levels[batch.nodes]
        if self.pooled is not None:
            some = np.flatnonzero(r == 0.0)
            q[some] = np.minimum(q[some], self.pooled.dense(sets.take(some)) + 1.0)
        return q * np.where(r > 0.0, r - 1.0, continuous.sum(axis=1) + 2.0)

    def __call__(self, batch: Batch) -> Floats:
        """Return the penalties, float64[b]."""
        out: Floats = self.k * self.parameters(batch) + self.per_parent * batch.sets.sizes
        return out
