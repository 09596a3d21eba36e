"""Local scores of discrete nodes, from the counts of Cells(parents + node)."""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, threads
from bnjit.kernels.discrete import Tables, batch_loglik, batch_marginal, batch_predictive
from bnjit.scores.batch import ParentSets, Steps
from bnjit.stats import Request, Store, Want
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.store import requests_of

WORTH_THREADS = 1 << 13  # cells


class Families(NamedTuple):
    """A node with each of b parent sets: members : int32[b, d], ascending and then N for nobody; sizes : int64[b].

    strides : int64[b], weight of the node's digit in keys; q : int64[b], declared configurations of the parents
    """

    node: int
    members: Ints32
    sizes: Ints64
    strides: Ints64
    q: Ints64

    def requests(self) -> list[Request]:
        """Their counts, as they are asked for one by one."""
        return requests_of(self.members, self.sizes)

    def tables(self, store: Store) -> Tables:
        """Their counts."""
        return Tables(*store.count(self.node, self.members, self.sizes), self.strides, self.q)


class _DiscreteScore:
    """What discrete scores share: parent sets that are discrete and representable; the others are impossible."""

    def __init__(self, store: Store, test: Store | None = None) -> None:
        self.store, self.test = store, test
        self._in_chunks = [one for one in (store, test) if one is not None and one.in_chunks]
        self._levels = np.array([*store.table.levels, 1], np.int64)  # the last for nobody

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b], in steps."""
        out = np.full(len(sets.sizes), -np.inf)
        b, d = sets.members.shape
        members = np.full((b, d + 1), node, np.int32)
        members[:, 1:] = np.where(sets.inside(), sets.members, len(self._levels) - 1)
        members.sort(axis=1)
        levels = self._levels[members]
        declared = levels.prod(axis=1, dtype=np.float64)  # 0 if there is a continuous parent
        possible = np.flatnonzero((declared > 0) & (declared <= MAX_CONFIGURATIONS))
        if len(possible):
            members, levels = members[possible], levels[possible]
            strides = np.where(members > node, levels, 1).prod(axis=1)
            r = self.store.table.levels[node]
            families = Families(node, members, sets.sizes[possible] + 1, strides, levels.prod(axis=1) // r)
            if self._in_chunks:
                yield [Want(store, families.requests()) for store in self._in_chunks]
            scores = np.empty(len(possible))
            tables = families.tables(self.store)
            with threads(1 if len(tables.keys) < WORTH_THREADS else None):
                self._score(tables, families, r, scores)
            out[possible] = scores
        return out

    def _score(self, tables: Tables, families: Families, r: int, out: Floats) -> None:
        raise NotImplementedError


class Likelihood(_DiscreteScore):
    """Maximised log-likelihood."""

    def _score(self, tables: Tables, families: Families, r: int, out: Floats) -> None:
        batch_loglik(tables, r, out)


class Marginal(_DiscreteScore):
    """Marginal likelihood with a Dirichlet prior: "k2", "bde" or "bds", the last two with iss imaginary rows."""

    def __init__(self, store: Store, prior: str, iss: float = 1.0) -> None:
        super().__init__(store)
        self.prior, self.iss = prior, iss

    def _score(self, tables: Tables, families: Families, r: int, out: Floats) -> None:
        rows = np.full(len(out), 1.0 if self.prior == "k2" else self.iss)
        if self.prior == "bde":
            rows /= r * families.q
        batch_marginal(tables, r, rows, self.prior == "bds", out)


class Predictive(_DiscreteScore):
    """Log-likelihood of test rows under the frequencies of training rows.

    Where training has not seen every declared level of the node in a configuration of its parents, one imaginary row
    is shared evenly by the levels, (n_jk + 1/r) / (n_j + 1), so that no event is impossible and the probabilities
    still sum to one. A configuration that training never saw predicts all levels alike. Elsewhere frequencies are as
    they are. (bnlearn 5.2.1 divides root nodes by the wrong number of rows and lets unseen events cost nothing.)
    """

    def __init__(self, train: Store, test: Store) -> None:
        super().__init__(train, test)

    def _score(self, tables: Tables, families: Families, r: int, out: Floats) -> None:
        assert self.test is not None
        batch_predictive(tables, families.tables(self.test), r, out)
