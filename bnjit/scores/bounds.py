"""What no larger parent set can exceed: bounds on the scores of supersets, where they are proven.

They hold for penalised likelihoods (loglik, aic, bic, ebic) of complete rows, of two kinds of nodes:

- Of a discrete node the log-likelihood is at most 0, whatever its parents. The penalty grows with the parents. So no
  superset of T, nor T, scores more than minus the penalty of T (de Campos and Ji 2011). And a further parent X gains at
  most n H(X), since the log-likelihood grows by n times a conditional mutual information (`search/screening.py`).
- Of a continuous node with continuous parents, in a table without discrete columns, RSS does not grow with parents.
  The log-likelihood with g parents is -n/2 log(2 pi RSS) + c(g), c(g) = n/2 log(n - g - 1) - (n - g - 1)/2, since a
  variance is RSS / (n - g - 1); and c falls with g. So with any T between S and U, S excluded, the log-likelihood is at
  most that with U, less c(|U|), plus c(|S| + 1) (branch and bound as in Furnival and Wilson 1974, Suzuki 1996).

Regressions within configurations of discrete parents have no such bound: it would be the density of single rows. But
where sparse configurations are rejected, a set with one stays impossible with more parents: they divide configurations
further, and ask for more rows.
"""

import math
from collections.abc import Sequence
from typing import TypeVar

from bnjit._jit import Floats
from bnjit.scores.penalty import Penalty
from bnjit.scores.scorer import Scorer

FloatOrFloats = TypeVar("FloatOrFloats", float, Floats)
DISCRETE, GAUSSIAN, REJECTING, UNBOUNDED = "discrete", "gaussian", "rejecting", "unbounded"


class ScoreBounds:
    """Bounds on the local scores of a table's nodes.

    Parameters
    ----------
    scorer : Scorer
        The local scores.
    """

    def __init__(self, scorer: Scorer) -> None:
        self._levels, self._n = scorer.schema.levels, scorer.store.n
        penalty = scorer.penalty if scorer.rows is None else None
        self._penalty: Penalty | None = penalty
        self._is_gaussian = not any(scorer.schema.discrete)
        self.k, self.per_parent = (penalty.k, penalty.per_parent) if penalty is not None else (0.0, 0.0)

    def kind(self, node: int) -> str:
        """Which bound a node has: DISCRETE, GAUSSIAN, REJECTING (what is impossible stays so) or UNBOUNDED."""
        if self._penalty is None:
            return UNBOUNDED
        if self._levels[node]:
            return DISCRETE
        if self._penalty.pooled is not None or self._penalty.is_local:
            return UNBOUNDED
        return GAUSSIAN if self._is_gaussian else REJECTING

    def configurations(self, parents: Sequence[int]) -> float:
        """Configurations of discrete parents."""
        return math.prod(float(self._levels[x]) for x in parents)

    def of_discrete(self, node: int, configurations: FloatOrFloats, size: int) -> FloatOrFloats:
        """What a discrete node with so many configurations of so many parents, or with more, cannot exceed."""
        return -self.k * (self._levels[node] - 1) * configurations - self.per_parent * size

    def without_likelihood(self, levels: Floats, configurations: Floats, sizes: Floats) -> Floats:
        """What the scores of discrete nodes of so many levels are beside the log-likelihood."""
        return -self.k * (levels - 1.0) * configurations - self.per_parent * sizes

    def of_gaussian(self, score: float, largest: int, size: int) -> float:
        """What a set of at least `size` parents within the set of `largest` parents cannot exceed.

        score : that of the largest set; where it is impossible, nothing is known
        """
        if not math.isfinite(score) or self._n - largest - 1 <= 0:
            return math.inf
        loglik = score + self._price(largest) - self._free(largest)
        return loglik + self._free(size) - self._price(size)

    def _price(self, size: int) -> float:
        return self.k * (size + 2) + self.per_parent * size

    def _free(self, size: int) -> float:
        left = self._n - size - 1
        return 0.5 * self._n * math.log(left) - 0.5 * left
