"""The paper's estimators of continuous nodes (Section 4.1), each local distribution by itself from the rows.

"qr" fits every regression by QR; "1p" uses closed forms for up to one continuous parent, "2p" for up to two. They are
what the paper compares. Local distributions share nothing but the cell that each row is in, which any of them needs;
sharing more is what `estimator="stats"` is for (`bnjit.scores.cgaussian`), which gives the same scores.
"""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from bnjit._jit import Ints64, in_threads
from bnjit.kernels.estimators import Sample, estimate
from bnjit.scores.batch import Candidates, ParentSet, ParentSets, Steps, by_discrete_part
from bnjit.scores.rows import matching_cells, rule_of
from bnjit.stats import Request, Store
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.collect import membership

CLOSED = {"qr": -1, "1p": 1, "2p": 2}  # the most continuous parents that an estimator fits in closed form


class FromRows:
    """Log-likelihood of the rows, or of test rows, under regressions fitted to the rows of each cell."""

    def __init__(self, store: Store, test: Store | None, estimator: str) -> None:
        self.store, self.test, self.closed = store, test, CLOSED[estimator]
        # Cells of rows, for as many sets of discrete parents as fit in memory.
        self._together = max(2, store.memory // (4 * store.n))
        self._samples = lru_cache(self._together)(self._find_samples)

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b]; threads over the sets.

        Rows must be in memory: there are no steps to prepare.
        """
        yield from ()
        out = np.full(len(sets.sizes), -np.inf)
        possible = self._possible(by_discrete_part(sets, self.store.table.discrete))
        for first in range(0, len(possible), self._together):
            part = possible[first : first + self._together]
            finding = [partial(self._samples, group.discrete) for group in part]
            found = in_threads(finding, self.store.n * sum(len(group.discrete) for group in part))
            tasks: list[tuple[int, int, Callable[[], float]]] = []
            for group, samples in zip(part, found, strict=True):
                rule = rule_of(self.test, group.discrete)
                for at, parents in zip(group.at.tolist(), group.continuous.tuples(), strict=True):
                    g, which = len(parents), np.array([*parents, node], np.int32)
                    tasks.append((g, at, partial(estimate, *samples, which, g <= self.closed, rule)))
            # The longest first, so that threads end together.
            tasks.sort(key=lambda task: -task[0])
            values = in_threads([task for _, _, task in tasks], self.store.n * sum(g + 1 for g, _, _ in tasks))
            out[[at for _, at, _ in tasks]] = values
        return out

    def _possible(self, groups: list[Candidates]) -> list[Candidates]:
        """Parent sets without a cell that has too few rows for a regression: that needs counts alone."""
        groups = [g for g in groups if self.store.table.configurations(g.discrete) <= MAX_CONFIGURATIONS]
        requests = [Request(group.discrete) for group in groups]
        if self.test is not None:
            self.test.get(requests)
        possible = []
        for group, found in zip(groups, self.store.get(requests), strict=True):
            cells = matching_cells(self.store, self.test or self.store, group.discrete)
            if cells is not None:
                possible.append(group.some(np.flatnonzero(group.continuous.sizes + 1 < found.counts[cells].min())))
        return [group for group in possible if len(group.at)]

    def _find_samples(self, discrete: ParentSet) -> tuple[Sample, Sample, Ints64]:
        """Rows that are fitted and rows that are scored, and the fitted cells of the latter's cells."""
        found = [membership(store.table, discrete) for store in (self.store, self.test) if store is not None]
        samples = [
            Sample(store.table.view, each.ids, np.bincount(each.ids) if discrete else np.array([store.n]))
            for store, each in zip((self.store, self.test), found, strict=False)
            if store is not None
        ]
        return samples[0], samples[-1], np.searchsorted(found[0].keys, found[-1].keys)
