"""Discrete columns that repeat another: no part of a search, and joined to their originals after it."""

from typing import TYPE_CHECKING

from bnjit.graph.bits import bits_of
from bnjit.kernels.graph import ADD
from bnjit.search.state import Move

if TYPE_CHECKING:
    from bnjit.search.greedy import Search


def join_copies(search: "Search") -> None:
    """Add the arc from a discrete column to each that repeats it, where that improves the score.

    That is what bnlearn ends with, too: nothing says as much of a copy as its original does. Once the arc is there, no
    other arc into the copy improves the score, and any arc from it only ties with the same one from the original.
    """
    state = search.state
    if not state.copies or not state.limits.most:
        return
    state.jump(search.best)
    before = state.scores.n_local_scores
    scores = state.scores.get([(copy, bits_of((original,))) for original, copy in state.copies])
    state.n_local_scores += state.scores.n_local_scores - before
    for (original, copy), score in zip(state.copies, scores.tolist(), strict=True):
        gain = score - float(state.local[copy])
        if gain > state.tolerance:
            search.take(Move(ADD, original, copy, gain), "copies")
