"""Scores that know how many rows a parameter is estimated from: BIC with local penalties, integrated held-out density.

A configuration of the discrete parents supports a regression on g continuous parents if it has g + 3 rows, if the node
is not an exact function of the parents there. Of test rows, only configurations that have any count. All rows of the
configurations that support none are put together, as if they were one configuration more. Where these rows support none
either, the regression on all rows of the table scores them, as by `sparse="pool"`. A parent that is constant in a
configuration, or a function of others, has no coefficient there.
"""

import math
from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit._threads import in_ranges
from bnjit.kernels.cgaussian import Task
from bnjit.kernels.evidence import (
    LOCAL,
    REFERENCE,
    Evidence,
    batch_evidence,
    evidence_triangles,
)
from bnjit.kernels.moments import Moments
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.sparse import Side, score_joined
from bnjit.stats import Request, Store
from bnjit.stats.cell_scores import CellSets, Likelihood, Scored
from bnjit.stats.left_out import LeftOut
from bnjit.stats.parent_sets import Batch, Candidates
from bnjit.stats.triangles import CellTriangles


class EvidenceOfCells:
    """Scores in which each cell's rows weigh its own parameters; see bnjit.kernels.evidence."""

    lenient = residuals = leaves_out = True

    def __init__(self, kind: int, predictive: bool) -> None:
        self.kind, self.predictive = kind, predictive

    def from_moments(self, train: Moments, test: Moments, sets: CellSets, threaded: bool) -> Scored:
        """Sums over accurate cells, and marks of the others."""
        b, m = len(sets.sizes), len(train.counts)
        out, flagged, marks = np.empty(b), np.empty(b, np.int64), np.empty((b, m), np.uint8)
        rule = Evidence(self.kind, self.predictive, sets.in_cells, sets.residual)
        in_ranges(batch_evidence, b, train, test, *sets[:3], rule, out, flagged, marks, threaded=threaded)
        return Scored(out, flagged, marks)

    def from_triangles(self, train: CellTriangles, test: CellTriangles, task: Task, in_cells: bool) -> Floats:
        """Scores of every cell and parent set; NaN where a cell supports no regression."""
        out = np.empty((len(train.keys), len(task.sizes)))
        rule = Evidence(self.kind, self.predictive, in_cells)
        in_ranges(evidence_triangles, len(out), train.triangles, test.triangles, task, rule, out)
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

    def tables_needed(self, batch: Batch) -> list[tuple[Store, Request]]:
        """Return the tables that scoring will ask for first, given counts."""
        return self._supported.tables_needed(batch)

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        left_out = self._supported.refits.left_out
        left_out.clear()
        out = self._supported.local_scores(batch)
        for rest in _by_keys(left_out):
            out[rest.group.at] += self._score_rest(rest)
        return out

    def _score_rest(self, left: LeftOut) -> Floats:
        """Scores of the configurations that support no regression of their own, float64[b]."""
        node, group, keys, joined = left
        if not group.discrete:
            return np.full(len(group.at), -np.inf)
        fitted = Side(self.store, keys, joined and joined[0])
        rest = Side(self.scored, keys, joined and joined[1]) if self.predictive else fitted
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


def _by_keys(left_out: Sequence[LeftOut]) -> list[LeftOut]:
    """Each parent set once, with all the configurations that it leaves out.

    A set comes again if it is scored anew by residuals, or if fitting cells again shows more that support nothing.
    """
    again: dict[int, list[LeftOut]] = {}
    for one in left_out:
        for at in one.group.at.tolist():
            again.setdefault(at, []).append(one)
    found = []
    for one in left_out:
        first = [i for i, at in enumerate(one.group.at.tolist()) if again[at][0] is one]
        alone = [i for i in first if len(again[int(one.group.at[i])]) == 1]
        if alone:
            found.append(one._replace(group=one.group.some(np.array(alone))))
        for i in sorted(set(first) - set(alone)):
            others = again[int(one.group.at[i])]
            keys = np.unique(np.concatenate([other.keys for other in others]))
            joined = next((other.joined for other in others if other.joined and len(other.keys) == len(keys)), None)
            found.append(LeftOut(one.node, one.group.some(np.array([i])), keys, joined))
    return found
