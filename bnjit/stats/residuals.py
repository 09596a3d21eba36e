"""Residuals of a column in its place, so that moments keep the digits of what a regression leaves.

Where a regression leaves little of a column, its residual sum of squares is a small difference of large moments. Any
linear combination of the parents may be subtracted from the column first: a regression on these parents and others
leaves the same. The moments of residuals under approximate slopes are as small as what is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_ranges, in_threads
from bnjit.data import Table
from bnjit.kernels.parameters import regressions_from_moments
from bnjit.kernels.residuals import mark_singular, subtract_fit
from bnjit.stats.cells import Cells, add
from bnjit.stats.collect import Membership
from bnjit.stats.parent_sets import ParentSet, ParentSets
from bnjit.stats.requests import Request
from bnjit.stats.store import Store, cells_for
from bnjit.stats.tuning import FEW_CELLS, RESIDUAL_RANGES


class CommonParents(NamedTuple):
    """Parents that explain most of a node: continuous ones, and discrete ones, in whose cells the slopes differ."""

    continuous: ParentSet
    discrete: ParentSet

    def request(self, node: int) -> Request:
        """Return what the slopes are fitted from."""
        return Request(self.discrete, tuple(sorted((*self.continuous, node))))

    def within(self, sets: ParentSets) -> NDArray[np.bool_]:
        """Which sets contain these parents, bool[b]."""
        inside = sets.inside()
        found = np.ones(len(sets.sizes), bool)
        for parent in (*self.continuous, *self.discrete):
            found &= ((sets.members == parent) & inside).any(axis=1)
        return found


def common_parents(sets: ParentSets, discrete: Sequence[bool]) -> CommonParents:
    """Parents that all the sets have."""
    common = set.intersection(*(set(parents) for parents in sets.tuples()))
    return CommonParents(
        tuple(sorted(v for v in common if not discrete[v])), tuple(sorted(v for v in common if discrete[v]))
    )


def residual_stores(store: Store, test: Store | None, node: int, parents: CommonParents) -> tuple[Store, Store | None]:
    """Stores of the same tables with residuals of `node` in its place; test rows under the fit to the others."""
    (cells,) = store.get([parents.request(node)])
    residuals = _fitted(cells, node, parents)
    columns = (*parents.continuous, node)
    made = store.replaced(node, parents.discrete, columns, residuals)
    return made, test and test.replaced(node, parents.discrete, columns, residuals)


def residual_parts(stores: Sequence[Store], node: int, parents: CommonParents) -> tuple[Store, ...]:
    """Stores of the same parts of a table with residuals of `node` in its place, all under the fit to all parts."""
    request = parents.request(node)
    found = cells_for([(store, request) for store in stores])
    residuals = _fitted(add([cells.narrow(request.columns) for cells in found]), node, parents)
    columns = (*parents.continuous, node)
    return tuple(store.replaced(node, parents.discrete, columns, residuals) for store in stores)


def _fitted(cells: Cells, node: int, parents: CommonParents) -> "Residuals":
    """Residuals under regressions in the cells of a table."""
    m, g = len(cells.keys), len(parents.continuous)
    coefficients, rss, flags = np.empty((m, g + 1)), np.empty(m), np.empty(m, np.int32)
    at = np.array([cells.columns.index(v) for v in (*parents.continuous, node)], np.int32)
    fit = cells.moments, int(at[g]), at[:g], bool(parents.discrete), coefficients, rss, flags
    in_ranges(regressions_from_moments, len(rss), *fit, threaded=len(rss) > FEW_CELLS)
    slopes = np.ascontiguousarray(coefficients[:, 1:])
    singular = np.empty(m, bool)
    mark_singular(cells.moments, at[:g], bool(parents.discrete), singular)
    slopes[singular] = 0.0
    return Residuals((*parents.continuous, node), cells.keys, cells.means[:, at], slopes)


@dataclass(frozen=True)
class Residuals:
    """Residuals of a node under regressions in each cell: columns, parents then node; keys and fits of the cells."""

    columns: tuple[int, ...]
    keys: Ints64
    means: Floats
    slopes: Floats

    def __call__(self, table: Table, found: Membership) -> Floats:
        """Residuals of the rows of a table, or of a chunk."""
        means, slopes = self.means, self.slopes
        if found.variables and len(found.keys) and not np.array_equal(found.keys, self.keys):
            # Test rows, or a chunk: cells that training has not are impossible whatever their residuals are.
            at = np.minimum(np.searchsorted(self.keys, found.keys), len(self.keys) - 1)
            means, slopes = means[at], slopes[at]
        which = np.array(self.columns, np.int32)
        n, view = table.n, table.view
        out = np.empty(n)
        bounds = [n * i // RESIDUAL_RANGES for i in range(RESIDUAL_RANGES + 1)]
        tasks = [partial(subtract_fit, view, which, found.ids, a, b, means, slopes, out) for a, b in pairwise(bounds)]
        in_threads(tasks, n * len(which))
        return out
