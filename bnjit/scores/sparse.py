"""What a continuous node's score does with configurations of its discrete parents that have too few rows.

A regression on g continuous parents needs g + 2 rows. A configuration with fewer is sparse; one without any, which test
rows may have, is too. There are two rules, chosen by the argument `sparse`:

- "reject": a structure with a sparse configuration that has rows to score is impossible, and so is one with a residual
  deviation below the tolerance in some configuration. This is bnlearn's rule.
- "pool": sparse configurations share one regression on the same continuous parents, fitted to all rows, as if the node
  had no discrete parents. It is a proper likelihood, every row has a density, and the shared regression counts as one
  more configuration in the number of parameters, in place of all the sparse ones. In a configuration of discrete
  parents, a residual deviation below the tolerance is taken to be the tolerance, so that a place or a time where the
  node is constant has a density too; over all rows it is still impossible. Where no declared configuration is sparse
  or singular, the score is that of "reject".
"""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.cgaussian import batch_cells_serial
from bnjit.kernels.rules import Rule
from bnjit.scores.cgaussian import FromCells
from bnjit.stats import Request, Store, triangles_for
from bnjit.stats.cells import MAX_CONFIGURATIONS, join, no_moments
from bnjit.stats.parent_sets import Batch, Candidates, Indices, ParentSet, ParentSets, by_discrete_part
from bnjit.stats.regressions import request_triangles, scores_from_triangles


class Pooled:
    """Log-likelihood of the rows, or of test rows, where sparse configurations share a regression on all rows."""

    def __init__(self, store: Store, test: Store | None = None) -> None:
        self.store, self.scored = store, store if test is None else test
        self._dense = FromCells(store, test, lenient=True)
        # The variance is that of a node without discrete parents (see rule_of): with all rows sparse, so is the score.
        self._rule = Rule(predictive=True, in_cells=test is None)

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts of the discrete parents."""
        return self._dense.counts_needed(batch)

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out = self._dense.local_scores(batch)
        for node, part in batch.by_node():
            self._add_sparse(node, batch.take(part).sets, out[part])
        return out

    def _add_sparse(self, node: int, sets: ParentSets, out: Floats) -> None:
        """Add the scores of sparse cells, float64[b] (in and out)."""
        for group in self._groups(sets):
            if not group.discrete:
                continue
            counts = self._fitted_rows(group.discrete)
            sizes = group.continuous.sizes
            for g in np.unique(sizes[sizes + 1 >= counts.min()]).tolist():
                sparse = np.flatnonzero(counts <= g + 1)
                some = group.some(np.flatnonzero((sizes == g) & (out[group.at] > -np.inf)))
                if len(some.at):
                    out[some.at] += self._pooled(node, some, sparse)

    def _groups(self, sets: ParentSets) -> list[Candidates]:
        groups = by_discrete_part(sets, self.store.schema.discrete)
        return [g for g in groups if self.store.schema.configurations(g.discrete) <= MAX_CONFIGURATIONS]

    def dense(self, sets: ParentSets) -> Floats:
        """Configurations with a regression of their own, float64[b]."""
        out = np.zeros(len(sets.sizes))
        for group in self._groups(sets):
            counts = np.sort(self.store.get([Request(group.discrete)])[0].counts)
            out[group.at] = len(counts) - np.searchsorted(counts, group.continuous.sizes + 1, side="right")
        return out

    def _fitted_rows(self, discrete: ParentSet) -> Indices:
        """Fitted rows of each cell that is scored."""
        fitted, scored = (store.get([Request(discrete)])[0] for store in (self.store, self.scored))
        at = np.minimum(np.searchsorted(fitted.keys, scored.keys), len(fitted.keys) - 1)
        return np.where(fitted.keys[at] == scored.keys, fitted.counts[at], 0)

    def _pooled(self, node: int, group: Candidates, sparse: Indices) -> Floats:
        """Scores of the rows of sparse cells under a regression on all fitted rows, float64[b]."""
        columns = group.columns_with(node)
        cells = self.scored.get([Request(group.discrete, columns)])[0].narrow(columns)
        rows = no_moments(1, len(columns))
        join(sparse, np.array([0, len(sparse)]), cells.moments, rows)
        whole = self.store.whole.narrow(columns).moments
        parents = np.searchsorted(columns, group.continuous.members).astype(np.int32)
        b, y = len(group.at), columns.index(node)
        out, flagged, marks = np.empty(b), np.empty(b, np.int64), np.zeros((b, 1), np.uint8)
        batch_cells_serial(whole, rows, y, parents, group.continuous.sizes, self._rule, out, flagged, marks)
        doubtful = np.flatnonzero(flagged)
        if len(doubtful):
            out[doubtful] = self._from_triangles(node, group.some(doubtful), cells.keys[sparse])
        return out

    def _from_triangles(self, node: int, group: Candidates, sparse: Indices) -> Floats:
        """Do what _pooled does, where moments are not accurate."""
        columns = group.columns_with(node)
        fitted = request_triangles(self.store, (), self.store.whole.keys, columns)
        scored = request_triangles(self.scored, group.discrete, sparse, columns, as_one=True)
        train, test = triangles_for([(self.store, fitted), (self.scored, scored)])
        return scores_from_triangles(node, group, train, test, self._rule)[0]
