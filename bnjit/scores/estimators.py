"""The paper's estimators of continuous nodes (Section 4.1), each local distribution anew from the rows.

"qr" fits every regression by QR; "1p" uses closed forms for up to one continuous parent, "2p" for up to two, from
means, variances and covariances in each cell. They are what the paper compares; `bnjit.scores.cgaussian` gives the
same scores from Cells that are shared.
"""

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.scores.batch import Candidates, Indices, ParentSets, Steps, by_discrete_part
from bnjit.scores.cgaussian import FromCells, columns_of, matched
from bnjit.scores.rows import RowScorer, matching_cells
from bnjit.stats import Request, Store
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.collect import collect_batch

SORT_BYTES = 1 << 30  # rows that are sorted at a time
CLOSED = {"qr": -1, "1p": 1, "2p": 2}  # the most continuous parents that a method fits in closed form


class FromRows:
    """Log-likelihood of the rows, or of test rows, under regressions fitted to the rows of each cell."""

    def __init__(self, store: Store, test: Store | None, method: str) -> None:
        self.store, self.test, self.closed = store, test, CLOSED[method]
        self._by_qr, self._by_moments = RowScorer(store, test), FromCells(store, test)

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b]; rows must be at hand."""
        yield from ()
        out = np.full(len(sets.sizes), -np.inf)
        closed: list[Candidates] = []
        for group in by_discrete_part(sets, self.store.table.discrete):
            if self.store.table.configurations(group.discrete) > MAX_CONFIGURATIONS:
                continue
            counts = self.store.get([Request(group.discrete)])[0].counts
            cells = np.arange(len(counts))
            if self.test is not None:
                matching = matching_cells(self.store, self.test, group.discrete)
                if matching is None:
                    continue
                cells = matching
            # A cell with too few rows for a regression makes it impossible: no need to fit the others.
            possible = group.some(np.flatnonzero(group.continuous.sizes + 1 < counts[cells].min()))
            small = possible.continuous.sizes <= self.closed
            if small.any():
                closed.append(possible.some(np.flatnonzero(small)))
            large = possible.some(np.flatnonzero(~small))
            if len(large.at):
                parts = [self._by_qr(node, large, cells[part], part).sum(axis=0) for part in self._parts(counts[cells])]
                out[large.at] = np.sum(parts, axis=0)
        self._score_closed(node, closed, out)
        return out

    def _score_closed(self, node: int, groups: list[Candidates], out: Floats) -> None:
        """Score parent sets in closed form, from means, variances and covariances of what they have together."""
        columns = [columns_of(node, group) for group in groups]
        moments = []
        for store in [self.store, *([self.test] if self.test is not None else [])]:
            jobs = [(needed, store.members(group.discrete)) for needed, group in zip(columns, groups, strict=True)]
            moments.append(collect_batch(store.table, jobs))
        for group, fitted, scored in zip(groups, moments[0], moments[-1], strict=True):
            out[group.at] = self._by_moments.score(node, group, matched(fitted, scored))

    def _parts(self, counts: Ints64) -> list[Indices]:
        """Divide cells so that the rows of each part, sorted, fit in some memory."""
        part = np.cumsum(counts * (8 * len(self.store.table.continuous))) // SORT_BYTES
        return np.split(np.arange(len(counts)), np.flatnonzero(np.diff(part)) + 1)
