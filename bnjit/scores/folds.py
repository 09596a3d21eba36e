"""Held-out likelihood by k folds: every row is scored once, under parameters of the rows outside its fold."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.scores.batch import NodeScore, ParentSets, Steps


class OverFolds:
    """Sum of a predictive score over folds."""

    def __init__(self, folds: Sequence[NodeScore]) -> None:
        self.folds = folds

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b], in steps."""
        parts = yield from self.by_fold(node, sets)
        out: Floats = parts.sum(axis=0)
        return out

    def by_fold(self, node: int, sets: ParentSets) -> Steps:
        """Return what each fold adds to the local scores, float64[k, b], in steps."""
        out = np.full((len(self.folds), len(sets.sizes)), -np.inf)
        left = np.arange(len(sets.sizes))
        for part, fold in zip(out, self.folds, strict=True):
            # What is impossible in one fold is so in all.
            part[left] = yield from fold.steps(node, sets.take(left))
            left = left[part[left] > -np.inf]
            if not len(left):
                break
        return out
