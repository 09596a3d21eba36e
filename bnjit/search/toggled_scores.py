"""Scores of a set of parents with each parent toggled, kept as they came, an array for each set.

A climb asks for hundreds of them at a time and for few of them again: listing each set by itself takes longer than
estimating its score.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats


class ToggledScores(NamedTuple):
    """Scores of some parents, as bits, with each of N columns toggled, float64[N]; NaN where that is not known."""

    parents: int
    scores: Floats

    def list_in(self, known: dict[int, float]) -> None:
        """List the scores by their parents, after those that are there."""
        which = np.flatnonzero(~np.isnan(self.scores))
        for x, score in zip(which.tolist(), self.scores[which].tolist(), strict=True):
            known.setdefault(self.parents ^ 1 << x, score)


def recall_toggled(
    listed: Mapping[int, float], kept: Sequence[ToggledScores], parents: int, which: NDArray[np.intp], out: Floats
) -> None:
    """Fill in what is known of a set with each of `which` toggled: listed, or kept. O(listed + kept), or O(which).

    out : float64[N], NaN
    """
    for other, scores in kept:
        differs = parents ^ other
        if not differs:
            there = ~np.isnan(scores)
            out[there] = scores[there]
        elif differs.bit_count() == 2:  # one toggled here gives the same set as the other toggled there
            x, y = (differs & -differs).bit_length() - 1, differs.bit_length() - 1
            for here, away in ((x, y), (y, x)):
                if not np.isnan(scores[away]):
                    out[here] = scores[away]
    if len(listed) < len(which):
        for other, score in listed.items():
            differs = parents ^ other
            if differs.bit_count() == 1:
                out[differs.bit_length() - 1] = score
    else:
        for x in which.tolist():
            out[x] = listed.get(parents ^ 1 << x, out[x])
