"""The contract that the local score of one kind of nodes keeps."""

from collections.abc import Sequence
from typing import Protocol

from bnjit._jit import Floats
from bnjit.stats import Request, Store
from bnjit.stats.parent_sets import Batch


class NodeScore(Protocol):
    """Scores nodes of one kind, each with its parent set."""

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts that scoring will ask for first, so that passes over the rows can be shared."""
        ...

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]; -inf for what cannot be."""
        ...
