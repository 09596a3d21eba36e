"""Held-out likelihood by k folds: every row is scored once, under parameters of the rows outside its fold."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.scores.node_score import NodeScore
from bnjit.stats import Request, Store
from bnjit.stats.parent_sets import Batch


class OverFolds:
    """Sum of a predictive score over folds."""

    def __init__(self, folds: Sequence[NodeScore]) -> None:
        self.folds = folds

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts that the folds need."""
        return [pair for fold in self.folds for pair in fold.counts_needed(batch)]

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out: Floats = self.by_fold(batch).sum(axis=0)
        return out

    def by_fold(self, batch: Batch) -> Floats:
        """Return what each fold adds to the local scores, float64[k, b]."""
        out = np.full((len(self.folds), batch.size), -np.inf)
        left = np.arange(batch.size)
        for part, fold in zip(out, self.folds, strict=True):
            # What is impossible in one fold is so in all.
            part[left] = fold.local_scores(batch.take(left))
            left = left[part[left] > -np.inf]
            if not len(left):
                break
        return out
