"""Families: good parents of each node, whatever the order, found by growing several sets at once.

Growing one set adds the best parent each time. Where many columns say the same of a node, as brothers and sisters do in
a pedigree, it may take three of them, and then has no room for the two parents that say it all. Several sets that grow
side by side find those, and so does a set that gains nothing yet: of two parents that matter only together, the one
that says most.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels.graph import Limits
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.screening import Screen
from bnjit.search.tuning import FAMILY_WIDTHS, SETS_AT_ONCE

Sets = dict[int, float]  # scores by the parents, as bits


class Families:
    """The search for parents of each node by itself, among all that may be.

    Parameters
    ----------
    scores, limits
        Where scores come from, and what is allowed.
    tolerance : float
        A difference that is none.
    """

    def __init__(self, scores: ScoreMemo, limits: Limits, tolerance: float) -> None:
        self.scores, self.limits = scores, limits
        self.screen = Screen(scores, tolerance)

    def grown(self, nodes: Sequence[int]) -> Iterator[dict[int, Sets]]:
        """Sets of parents that were scored, by node; some nodes at a time. No score is kept."""
        each = sum(FAMILY_WIDTHS) * len(nodes)
        step = max(1, SETS_AT_ONCE // max(each, 1))
        for first in range(0, len(nodes), step):
            yield self._grow(nodes[first : first + step])

    def _grow(self, nodes: Sequence[int]) -> dict[int, Sets]:
        """Add each parent to each of the best sets of each size, from those that must be there on."""
        fixed = {v: bits_of(np.flatnonzero(self.limits.fixed[:, v]).tolist()) for v in nodes}
        start = self.scores.get(list(fixed.items())).tolist()
        found: dict[int, Sets] = {v: {} for v in nodes}
        layers = {v: {bits: score} for (v, bits), score in zip(fixed.items(), start, strict=True)}
        for width in FAMILY_WIDTHS:
            requests = [self._larger(v, bits, score) for v, own in layers.items() for bits, score in own.items()]
            layers = {v: {} for v in nodes}
            for request, values in zip(requests, self.scores.toggled_once(requests), strict=True):
                sets = (request.parents | 1 << x for x in request.which)
                layers[request.node].update(zip(sets, values.tolist(), strict=True))
            for v, own in layers.items():
                found[v] |= own
                layers[v] = dict(sorted(own.items(), key=lambda one: (-one[1], one[0]))[:width])
        return found

    def _larger(self, v: int, bits: int, score: float) -> Toggle:
        """What may be added to a set, where it may have more."""
        if bits.bit_count() >= self.limits.most:
            return Toggle(v, bits, [])
        free = self.limits.addable[:, v].copy()
        free[members_of(bits)] = False
        which = np.flatnonzero(free)
        return Toggle(v, bits, which[self.screen.may_improve(v, bits, score, which)].tolist())
