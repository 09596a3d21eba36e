"""Regressions of all folds at once, from the moments of each: what is outside a fold is summed where it is used.

Where moments do not give a regression accurately, the score of that fold fits it again.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_threads
from bnjit.kernels.cgaussian import Marks
from bnjit.kernels.folds import FoldSets, FoldSums, FoldTables, score_folds
from bnjit.scores.cgaussian import FromCells, Part
from bnjit.scores.tuning import FOLD_RANGES, GROUPS_PER_FOLD_RANGE, VALUES_PER_FIT
from bnjit.stats import Cells, Request, Store, cells_for
from bnjit.stats.cache import Recent
from bnjit.stats.cell_scores import Likelihood
from bnjit.stats.parent_sets import Batch, ParentSet, ParentSets
from bnjit.stats.regressions import Doubtful, NodeSets

GROUPS_MEMORY = 1 << 24  # bytes for the cells of each configuration
Found = list[tuple[NodeSets, list[Doubtful]]]


class _Groups(NamedTuple):
    """Configurations that some fold has; at : int64[m, k], their cells in each fold, -1 for none.

    fewest : rows outside a fold, in the configurations that it has
    """

    keys: Ints64
    at: Ints64
    fewest: int


NONE_POSSIBLE = _Groups(np.empty(0, np.int64), np.empty((0, 0), np.int64), 0)
FEWEST_ROWS = 2  # with no more, one is in some fold, and the other is too few for a regression


class FoldsAtOnce:
    """Scores of the rows of each fold under regressions on the rows of all others.

    Parameters
    ----------
    folds : sequence of FromCells
        The score of the rows of each fold, for what moments do not give accurately.
    tests : sequence of Store
        These rows.
    everything : Store
        The rows of all folds.
    """

    def __init__(self, folds: Sequence[FromCells], tests: Sequence[Store], everything: Store) -> None:
        self.folds, self.tests, self.everything = folds, tests, everything
        self._known: Recent[ParentSet, _Groups] = Recent(GROUPS_MEMORY, lambda one: one.keys.nbytes + one.at.nbytes)

    def by_fold(self, batch: Batch) -> Floats:
        """Return what each fold adds to the local scores, float64[k, b]; -inf in all folds if in one of them."""
        out = np.full((len(self.folds), batch.size), -np.inf)
        deeper, asked = self._divide(batch)
        base = [
            NodeSets(node, self.folds[0].refits.base, at, ParentSets(batch.sets.members[at], batch.sets.sizes[at]))
            for node, part in batch.by_node()
            if len(at := part.start + np.flatnonzero(asked[:, part].any(axis=0)))
        ]
        doubtful = self._from_moments(base, asked, out)
        dead = ((out == -np.inf) & (asked > 0)).any(axis=0)
        for fold, todo, found, scores in zip(self.folds, deeper, doubtful, out, strict=True):
            fold.finish(_without(todo, dead), found, scores)
            dead |= scores == -np.inf
        out[:, dead] = -np.inf
        self.folds[0].compare(batch, out.sum(axis=0))
        return out

    def _divide(self, batch: Batch) -> tuple[list[list[NodeSets]], Marks]:
        """Return the sets that each fold scores by residuals; and uint8[k, b], which it scores by moments."""
        asked = np.ones((len(self.folds), batch.size), np.uint8)
        deeper: list[list[NodeSets]] = []
        for fold, row in zip(self.folds, asked, strict=True):
            some = fold.refits.divide(batch) if fold.refits.nodes_by_residuals else []
            deeper.append([one for one in some if one.view.depth > 0])
            for one in deeper[-1]:
                row[one.at] = 0
        return deeper, asked

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
        for discrete, (cells,) in zip(sets, (self.everything.get([Request(some)]) for some in sets), strict=True):
            if discrete and int(cells.counts.min()) <= FEWEST_ROWS:
                found[discrete] = NONE_POSSIBLE
                self._known.remember(discrete, NONE_POSSIBLE)
            else:
                possible.append(discrete)
        return possible

    def _rows_in(self, sets: list[ParentSet]) -> list[tuple[int, int]]:
        return [(one.fewest, len(one.keys)) for one in self._groups(sets)]

    def _from_moments(self, todo: Sequence[NodeSets], asked: Marks, out: Floats) -> list[Found]:
        """Score what moments give accurately, and return what is doubtful in each fold."""
        first = self.folds[0]
        doubtful: list[dict[int, list[Doubtful]]] = [{} for _ in self.folds]
        for some in first.in_memory(first.parts(todo, self._rows_in), copies=len(self.folds)):
            found = iter(cells_for([(test, part.request) for part in some for test in self.tests]))
            tables = [_alike([next(found) for _ in self.tests], part.request) for part in some]
            for part, (sums, marks) in zip(some, self._score_all(some, tables, asked), strict=True):
                out[:, part.group.at] = sums.scores
                for f in np.flatnonzero(sums.flagged.any(axis=1)).tolist():
                    which = (sums.flagged[f] > 0).nonzero()[0]
                    if len(which):
                        one = self._doubtful(f, part, which, marks[f])
                        doubtful[f].setdefault(part.number, []).append(one)
        return [
            [(todo[number]._replace(view=fold.refits.base), some) for number, some in own.items()]
            for fold, own in zip(self.folds, doubtful, strict=True)
        ]

    def _doubtful(self, f: int, part: Part, which: Ints64, marks: Marks) -> Doubtful:
        """Sets of a part with cells that moments do not give accurately in one fold."""
        (fitted,) = self.folds[f].store.get([Request(part.group.discrete)])
        (groups,) = self._groups([part.group.discrete])
        cells = np.minimum(np.searchsorted(fitted.keys, groups.keys), len(fitted.keys) - 1)
        return Doubtful(part.group.some(which), marks[which], cells)

    def _score_all(
        self, parts: Sequence[Part], tables: Sequence[list[Cells]], asked: Marks
    ) -> list[tuple[FoldSums, Marks]]:
        """Sums over configurations, and marks of doubtful cells; threads over ranges of configurations."""
        tasks, results, work = [], [], 0
        for part, own in zip(parts, tables, strict=True):
            (groups,) = self._groups([part.group.discrete])
            m, b, k = len(groups.keys), len(part.group.at), len(self.folds)
            ranges = max(1, min(FOLD_RANGES, m // GROUPS_PER_FOLD_RANGE))
            sums = [FoldSums(np.zeros((k, b)), np.zeros((k, b), np.int64)) for _ in range(ranges)]
            marks = np.zeros((k, b, m), np.uint8)
            rule = Likelihood(predictive=True).rule(bool(part.group.discrete))
            call = score_folds, addresses(own, groups.at), self._sets(part, own[0].columns), rule
            mine = np.ascontiguousarray(asked[:, part.group.at])
            bounds = [m * i // ranges for i in range(ranges + 1)]
            for (a, z), one in zip(pairwise(bounds), sums, strict=True):
                tasks.append(partial(call[0], a, z, *call[1:], mine, one, marks))
            results.append((sums, marks))
            work += m * b * k
        in_threads(tasks, work * VALUES_PER_FIT)
        return [(_summed(sums), marks) for sums, marks in results]

    def _sets(self, part: Part, columns: tuple[int, ...]) -> FoldSets:
        """What the kernel takes of a part's sets."""
        place, sets = self.folds[0].places(columns), part.group.continuous
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
    return _Groups(keys, at, int(outside[at >= 0].min()))


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


def _without(todo: Sequence[NodeSets], dead: np.ndarray) -> list[NodeSets]:
    """Sets without those that are impossible."""
    kept = []
    for some in todo:
        alive = (~dead[some.at]).nonzero()[0]
        if len(alive):
            kept.append(some._replace(at=some.at[alive], sets=some.sets.take(alive)))
    return kept
