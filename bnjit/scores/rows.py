"""Local scores of continuous nodes from rows, as the paper estimates them (Section 4.1).

Methods: "qr" fits every regression by QR; "1p" uses closed forms for up to one continuous parent, "2p" for up to two.
They are what the paper compares; `bnjit.scores.cgaussian` gives the same scores from Cells.
"""

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.kernels.cgaussian import GroupedRows, Rule, Task, batch_rows
from bnjit.scores.batch import Indices, ParentSet, ParentSets, by_discrete_part
from bnjit.stats import Request, Store
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.collect import MAX_LANES, lanes_of_cells

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


def rows_of_cells(store: Store, discrete: ParentSet, cells: Indices | None = None) -> GroupedRows:
    """Rows grouped by cell, of all cells or of some in the order given."""
    rows, starts = store.groups(discrete)
    if len(rows) and cells is not None:
        lengths = np.diff(starts)[cells]
        ends = np.cumsum(lengths)
        chosen = np.repeat(starts[cells] - (ends - lengths), lengths) + np.arange(ends[-1])
        rows, starts = rows[chosen], np.concatenate([[0], ends])
    return GroupedRows(rows, starts)


class RowScorer:
    """Scores cells from their rows: those of the fitted table, or of a test table in the same cells."""

    def __init__(self, store: Store, test: Store | None, closed: int) -> None:
        self.store, self.test, self.closed = store, test, closed

    def __call__(
        self, node: int, sets: ParentSets, train: GroupedRows, test: GroupedRows, rule: Rule, bounds: Ints64
    ) -> Floats:
        """Scores of lanes of cells, float64[lanes, b]."""
        out = np.empty((len(bounds) - 1, len(sets.sizes)))
        test_view = (self.test or self.store).table.view
        which = np.unique(np.append(sets.members[sets.inside()], np.int32(node)))
        # Few cells are few tasks; then the parent sets are divided among threads too.
        pieces = 1 if len(bounds) > MAX_LANES // 2 else len(sets.sizes)
        task = Task(node, which, *sets, self.closed)
        batch_rows(self.store.table.view, train, test_view, test, bounds, pieces, task, rule, out)
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
            discrete = group.discrete
            if self.store.table.configurations(discrete) > MAX_CONFIGURATIONS:
                continue
            if self.test is None:
                train = test = rows_of_cells(self.store, discrete)
            else:
                cells = matching_cells(self.store, self.test, discrete)
                if cells is None:
                    continue
                train, test = rows_of_cells(self.store, discrete, cells), rows_of_cells(self.test, discrete)
            # A cell with too few rows for a regression makes it impossible: no need to fit the others.
            scored = np.diff(train.starts)[np.diff(test.starts) > 0]
            possible = group.some(np.flatnonzero(group.continuous.sizes + 1 < scored.min()))
            if len(possible.at):
                rule, bounds = rule_of(self.test, discrete), lanes_of_cells(train.starts)
                lanes = self._score(node, possible.continuous, train, test, rule, bounds)
                out[possible.at] = lanes.sum(axis=0)
        return out
