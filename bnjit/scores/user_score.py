"""A user's own score, as the score of nodes of either kind."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.errors import ArgumentError
from bnjit.options import LocalScore, name_of
from bnjit.stats import Request, Store
from bnjit.stats.parent_sets import Batch


class UserScore:
    """Asks an object for its local scores, and checks what comes back."""

    def __init__(self, score: LocalScore) -> None:
        self.score = score

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return nothing: the object has statistics of its own."""
        return ()

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out = np.empty(batch.size)
        for node, part in batch.by_node():
            out[part] = self._of_node(node, batch.take(part).sets.tuples())
        return out

    def _of_node(self, node: int, parent_sets: Sequence[tuple[int, ...]]) -> Floats:
        given = self.score.local_scores(node, list(parent_sets))
        try:
            found = np.array(list(given), np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(
                f"score={name_of(self.score)!r} gave a {type(given).__name__} for {len(parent_sets)} parent sets; "
                "local_scores must give one number for each"
            ) from error
        if found.shape != (len(parent_sets),):
            raise ArgumentError(
                f"score={name_of(self.score)!r} gave {found.size} local scores for {len(parent_sets)} parent sets; "
                "local_scores must give one number for each"
            )
        for parents in (parent_sets[i] for i in np.flatnonzero(np.isnan(found) | (found == np.inf)).tolist()):
            raise ArgumentError(
                f"score={name_of(self.score)!r} gave no finite local score for node {node} with parents {parents}; "
                "-inf is for what is impossible"
            )
        return found
