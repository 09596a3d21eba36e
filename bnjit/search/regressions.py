"""Scores of a continuous node with all its parent sets at once, from the cross products of all columns."""

import numpy as np

from bnjit._jit import Floats
from bnjit.graph.bits import bits_of
from bnjit.kernels.subsets import score_all_regressions, without_bit
from bnjit.search.state import State
from bnjit.search.tuning import LEAST_LEFT


class AllRegressions:
    """Penalised likelihoods of tables without discrete columns, for exact search.

    The memo estimates each set by itself; all sets of a node together take a few operations each.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.nodes: list[int] = state.free.tolist()

    def fill(self, i: int, scores: Floats) -> bool:
        """Fill the scores of the i-th node, float64[2^(M - 1)]; False if columns are too collinear for that."""
        state, v = self.state, self.nodes[i]
        scorer = state.scores.scorer
        penalty = scorer.penalty
        assert penalty is not None
        fixed = np.flatnonzero(state.limits.fixed[:, v]).tolist()
        if fixed:  # few sets are left, and the memo has them
            return False
        n = scorer.store.n
        parents = np.flatnonzero(state.limits.addable[:, v]).tolist()
        columns = [*parents, v]
        whole = scorer.store.whole
        crosses = np.ascontiguousarray((whole.covariance() * (n - 1))[np.ix_(columns, columns)])
        if not (np.diag(crosses) > 0.0).all():
            return False
        bits = np.array([without_bit(bits_of([self.nodes.index(x)]), i) for x in parents], np.int64)
        most = int(max(0, min(state.limits.most, len(parents), n - 2)))
        price = penalty.k + penalty.per_parent
        work = np.empty((most + 1, len(columns), len(columns)))
        least = score_all_regressions(crosses, bits, most, n, price, work, scores)
        if least < LEAST_LEFT:
            scores.fill(-np.inf)
            return False
        scores -= 2.0 * penalty.k
        state.n_local_scores += int(np.isfinite(scores).sum())
        return True
