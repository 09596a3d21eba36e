"""Local scores of parent sets as bits, as searches ask that come back to the same sets."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.toggles import CellMoments, Toggles, score_toggles
from bnjit.scores import Scorer
from bnjit.scores.batch import make_sets
from bnjit.scores.scorer import PENALISED, Penalty

MOST_KEPT = 4_000_000  # scores, some 500 MB


def bits_of(members: Sequence[int]) -> int:
    """Members of a set as bits.

    Examples
    --------
    >>> bits_of([0, 3])
    9
    """
    return sum(1 << i for i in members)


def members_of(bits: int) -> list[int]:
    """Members of a set of bits, ascending.

    Examples
    --------
    >>> members_of(9)
    [0, 3]
    """
    members = []
    while bits:
        low = bits & -bits
        members.append(low.bit_length() - 1)
        bits ^= low
    return members


class Toggle(NamedTuple):
    """A node with some parents, as bits, and the parents to toggle, each alone."""

    node: int
    parents: int
    which: list[int]


class LocalScores(Protocol):
    """Scores of parent sets that differ by one parent from given ones.

    Attributes
    ----------
    n_local_scores : int
        Local distributions estimated.
    """

    n_local_scores: int

    def get(self, node: int, sets: Sequence[int]) -> Floats:
        """Scores of a node with each of some parent sets."""
        ...

    def toggled(self, requests: Sequence[Toggle]) -> list[Floats]:
        """Scores with each parent of each request toggled."""
        ...


class Remembered:
    """Scores of any kind, each estimated once; when `most` are remembered, all are forgotten."""

    def __init__(self, scorer: Scorer, most: int = MOST_KEPT) -> None:
        self.scorer, self.most = scorer, most
        self.n_local_scores = 0
        self._kept = 0
        self._known: list[dict[int, float]] = [{} for _ in scorer.table.names]

    def get(self, node: int, sets: Sequence[int]) -> Floats:
        """Scores of a node with each of some parent sets, estimating those that are new in one batch."""
        known = self._known[node]
        new = [bits for bits in dict.fromkeys(sets) if bits not in known]
        if new:
            if self._kept + len(new) > self.most:
                for scores in self._known:
                    scores.clear()
                self._kept = 0
                new = list(dict.fromkeys(sets))
            found = self.scorer.local_scores(node, [members_of(bits) for bits in new])
            self._remember(node, new, found)
        return np.array([known[bits] for bits in sets])

    def _remember(self, node: int, sets: Sequence[int], scores: Floats) -> None:
        self._known[node].update(zip(sets, scores.tolist(), strict=True))
        self._kept += len(sets)
        self.n_local_scores += len(sets)

    def _prepare(self, requests: Sequence[Toggle]) -> None:
        """Estimate what is new in all requests at once, where rows come in chunks and are dear to read."""
        new: dict[int, dict[int, None]] = {}
        for node, parents, which in requests:
            toggled = (parents ^ 1 << x for x in which)
            new.setdefault(node, {}).update((bits, None) for bits in toggled if bits not in self._known[node])
        if self._kept + sum(map(len, new.values())) <= self.most:
            jobs = [(node, make_sets([members_of(bits) for bits in sets])) for node, sets in new.items()]
            for (node, sets), scores in zip(new.items(), self.scorer.batch(jobs), strict=True):
                self._remember(node, list(sets), scores)

    def toggled(self, requests: Sequence[Toggle]) -> list[Floats]:
        """Scores with each parent of each request toggled; sets of a batch share all parents but one."""
        if self.scorer.in_chunks:
            self._prepare(requests)
        return [self.get(node, [parents ^ 1 << x for x in which]) for node, parents, which in requests]


class FromMoments:
    """Penalised likelihoods of Gaussian nodes, for many nodes in one batch: to estimate is as fast as to remember.

    The scores are those of the scorer, which is asked where moments cannot vouch for a fit.
    """

    def __init__(self, scorer: Scorer, penalty: Penalty) -> None:
        self.scorer, self.penalty = scorer, penalty
        self.n_local_scores = 0
        moments = scorer.store.whole.moments
        self.whole = CellMoments(int(moments.counts[0]), moments.means[0], moments.crosses[0])

    def get(self, node: int, sets: Sequence[int]) -> Floats:
        """Scores of a node with each of some parent sets."""
        self.n_local_scores += len(sets)
        return self.scorer.local_scores(node, [members_of(bits) for bits in sets])

    def toggled(self, requests: Sequence[Toggle]) -> list[Floats]:
        """Scores with each parent of each request toggled."""
        if not requests:
            return []
        lists = [members_of(request.parents) for request in requests]
        sizes = np.array([len(members) for members in lists])
        parents = np.zeros((len(lists), max(1, int(sizes.max()))), np.int32)
        for row, members in zip(parents, lists, strict=True):
            row[: len(members)] = members
        lengths = [len(request.which) for request in requests]
        which = np.array([x for request in requests for x in request.which], np.int32)
        nodes = np.array([request.node for request in requests], np.int32)
        rows = np.repeat(np.arange(len(requests), dtype=np.int32), lengths)
        out = np.empty(len(which))
        batch = Toggles(nodes, parents, sizes, rows, which)
        score_toggles(self.whole, batch, self.penalty.k, self.penalty.per_parent, out)
        self.n_local_scores += len(which)
        for at in np.flatnonzero(np.isnan(out)).tolist():
            request = requests[rows[at]]
            out[at] = self.scorer.local_score(request.node, members_of(request.parents ^ 1 << int(which[at])))
        return np.split(out, np.cumsum(lengths)[:-1])


def local_scores(scorer: Scorer, score: str, method: str) -> LocalScores:
    """Choose how to answer, once."""
    if score in PENALISED and method == "stats" and not any(scorer.table.discrete):
        return FromMoments(scorer, Penalty(scorer.store, score))
    return Remembered(scorer)
