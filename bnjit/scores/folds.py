"""Held-out likelihood by k folds: every row is scored once, under parameters of the rows outside its fold."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.scores.batch import NodeScore, ParentSets


class OverFolds:
    """Sum of a predictive score over folds."""

    def __init__(self, folds: Sequence[NodeScore]) -> None:
        self.folds = folds

    def scores(self, node: int, sets: ParentSets) -> Floats:
        """Return the local score of `node` for every set of parents, float64[b]."""
        out = np.zeros(len(sets.sizes))
        left = np.arange(len(sets.sizes))
        for fold in self.folds:
            # What is impossible in one fold is so in all.
            out[left] += fold.scores(node, sets.take(left))
            left = left[out[left] > -np.inf]
            if not len(left):
                break
        return out
