"""Scorer: the local score of any node of a table, chosen once by score and estimator."""

from collections.abc import Iterator, Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.data.schema import Schema
from bnjit.options import (
    NML,
    Available,
    Bayesian,
    CrossValidation,
    HeldOut,
    LocalScore,
    MarginalLikelihood,
    MissingLike,
    MissingRule,
    Penalised,
    Score,
    ScoreLike,
    as_missing,
    as_score,
    check_estimator,
)
from bnjit.options import BGe as BGeOptions
from bnjit.scores import discrete
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.compatible import check_available, check_kinds, check_rows
from bnjit.scores.folds import OverFolds
from bnjit.scores.gaussian import BGe
from bnjit.scores.node_score import NodeScore
from bnjit.scores.penalty import Penalty
from bnjit.scores.sparse import Pooled
from bnjit.scores.user_score import UserScore
from bnjit.stats import Request, Store, cells_for
from bnjit.stats.available import AvailableRows
from bnjit.stats.opening import make_store
from bnjit.stats.parent_sets import Batch, Indices
from bnjit.stats.readers.folds import Folds, FoldsInChunks, make_folds
from bnjit.stats.store import constant_columns, fits_in_memory, fitting, in_own_units
from bnjit.stats.units import log_factors


class Scorer:
    """Local scores of the nodes of one table: what a search asks, in batches.

    Attributes
    ----------
    schema : Schema
        The columns, which are the nodes.
    store : Store
        Their statistics.
    shifts : float64[N]
        What is added to the scores of nodes that are shown: those of a search are in units of its own, see stats/units.
    stores : list of Store
        The same, and those of test rows if there are any.
    constants : tuple of int
        Columns with one value each; continuous ones add 0, whatever their parents.
    equivalent : bool
        Whether equivalent graphs have equal scores, so that i -> j is worth as much as j -> i between nodes without
        parents.
    equal_in_classes : bool
        Whether equivalent graphs without arcs from continuous to discrete columns have equal scores.
    is_quick : bool
        Whether estimating is as fast as remembering.
    is_users_own : bool
        Whether the scores are those of a user's own object.
    in_passes : bool
        Whether rows are read in passes, so that it pays to ask for much at a time.
    rows : AvailableRows, optional
        The rows that observe a node and its parents, where columns have gaps.
    """

    def __init__(
        self, store: Store, nodes: tuple[NodeScore | None, NodeScore | None], penalty: Penalty | None, equivalent: bool,
        test: Store | None = None, in_units: bool = True, rows: AvailableRows | None = None,
        test_rows: AvailableRows | None = None, equal_in_classes: bool = False,
    ) -> None:  # fmt: skip
        self.rows, self._available = rows, [some for some in (rows, test_rows) if some is not None]
        self.stores = [store] if test is None else [store, test]
        self.shifts = self.stores[-1].n * log_factors(store.schema) * in_units
        self.constants = () if isinstance(nodes[0], UserScore) else constant_columns(store)
        self._constant = [v for v in self.constants if not store.schema.discrete[v]]
        self.shifts[self._constant] = 0.0
        self.store, self.schema, self.equivalent = store, store.schema, equivalent
        self.equal_in_classes = equivalent or equal_in_classes
        self._nodes, self._penalty = nodes, penalty  # of continuous nodes, and of discrete ones
        self._discrete = np.array(store.schema.discrete, bool)
        self._one_kind = bool(self._discrete.all() or not self._discrete.any())
        self.is_quick = isinstance(nodes[0], FromCells) and nodes[0].is_quick
        self.is_users_own = isinstance(nodes[0], UserScore)
        self.in_passes = store.in_passes

    def local_scores(self, batch: Batch) -> Floats:
        """Score nodes, each with its parent set, float64[b]; rows that are read in passes are read for all at once.

        -inf marks what cannot be: a continuous parent of a discrete node, a cell with too few rows, a singular fit, or
        more than 2^62 declared configurations, which cannot be numbered.
        """
        if not len(batch.nodes):
            return np.empty(0)
        if self.in_passes:
            return np.concatenate([self._scored(some) for some in self._in_memory(batch)])
        return self._scored(batch)

    def _in_memory(self, batch: Batch) -> Iterator[Batch]:
        """Divide a batch so that the counts for each part fit in memory; when a part comes, they are there."""
        everything = self._counts_needed(batch)
        if fits_in_memory(everything):
            cells_for(everything)
            yield batch
            return
        parts = [part for _, part in batch.by_node()]
        needed = [self._counts_needed(batch.take(part)) for part in parts]
        while parts:
            number = fitting(needed)
            cells_for([pair for pairs in needed[:number] for pair in pairs])
            yield batch.take(slice(parts[0].start, parts[number - 1].stop))
            parts, needed = parts[number:], needed[number:]

    def _counts_needed(self, batch: Batch) -> list[tuple[Store, Request]]:
        return [pair for kind, some, _ in self._by_kind(batch) for pair in kind.counts_needed(some)]

    def _by_kind(self, batch: Batch) -> list[tuple[NodeScore, Batch, slice | Indices]]:
        """Divide a batch by the kind of its nodes: who scores them, and their places."""
        is_discrete = self._discrete[batch.nodes]
        if self._one_kind or (is_discrete == is_discrete[0]).all():
            return [(self._of_kind(is_discrete[0]), batch, slice(None))]
        kinds = [(kind, np.flatnonzero(is_discrete == kind)) for kind in (False, True)]
        return [(self._of_kind(kind), batch.take(at), at) for kind, at in kinds]

    def _of_kind(self, is_discrete: bool) -> NodeScore:
        score = self._nodes[int(is_discrete)]
        assert score is not None  # make_scorer refuses tables with nodes that a score cannot take
        return score

    def _scored(self, batch: Batch) -> Floats:
        out = np.empty(len(batch.nodes))
        for kind, some, at in self._by_kind(batch):
            out[at] = kind.local_scores(some)
        if self._penalty is not None:
            out -= self._penalty(batch)
        if self._constant:  # there is nothing to be said of them
            out[np.isin(batch.nodes, self._constant)] = 0.0
        return out

    @property
    def penalty(self) -> Penalty | None:
        """What is taken off the likelihoods, if scores are penalised likelihoods."""
        return self._penalty

    @property
    def all_rows(self) -> Sequence[Store]:
        """Stores of all rows, whatever they observe: fitted rows and, where there are any, test rows."""
        return [some.base for some in self._available] or self.stores

    def stores_for(self, node: int, parents: Sequence[int]) -> Sequence[Store]:
        """Return the statistics of the rows that a node with some parents is fitted to, and those of its test rows."""
        return [some.store_of(some.observed_by((node, *parents))) for some in self._available] or self.stores

    def by_fold(self, batch: Batch) -> Floats:
        """What each fold of score "cv" adds to the scores of a batch of one node, float64[k, b]."""
        ((kind, some, _),) = self._by_kind(batch)
        assert isinstance(kind, OverFolds)
        return kind.by_fold(some)


def make_scorer(
    data: Schema | Store, score: ScoreLike, estimator: str = "stats", test: Schema | None = None,
    seed: int | None = None, max_memory: int | str | None = None, missing: MissingLike = "error",
    worth: float | None = None,
) -> Scorer:  # fmt: skip
    """Choose the scores of a table's nodes.

    Parameters
    ----------
    data : Table, Source, Statistics or Store
        All rows, or the training rows of score "pred"; or statistics of all rows.
    score : Score, name of one, or a user's own
        What to compute.
    estimator : str
        How continuous nodes are estimated, one of ESTIMATORS; it makes no difference to the score.
    test : Table or Source, optional
        The test rows, for score "pred" alone.
    seed : int, optional
        Draws the folds of score "cv".
    max_memory : int, optional
        Bytes to use for rows that come in chunks.
    missing : rule
        What becomes of gaps, where the table has some.
    worth : float, optional
        Rows that the data are worth, where gaps were filled: what a parameter costs follows from it.
    """
    score = as_score(score)
    check_estimator(estimator, score)
    schema = data.schema if isinstance(data, Store) else data
    check_kinds(schema.as_given, score)
    rule = as_missing(missing)
    if schema.gaps is not None or (isinstance(rule, Available) and rule.penalty is not None):
        check_available(score, estimator, rule)
    check_rows(data, test, score, estimator)
    if isinstance(score, CrossValidation):
        everything = in_own_units(data if isinstance(data, Store) else make_store(data, max_memory))
        return _over_folds(make_folds(everything, score.folds, seed), estimator, score)
    store = in_own_units(data if isinstance(data, Store) else make_store(data, max_memory))
    if schema.gaps is not None:
        other = None if test is None else in_own_units(make_store(test, max_memory, constants=True), like=store)
        return _from_available(store, other, score, rule)
    if isinstance(score, Bayesian | NML):
        return _in_closed_form(store, score)
    if isinstance(score, HeldOut):
        assert test is not None
        other = in_own_units(make_store(test, max_memory, constants=True), like=store)
        return Scorer(store, _held_out(estimator, store, other, score), None, _is_equivalent(schema, score), other)
    if isinstance(score, Penalised):
        regressions = _regressions(estimator, store, None, score)
        pooled = regressions if isinstance(regressions, Pooled) else None
        penalty = Penalty(store, score, pooled, getattr(rule, "penalty", None), worth)
        equivalent = len(set(schema.discrete)) == 1
        # In a configuration of discrete parents a regression is that of a table without discrete columns; but not where
        # configurations share one, or have prices of their own.
        apart = score.sparse == "reject" and not penalty.is_local
        nodes = regressions, discrete.Likelihood(store)
        return Scorer(store, nodes, penalty, equivalent, equal_in_classes=apart)
    assert not isinstance(score, Score)
    return Scorer(store, (UserScore(score), UserScore(score)), None, equivalent=False, in_units=False)


def _from_available(store: Store, test: Store | None, score: Score | LocalScore, rule: MissingRule) -> Scorer:
    """Scores from the rows that observe a node and its parents."""
    from bnjit.scores.available import FromAvailable, GapPrice, LevelsFromAvailable

    rows, others = AvailableRows(store), None if test is None else AvailableRows(test)
    rows.collect_patterns()
    everything = rows.store_of(())
    if isinstance(score, HeldOut):
        assert others is not None
        of_levels = discrete.Predictive if score.density == "plugin" else discrete.Integrated
        nodes = (
            FromAvailable(rows, others, lambda train, tested: _regressions("stats", train, tested, score)),
            FromAvailable(rows, others, lambda train, tested: of_levels(train, tested or train)),
        )
        return Scorer(everything, nodes, None, False, others.store_of(()), rows=rows, test_rows=others)
    assert isinstance(score, Penalised)
    given = getattr(rule, "penalty", None)
    price = GapPrice(rows) if given is None and score.per_parameter(rows.n) else None
    penalty = Penalty(everything, score, per_parameter=given)
    regressions = FromAvailable(rows, None, lambda train, tested: _regressions("stats", train, tested, score), price)
    return Scorer(everything, (regressions, LevelsFromAvailable(rows, price)), penalty, equivalent=False, rows=rows)


def _in_closed_form(store: Store, score: Bayesian | NML) -> Scorer:
    if isinstance(score, BGeOptions):
        own = BGe(store, score.imaginary_rows, score.degrees_of_freedom)
        return Scorer(store, (own, None), None, equivalent=True, in_units=False)
    if isinstance(score, MarginalLikelihood):
        from bnjit.scores.marginal import MarginalOfCells

        cells = MarginalOfCells(store, score.imaginary_rows, score.degrees_of_freedom)
        of_levels = discrete.Marginal(store, "bde", score.imaginary_rows)
        equivalent = len(set(store.schema.discrete)) == 1
        return Scorer(store, (FromCells(store, None, cells), of_levels), None, equivalent, equal_in_classes=True)
    if isinstance(score, NML):
        return Scorer(store, (None, discrete.NORMALISED[score.name](store)), None, equivalent=score.name == "qnml")
    rows = getattr(score, "imaginary_rows", 1.0)
    return Scorer(store, (None, discrete.Marginal(store, score.name, rows)), None, equivalent=score.name == "bde")


def _over_folds(folds: Folds | FoldsInChunks, estimator: str, score: CrossValidation) -> Scorer:
    pairs = zip(folds.trains, folds.tests, strict=True)
    continuous, discrete_nodes = zip(*(_held_out(estimator, *pair, score) for pair in pairs), strict=True)
    equivalent = _is_equivalent(folds.everything.schema, score)
    of_both = (
        OverFolds(continuous, folds.tests, folds.everything),
        OverFolds(discrete_nodes, folds.tests, folds.everything),
    )
    return Scorer(folds.everything, of_both, None, equivalent)


def _held_out(
    estimator: str, train: Store, test: Store, score: HeldOut | CrossValidation
) -> tuple[NodeScore, NodeScore]:
    """Scores of test rows given training rows, of continuous nodes and of discrete ones."""
    of_levels = discrete.Predictive if score.density == "plugin" else discrete.Integrated
    return _regressions(estimator, train, test, score), of_levels(train, test)


def _is_equivalent(schema: Schema, score: HeldOut | CrossValidation) -> bool:
    """Whether equivalent graphs have equal held-out scores."""
    if score.density == "plugin":
        return not any(schema.discrete)
    return all(schema.discrete)  # the reference prior of a regression depends on its direction


def _regressions(
    estimator: str, store: Store, test: Store | None, score: Penalised | HeldOut | CrossValidation
) -> NodeScore:
    own_rows = getattr(score, "penalty", "global") == "local" or getattr(score, "density", "plugin") == "bayes"
    if own_rows and (test is not None or any(store.schema.discrete)):  # else it is BIC
        from bnjit.scores.evidence import FromEvidence

        return FromEvidence(store, test)
    if score.sparse == "pool" and any(store.schema.discrete):
        return Pooled(store, test)
    if estimator == "stats":
        return FromCells(store, test)
    from bnjit.scores.estimators import FromRows

    return FromRows(store, test, estimator)
