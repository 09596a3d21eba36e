"""Local scores of discrete nodes, from the counts of Cells(parents + node)."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.discrete import Tables, batch_loglik, batch_marginal, batch_predictive
from bnjit.scores.batch import ParentSet, ParentSets, Steps
from bnjit.stats import Request, Store, Want
from bnjit.stats.cells import MAX_CONFIGURATIONS


def _families(node: int, sets: Sequence[ParentSet]) -> list[ParentSet]:
    return [tuple(sorted((*parents, node))) for parents in sets]


def _tables(store: Store, node: int, sets: Sequence[ParentSet]) -> Tables:
    families = _families(node, sets)
    cells = store.get([Request(family) for family in families])
    strides = [store.table.configurations(family[family.index(node) + 1 :]) for family in families]
    return Tables(
        np.concatenate([[0], np.cumsum([len(c.keys) for c in cells])]).astype(np.int64),
        np.concatenate([c.keys for c in cells]),
        np.concatenate([c.counts for c in cells]),
        np.array(strides, np.int64),
        np.array([store.table.configurations(parents) for parents in sets], np.int64),
    )


class _DiscreteScore:
    """What discrete scores share: parent sets that are discrete and representable; the others are impossible."""

    def __init__(self, store: Store, test: Store | None = None) -> None:
        self.store, self.test = store, test

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b], in steps."""
        out = np.full(len(sets.sizes), -np.inf)
        table = self.store.table
        r = table.levels[node]
        wrong = (sets.inside() & ~np.asarray(table.discrete)[sets.members]).any(axis=1)
        candidates = sets.tuples()
        possible = [i for i in np.flatnonzero(~wrong) if r * table.configurations(candidates[i]) <= MAX_CONFIGURATIONS]
        if possible:
            requests = [Request(family) for family in _families(node, [candidates[i] for i in possible])]
            yield [Want(store, requests) for store in (self.store, self.test) if store is not None]
            out[possible] = self._scores(node, [candidates[i] for i in possible], r)
        return out

    def _scores(self, node: int, sets: Sequence[ParentSet], r: int) -> Floats:
        raise NotImplementedError


class Likelihood(_DiscreteScore):
    """Maximised log-likelihood."""

    def _scores(self, node: int, sets: Sequence[ParentSet], r: int) -> Floats:
        out = np.empty(len(sets))
        batch_loglik(_tables(self.store, node, sets), r, out)
        return out


class Marginal(_DiscreteScore):
    """Marginal likelihood with a Dirichlet prior: "k2", "bde" or "bds", the last two with iss imaginary rows."""

    def __init__(self, store: Store, prior: str, iss: float = 1.0) -> None:
        super().__init__(store)
        self.prior, self.iss = prior, iss

    def _scores(self, node: int, sets: Sequence[ParentSet], r: int) -> Floats:
        tables = _tables(self.store, node, sets)
        out = np.empty(len(sets))
        rows = np.ones(len(sets)) if self.prior == "k2" else np.full(len(sets), self.iss)
        if self.prior == "bde":
            rows /= r * tables.q
        batch_marginal(tables, r, rows, self.prior == "bds", out)
        return out


class Predictive(_DiscreteScore):
    """Log-likelihood of test rows under the frequencies of training rows.

    Where training has not seen every declared level of the node in a configuration of its parents, one imaginary row
    is shared evenly by the levels, (n_jk + 1/r) / (n_j + 1), so that no event is impossible and the probabilities
    still sum to one. A configuration that training never saw predicts all levels alike. Elsewhere frequencies are as
    they are. (bnlearn 5.2.1 divides root nodes by the wrong number of rows and lets unseen events cost nothing.)
    """

    def __init__(self, train: Store, test: Store) -> None:
        super().__init__(train, test)

    def _scores(self, node: int, sets: Sequence[ParentSet], r: int) -> Floats:
        assert self.test is not None
        out = np.empty(len(sets))
        batch_predictive(_tables(self.store, node, sets), _tables(self.test, node, sets), r, out)
        return out
