"""Held-out likelihood by k folds: every row is scored once, under parameters of the rows outside its fold."""

from collections.abc import Sequence

import numpy as np

from bnjit.scores.batch import NodeScore, ParentSets, Steps


class OverFolds:
    """Sum of a predictive score over folds."""

    def __init__(self, folds: Sequence[NodeScore]) -> None:
        self.folds = folds

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b], in steps."""
        out = np.zeros(len(sets.sizes))
        left = np.arange(len(sets.sizes))
        for fold in self.folds:
            # What is impossible in one fold is so in all.
            out[left] += yield from fold.steps(node, sets.take(left))
            left = left[out[left] > -np.inf]
            if not len(left):
                break
        return out
