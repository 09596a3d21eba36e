"""Regressions of all folds at once, from the moments of each: what is outside a fold is summed where it is used.

Where moments do not give a regression accurately, it is fitted again as in stats.regressions, for all folds together:
from triangles of the rows of each fold, or from residuals under one fit to the rows of all folds.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_threads
from bnjit.kernels.cgaussian import Marks
from bnjit.kernels.folds import FoldSums, score_folds
from bnjit.kernels.folds_one import FoldSets, FoldTables
from bnjit.scores.cgaussian import FromCells, Part
from bnjit.scores.tuning import FOLD_RANGES, GROUPS_PER_FOLD_RANGE, VALUES_PER_FIT
from bnjit.stats import Cells, Request, Store, cells_for
from bnjit.stats.cache import Recent
from bnjit.stats.cell_scores import Likelihood
from bnjit.stats.parent_sets import Batch, Candidates, ParentSet
from bnjit.stats.regressions import scores_from_triangles
from bnjit.stats.requests import TriangleRequest
from bnjit.stats.residual_views import NodeSets, ResidualViews, View
from bnjit.stats.residuals import CommonParents, residual_parts
from bnjit.stats.store import triangles_for
from bnjit.stats.triangles import leave_one_out
from bnjit.stats.tuning import MANY_ROWS

GROUPS_MEMORY = 1 << 24  # bytes for the cells of each configuration


class _Groups(NamedTuple):
    """Configurations that some fold has; at : int64[m, k], their cells in each fold, -1 for none.

    rows : int64[m, k], in each fold; fewest : rows outside a fold, in the configurations that it has
    """

    keys: Ints64
    at: Ints64
    rows: Ints64
    fewest: int


class _Doubtful(NamedTuple):
    """Parent sets with doubtful cells: marks of these, uint8[k, b, m], in the m configurations of some groups."""

    group: Candidates
    marks: Marks
    groups: _Groups


NONE_POSSIBLE = _Groups(np.empty(0, np.int64), np.empty((0, 0), np.int64), np.empty((0, 0), np.int64), 0)
FEWEST_ROWS = 2  # with no more, one is in some fold, and the other is too few for a regression


class FoldsAtOnce:
    """Scores of the rows of each fold under regressions on the rows of all others.

    Parameters
    ----------
    one : FromCells
        The score of the rows of one fold: which tables it needs, others need, too.
    tests : sequence of Store
        The rows of each fold.
    everything : Store
        The rows of all folds.
    many_rows : float
        How many times all rows are worth a column of residuals.
    """

    def __init__(self, one: FromCells, tests: Sequence[Store], everything: Store, many_rows: float = MANY_ROWS) -> None:
        self.one, self.tests, self.everything, self.many_rows = one, tests, everything, many_rows
        self.views = ResidualViews(View(one.store, one.test, tuple(tests)), one.schema.discrete)
        self._known: Recent[ParentSet, _Groups] = Recent(
            GROUPS_MEMORY, lambda one: one.keys.nbytes + one.at.nbytes + one.rows.nbytes
        )

    def by_fold(self, batch: Batch) -> Floats:
        """Return what each fold adds to the local scores, float64[k, b]; -inf in all folds if in one of them."""
        out = np.full((len(self.tests), batch.size), -np.inf)
        todo = self.views.divide(batch)
        while todo:
            todo = self._fit_again(self._from_moments(todo, out), out)
        out[:, (out == -np.inf).any(axis=0)] = -np.inf
        self.one.compare(batch, out.sum(axis=0))
        return out

    def _groups(self, sets: Sequence[ParentSet]) -> list[_Groups]:
        """Cells of each configuration in all folds, for sets of discrete parents."""
        found = {discrete: self._known.recall(discrete) for discrete in sets}
        new = self._possible([discrete for discrete, known in found.items() if known is None], found)
        counted = iter(cells_for([(test, Request(discrete)) for discrete in new for test in self.tests]))
        for discrete in new:
            groups = _grouped([next(counted) for _ in self.tests])
            found[discrete] = groups
            self._known.remember(discrete, groups)
        return [known for discrete in sets if (known := found[discrete]) is not None]

    def _possible(self, sets: list[ParentSet], found: dict[ParentSet, _Groups | None]) -> list[ParentSet]:
        """Return the sets that have enough rows in all folds; what counts of all rows rule out has no groups."""
        if self.everything.in_passes:
            return sets
        possible = []
        for discrete, cells in zip(sets, self.everything.get([Request(some) for some in sets]), strict=True):
            if discrete and int(cells.counts.min()) <= FEWEST_ROWS:
                found[discrete] = NONE_POSSIBLE
                self._known.remember(discrete, NONE_POSSIBLE)
            else:
                possible.append(discrete)
        return possible

    def _rows_in(self, sets: list[ParentSet]) -> list[tuple[int, int]]:
        return [(one.fewest, len(one.keys)) for one in self._groups(sets)]

    def _from_moments(self, todo: Sequence[NodeSets], out: Floats) -> list[tuple[NodeSets, list[_Doubtful]]]:
        """Score what moments give accurately, and return what is doubtful in some fold."""
        doubtful: dict[int, list[_Doubtful]] = {}
        for some in self.one.in_memory(self.one.parts(todo, self._rows_in), copies=len(self.tests)):
            found = iter(cells_for([pair for part in some for pair in part.asked()]))
            tables = [_alike([next(found) for _ in self.tests], part.request) for part in some]
            for part, (sums, marks) in zip(some, self._score_all(some, tables), strict=True):
                out[:, part.group.at] = sums.scores
                which = np.flatnonzero(sums.flagged.any(axis=0))
                if len(which):
                    (groups,) = self._groups([part.group.discrete])
                    one = _Doubtful(part.group.some(which), marks[:, which], groups)
                    doubtful.setdefault(part.number, []).append(one)
        return [(todo[number], found) for number, found in doubtful.items()]

    def _fit_again(self, doubtful: Sequence[tuple[NodeSets, list[_Doubtful]]], out: Floats) -> list[NodeSets]:
        """Add what moments left out, and return the sets that are to be scored anew, by residuals."""
        anew: list[tuple[NodeSets, CommonParents]] = []
        near: list[tuple[int, _Doubtful]] = []
        for whole, found in doubtful:
            at = np.sort(np.concatenate([one.group.at for one in found]))
            which = np.searchsorted(whole.at, at)
            some = whole._replace(at=at, sets=whole.sets.take(which))
            rows = sum(_rows_fitted(one) for one in found)
            enough = self.many_rows * (len(self.tests) - 1) * self.everything.n
            parents = self.views.worth(some, rows, enough) if self.tests[0].reader.has_rows else None
            if parents is None:
                near += [(some.node, one) for one in found]
            else:
                anew.append((some, parents))
        self._add_triangles(near, out)
        again = []
        for some, parents in anew:
            stores = residual_parts(some.view.stores, some.node, parents)
            view = some.view._replace(stores=stores, depth=some.view.depth + 1)
            again.append(self.views.replace(some, parents, view))
        return again

    def _add_triangles(self, doubtful: Sequence[tuple[int, _Doubtful]], out: Floats) -> None:
        """Add the scores of doubtful cells from the triangles of the rows as they were given."""
        asked = []
        for node, (group, marks, groups) in doubtful:
            which = np.flatnonzero(marks.any(axis=(0, 1)))
            for test, rows in zip(self.tests, groups.rows[which].sum(axis=0).tolist(), strict=True):
                columns = group.columns_with(node)
                asked.append((test, TriangleRequest(group.discrete, groups.keys[which], columns, rows)))
        found = iter(triangles_for(asked))
        cells = Likelihood(predictive=True)
        for node, (group, marks, _) in doubtful:
            columns = group.columns_with(node)
            parts = [next(found).narrow(columns) for _ in self.tests]
            needed = marks[:, :, marks.any(axis=(0, 1))] > 0
            for f, pair in enumerate(zip(leave_one_out(parts), parts, strict=True)):
                if needed[f].any():
                    again = scores_from_triangles(cells, node, group, pair, bool(group.discrete)).T
                    # Only what a set itself needs, so that its score does not depend on the others of the batch.
                    out[f, group.at] += np.where(needed[f], again, 0.0).sum(axis=1)

    def _score_all(self, parts: Sequence[Part], tables: Sequence[list[Cells]]) -> list[tuple[FoldSums, Marks]]:
        """Sums over configurations, and marks of doubtful cells; threads over ranges of configurations."""
        tasks, results, work = [], [], 0
        for part, own in zip(parts, tables, strict=True):
            (groups,) = self._groups([part.group.discrete])
            m, b, k = len(groups.keys), len(part.group.at), len(self.tests)
            ranges = max(1, min(FOLD_RANGES, m // GROUPS_PER_FOLD_RANGE))
            sums = [FoldSums(np.zeros((k, b)), np.zeros((k, b), np.int64)) for _ in range(ranges)]
            marks = np.zeros((k, b, m), np.uint8)
            rule = Likelihood(predictive=True).rule(bool(part.group.discrete), part.view.depth > 0)
            call = score_folds, addresses(own, groups.at), self._sets(part, own[0].columns), rule
            bounds = [m * i // ranges for i in range(ranges + 1)]
            for (a, z), one in zip(pairwise(bounds), sums, strict=True):
                tasks.append(partial(call[0], a, z, *call[1:], one, marks))
            results.append((sums, marks))
            work += m * b * k
        in_threads(tasks, work * VALUES_PER_FIT)
        return [(_summed(sums), marks) for sums, marks in results]

    def _sets(self, part: Part, columns: tuple[int, ...]) -> FoldSets:
        """What the kernel takes of a part's sets."""
        place, sets = self.one.places(columns), part.group.continuous
        y, parents = int(place[part.node]), place[sets.members]
        members = np.full((len(sets.sizes), parents.shape[1] + 1), y)
        members[:, 1:][sets.inside()] = parents[sets.inside()]
        needed = np.zeros((len(columns), len(columns)), bool)
        needed[members[:, :, None], members[:, None, :]] = True
        used = needed.diagonal().nonzero()[0]
        i, j = np.tril(needed).nonzero()
        return FoldSets(
            y, parents, sets.sizes, used, np.searchsorted(used, i), np.searchsorted(used, j), i * (i + 1) // 2 + j
        )  # fmt: skip


def addresses(tables: Sequence[Cells], at: Ints64) -> FoldTables:
    """Tables of folds as the kernel takes them; they must be kept alive."""
    where = np.array([[array.ctypes.data for array in cells.moments] for cells in tables], np.int64)
    counts, means, corrections, crosses = np.ascontiguousarray(where.T)
    return FoldTables(counts, means, corrections, crosses, at, len(tables[0].columns))


def _grouped(counted: Sequence[Cells]) -> _Groups:
    """Configurations that some fold has."""
    keys = np.sort(np.concatenate([cells.keys for cells in counted]), kind="stable")  # which merges what is sorted
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    at = np.full((len(keys), len(counted)), -1, np.int64)
    rows = np.zeros(at.shape, np.int64)
    for f, cells in enumerate(counted):
        which = np.searchsorted(keys, cells.keys)
        at[which, f], rows[which, f] = np.arange(len(cells.keys)), cells.counts
    outside = rows.sum(axis=1)[:, None] - rows
    return _Groups(keys, at, rows, int(outside[at >= 0].min()))


def _alike(tables: list[Cells], request: Request) -> list[Cells]:
    """Tables of the folds with the same columns."""
    if all(cells.columns == tables[0].columns for cells in tables):
        return tables
    return [cells.narrow(request.columns) for cells in tables]


def _summed(sums: Sequence[FoldSums]) -> FoldSums:
    """Sums of all ranges; a set that is impossible in one of them is so, and nothing of it is fitted again."""
    scores, flagged = sums[0]
    for one in sums[1:]:
        scores += one.scores
        flagged += one.flagged
    dead = (scores == -np.inf).any(axis=0)
    scores[:, dead], flagged[:, dead] = -np.inf, 0
    return FoldSums(scores, flagged)


def _rows_fitted(doubtful: _Doubtful) -> int:
    """Rows that doubtful regressions are fitted to, those of each as often as it is there."""
    rows = doubtful.groups.rows
    outside = rows.sum(axis=1) - rows.T
    return int((doubtful.marks.sum(axis=1, dtype=np.int64) * outside).sum())
