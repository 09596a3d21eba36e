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
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.kernels.moments import Moments
from bnjit.kernels.rules import NEEDS_ROWS
from bnjit.scores.cgaussian import FromCells
from bnjit.stats import Request, Store, triangles_for
from bnjit.stats.cell_scores import UNSUPPORTED, CellScore, CellSets, Likelihood
from bnjit.stats.cells import MAX_CONFIGURATIONS, Cells, join_all
from bnjit.stats.parent_sets import Batch, Candidates, Indices, ParentSet, ParentSets, by_discrete_part
from bnjit.stats.regressions import request_triangles, scores_from_triangles
from bnjit.stats.requests import TriangleRequest


class Pooled:
    """Log-likelihood of the rows, or of test rows, where sparse configurations share a regression on all rows."""

    def __init__(self, store: Store, test: Store | None = None) -> None:
        self.store, self.scored = store, store if test is None else test
        self._dense = FromCells(store, test, Likelihood(test is not None, lenient=True))
        # The variance is that of a node without discrete parents (see Likelihood.rule): with all rows sparse, so is the
        # score.
        self._cells, self._in_cells = Likelihood(predictive=True), test is None

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts of the discrete parents."""
        return self._dense.counts_needed(batch)

    def tables_needed(self, batch: Batch) -> list[tuple[Store, Request]]:
        """Return the tables that scoring will ask for first, given counts."""
        return self._dense.tables_needed(batch)

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
        keys = self.scored.get([Request(group.discrete)])[0].keys[sparse]
        sides = Side(self.store, None), Side(self.scored, keys)
        return score_joined(self._cells, self._in_cells, node, group, sides)


class Side(NamedTuple):
    """Rows of some cells of the discrete parents, given by ascending keys, or all rows of a store.

    known : these rows as one cell, if they are known
    """

    store: Store
    keys: Ints64 | None
    known: Cells | None = None

    def moments(self, discrete: ParentSet, columns: ParentSet) -> Moments:
        """Return the moments of these rows as one cell."""
        if self.keys is None:
            return self.store.whole.narrow(columns).moments
        if self.known is not None:
            return self.known.narrow(columns).moments
        cells = self.store.get([Request(discrete, columns)])[0].narrow(columns)
        return join_all(cells, np.flatnonzero(np.isin(cells.keys, self.keys))).moments

    def triangles(self, discrete: ParentSet, columns: ParentSet) -> TriangleRequest:
        """Ask for the triangle of these rows as one cell."""
        if self.keys is None:
            return request_triangles(self.store, (), self.store.whole.keys, columns)
        there = self.store.get([Request(discrete)])[0].keys
        return request_triangles(self.store, discrete, there[np.isin(there, self.keys)], columns, as_one=True)


def score_joined(cells: CellScore, in_cells: bool, node: int, group: Candidates, sides: tuple[Side, Side]) -> Floats:
    """Scores of the rows of one side under regressions on those of the other, all in one cell, float64[b].

    NaN marks rows that support no regression, where a score leaves these out. Both sides may be the same.
    """
    columns = group.columns_with(node)
    fitted, scored = sides
    train = fitted.moments(group.discrete, columns)
    test = train if scored is fitted else scored.moments(group.discrete, columns)
    parents = np.searchsorted(columns, group.continuous.members).astype(np.int32)
    sets = CellSets(columns.index(node), parents, group.continuous.sizes, columns, in_cells)
    out, _, marks = cells.from_moments(train, test, sets, threaded=False)
    out[marks[:, 0] == UNSUPPORTED] = np.nan
    doubtful = np.flatnonzero(marks[:, 0] == NEEDS_ROWS)
    if len(doubtful):
        pair = triangles_for([(side.store, side.triangles(group.discrete, columns)) for side in sides])
        some = group.some(doubtful)
        out[doubtful] = scores_from_triangles(cells, node, some, (pair[0], pair[1]), in_cells)[0]
    return out
