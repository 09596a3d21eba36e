"""Candidate parent sets: for every node those that the best network may need, whatever the order of the nodes.

A set is not needed if a subset of it scores as much or more: the subset is at hand wherever the set is (Teyssier and
Koller 2005). Sets are looked at by size, so that bounds on what supersets can score (`scores/bounds.py`) leave out most
of them unscored.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats
from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels.graph import Limits
from bnjit.scores.bounds import DISCRETE, GAUSSIAN, REJECTING, UNBOUNDED, ScoreBounds
from bnjit.search.entropies import Entropies
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.tuning import EXACT_SETS_AT_ONCE


class Open(NamedTuple):
    """A set that may grow: its bits, the place from which parents may be added, and the best score within it.

    configurations : of its columns, where bounds need them
    """

    parents: int
    place: int
    best: float
    configurations: float = 1.0


class NodeCandidates:
    """The search for the candidate parent sets of one node.

    Parameters
    ----------
    scores, limits, bounds
        Where scores come from, what is allowed, what cannot be exceeded; None for no bounds.
    node : int
        The node.
    tolerance : float
        A difference that is none.
    entropies : Entropies, optional
        What all discrete nodes share.
    """

    def __init__(
        self, scores: ScoreMemo, limits: Limits, bounds: ScoreBounds | None, node: int, tolerance: float,
        entropies: Entropies | None = None,
    ) -> None:  # fmt: skip
        self.scores, self.bounds, self.node, self.tolerance = scores, bounds, node, tolerance
        self.most, self.levels = limits.most, [float(levels or 1) for levels in scores.schema.levels]
        self.kind = UNBOUNDED if bounds is None else bounds.kind(node)
        self.entropies = entropies if self.kind == DISCRETE else None
        self.fixed = bits_of(np.flatnonzero(limits.fixed[:, node]).tolist())
        free = np.flatnonzero(limits.addable[:, node] & ~limits.fixed[:, node]).tolist()
        (self.start,) = scores.get([(node, self.fixed)]).tolist()
        self.order = self._ordered(free)
        self.after = [bits_of(self.order[i:]) for i in range(len(self.order) + 1)]
        self.found: list[tuple[int, float]] = [(self.fixed, self.start)]

    def _ordered(self, free: list[int]) -> list[int]:
        """Parents in the order in which they are added: where bounds are of what is left, what says most is first."""
        if self.kind != GAUSSIAN or not free:
            return free
        (alone,) = self.scores.toggled([Toggle(self.node, self.fixed, free)])
        return [free[i] for i in np.argsort(-alone, kind="stable").tolist()]

    def run(self) -> list[tuple[int, float]]:
        """Sets that may be needed and their scores, the best first."""
        configurations = 1.0
        if self.kind == DISCRETE:
            assert self.bounds is not None
            configurations = self.bounds.configurations(members_of(self.fixed))
        layer = {self.fixed: Open(self.fixed, 0, self.start, configurations)}
        size = self.fixed.bit_count()
        while layer and size < self.most:
            layer = self._grow(layer, size)
            size += 1
        return sorted(self.found, key=lambda one: (-one[1], one[0].bit_count(), one[0]))

    def _grow(self, layer: dict[int, Open], size: int) -> dict[int, Open]:
        """Score the sets with one parent more that may be needed; return those that may grow."""
        larger: dict[int, Open] = {}
        for some in _parts([one for one in layer.values() if one.place < len(self.order)], len(self.order)):
            wanted = []
            for one in self._worth_growing(some, size):
                below = [(i, self._best_below(one, i, layer, size + 1)) for i in range(one.place, len(self.order))]
                needed = [(i, best) for i, best in below if best is not None]
                if needed:
                    wanted.append((one, needed))
            for (one, needed), values in zip(wanted, self._scored(wanted), strict=True):
                for (i, best), score in zip(needed, values.tolist(), strict=True):
                    parents = one.parents | 1 << self.order[i]
                    if score > best + self.tolerance:
                        self.found.append((parents, score))
                    if self.kind != REJECTING or score > -np.inf:
                        configurations = one.configurations * self.levels[self.order[i]]
                        larger[parents] = Open(parents, i + 1, max(best, score), configurations)
        return larger

    def _scored(self, wanted: Sequence[tuple[Open, list[tuple[int, float]]]]) -> Sequence[Floats]:
        """Scores of sets with each of some parents more; up to rounding where they are below the best within them."""
        if self.entropies is None or not wanted:
            return self.scores.toggled([
                Toggle(self.node, one.parents, [self.order[i] for i, _ in needed]) for one, needed in wanted
            ])  # fmt: skip
        sets = [one.parents | 1 << self.order[i] for one, needed in wanted for i, _ in needed]
        best = np.array([score for _, needed in wanted for _, score in needed])
        found = self.entropies.scores_of(self.node, sets)
        near = np.flatnonzero(~(found < best - self.entropies.rounding))
        found[near] = self.scores.get([(self.node, sets[i]) for i in near.tolist()])
        return np.split(found, np.cumsum([len(needed) for _, needed in wanted])[:-1])

    def _worth_growing(self, some: Sequence[Open], size: int) -> Sequence[Open]:
        """Leave out sets that nothing which is added later improves, where bounds are of what is left."""
        if self.kind != GAUSSIAN:
            return some
        assert self.bounds is not None
        all_of = [one.parents | self.after[one.place] for one in some]
        scores = self.scores.get([(self.node, parents) for parents in all_of]).tolist()
        return [
            one for one, parents, score in zip(some, all_of, scores, strict=True)
            if one.best < self.bounds.of_gaussian(score, parents.bit_count(), size + 1)
        ]  # fmt: skip

    def _best_below(self, one: Open, i: int, layer: dict[int, Open], size: int) -> float | None:
        """Best score within a set with a parent more, without the set itself; None if neither it nor more is needed.

        A set that was left out stands for all its supersets; but where bounds are of what is left, for some alone.
        """
        x, best, bound = self.order[i], one.best, np.inf
        if self.kind == DISCRETE:
            assert self.bounds is not None
            bound = self.bounds.of_discrete(self.node, one.configurations * self.levels[x], size)
            if best >= bound:
                return None
        rest = one.parents & ~self.fixed
        while rest:
            low = rest & -rest
            rest ^= low
            other = layer.get((one.parents | 1 << x) ^ low)
            if other is not None:
                best = max(best, other.best)
            elif self.kind in (DISCRETE, REJECTING):
                return None
        return None if best >= bound else best


def _parts(sets: Sequence[Open], each: int) -> Iterator[Sequence[Open]]:
    """Divide sets, each of which may grow in so many ways, into parts to be scored at once."""
    step = max(1, EXACT_SETS_AT_ONCE // max(each, 1))
    for first in range(0, len(sets), step):
        yield sets[first : first + step]
