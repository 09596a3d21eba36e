"""Operators of greedy equivalence search: what they change, what that is worth, and in which order they are tried."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.graph import ADD
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.screening import Screen


class Operator(NamedTuple):
    """Add, delete or turn u -> v, where the clique C comes before v; delta is what that adds to the score."""

    delta: float
    kind: int
    u: int
    v: int
    C: int


class Changes(NamedTuple):
    """Operators before they are scored, which change the arcs into v and have C in common: the same for several u.

    Its terms are the scores of v with `base` and with each u toggled, and of each u with its own set and v toggled.

    Attributes
    ----------
    kind, v, C, base : int
        The operators, and the parents of v in the members that they change.
    which : list of int
        Every u.
    others : list of int
        Of operators that turn an arc, the parents of each u in these members, with v.
    """

    kind: int
    v: int
    C: int
    base: int
    which: list[int]
    others: list[int]

    @property
    def size(self) -> int:
        """How many scores are needed, about."""
        return len(self.which) + len(self.others)


class Improvements(NamedTuple):
    """Operators of one node that improve the score, the best first: delta : float64[k], and what they are."""

    delta: Floats
    kind: int
    v: int
    u: Sequence[int]
    C: Sequence[int]

    def operator(self, i: int) -> Operator:
        """Return one of them."""
        return Operator(float(self.delta[i]), self.kind, self.u[i], self.v, self.C[i])


Key = tuple[int, int]  # a node, and its parents as bits
Needs = dict[Key, dict[int, int]]  # parents to toggle in each set, and their places among these


def screened(scores: ScoreMemo, several: Sequence[Sequence[Changes]], screen: Screen) -> list[list[Changes]]:
    """Leave out arcs to add that cannot improve the score."""
    adding = {(each.v, each.base): 0.0 for changes in several for each in changes if each.kind == ADD}
    before = dict(zip(adding, scores.get(list(adding)).tolist(), strict=True)) if adding else {}
    found: list[list[Changes]] = [[] for _ in several]
    for changes, own in zip(several, found, strict=True):
        for each in changes:
            if each.kind == ADD:
                worth = screen.may_improve(each.v, each.base, before[each.v, each.base], each.which)
                which = each.which if worth.all() else [each.which[i] for i in np.flatnonzero(worth).tolist()]
                if which:
                    own.append(each._replace(which=which))
            else:
                own.append(each)
    return found


def needs_of(changes: Sequence[Changes]) -> Needs:
    """What the operators of one node need to be scored."""
    needs: Needs = {}
    for each in changes:
        own = needs.setdefault((each.v, each.base), {})
        for u in each.which:
            own[u] = len(own)
        for u, parents in zip(each.which, each.others, strict=False):
            needs.setdefault((u, parents), {}).setdefault(each.v, len(needs[u, parents]))
    return needs


def score(scores: ScoreMemo, several: Sequence[Sequence[Changes]], tolerance: float) -> list[Improvements | None]:
    """Operators of some nodes that improve the score; all sets that they need are scored in one batch."""
    needs = [needs_of(changes) for changes in several]
    keys = [key for some in needs for key in some]
    found = scores.toggled([Toggle(*key, list(which)) for some in needs for key, which in some.items()])
    before = scores.get(keys).tolist() if keys else []
    with np.errstate(invalid="ignore"):
        gains = iter([values - score for values, score in zip(found, before, strict=True)])
        return [
            _improvements(changes, some, {key: next(gains) for key in some}, tolerance)
            for changes, some in zip(several, needs, strict=True)
        ]


def _improvements(
    changes: Sequence[Changes], needs: Needs, gains: dict[Key, Floats], tolerance: float
) -> Improvements | None:
    """Operators of one node that improve the score, if there are any."""
    deltas: list[Floats] = []
    us: list[int] = []
    Cs: list[int] = []
    for each in changes:
        own = each.v, each.base
        first = needs[own][each.which[0]]
        delta = gains[own][first : first + len(each.which)]
        if each.others:
            turned = [gains[key][needs[key][each.v]] for key in zip(each.which, each.others, strict=True)]
            delta = delta + np.array(turned)
        better = np.flatnonzero(delta > tolerance).tolist()
        deltas.append(delta[better])
        us += [each.which[i] for i in better]
        Cs += [each.C] * len(better)
    if not us:
        return None
    delta = np.concatenate(deltas)
    order = np.argsort(-delta, kind="stable").tolist()
    return Improvements(delta[order], changes[0].kind, changes[0].v, [us[i] for i in order], [Cs[i] for i in order])


class Ranking:
    """The operators of all nodes that improve the score, the best first."""

    def __init__(self, N: int) -> None:
        self._of: list[Improvements | None] = [None] * N
        self._best: Floats = np.full(N, -np.inf)

    def put(self, v: int, found: Improvements | None) -> None:
        """Replace the operators of a node."""
        self._of[v] = found
        self._best[v] = -np.inf if found is None else found.delta[0]

    def in_order(self, tolerance: float) -> Iterator[Operator]:
        """Operators, the best first; of those that differ by rounding alone, the order does not depend on it."""
        best, places = self._best.copy(), [0] * len(self._of)
        group: list[Operator] = []
        while len(best):
            v = int(np.argmax(best))
            found = self._of[v]
            if best[v] == -np.inf or found is None:
                break
            operator = found.operator(places[v])
            places[v] += 1
            best[v] = found.delta[places[v]] if places[v] < len(found.delta) else -np.inf
            if group and group[-1].delta - operator.delta > tolerance:
                yield from sorted(group, key=_by_node)
                group = []
            group.append(operator)
        yield from sorted(group, key=_by_node)


def _by_node(operator: Operator) -> tuple[int, int, int]:
    return operator.v, operator.u, operator.C
