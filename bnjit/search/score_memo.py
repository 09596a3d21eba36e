"""The memo of local scores: each is estimated once, and kept by node and parents; a checkpoint is its file."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats
from bnjit._signals import exit_when_terminated
from bnjit.errors import ArgumentError
from bnjit.graph.bits import members_of
from bnjit.scores import Scorer
from bnjit.search.checkpoint import ScoreFile
from bnjit.search.toggled_scores import ToggledScores, recall_toggled
from bnjit.search.tuning import BYTES_PER_SCORE, CHECKED_SCORES, MANY_COLUMNS, MEMO_BYTES, MOST_KEPT_SETS, SHARE_TOGGLED
from bnjit.stats.parent_sets import batch_of, make_batch, make_sets, toggle_batch

Key = tuple[int, int]  # a node, and its parents as bits


class Toggle(NamedTuple):
    """A node with some parents, as bits, and the parents to toggle, each alone."""

    node: int
    parents: int
    which: Sequence[int]


class ScoreMemo:
    """Local scores as searches ask for them, which come back to the same sets.

    Toggled sets, of which there are many, are not kept where a score is estimated as fast as it is remembered, unless
    there is a file for them.

    Parameters
    ----------
    scorer : Scorer
        What estimates.
    file : ScoreFile, optional
        The checkpoint: what it has is used, and it is written from time to time.
    memory : int
        Bytes after which all scores are forgotten; those of a checkpoint never are.

    Attributes
    ----------
    shift : float
        What is added to scores of graphs that are shown; see `Scorer`.
    n_local_scores : int
        Local scores that were asked for, each counted once; those that were estimated ahead of being asked for, or that
        a checkpoint had, count like others.
    before_forgetting : callable
        Called before all scores are forgotten, as long as toggled sets are remembered for a search.
    """

    def __init__(self, scorer: Scorer, file: ScoreFile | None = None, memory: int = MEMO_BYTES) -> None:
        self.scorer, self.schema, self.equivalent, self._file = scorer, scorer.schema, scorer.equivalent, file
        self.shift = float(scorer.shifts.sum())
        self._remembers = file is not None or not scorer.is_quick
        self._most = memory // (BYTES_PER_SCORE + len(self.schema.names) // 8)
        self._known: list[dict[int, float]] = [{} for _ in self.schema.names]
        self._asked: list[list[int]] = [[] for _ in self.schema.names]  # parents of each node, in the order of asking
        self._toggled: list[list[ToggledScores]] = [[] for _ in self.schema.names]  # not listed in _known yet
        self._kept = self.n_local_scores = 0
        self._not_asked: set[Key] = set()  # known, but not asked for yet
        self.before_forgetting: Callable[[], None] = _nothing
        for (node, parents), score in (file.load(len(self._known)) if file else {}).items():
            self._known[node][parents] = score
            self._not_asked.add((node, parents))
        if self._not_asked and scorer.is_users_own:
            self._check_own_scores()

    def _check_own_scores(self) -> None:
        """Raise where a checkpoint has other scores than a user's own object gives, of which only the name is known."""
        keys = sorted(self._not_asked)
        some = [*keys[:CHECKED_SCORES], *keys[-CHECKED_SCORES:]]
        found = self.scorer.local_scores(make_batch([(node, members_of(bits)) for node, bits in some]))
        if not np.allclose(found, [self._known[node][bits] for node, bits in some], rtol=1e-9, atol=1e-9):
            raise ArgumentError(
                "the checkpoint has other local scores than this score of your own gives; remove the file, or give "
                "another name"
            )

    def get(self, keys: Sequence[Key]) -> Floats:
        """Scores of nodes, each with its parents."""
        self._list_toggled({node for node, _ in keys})
        missing = self._to_estimate(keys)
        if missing:
            batch = make_batch([(node, members_of(bits)) for node, bits in missing])
            self._keep(missing, self.scorer.local_scores(batch))
        return np.array([self._known[node][bits] for node, bits in keys], np.float64)

    def toggled(self, requests: Sequence[Toggle], likely: Callable[[], Sequence[Toggle]] | None = None) -> list[Floats]:
        """Scores with each parent of each request toggled.

        Where rows have to be read in a pass for that, what is `likely` to be asked for next is estimated in the same
        pass.
        """
        if not self._remembers:
            return self.toggled_once(requests)
        found = self._toggled_together(requests)
        if found is not None:
            return found
        self._list_toggled({request.node for request in requests})
        keys = [[request.parents ^ 1 << x for x in request.which] for request in requests]
        if self._to_estimate([(r.node, bits) for r, own in zip(requests, keys, strict=True) for bits in own]):
            more = likely() if likely is not None and self.scorer.in_passes else ()
            self._estimate_toggled(requests, more)
        known = (self._known[request.node] for request in requests)
        return [np.array([scores[bits] for bits in own], np.float64) for scores, own in zip(known, keys, strict=True)]

    def toggled_once(self, requests: Sequence[Toggle]) -> list[Floats]:
        """Scores with each parent of each request toggled, which are not kept."""
        bounds = [0, *accumulate(len(request.which) for request in requests)]
        rows = [i for i, request in enumerate(requests) for _ in request.which]
        which = [x for request in requests for x in request.which]
        batch = toggle_batch([(request.node, members_of(request.parents)) for request in requests], rows, which)
        self.n_local_scores += bounds[-1]
        scores = self.scorer.local_scores(batch)
        return [scores[a:b] for a, b in pairwise(bounds)]

    def by_fold(self, node: int, sets: Sequence[Sequence[int]]) -> Floats:
        """Scores of each fold, float64[k, b], which are not kept."""
        return self.scorer.by_fold(batch_of(node, make_sets(sets)))

    def asked(self, node: int, first: int = 0) -> list[tuple[int, float]]:
        """Sets of parents of a node that were asked for, but the first so many, and their scores.

        What a checkpoint has, or was estimated ahead, is none of them before it is asked for: so a search that makes
        use of these does the same with and without a checkpoint, wherever the rows are.
        """
        self._list_toggled([node])
        scores = self._known[node]
        return [(bits, scores[bits]) for bits in self._asked[node][first:]]

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Remember toggled sets, too, for a search that comes back to them."""
        remembers, self._remembers = self._remembers, True
        try:
            yield
        finally:
            self._remembers, self.before_forgetting = remembers, _nothing

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Write the checkpoint, if there is one, when what is inside ends: by itself, an error, Ctrl-C or SIGTERM."""
        if self._file is None:
            yield
            return
        with exit_when_terminated():
            try:
                yield
            finally:
                self._file.save(self._known)

    def _to_estimate(self, keys: Sequence[Key]) -> list[Key]:
        """Count what is asked for, make room, and return the keys that are not known, each once."""
        missing = self._unknown(keys)
        self._count(keys, len(missing))
        if self._kept + len(missing) > self._most and self._file is None:
            self._forget()
            missing = self._unknown(keys)
        return missing

    def _unknown(self, keys: Sequence[Key]) -> list[Key]:
        return list(dict.fromkeys(key for key in keys if key[1] not in self._known[key[0]]))

    def _count(self, keys: Sequence[Key], unknown: int) -> None:
        """Count keys that are asked for the first time."""
        self.n_local_scores += unknown
        if self._not_asked:
            asked = self._not_asked.intersection(keys)
            self.n_local_scores += len(asked)
            self._not_asked -= asked
            for node, bits in asked:
                self._asked[node].append(bits)

    def _forget(self) -> None:
        """Forget all scores."""
        self.before_forgetting()
        for scores, asked, toggled in zip(self._known, self._asked, self._toggled, strict=True):
            scores.clear()
            asked.clear()
            toggled.clear()
        self._kept = 0
        self._not_asked.clear()

    def _toggled_together(self, requests: Sequence[Toggle]) -> list[Floats] | None:
        """Scores of many sets of a few nodes, which are kept without listing them; None if that does not pay."""
        N = len(self._known)
        if N < MANY_COLUMNS or self._file is not None or self.scorer.in_passes:
            return None
        nodes = {request.node for request in requests}
        asked = sum(len(request.which) for request in requests)
        if asked < SHARE_TOGGLED * N * len(requests) or self._kept + asked > self._most or len(nodes) < len(requests):
            return None
        if any(len(self._toggled[node]) >= MOST_KEPT_SETS for node in nodes):
            return None
        scores, which, missing = np.full((len(requests), N), np.nan), [], []
        for own, (node, parents, toggles) in zip(scores, requests, strict=True):
            which.append(np.array(toggles, np.intp))
            recall_toggled(self._known[node], self._toggled[node], parents, which[-1], own)
            missing.append(which[-1][np.isnan(own[which[-1]])])
        sizes = [len(some) for some in missing]
        unknown = sum(sizes)
        if unknown:
            rows, columns = np.repeat(np.arange(len(requests)), sizes), np.concatenate(missing)
            bases = [(request.node, members_of(request.parents)) for request in requests]
            scores[rows, columns] = self.scorer.local_scores(toggle_batch(bases, rows, columns))
            for own, (node, parents, _), size in zip(scores, requests, sizes, strict=True):
                if size:
                    self._toggled[node].append(ToggledScores(parents, own))
        self.n_local_scores += unknown
        self._kept += unknown
        return [own[some] for own, some in zip(scores, which, strict=True)]

    def _list_toggled(self, nodes: Collection[int]) -> None:
        """List the scores of some nodes that were kept without that."""
        for node in nodes:
            if self._toggled[node]:
                known, before = self._known[node], len(self._known[node])
                for some in self._toggled[node]:
                    some.list_in(known)
                self._asked[node] += islice(known, before, None)
                self._toggled[node].clear()

    def _estimate_toggled(self, requests: Sequence[Toggle], likely: Sequence[Toggle]) -> None:
        """Estimate what is asked for, or likely to be asked for, and not known, each set once."""
        keys: dict[Key, bool] = {}
        bases: list[tuple[int, list[int]]] = []
        rows, which = [], []
        for i, (node, parents, toggles) in enumerate([*requests, *likely]):
            known = self._known[node]
            for x in toggles:
                key = node, parents ^ 1 << x
                if key[1] not in known and key not in keys:
                    keys[key] = i < len(requests)
                    rows.append(len(bases))
                    which.append(x)
            if rows and rows[-1] == len(bases):
                bases.append((node, members_of(parents)))
        ahead = [key for key, asked in keys.items() if not asked]
        self._keep(list(keys), self.scorer.local_scores(toggle_batch(bases, rows, which)), len(ahead))
        self._not_asked.update(ahead)

    def _keep(self, keys: Sequence[Key], scores: Floats, ahead: int = 0) -> None:
        """Keep scores, of which those of the last keys were estimated ahead of being asked for."""
        for (node, bits), score in zip(keys, scores.tolist(), strict=True):
            self._known[node][bits] = score
        for node, bits in keys[: len(keys) - ahead]:
            self._asked[node].append(bits)
        self._kept += len(keys)
        if self._file is not None:
            self._file.save_sometimes(self._known)


def _nothing() -> None:
    """Do nothing."""
