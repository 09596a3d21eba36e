"""A user's own score, as the score of nodes of either kind."""

import numpy as np

from bnjit.errors import ArgumentError
from bnjit.options import LocalScore, name_of
from bnjit.scores.batch import ParentSets, Steps


class Own:
    """Asks an object for its local scores, and checks what comes back."""

    def __init__(self, score: LocalScore) -> None:
        self.score = score

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b]; nothing is prepared for them."""
        yield from ()
        parent_sets = sets.tuples()
        out = np.array(list(self.score.local_scores(node, parent_sets)), np.float64)
        if out.shape != (len(parent_sets),):
            raise ArgumentError(
                f"score={name_of(self.score)!r} gave {out.size} local scores for {len(parent_sets)} parent sets; "
                "local_scores must give one number for each"
            )
        for parents in (parent_sets[i] for i in np.flatnonzero(np.isnan(out) | (out == np.inf)).tolist()):
            raise ArgumentError(
                f"score={name_of(self.score)!r} gave no finite local score for node {node} with parents {parents}; "
                "-inf is for what is impossible"
            )
        return out
