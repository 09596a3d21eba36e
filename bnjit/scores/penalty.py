"""Penalties of penalised likelihoods."""

import math

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.families import count_configurations
from bnjit.options import BIC, EBIC, Penalised
from bnjit.scores.sparse import Pooled
from bnjit.stats import Store
from bnjit.stats.parent_sets import Batch


class Penalty:
    """A penalty of k per parameter, and for ebic of 4 gamma log N per parent.

    Parameters count declared levels and configurations, observed or not; but where sparse configurations of a
    continuous node share a regression, they count as one. A local penalty of continuous nodes is in their scores.

    per_parameter : what a parameter costs in units of n, in place of what the score says
    worth : rows that the data are worth, where gaps were filled: prices are those of so many rows, times n / worth
    """

    def __init__(
        self, store: Store, score: Penalised, pooled: Pooled | None = None,
        per_parameter: float | None = None, worth: float | None = None,
    ) -> None:  # fmt: skip
        self.schema, self.pooled = store.schema, pooled
        self._levels = np.array(store.schema.levels, np.int64)
        self._is_gaussian = not any(store.schema.discrete)
        rows, scale = (store.n, 1.0) if worth is None else (round(worth), store.n / worth)
        self.k = score.per_parameter(rows) * scale if per_parameter is None else per_parameter * store.n
        self.is_local = isinstance(score, BIC) and score.penalty == "local" and any(store.schema.discrete)
        gamma = score.gamma * scale if isinstance(score, EBIC) else 0.0
        self.per_parent = 4.0 * gamma * math.log(len(store.schema.names))

    def parameters(self, batch: Batch) -> Floats:
        """Free parameters of nodes, each with its parent set: (r - 1) q if discrete, (g + 2) q if continuous."""
        if self._is_gaussian:
            return batch.sets.sizes.astype(np.float64) + 2.0
        q, g = np.empty(len(batch.nodes)), np.empty(len(batch.nodes), np.int64)
        count_configurations(self._levels, *batch.sets, q, g)
        if self.pooled is not None:
            some = np.flatnonzero(self._levels[batch.nodes] == 0)
            q[some] = np.minimum(q[some], self.pooled.dense(batch.sets.take(some)) + 1.0)
        r = self._levels[batch.nodes]
        return q * np.where(r > 0, r - 1, g + 2)

    def __call__(self, batch: Batch) -> Floats:
        """Return the penalties, float64[b]."""
        out: Floats = self.k * self.parameters(batch)
        if self.per_parent:
            out += self.per_parent * batch.sets.sizes
        if self.is_local:
            out[self._levels[batch.nodes] == 0] = 0.0
        return out
