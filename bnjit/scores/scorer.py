"""Scorer: the local score of any node of a table, chosen once by name of score and method."""

import math
from collections.abc import Generator, Iterable, Sequence
from typing import TypeVar

import numpy as np

from bnjit._jit import Floats
from bnjit.data import Table
from bnjit.data.chunked.memory import as_memory
from bnjit.data.schema import Schema
from bnjit.data.source import Source
from bnjit.errors import ArgumentError, DataError
from bnjit.scores import discrete
from bnjit.scores.batch import NodeScore, ParentSets, Steps, at_once, make_sets
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.estimators import FromRows
from bnjit.scores.folds import OverFolds
from bnjit.scores.gaussian import BGe
from bnjit.scores.sparse import SPARSE, Pooled
from bnjit.stats import ChunkedStore, Folds, Store, Want, fetch, take_fitting
from bnjit.stats.statistics import Statistics, StatisticsStore

METHODS = ("stats", "qr", "1p", "2p")
PENALISED = ("loglik", "aic", "bic", "ebic")
BAYESIAN = ("bde", "bds", "k2")
SCORES = (*PENALISED, *BAYESIAN, "bge", "pred", "cv")
EBIC_GAMMA = 0.5

T = TypeVar("T")


class Penalty:
    """What a penalised likelihood takes off: k per parameter, and for ebic 4 gamma log N per parent.

    Parameters count declared levels and configurations, observed or not; but where sparse configurations of a
    continuous node share a regression, they count as one.
    """

    def __init__(self, store: Store, score: str, pooled: Pooled | None = None) -> None:
        self.store, self.pooled = store, pooled
        self._levels = np.array(store.table.levels, np.float64)
        self.k = {"loglik": 0.0, "aic": 1.0}.get(score, math.log(store.n) / 2.0)
        self.per_parent = 4.0 * EBIC_GAMMA * math.log(len(store.table.names)) if score == "ebic" else 0.0

    def parameters(self, node: int, sets: ParentSets) -> Floats:
        """Free parameters of a node for each parent set: (r - 1) q if it is discrete, (g + 2) q if it is continuous."""
        table = self.store.table
        levels = np.where(sets.inside(), self._levels[sets.members], 1.0)
        continuous = levels == 0.0
        q: Floats = np.where(continuous, 1.0, levels).prod(axis=1)
        if self.pooled is not None and not table.discrete[node]:
            q = np.minimum(q, self.pooled.dense(sets) + 1.0)
        return q * (table.levels[node] - 1 if table.discrete[node] else continuous.sum(axis=1) + 2)

    def __call__(self, node: int, sets: ParentSets) -> Floats:
        """Return the penalties."""
        return self.k * self.parameters(node, sets) + self.per_parent * sets.sizes


class Scorer:
    """Local scores of the nodes of one table: what a search asks.

    Attributes
    ----------
    table : Table
        The columns, which are the nodes.
    store : Store
        Their statistics.
    equivalent : bool
        Whether equivalent graphs have equal scores, so that i -> j is worth as much as j -> i between nodes without
        parents.
    in_chunks : bool
        Whether rows come in chunks, so that it pays to ask for much at a time.
    """

    def __init__(
        self, store: Store, nodes: tuple[NodeScore | None, NodeScore | None], penalty: Penalty | None, equivalent: bool
    ) -> None:
        self.store, self.table, self.equivalent = store, store.table, equivalent
        self._continuous, self._discrete = nodes
        self._penalty = penalty
        self.in_chunks = isinstance(store, ChunkedStore)

    def local_scores(self, node: int, candidates: Iterable[Sequence[int]] | ParentSets) -> Floats:
        """Score a node with each of a batch of parent sets, in one go: float64[b].

        -inf marks what cannot be: a continuous parent of a discrete node, a cell with too few rows, a singular fit, or
        more than 2^62 declared configurations, which cannot be numbered.
        """
        sets = candidates if isinstance(candidates, ParentSets) else make_sets(candidates)
        return self._run(self._steps(node, sets)) if self.in_chunks else at_once(self._steps(node, sets))

    def _steps(self, node: int, sets: ParentSets) -> Steps:
        if not len(sets.sizes):
            return np.empty(0)
        score = self._discrete if self.table.discrete[node] else self._continuous
        assert score is not None  # make_scorer refuses tables with nodes that a score cannot take
        out = yield from score.steps(node, sets)
        if self._penalty is not None:
            out -= self._penalty(node, sets)
        return out

    def fold_scores(self, node: int, candidates: Iterable[Sequence[int]]) -> Floats:
        """What each fold of score "cv" adds to the scores of a batch of parent sets: float64[k, b]."""
        score = self._discrete if self.table.discrete[node] else self._continuous
        assert isinstance(score, OverFolds)
        return at_once(score.by_fold(node, make_sets(candidates)))

    def batch(self, jobs: Sequence[tuple[int, ParentSets]]) -> list[Floats]:
        """Score several nodes, each with its parent sets; rows that come in chunks are read once for all of them."""
        waiting: list[tuple[int, Steps, list[Want]]] = []
        results: dict[int, Floats] = {}

        def advance(i: int, steps: Steps) -> None:
            try:
                waiting.append((i, steps, next(steps)))
            except StopIteration as end:
                results[i] = end.value

        for i, (node, sets) in enumerate(jobs):
            advance(i, self._steps(node, sets))
        while waiting:
            # As much as fits in memory together, and at least one.
            some = take_fitting([wants for _, _, wants in waiting])
            fetch([want for _, _, wants in waiting[:some] for want in wants])
            now, waiting[:some] = waiting[:some], []
            for i, steps, _ in now:
                advance(i, steps)
            waiting.sort(key=lambda entry: entry[0])
        return [results[i] for i in range(len(jobs))]

    def local_scores_of(self, nodes: Sequence[tuple[int, Sequence[int]]]) -> list[float]:
        """Score several nodes, each with one set of parents."""
        if not self.in_chunks:
            return [self.local_score(node, parents) for node, parents in nodes]
        return [float(score[0]) for score in self.batch([(node, make_sets([parents])) for node, parents in nodes])]

    @staticmethod
    def _run(steps: Generator[list[Want], None, T]) -> T:
        """Fetch what scores in the making want."""
        while True:
            try:
                fetch(next(steps))
            except StopIteration as end:
                return end.value

    def local_score(self, node: int, parents: Sequence[int]) -> float:
        """Score a node with one set of parents."""
        return float(self.local_scores(node, [parents])[0])


def check_names(score: str, method: str, sparse: str = "reject") -> None:
    """Raise for a score, a method or a rule for sparse configurations that there is not."""
    if score not in SCORES:
        raise ArgumentError(f"score={score!r} is not known; the scores are {', '.join(SCORES)}")
    if method not in METHODS:
        raise ArgumentError(f"method={method!r} is not known; the methods are {', '.join(METHODS)}")
    if sparse not in SPARSE:
        raise ArgumentError(f"sparse={sparse!r} is not known; the rules are {', '.join(SPARSE)}")
    if sparse != "reject" and method != "stats":
        raise ArgumentError(f'sparse={sparse!r} is for method="stats"; with method={method!r} it must be "reject"')


def make_store(table: Schema, max_memory: int | str | None = None, constants: bool = False) -> Store:
    """Statistics of a table in memory, or of one that comes in chunks and may use `max_memory` bytes."""
    if isinstance(table, Source):
        return ChunkedStore(table, as_memory(max_memory), constants)
    if isinstance(table, Statistics):
        return StatisticsStore(table)
    assert isinstance(table, Table)
    return Store(table, constants=constants)


def make_scorer(
    data: Schema | Store, score: str = "bic", method: str = "stats", test: Schema | None = None,
    sparse: str = "reject", folds: int = 10, seed: int | None = None, max_memory: int | str | None = None,
) -> Scorer:  # fmt: skip
    """Choose the scores of a table's nodes.

    Parameters
    ----------
    data : Table, Source, Statistics or Store
        All rows, or the training rows of score "pred"; or statistics of all rows.
    score : str
        One of SCORES.
    method : str
        How continuous nodes are estimated, one of METHODS; it makes no difference to the score.
    test : Table or Source, optional
        The test rows, for score "pred" alone.
    sparse : str
        What becomes of configurations with too few rows, one of SPARSE (see scores/sparse.py).
    folds, seed : int
        How many folds score "cv" has, and what draws them.
    max_memory : int, optional
        Bytes to use for rows that come in chunks.
    """
    check_names(score, method, sparse)
    table = data.table if isinstance(data, Store) else data
    _check_kinds(table, score)
    if any(isinstance(rows, Source | Statistics) for rows in (table, test)):
        _check_rows(score, method, sparse)
    if score == "cv":
        assert isinstance(table, Table)
        return _over_folds(Folds(table, folds, seed), method, sparse)
    store = data if isinstance(data, Store) else make_store(data, max_memory)
    if score in BAYESIAN:
        return Scorer(store, (None, discrete.Marginal(store, score)), None, equivalent=score == "bde")
    if score == "bge":
        return Scorer(store, (BGe(store), None), None, equivalent=True)
    if score == "pred":
        assert test is not None
        other = make_store(test, max_memory, constants=True)
        predictive = _regressions(method, store, other, sparse), discrete.Predictive(store, other)
        return Scorer(store, predictive, None, equivalent=not any(table.discrete))
    regressions = _regressions(method, store, None, sparse)
    penalty = Penalty(store, score, regressions if isinstance(regressions, Pooled) else None)
    equivalent = len(set(table.discrete)) == 1
    return Scorer(store, (regressions, discrete.Likelihood(store)), penalty, equivalent)


def _check_rows(score: str, method: str, sparse: str) -> None:
    """Raise for what needs all rows in memory."""
    for name, value, other in (("method", method, "stats"), ("sparse", sparse, "reject")):
        if value != other:
            raise ArgumentError(f'{name}={value!r} needs all rows in memory; without them, use {name}="{other}"')
    if score == "cv":
        raise ArgumentError('score="cv" needs all rows in memory; without them, use "pred" or "bic"')


def _over_folds(folds: Folds, method: str, sparse: str) -> Scorer:
    pairs = list(zip(folds.trains, folds.tests, strict=True))
    continuous = OverFolds([_regressions(method, train, test, sparse) for train, test in pairs])
    nodes = continuous, OverFolds([discrete.Predictive(train, test) for train, test in pairs])
    return Scorer(folds.whole, nodes, None, equivalent=not any(folds.whole.table.discrete))


def _regressions(method: str, store: Store, test: Store | None, sparse: str) -> NodeScore:
    if sparse == "pool" and any(store.table.discrete):
        return Pooled(store, test)
    return FromCells(store, test) if method == "stats" else FromRows(store, test, method)


def _check_kinds(table: Schema, score: str) -> None:
    """Raise for a score that some column's kind has no place in."""
    for scores, takes, wrong in (
        (BAYESIAN, "discrete", table.continuous),
        (("bge",), "continuous", np.flatnonzero(table.discrete).tolist()),
    ):
        if score in scores and len(wrong):
            raise DataError(
                f"score={score!r} is for {takes} columns alone, and column {table.names[wrong[0]]!r} is not {takes}; "
                "use loglik, aic, bic, ebic, pred or cv"
            )
