"""The paper's estimators of continuous nodes (Section 4.1), each local distribution by itself from the rows.

"qr" fits every regression by QR; "1p" uses closed forms for up to one continuous parent, "2p" for up to two. They are
what the paper compares. Local distributions share nothing but the cell that each row is in, which any of them needs;
sharing more is what `estimator="stats"` is for (`bnjit.scores.cgaussian`), which gives the same scores.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_threads
from bnjit.data import Table
from bnjit.kernels.estimators import Sample, estimate
from bnjit.scores.cgaussian import matching_cells
from bnjit.stats import Cells, Request, Store
from bnjit.stats.cache import Recent
from bnjit.stats.cell_scores import Likelihood
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.collect import cells_of_rows
from bnjit.stats.parent_sets import Batch, Candidates, ParentSet, ParentSets, by_discrete_part

CLOSED = {"qr": -1, "1p": 1, "2p": 2}  # the most continuous parents that an estimator fits in closed form


# Rows that are fitted and rows that are scored, and the fitted cells of the latter's cells.
_Samples = tuple[Sample, Sample, Ints64]


class _Possible(NamedTuple):
    """Parent sets with the same discrete parents, counts of the rows that are fitted and scored, and as in _Samples."""

    group: Candidates
    counted: list[Cells]
    cells: Ints64


class FromRows:
    """Log-likelihood of the rows, or of test rows, under regressions fitted to the rows of each cell."""

    def __init__(self, store: Store, test: Store | None, estimator: str) -> None:
        self.store, self.test, self.closed = store, test, CLOSED[estimator]
        self.stores = [store] if test is None else [store, test]
        self._tables = [_rows_of(one) for one in self.stores]
        # Cells of rows, for as many sets of discrete parents as fit in memory.
        self._n = self._tables[0].n
        self._together = max(2, store.memory // (4 * self._n))
        self._found: Recent[ParentSet, _Samples] = Recent(4 * self._n * self._together, lambda each: each[0].ids.nbytes)

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return nothing: rows are in memory, where counting shares no pass."""
        return ()

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]; threads over the sets of a node."""
        out = np.full(batch.size, -np.inf)
        for node, part in batch.by_node():
            self._score(node, batch.take(part).sets, out[part])
        return out

    def _score(self, node: int, sets: ParentSets, out: Floats) -> None:
        possible = self._possible(by_discrete_part(sets, self.store.schema.discrete))
        for first in range(0, len(possible), self._together):
            part = possible[first : first + self._together]
            tasks: list[tuple[int, int, Callable[[], float]]] = []
            for (group, *_), samples in zip(part, self._samples(part), strict=True):
                rule = Likelihood(self.test is not None).rule(bool(group.discrete))
                for at, parents in zip(group.at.tolist(), group.continuous.tuples(), strict=True):
                    g, which = len(parents), np.array([*parents, node], np.int32)
                    tasks.append((g, at, partial(estimate, *samples, which, g <= self.closed, rule)))
            # The longest first, so that threads end together.
            tasks.sort(key=lambda task: -task[0])
            values = in_threads([task for _, _, task in tasks], self._n * sum(g + 1 for g, _, _ in tasks))
            out[[at for _, at, _ in tasks]] = values

    def _possible(self, groups: list[Candidates]) -> list[_Possible]:
        """Parent sets without a cell that has too few rows for a regression: that needs counts alone."""
        groups = [g for g in groups if self.store.schema.configurations(g.discrete) <= MAX_CONFIGURATIONS]
        requests = [Request(group.discrete) for group in groups]
        counted = [store.get(requests) for store in self.stores]
        possible = []
        for group, *found in zip(groups, *counted, strict=True):
            cells = matching_cells(found[0], found[-1])
            if cells is not None:
                fewest = found[0].counts[cells].min()
                some = group.some(np.flatnonzero(group.continuous.sizes + 1 < fewest))
                possible.append(_Possible(some, found, cells))
        return [each for each in possible if len(each.group.at)]

    def _samples(self, part: list[_Possible]) -> list[_Samples]:
        """Rows and their cells, for each set of discrete parents; threads over those that were not kept."""
        found = [self._found.recall(group.discrete) for group, *_ in part]
        missing = [each for each, known in zip(part, found, strict=True) if known is None]
        values = self._n * sum(len(group.discrete) for group, *_ in missing)
        made = iter(in_threads([partial(self._find_samples, each) for each in missing], values))
        samples = [next(made) if known is None else known for known in found]
        for (group, *_), each in zip(part, samples, strict=True):
            self._found.remember(group.discrete, each)
        return samples

    def _find_samples(self, possible: _Possible) -> _Samples:
        """Find the cell of every row; the observed cells and their rows have been counted."""
        group, counted, cells = possible
        samples = [
            Sample(table.view, cells_of_rows(table, group.discrete, each.keys), each.counts)
            for table, each in zip(self._tables, counted, strict=True)
        ]
        return samples[0], samples[-1], cells


def _rows_of(store: Store) -> Table:
    """Rows of a store, which make_scorer has found to be in memory."""
    table = store.reader.table
    assert table is not None
    return table
