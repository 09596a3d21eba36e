"""Scores that know how many rows a parameter is estimated from: BIC with local penalties, integrated held-out density.

A configuration of the discrete parents supports a regression on g continuous parents if it has g + 3 rows, if the node
is not an exact function of the parents there and, for the integrated density, if no parent is constant or a function of
others. All rows of the configurations that support none are put together, as if they were one configuration more. Where
these rows support none either, the regression on all rows of the table scores them, as by `sparse="pool"`.
"""

import math
from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.kernels.cgaussian import Task
from bnjit.kernels.evidence import (
    LOCAL,
    REFERENCE,
    Evidence,
    batch_evidence,
    batch_evidence_serial,
    evidence_triangles,
)
from bnjit.kernels.moments import Moments
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.sparse import Side, score_joined
from bnjit.stats import Request, Store
from bnjit.stats.cell_scores import CellSets, Likelihood, Scored
from bnjit.stats.parent_sets import Batch, Candidates, ParentSet, make_sets
from bnjit.stats.regressions import LeftOut
from bnjit.stats.triangles import CellTriangles


class EvidenceOfCells:
    """Scores in which each cell's rows weigh its own parameters; see bnjit.kernels.evidence."""

    lenient = residuals = True

    def __init__(self, kind: int, predictive: bool) -> None:
        self.kind, self.predictive = kind, predictive

    def from_moments(self, train: Moments, test: Moments, sets: CellSets, in_threads: bool) -> Scored:
        """Sums over accurate cells, and marks of the others."""
        b, m = len(sets.sizes), len(train.counts)
        out, flagged, marks = np.empty(b), np.empty(b, np.int64), np.empty((b, m), np.uint8)
        rule = Evidence(self.kind, self.predictive, sets.in_cells, sets.residual)
        score = batch_evidence if in_threads else batch_evidence_serial
        score(train, test, *sets[:3], rule, out, flagged, marks)
        return Scored(out, flagged, marks)

    def from_triangles(self, train: CellTriangles, test: CellTriangles, task: Task, in_cells: bool) -> Floats:
        """Scores of every cell and parent set; NaN where a cell supports no regression."""
        out = np.empty((len(train.keys), len(task.sizes)))
        rule = Evidence(self.kind, self.predictive, in_cells)
        evidence_triangles(train.triangles, test.triangles, task, rule, out)
        return out


class FromEvidence:
    """Sum over configurations of scores in which their own rows count; test rows given training rows if there are any.

    Without test rows it is BIC with the penalty (g + 2) / 2 log n of the n rows of each configuration; with them, the
    log-density of the test rows with the parameters integrated out.
    """

    def __init__(self, store: Store, test: Store | None = None) -> None:
        self.store, self.scored, self.predictive = store, store if test is None else test, test is not None
        self.cells = EvidenceOfCells(REFERENCE if self.predictive else LOCAL, self.predictive)
        self._supported = FromCells(store, test, self.cells)

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts of the discrete parents."""
        return self._supported.counts_needed(batch)

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        left_out = self._supported.refits.left_out
        left_out.clear()
        out = self._supported.local_scores(batch)
        for node, group, keys in _by_configurations(left_out):
            out[group.at] += self._score_rest(node, group, keys)
        return out

    def _score_rest(self, node: int, group: Candidates, keys: Ints64) -> Floats:
        """Scores of the configurations that support no regression of their own, float64[b]."""
        if not group.discrete:
            return np.full(len(group.at), -np.inf)
        fitted = Side(self.store, keys)
        rest = Side(self.scored, keys) if self.predictive else fitted
        out = score_joined(self.cells, True, node, group, (fitted, rest))
        for i in np.flatnonzero(np.isnan(out)).tolist():
            out[i] = self._score_by_all(node, group.some(np.array([i])), rest)
        return out

    def _score_by_all(self, node: int, group: Candidates, rest: Side) -> float:
        """Score of rows by the regression on all rows; -inf if there is none."""
        everything = Side(self.store, None)
        if self.predictive:
            (found,) = score_joined(self.cells, False, node, group, (everything, rest))
        else:
            (found,) = score_joined(Likelihood(predictive=True), True, node, group, (everything, rest))
            found -= 0.5 * (int(group.continuous.sizes[0]) + 2) * math.log(self.store.n)
        return -np.inf if np.isnan(found) else float(found)


def _by_configurations(left_out: Sequence[LeftOut]) -> list[tuple[int, Candidates, Ints64]]:
    """Parent sets that leave out the same configurations, of each node: these sets, and the keys, ascending."""
    keys_of: dict[int, list[Ints64]] = {}  # of each place in a batch: from moments, and after fitting again
    sets: dict[int, tuple[int, ParentSet, ParentSet]] = {}
    for node, group, which, keys in left_out:
        parents = group.continuous.tuples()
        for i in np.flatnonzero(which.any(axis=1)).tolist():
            at = int(group.at[i])
            keys_of.setdefault(at, []).append(keys[which[i]])
            sets[at] = node, group.discrete, parents[i]
    groups: dict[tuple[int, ParentSet, bytes], list[int]] = {}
    for at, (node, discrete, _) in sets.items():
        groups.setdefault((node, discrete, np.sort(np.concatenate(keys_of[at])).tobytes()), []).append(at)
    return [
        (node, Candidates(discrete, np.array(at), make_sets([sets[i][2] for i in at])), np.frombuffer(keys, np.int64))
        for (node, discrete, keys), at in groups.items()
    ]
