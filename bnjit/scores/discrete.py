"""Local scores of discrete nodes, from the counts of Cells(parents + node)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_ranges
from bnjit.kernels.discrete import (
    Tables,
    batch_integrated,
    batch_loglik,
    batch_marginal,
    batch_predictive,
)
from bnjit.kernels.families import join_nodes
from bnjit.kernels.regret import EXACT_ROWS, EXACT_VALUES, batch_factorised, regrets_by_rows, subtract_quotients
from bnjit.scores.tuning import CELLS_WORTH_THREADS
from bnjit.stats import Request, SetBatch, Store
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.counting import Counts
from bnjit.stats.parent_sets import Batch, Indices


class Families(NamedTuple):
    """A node with each of b parent sets, all discrete: the sets to count, and where they stand in a batch.

    strides : int64[b], weight of the node's digit in keys; q : int64[b], declared configurations of the parents
    """

    sets: SetBatch
    at: Indices | slice
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
        self._levels = np.array(store.schema.levels, np.int64)

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts of all families."""
        requests = [request for family in self._families(batch) for request in family.sets.requests()]
        return [(store, request) for store in self.stores for request in requests]

    def _families(self, batch: Batch) -> Iterator[Families]:
        """Families that can be counted, node by node."""
        b, w = batch.sets.members.shape
        members, declared = np.empty((b, w + 1), np.int32), np.empty(b)
        strides, q = np.empty(b, np.int64), np.empty(b, np.int64)
        join_nodes(self._levels, batch.nodes, *batch.sets, members, declared, strides, q)
        possible = (declared > 0.0) & (declared <= MAX_CONFIGURATIONS)
        everything = bool(possible.all())
        for node, part in batch.by_node():
            at = part if everything else part.start + np.flatnonzero(possible[part])
            sets = SetBatch(node, members[at], batch.sets.sizes[at] + 1)
            if len(sets.sizes):
                yield Families(sets, at, strides[at], q[at])

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out = np.full(len(batch.nodes), -np.inf)
        families = list(self._families(batch))
        counted = [store.count([family.sets for family in families]) for store in self.stores]
        for family, *counts in zip(families, *counted, strict=True):
            scores = np.empty(len(family.q))
            tables = [family.tables(one) for one in counts]
            threaded = len(tables[0].keys) >= CELLS_WORTH_THREADS
            self._score(tables, family, int(self._levels[family.sets.node]), scores, threaded)
            out[family.at] = scores
        return out

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats, threaded: bool) -> None:
        raise NotImplementedError


class Likelihood(_DiscreteScore):
    """Maximised log-likelihood."""

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats, threaded: bool) -> None:
        in_ranges(batch_loglik, len(out), tables[0], r, out, threaded=threaded)


class Marginal(_DiscreteScore):
    """Marginal likelihood with a Dirichlet prior: "k2", "bde" or "bds", the last two with imaginary rows to share."""

    def __init__(self, store: Store, prior: str, imaginary_rows: float = 1.0) -> None:
        super().__init__(store)
        self.prior, self.imaginary_rows = prior, imaginary_rows

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats, threaded: bool) -> None:
        rows = np.full(len(out), 1.0 if self.prior == "k2" else self.imaginary_rows)
        if self.prior == "bde":
            rows /= r * family.q
        in_ranges(batch_marginal, len(out), tables[0], r, rows, self.prior == "bds", out, threaded=threaded)


class Quotient(Likelihood):
    """Maximised log-likelihood, less the regret of a node and its parents, plus that of the parents (qnml)."""

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats, threaded: bool) -> None:
        super()._score(tables, family, r, out, threaded)
        subtract_quotients(round(self.store.n), r, family.q, out)


class Factorised(_DiscreteScore):
    """Maximised log-likelihood, less the regret of every observed configuration of the parents (fnml)."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._known: dict[int, Floats] = {}  # by levels: regrets of few rows, which most configurations have

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats, threaded: bool) -> None:
        if r not in self._known:
            known = np.empty(min(round(self.store.n), EXACT_ROWS) + 1 if r <= EXACT_VALUES else 1)
            regrets_by_rows(r, known)
            self._known[r] = known
        in_ranges(batch_factorised, len(out), tables[0], r, self._known[r], out, threaded=threaded)


NORMALISED: dict[str, type[Quotient | Factorised]] = {"qnml": Quotient, "fnml": Factorised}


class Predictive(_DiscreteScore):
    """Log-likelihood of test rows under the frequencies of training rows.

    Where training has not seen every declared level of the node in a configuration of its parents, one imaginary row
    is shared evenly by the levels, (n_jk + 1/r) / (n_j + 1), so that no event is impossible and the probabilities
    still sum to one. A configuration that training never saw predicts all levels alike. Elsewhere frequencies are as
    they are. (bnlearn 5.2.1 divides root nodes by the wrong number of rows and lets unseen events cost nothing.)
    """

    def __init__(self, train: Store, test: Store) -> None:
        super().__init__(train, test)

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats, threaded: bool) -> None:
        train, test = tables
        in_ranges(batch_predictive, len(out), train, test, r, out, threaded=threaded)


class Integrated(_DiscreteScore):
    """Log-density of test rows given training rows, frequencies integrated out: BDe of both less BDe of training."""

    def __init__(self, train: Store, test: Store, imaginary_rows: float = 1.0) -> None:
        super().__init__(train, test)
        self.imaginary_rows = imaginary_rows

    def _score(self, tables: Sequence[Tables], family: Families, r: int, out: Floats, threaded: bool) -> None:
        train, test = tables
        rows = self.imaginary_rows / (r * family.q)
        in_ranges(batch_integrated, len(out), train, test, r, rows, out, threaded=threaded)
