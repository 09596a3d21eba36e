"""Scores of continuous nodes from rows: regressions by QR, for what moments cannot vouch for and for the paper's QR."""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.kernels.cgaussian import Task, batch_rows
from bnjit.kernels.columns import Columns
from bnjit.kernels.rules import Rule
from bnjit.kernels.triangles import score_triangles
from bnjit.scores.batch import Candidates, Indices, ParentSet
from bnjit.stats import Request, Store
from bnjit.stats.sorting import SortedRows, sort_rows

KEPT = 12  # a share of the rows this small is kept sorted,
MOST_KEPT = 4  # of so many sets of discrete parents
FEW_COLUMNS = 8  # that are sorted anew each time
FEW_CELLS = 32


def rule_of(test: Store | None, discrete: ParentSet, lenient: bool = False) -> Rule:
    """What a score of the fitted rows, or of test rows, is given discrete parents.

    A predictive variance is RSS / (n - 1) without discrete parents, which keeps the score equivalent for equivalent
    Gaussian networks, and RSS / (n - g - 1) in each of their cells (as in bnlearn).
    """
    return Rule(test is not None, bool(discrete), lenient and bool(discrete))


def matching_cells(train: Store, test: Store, discrete: ParentSet) -> Indices | None:
    """For each cell of the test rows, the training cell of the same configuration; None if training lacks one."""
    mine, theirs = (store.get([Request(discrete)])[0].keys for store in (train, test))
    at = np.searchsorted(mine, theirs)
    return at if np.array_equal(mine[np.minimum(at, len(mine) - 1)], theirs) else None


class _Rows(NamedTuple):
    """Sorted rows of cells: what kernels take, spans of the cells, int64[m, 2], and what must stay alive for that."""

    columns: Columns
    spans: Ints64
    alive: tuple[object, ...]


class _Kept:
    """Rows of some cells of a table, kept for the next time: a search asks for those of the same cells again."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._sorted: OrderedDict[ParentSet, tuple[Indices, SortedRows]] = OrderedDict()

    def rows(self, discrete: ParentSet, columns: ParentSet, cells: Indices) -> _Rows:
        """Sorted rows of cells, ascending."""
        known, found = self._sorted.get(discrete, (cells[:0], None))
        if found is None or len(np.setdiff1d(cells, known, assume_unique=True)):
            counts = self.store.get([Request(discrete)])[0].counts
            known = np.union1d(known, cells)
            few = found is None and len(columns) < FEW_COLUMNS
            # A store of chunks keeps what it brought to memory.
            if self.store.in_chunks or few or KEPT * counts[known].sum() > self.store.n:
                table, members, which = self.store.rows(discrete, cells)
                asked = sort_rows(table, members, columns, which)
                return _Rows(asked.columns, asked.spans, (asked, table))
            table, members, which = self.store.rows(discrete, known)
            found = sort_rows(table, members, table.continuous, which)
            self._sorted[discrete] = known, found
            if len(self._sorted) > MOST_KEPT:
                self._sorted.popitem(last=False)
        self._sorted.move_to_end(discrete)
        return _Rows(found.columns, found.spans[np.searchsorted(known, cells)], (found,))


class RowScorer:
    """Scores cells from their rows: those of the fitted table, or of a test table in the same cells."""

    def __init__(self, store: Store, test: Store | None, lenient: bool = False) -> None:
        self.store, self.test, self.lenient = store, test, lenient
        self._kept = [_Kept(store), *([_Kept(test)] if test is not None else [])]

    def __call__(self, node: int, group: Candidates, cells: Indices, test_cells: Indices) -> Floats:
        """Scores of some cells, ascending and the same in both tables, float64[m, b]."""
        sets = group.continuous
        needed = tuple(np.unique(np.append(sets.members[sets.inside()], node)).tolist())
        if not self._at_hand(group, cells, test_cells):
            return self._from_triangles(node, group, cells, test_cells, needed)
        asked = zip(self._kept, (cells, test_cells), strict=False)
        rows = [kept.rows(group.discrete, needed, which) for kept, which in asked]
        train, test = rows[0], rows[-1]
        out = np.empty((len(cells), len(sets.sizes)))
        # Few cells are few tasks; then the parent sets are divided among threads too.
        pieces = 1 if len(cells) > FEW_CELLS else len(sets.sizes)
        task, rule = Task(node, *sets), rule_of(self.test, group.discrete, self.lenient)
        batch_rows(train.columns, train.spans, test.columns, test.spans, pieces, task, rule, out)
        return out

    def _at_hand(self, group: Candidates, cells: Indices, test_cells: Indices) -> bool:
        """Whether rows are in memory, or few enough to be brought there."""
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
