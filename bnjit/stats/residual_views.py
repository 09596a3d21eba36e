"""Which parent sets are scored from rows as they are, and which by columns of residuals; see residuals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnjit.stats.parent_sets import Batch, Indices, ParentSets
from bnjit.stats.residuals import CommonParents, common_parents
from bnjit.stats.store import Store
from bnjit.stats.tuning import DEEPEST_RESIDUALS


class View(NamedTuple):
    """Where a node is scored from: fitted rows, and test rows if there are any; `depth` residuals deep.

    stores : fitted rows and, where there are any, test rows; or the rows of each fold
    """

    store: Store
    test: Store | None
    stores: tuple[Store, ...]
    depth: int = 0


def view_of(store: Store, test: Store | None, depth: int = 0) -> View:
    """View of fitted rows, and of test rows if there are any."""
    return View(store, test, (store,) if test is None else (store, test), depth)


class NodeSets(NamedTuple):
    """Parent sets of a node that are scored from one view, and their places in a batch."""

    node: int
    view: View
    at: Indices
    sets: ParentSets


class ResidualViews:
    """Views of the rows with residuals in place of a node.

    Once a node's residuals are used, they are used for all sets with the parents that were regressed on: the score of
    a set then does not depend on what else is asked.

    Parameters
    ----------
    base : View
        The rows as they are.
    discrete : sequence of bool
        Which columns are discrete.
    """

    def __init__(self, base: View, discrete: Sequence[bool]) -> None:
        self.base, self._discrete = base, discrete
        self._chains: dict[int, list[tuple[CommonParents, View]]] = {}
        self._fitted_again: dict[tuple[int, int], float] = {}  # rows, by node and depth

    @property
    def nodes(self) -> list[int]:
        """Nodes that are scored by residuals where they can be."""
        return list(self._chains)

    def divide(self, batch: Batch) -> list[NodeSets]:
        """Divide a batch by nodes, and by the view that each set is scored from."""
        divided = []
        for node, part in batch.by_node():
            at, sets = np.arange(part.start, part.stop), ParentSets(batch.sets.members[part], batch.sets.sizes[part])
            view = self.base
            for parents, deeper in self._chains.get(node, ()):
                inside = parents.within(sets)
                if not inside.all():
                    others = np.flatnonzero(~inside)
                    divided.append(NodeSets(node, view, at[others], sets.take(others)))
                there = np.flatnonzero(inside)
                at, sets, view = at[there], sets.take(there), deeper
            if len(at):
                divided.append(NodeSets(node, view, at, sets))
        return divided

    def worth(self, some: NodeSets, rows: float, enough: float) -> CommonParents | None:
        """Return the parents to regress a node on, if so many rows are enough with those that it was fitted from."""
        key = some.node, some.view.depth
        rows += self._fitted_again.get(key, 0.0)
        self._fitted_again[key] = rows
        if rows < enough or some.view.depth >= DEEPEST_RESIDUALS:
            return None
        parents = common_parents(some.sets, self._discrete)
        if not parents.continuous:
            return None
        self._fitted_again[key] = 0
        return parents

    def replace(self, some: NodeSets, parents: CommonParents, view: View) -> NodeSets:
        """Score sets that have some parents from a view with residuals, from now on."""
        chain = self._chains.setdefault(some.node, [])
        chain[some.view.depth :] = [(parents, view)]  # in place of another of this depth, and of what followed it
        return some._replace(view=view)
