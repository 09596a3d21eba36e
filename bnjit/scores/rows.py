"""Local scores of continuous nodes from rows, as the paper estimates them (Section 4.1).

Methods: "qr" fits every regression by QR; "1p" uses closed forms for up to one continuous parent, "2p" for up to two.
They are what the paper compares; `bnjit.scores.cgaussian` gives the same scores from Cells.
"""

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.kernels.cgaussian import Rule, Task, batch_rows
from bnjit.scores.batch import Candidates, Indices, ParentSet, ParentSets, by_discrete_part
from bnjit.stats import Request, Store
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.collect import MAX_LANES, lanes_of_cells
from bnjit.stats.sorting import sort_rows

SORT_BYTES = 1 << 30  # rows that are sorted at a time
CLOSED = {"qr": -1, "1p": 1, "2p": 2}  # the most continuous parents that a method fits in closed form


def rule_of(test: Store | None, discrete: ParentSet) -> Rule:
    """What a score of the fitted rows, or of test rows, is given discrete parents.

    A predictive variance is RSS / (n - 1) without discrete parents, which keeps the score equivalent for equivalent
    Gaussian networks, and RSS / (n - g - 1) in each of their cells (as in bnlearn).
    """
    return Rule(test is not None, bool(discrete))


def matching_cells(train: Store, test: Store, discrete: ParentSet) -> Indices | None:
    """For each cell of the test rows, the training cell of the same configuration; None if training lacks one."""
    mine, theirs = (store.get([Request(discrete)])[0].keys for store in (train, test))
    at = np.searchsorted(mine, theirs)
    return at if np.array_equal(mine[np.minimum(at, len(mine) - 1)], theirs) else None


class RowScorer:
    """Scores cells from their rows: those of the fitted table, or of a test table in the same cells."""

    def __init__(self, store: Store, test: Store | None, closed: int) -> None:
        self.store, self.test, self.closed = store, test, closed

    def __call__(
        self, node: int, group: Candidates, cells: Indices | None, test_cells: Indices | None, by_cell: bool = False
    ) -> Floats:
        """Scores of lanes of cells, or of every cell, float64[lanes, b]; of some cells, the same in both tables."""
        sets = group.continuous
        needed = tuple(np.unique(np.append(sets.members[sets.inside()], node)).tolist())
        train = test = sort_rows(self.store.table, self.store.members(group.discrete), needed, cells)
        if self.test is not None:
            test = sort_rows(self.test.table, self.test.members(group.discrete), needed, test_cells)
        bounds = np.arange(len(train.starts)) if by_cell else lanes_of_cells(train.starts)
        out = np.empty((len(bounds) - 1, len(sets.sizes)))
        # Few cells are few tasks; then the parent sets are divided among threads too.
        pieces = 1 if len(bounds) > MAX_LANES // 2 else len(sets.sizes)
        task, rule = Task(node, *sets, self.closed), rule_of(self.test, group.discrete)
        batch_rows(train.columns, train.starts, test.columns, test.starts, bounds, pieces, task, rule, out)
        return out


class FromRows:
    """Log-likelihood of the rows, or of test rows, under regressions fitted to the rows of each cell."""

    def __init__(self, store: Store, test: Store | None, method: str) -> None:
        self.store, self.test = store, test
        self._score = RowScorer(store, test, CLOSED[method])

    def scores(self, node: int, sets: ParentSets) -> Floats:
        """Return the local score of `node` for every set of parents, float64[b]."""
        out = np.full(len(sets.sizes), -np.inf)
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
            if len(possible.at):
                parts = [
                    self._score(node, possible, cells[part], part).sum(axis=0)
                    for part in self._parts(counts[cells], len(self.store.table.continuous))
                ]
                out[possible.at] = np.sum(parts, axis=0)
        return out

    def _parts(self, counts: Ints64, width: int) -> list[Indices]:
        """Divide cells so that the rows of each part, sorted, fit in some memory."""
        part = np.cumsum(counts * (8 * width)) // SORT_BYTES
        return np.split(np.arange(len(counts)), np.flatnonzero(np.diff(part)) + 1)
