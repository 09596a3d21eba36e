"""Where moments are not enough: the one place that decides how a doubtful regression is fitted again.

Kernels say of each regression from moments whether it is accurate. A doubtful one is fitted again from the triangle of
its cell, which loses no digits. A node for which that happens again and again is replaced by a column of its residuals,
whose moments are accurate. Scores (`Refits`) and fitted networks (`fit_regressions`) use the same rules for singular
parents and degrees of freedom, those of `kernels.rules`.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32
from bnjit._threads import in_ranges
from bnjit.kernels.cgaussian import Marks, Task, batch_cells
from bnjit.kernels.parameters import regressions_from_moments
from bnjit.kernels.rules import NEEDS_ROWS, Rule, is_nearly_singular, is_rounding
from bnjit.kernels.triangles import regressions_from_triangles
from bnjit.stats.cell_scores import CellScore, Likelihood
from bnjit.stats.cells import Cells
from bnjit.stats.left_out import LeftOut, left_out
from bnjit.stats.parent_sets import Batch, Candidates, Indices
from bnjit.stats.requests import Request, TriangleRequest
from bnjit.stats.residual_views import NodeSets, ResidualViews, view_of
from bnjit.stats.residuals import CommonParents, residual_stores
from bnjit.stats.store import Store, cells_for, triangles_for
from bnjit.stats.triangles import CellTriangles, nbytes_of
from bnjit.stats.tuning import FEW_CELLS, MANY_ROWS


class Doubtful(NamedTuple):
    """Parent sets with doubtful cells: marks of these, uint8[b, m], and which fitted cells the m cells are."""

    group: Candidates
    marks: Marks
    cells: Indices


class Refits:
    """Scores of parent sets that moments do not give accurately.

    Parameters
    ----------
    store, test : Store
        Fitted rows, and test rows for a predictive score.
    cells : CellScore
        How a cell is scored.
    many_rows : float
        How many times all rows are worth a column of residuals.

    Attributes
    ----------
    left_out : list of LeftOut
        Cells that fitting again showed to support no regression, for a score that leaves them out.
    """

    def __init__(
        self, store: Store, test: Store | None = None, cells: CellScore | None = None, many_rows: float = MANY_ROWS
    ) -> None:
        self.base, self.many_rows = view_of(store, test), many_rows
        self.cells = Likelihood(test is not None) if cells is None else cells
        self.left_out: list[LeftOut] = []
        self._views = ResidualViews(self.base, store.schema.discrete)

    @property
    def nodes_by_residuals(self) -> list[int]:
        """Nodes that are scored by residuals where they can be."""
        return self._views.nodes

    def divide(self, batch: Batch) -> list[NodeSets]:
        """Divide a batch by nodes, and by the view that each set is scored from."""
        return self._views.divide(batch)

    def fit_again(self, doubtful: Sequence[tuple[NodeSets, list[Doubtful]]], out: Floats) -> list[NodeSets]:
        """Add what moments left out, and return the sets that are to be scored anew, by residuals.

        out : float64[b], scores of the batch (in and out)
        """
        if not doubtful:
            return []
        anew: list[tuple[NodeSets, CommonParents]] = []
        near: list[tuple[int, Doubtful]] = []
        for whole, found in doubtful:
            at = np.concatenate([one.group.at for one in found])
            which = np.searchsorted(whole.at, np.sort(at))  # both are ascending, and each place is there once
            some = whole._replace(at=whole.at[which], sets=whole.sets.take(which))
            parents = self._worth_residuals(some, found)
            if parents is None:
                near += [(some.node, one) for one in found]
            else:
                anew.append((some, parents))
        self._add_triangles(near, out)
        return self.by_residuals(anew)

    def _worth_residuals(self, some: NodeSets, found: list[Doubtful]) -> CommonParents | None:
        """Return the parents to regress a node on, if it was fitted from so many rows that residuals are worth it."""
        store = some.view.store
        if not (self.cells.residuals and store.reader.has_rows):
            return None
        return self._views.worth(some, self._rows_to_read(some.node, found), self.many_rows * store.n)

    def _rows_to_read(self, node: int, doubtful: Sequence[Doubtful]) -> float:
        """Rows to make triangles from; in passes not for those that are kept, and no end if they do not fit."""
        store, rows, size = self.base.store, 0.0, 0
        for one in doubtful:
            if store.in_passes:
                asked = list(zip(self.base.stores, self._requests(node, one), strict=True))
                if all(other.cache.has_cells(request) for other, request in asked):
                    continue
                size += nbytes_of(len(asked[0][1].keys), len(store.widened(asked[0][1]).columns))
            rows += float((one.marks @ store.get([Request(one.group.discrete)])[0].counts[one.cells]).sum())
        return math.inf if size > store.cache.triangles.memory else rows

    def _requests(self, node: int, doubtful: Doubtful) -> list[TriangleRequest]:
        """Return the triangles of doubtful cells, as each store is asked for them."""
        group, marks, cells = doubtful
        fitted = self.base.store.get([Request(group.discrete)])[0]
        keys = fitted.keys[cells[np.flatnonzero(marks.any(axis=0))]]
        return [request_triangles(one, group.discrete, keys, group.columns_with(node)) for one in self.base.stores]

    def by_residuals(self, anew: list[tuple[NodeSets, CommonParents]]) -> list[NodeSets]:
        """Make columns of residuals, and return the sets to score by them."""
        cells_for([(some.view.store, parents.request(some.node)) for some, parents in anew])
        again = []
        for some, parents in anew:
            view = view_of(*residual_stores(*some.view[:2], some.node, parents), some.view.depth + 1)
            again.append(self._views.replace(some, parents, view))
        return again

    def _add_triangles(self, doubtful: Sequence[tuple[int, Doubtful]], out: Floats) -> None:
        """Add the scores of doubtful cells from their triangles.

        They are those of the rows as they were given, also where the node is residuals: only there may a parent be
        dropped.
        """
        asked = [
            pair for node, one in doubtful for pair in zip(self.base.stores, self._requests(node, one), strict=True)
        ]
        found = iter(triangles_for(asked))
        for node, (group, marks, cells) in doubtful:
            pair = [next(found) for _ in self.base.stores]
            again = scores_from_triangles(self.cells, node, group, (pair[0], pair[-1]), bool(group.discrete)).T
            # Only what a set itself needs, so that its score does not depend on the others of the batch.
            some = np.flatnonzero(marks.any(axis=0))
            needed = marks[:, some] > 0
            lost = needed & np.isnan(again) if self.cells.leaves_out else np.zeros_like(needed)
            if lost.any():
                fitted = self.base.store.get([Request(group.discrete)])[0]
                self.left_out += left_out(node, group, lost, fitted.keys[cells[some]])
            out[group.at] += np.where(needed & ~lost, again, 0.0).sum(axis=1)


def request_triangles(
    store: Store, variables: tuple[int, ...], keys: Indices, columns: tuple[int, ...], as_one: bool = False
) -> TriangleRequest:
    """Ask for triangles of cells, which the store has counted."""
    (counted,) = store.get([Request(variables)]) if variables else (store.whole,)
    rows = int(counted.counts[np.searchsorted(counted.keys, keys)].sum())
    return TriangleRequest(variables, keys, columns, rows, as_one)


def scores_from_triangles(
    cells: CellScore, node: int, group: Candidates, pair: tuple[CellTriangles, CellTriangles], in_cells: bool
) -> Floats:
    """Scores of a node for every parent set of a group, in every cell of fitted and scored rows, float64[m, b]."""
    columns, sets = group.columns_with(node), group.continuous
    task = Task(columns.index(node), np.searchsorted(columns, sets.members).astype(np.int32), sets.sizes)
    train, test = (one.narrow(columns) for one in pair)
    return cells.from_triangles(train, test, task, in_cells)


class Regression(NamedTuple):
    """A regression of a node on continuous parents in every cell of a table."""

    node: int
    parents: tuple[int, ...]
    cells: Cells

    def columns(self) -> tuple[int, ...]:
        """Return the columns that it needs, ascending."""
        return tuple(sorted((*self.parents, self.node)))


class CellFits(NamedTuple):
    """Regressions in the cells of a table.

    coefficients : float64[m, g + 1], intercept first; rss : float64[m], residual sums of squares
    """

    coefficients: Floats
    rss: Floats


def fit_regressions(store: Store, regressions: Sequence[Regression]) -> list[CellFits]:
    """Fit regressions in every cell, from triangles where moments are not accurate."""
    fits, requests = [], []
    for i, one in enumerate(regressions):
        made, flags = _from_moments(one)
        fits.append(made)
        doubtful = _with_enough_rows(one, flags)
        if len(doubtful):
            requests.append((i, doubtful, _triangles_of(one, doubtful)))
    found = triangles_for([(store, request) for _, _, request in requests])
    for (i, doubtful, _), triangles in zip(requests, found, strict=True):
        node, parents, cells = regressions[i]
        which = np.array([triangles.columns.index(v) for v in (*parents, node)], np.int32)
        again, rss = np.empty((len(doubtful), len(parents) + 1)), np.empty(len(doubtful))
        regressions_from_triangles(triangles.triangles, which, bool(cells.variables), again, rss)
        fits[i].coefficients[doubtful], fits[i].rss[doubtful] = again, rss
    return fits


def triangles_needed(store: Store, regressions: Sequence[Regression]) -> list[CellTriangles]:
    """Triangles without which these regressions could not be fitted, one entry for each set of variables."""
    needed: dict[tuple[int, ...], TriangleRequest] = {}
    for one in (one for one in regressions if one.parents):  # moments are always enough for a mean and a variance
        doubtful = _doubtful_cells(one)
        if len(doubtful):
            request, before = _triangles_of(one, doubtful), needed.get(one.cells.variables)
            needed[request.variables] = request if before is None else before.with_cells_of(request)
    return triangles_for([(store, request) for request in needed.values()], last=True)


def _doubtful_cells(regression: Regression) -> Indices:
    """Cells with enough rows in which moments are not accurate, marked by the kernel that scores: it is compiled."""
    node, parents, cells = regression
    which = np.array([[cells.columns.index(v) for v in parents]], np.int32)
    out, flagged, marks = np.empty(1), np.empty(1, np.int64), np.zeros((1, len(cells.keys)), np.uint8)
    rule = Rule(predictive=False, in_cells=bool(cells.variables), lenient=True)  # no cell ends the sum
    sizes, y = np.array([len(parents)]), cells.columns.index(node)
    batch_cells(0, 1, cells.moments, cells.moments, y, which, sizes, rule, out, flagged, marks)
    return np.flatnonzero(marks[0])


def _from_moments(regression: Regression) -> tuple[CellFits, Ints32]:
    """Regressions from moments, and whether they are accurate: FINE or NEEDS_ROWS, int32[m]."""
    node, parents, cells = regression
    m, g = len(cells.keys), len(parents)
    coefficients, rss, flags = np.empty((m, g + 1)), np.empty(m), np.empty(m, np.int32)
    which = np.array([cells.columns.index(v) for v in parents], np.int32)
    in_cells = bool(cells.variables)
    fit = cells.moments, cells.columns.index(node), which, in_cells, coefficients, rss, flags
    in_ranges(regressions_from_moments, m, *fit, threaded=m > FEW_CELLS)
    return CellFits(coefficients, rss), flags


def _with_enough_rows(regression: Regression, flags: Ints32) -> Indices:
    """Cells that need rows, and have enough."""
    return np.flatnonzero((flags == NEEDS_ROWS) & (regression.cells.counts > len(regression.parents) + 1))


def _triangles_of(regression: Regression, doubtful: Indices) -> TriangleRequest:
    cells = regression.cells
    rows = int(cells.counts[doubtful].sum())
    return TriangleRequest(cells.variables, cells.keys[doubtful], regression.columns(), rows)


def fit_smoothed(regression: Regression) -> CellFits:
    """Fit regressions to moments with imaginary rows, which cannot be read again: doubtful parents are left out."""
    parents = regression.parents
    made, flags = _from_moments(regression)
    for cell in np.flatnonzero(flags == NEEDS_ROWS).tolist():
        # Up to two parents, moments are sure of those that they drop.
        slopes = made.coefficients[cell, 1:]
        sure = [v for v, b in zip(parents, slopes, strict=True) if len(parents) > 2 or b]
        made.coefficients[cell], made.rss[cell] = _without_doubtful(regression, cell, sure)
    return made


def _without_doubtful(regression: Regression, cell: int, candidates: list[int]) -> tuple[Floats, float]:
    """Regression of a cell on those candidates that rounding does not hide.

    What is left of a column counts as nothing where `fit_moments` would ask for rows.
    """
    node, parents, cells = regression
    c = len(cells.columns)
    cross = np.zeros((c, c))
    lower = np.tril_indices(c)
    cross[lower] = cross.T[lower] = cells.crosses[cell]
    mean, y = cells.means[cell] + cells.moments.mean_corrections[cell], cells.columns.index(node)

    def regress(v: int, given: list[int]) -> tuple[Floats, float]:
        slopes: Floats = np.linalg.solve(cross[np.ix_(given, given)], cross[given, v]).astype(np.float64)
        left = float(cross[v, v] - slopes @ cross[given, v])
        return slopes, 0.0 if is_rounding(left, cross[v, v]) else left

    kept: list[int] = []
    for v in map(cells.columns.index, candidates):
        left = regress(v, kept)[1]
        if left > 0.0 and not is_nearly_singular(left, cells.counts[cell] * mean[v] ** 2):
            kept.append(v)
    slopes, rss = regress(y, kept)
    coefficients = np.zeros(len(parents) + 1)
    coefficients[[1 + parents.index(cells.columns[v]) for v in kept]] = slopes
    coefficients[0] = mean[y] - slopes @ mean[kept]
    return coefficients, rss
