"""Held-out likelihood by k folds: every row is scored once, under parameters of the rows outside its fold."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from bnjit._jit import Floats
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.folds_at_once import FoldsAtOnce
from bnjit.scores.node_score import NodeScore
from bnjit.stats import Request, Store, cells_for
from bnjit.stats.parent_sets import Batch
from bnjit.stats.store import fits_in_memory


@runtime_checkable
class FromTables(Protocol):
    """A score that can say which tables it will ask for, given counts."""

    def tables_needed(self, batch: Batch) -> list[tuple[Store, Request]]: ...  # noqa: D102


class OverFolds:
    """Sum of a predictive score over folds.

    Parameters
    ----------
    folds : sequence of NodeScore
        The score of the rows of each fold.
    tests : sequence of Store
        These rows. What is outside each fold follows from them.
    everything : Store
        The rows of all folds.
    """

    def __init__(self, folds: Sequence[NodeScore], tests: Sequence[Store], everything: Store) -> None:
        self.folds, self.tests = folds, tests
        regressions = [fold for fold in folds if type(fold) is FromCells]
        together = len(regressions) == len(folds) and everything.whole.counts.dtype == np.int64  # no sums of weights
        self._at_once = FoldsAtOnce(regressions[0], tests, everything) if together else None

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts that the folds need."""
        wanted = dict.fromkeys(request for _, request in self.folds[0].counts_needed(batch))
        return [(test, request) for request in wanted for test in self.tests]

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out: Floats = self.by_fold(batch).sum(axis=0)
        return out

    def by_fold(self, batch: Batch) -> Floats:
        """Return what each fold adds to the local scores, float64[k, b]."""
        if self._at_once is not None:
            return self._at_once.by_fold(batch)
        self._read_together(batch)
        out = np.full((len(self.folds), batch.size), -np.inf)
        left = np.arange(batch.size)
        for part, fold in zip(out, self.folds, strict=True):
            # What is impossible in one fold is so in all.
            part[left] = fold.local_scores(batch.take(left))
            left = left[part[left] > -np.inf]
            if not len(left):
                break
        return out

    def _read_together(self, batch: Batch) -> None:
        """Where rows come in chunks, have the tables of all folds made in one pass, if memory holds them."""
        first = self.folds[0]
        if self.tests[0].in_passes and isinstance(first, FromTables):
            wanted = dict.fromkeys(request for _, request in first.tables_needed(batch))
            asked = [(test, request) for request in wanted for test in self.tests]
            if fits_in_memory(asked):
                cells_for(asked)
