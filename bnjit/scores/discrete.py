"""Local scores of discrete nodes, from the counts of Cells(parents + node)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64, threads
from bnjit.kernels.discrete import Tables, batch_loglik, batch_marginal, batch_predictive
from bnjit.scores.tuning import WORTH_THREADS
from bnjit.stats import Request, SetBatch, Store
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.counting import Counts
from bnjit.stats.parent_sets import Batch, Indices


class Families(NamedTuple):
    """A node with each of b parent sets, all discrete: the sets to count, and where they stand in a batch.

    strides : int64[b], weight of the node's digit in keys; q : int64[b], declared configurations of the parents
    """

    sets: SetBatch
    at: Indices
    strides: Ints64
    q: Ints64

    def tables(self, counts: Counts) -> Tables:
        """Return what kernels take."""
        return Tables(*counts, self.strides, self.q)


class _DiscreteScore:
    """What discrete scores share: parent sets that are discrete and representable; the others are impossible."""

    def __init__(self, store: Store, test: Store | None = None) -> None:
        self.store, self.test = store, test
        self.stores = [store] if test is None else [store, test]
        self._levels = np.array([*store.schema.levels, 1], np.int64)  # the last for nobody

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts of all families."""
        requests = [request for family in self._families(batch) for request in family.sets.requests()]
        return [(store, request) for store in self.stores for request in requests]

    def _families(self, batch: Batch) -> Iterator[Families]:
        """Families that can be counted, node by node."""
        nobody = len(self._levels) - 1
        for node, part in batch.by_node():
            own, sizes = batch.sets.members[part], batch.sets.sizes[part]
            members = np.full((len(sizes), own.shape[1] + 1), node, np.int32)
            members[:, 1:] = np.where(np.arange(own.shape[1]) < sizes[:, None], own, nobody)
            members.sort(axis=1)
            levels = self._levels[members]
            declared = levels.prod(axis=1, dtype=np.float64)  # 0 if there is a continuous parent
            possible = np.flatnonzero((declared > 0) & (declared <= MAX_CONFIGURATIONS))
            if len(possible):
                members, levels = members[possible], levels[possible]
                strides = np.where(members > node, levels, 1).prod(axis=1)
                q = levels.prod(axis=1) // self._levels[node]
                yield Families(SetBatch(node, members, sizes[possible] + 1), part.start + possible, strides, q)

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out = np.full(batch.size, -np.inf)
        families = list(self._families(batch))
        counted = [store.count([family.sets for family in families]) for store in self.stores]
        for family, *counts in zip(families, *counted, strict=True):
            scores = np.empty(len(family.at))
            tables = [family.tables(one) for one in counts]
            with threads(1 if len(tables[0].keys) < WORTH_THREADS else None):
                self._score(tables, family, int(self._levels[family.sets.node]), scores)
            out[family.at] = scores
        return out

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats) -> None:
        raise NotImplementedError


class Likelihood(_DiscreteScore):
    """Maximised log-likelihood."""

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats) -> None:
        batch_loglik(tables[0], r, out)


class Marginal(_DiscreteScore):
    """Marginal likelihood with a Dirichlet prior: "k2", "bde" or "bds", the last two with iss imaginary rows."""

    def __init__(self, store: Store, prior: str, iss: float = 1.0) -> None:
        super().__init__(store)
        self.prior, self.iss = prior, iss

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats) -> None:
        rows = np.full(len(out), 1.0 if self.prior == "k2" else self.iss)
        if self.prior == "bde":
            rows /= r * family.q
        batch_marginal(tables[0], r, rows, self.prior == "bds", out)


class Predictive(_DiscreteScore):
    """Log-likelihood of test rows under the frequencies of training rows.

    Where training has not seen every declared level of the node in a configuration of its parents, one imaginary row
    is shared evenly by the levels, (n_jk + 1/r) / (n_j + 1), so that no event is impossible and the probabilities
    still sum to one. A configuration that training never saw predicts all levels alike. Elsewhere frequencies are as
    they are. (bnlearn 5.2.1 divides root nodes by the wrong number of rows and lets unseen events cost nothing.)
    """

    def __init__(self, train: Store, test: Store) -> None:
        super().__init__(train, test)

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats) -> None:
        train, test = tables
        batch_predictive(train, test, r, out)
