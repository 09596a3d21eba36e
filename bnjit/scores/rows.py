"""Scores of continuous nodes from rows: regressions by QR, for what moments cannot vouch for and for the paper's QR."""

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.cgaussian import Rule, Task, batch_rows
from bnjit.kernels.triangles import score_triangles
from bnjit.scores.batch import Candidates, Indices, ParentSet
from bnjit.stats import Request, Store
from bnjit.stats.collect import MAX_LANES, lanes_of_cells
from bnjit.stats.sorting import sort_rows


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

    def __init__(self, store: Store, test: Store | None) -> None:
        self.store, self.test = store, test

    def __call__(
        self, node: int, group: Candidates, cells: Indices | None, test_cells: Indices | None, by_cell: bool = False
    ) -> Floats:
        """Scores of lanes of cells, or of every cell, float64[lanes, b]; of some cells, the same in both tables."""
        sets = group.continuous
        needed = tuple(np.unique(np.append(sets.members[sets.inside()], node)).tolist())
        if not self._at_hand(group, cells, test_cells):
            assert cells is not None
            assert test_cells is not None
            return self._from_triangles(node, group, cells, test_cells, needed)
        table, members, cells = self.store.rows(group.discrete, cells)
        train = test = sort_rows(table, members, needed, cells)
        if self.test is not None:
            table, members, test_cells = self.test.rows(group.discrete, test_cells)
            test = sort_rows(table, members, needed, test_cells)
        bounds = np.arange(len(train.starts)) if by_cell else lanes_of_cells(train.starts)
        out = np.empty((len(bounds) - 1, len(sets.sizes)))
        # Few cells are few tasks; then the parent sets are divided among threads too.
        pieces = 1 if len(bounds) > MAX_LANES // 2 else len(sets.sizes)
        task, rule = Task(node, *sets), rule_of(self.test, group.discrete)
        batch_rows(train.columns, train.starts, test.columns, test.starts, bounds, pieces, task, rule, out)
        return out

    def _at_hand(self, group: Candidates, cells: Indices | None, test_cells: Indices | None) -> bool:
        """Whether rows are in memory, or few enough to be brought there."""
        if cells is None or test_cells is None:
            return True
        here = self.store.at_hand(group.discrete, cells)
        return here and (self.test is None or self.test.at_hand(group.discrete, test_cells))

    def _from_triangles(
        self, node: int, group: Candidates, cells: Indices, test_cells: Indices, needed: tuple[int, ...]
    ) -> Floats:
        """Scores of every cell, from triangles in place of rows, float64[cells, b]."""
        train = test = self.store.triangles(group.discrete, cells, needed)
        if self.test is not None:
            test = self.test.triangles(group.discrete, test_cells, train.columns)
        position = np.zeros(len(self.store.table.names), np.int32)
        position[list(train.columns)] = np.arange(len(train.columns))
        sets = group.continuous
        task = Task(int(position[node]), position[sets.members], sets.sizes)
        out = np.empty((len(cells), len(sets.sizes)))
        score_triangles(train.triangles, test.triangles, task, rule_of(self.test, group.discrete), out)
        return out
