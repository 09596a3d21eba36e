"""Held-out likelihood by folds, against fitting and scoring each fold by plain loops."""

import itertools
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnjit
from bnjit.data import read_table
from bnjit.data.split import row_numbers
from bnjit.errors import BnjitError
from bnjit.options import ESTIMATORS
from bnjit.scores import make_scorer
from bnjit.stats.opening import look_at
from bnjit.stats.parent_sets import ParentSets, batch_of, make_sets
from bnjit.stats.residual_views import NodeSets, View
from bnjit.stats.residuals import CommonParents, residual_parts
from tests.comparison import local_scores
from tests.reference import naive
from tests.scores.test_naive import parent_sets
from tests.stats.forms import in_chunks
from tests.stats.test_regressions import hostile_table
from tests.strategies import tables, take_rows, to_table

KINDS = {"discrete": {"max_continuous": 0}, "gaussian": {"max_discrete": 0}, "mixed": {}}


def by_folds(table, node, parents, k, seed, sparse):
    """Fit on all folds but one, score that one."""
    n = naive.rows_of(table)
    fold = [int(u * k) for u in row_numbers(n, seed)]
    total = 0.0
    for f in range(k):
        train, test = (take_rows(table, [r for r in range(n) if (fold[r] == f) == inside]) for inside in (False, True))
        total += naive.predictive(train, test, node, parents, sparse)
    return total


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_folds_against_loops(kind, data):
    table = data.draw(tables(min_rows=45, **KINDS[kind]))
    names, k, seed = list(table), data.draw(st.integers(2, 4)), 5
    node = data.draw(st.sampled_from(names))
    sets = parent_sets(data, table, node, most=3)
    at = {name: i for i, name in enumerate(names)}
    for sparse in ("reject", "pool"):
        scorer = make_scorer(to_table(table), bnjit.CrossValidation(folds=k, sparse=sparse), seed=seed)
        ours = local_scores(scorer, at[node], [[at[p] for p in s] for s in sets])
        for value, s in zip(ours, sets, strict=True):
            expected = by_folds(table, node, sorted(s, key=names.index), k, seed, sparse)
            assert value == pytest.approx(expected, rel=1e-7, abs=1e-6), (node, s, sparse)


@pytest.fixture
def frame():
    return bnjit.datasets.random_network("cgaussian", 6, parents=2.0, share_discrete=0.5, seed=2).sample(3000, seed=1)


def test_folds_are_a_sum_of_predictive_scores(frame):
    dag = bnjit.learn(frame).dag
    fold = (row_numbers(len(frame), 3) * 5).astype(int)
    parts = [bnjit.score(dag, frame[fold != f], bnjit.HeldOut(frame[fold == f])) for f in range(5)]
    for estimator in ESTIMATORS:
        total = bnjit.score(dag, frame, bnjit.CrossValidation(folds=5), seed=3, estimator=estimator)
        assert total == pytest.approx(math.fsum(parts), rel=1e-10)


@pytest.mark.parametrize("algorithm", ["hc", "boss"])
def test_learning_with_folds(frame, algorithm):
    score = bnjit.CrossValidation(folds=5, sparse="pool")
    one, all_ = (bnjit.learn(frame, score, algorithm, n_threads=k) for k in (1, None))
    assert one.score == all_.score
    assert list(one.dag.edges) == list(all_.dag.edges)
    assert one.score == pytest.approx(bnjit.score(one.dag, frame, score), rel=1e-12)
    assert one.score >= bnjit.score([], frame, score)
    assert one.fit().log_likelihood(frame) == pytest.approx(bnjit.fit(one.dag, frame).log_likelihood(frame), rel=1e-10)


def test_columns_and_seeds(frame):
    dag = bnjit.learn(frame).dag
    value = bnjit.score(dag, frame, "cv", seed=1)
    assert bnjit.score(dag, frame[frame.columns[::-1]], "cv", seed=1) == pytest.approx(value, rel=1e-10)
    assert bnjit.score(dag, frame, "cv", seed=2) != value
    assert bnjit.score(dag, frame, "cv", seed=1) == value


def test_moments_that_need_rows():
    """A column that its parents all but determine, in other cells than those of the test rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=500) + 1e4
    table = pd.DataFrame({"d": rng.integers(0, 2, 500).astype(str), "x": x, "y": 3 * x + 1e-4 * rng.normal(size=500)})
    arcs = [("d", "y"), ("x", "y")]
    stats, qr = (
        bnjit.score(arcs, table, bnjit.CrossValidation(folds=3), estimator=estimator) for estimator in ("stats", "qr")
    )
    assert stats == pytest.approx(qr, rel=1e-8)


SCORES = [
    bnjit.CrossValidation(folds=5), bnjit.CrossValidation(folds=5, sparse="pool", one_se=True),
    bnjit.CrossValidation(folds=5, density="bayes"),
]  # fmt: skip


@pytest.mark.parametrize("score", SCORES, ids=str)
def test_folds_of_rows_in_chunks(frame, score):
    """The folds are those of rows in memory, and all of them are read in the same passes."""
    arrow = pa.Table.from_pandas(frame)
    source = in_chunks(lambda: arrow.to_batches(max_chunksize=300), 470)
    ours, theirs = bnjit.learn(source, score, seed=3), bnjit.learn(frame, score, seed=3)
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.score == pytest.approx(theirs.score, rel=1e-12)
    assert ours.passes <= 2 + 2 * len(ours.trace)  # reading fold by fold would take five times as many
    with pytest.raises(BnjitError, match="3000 rows are too few for 2900 folds"):
        bnjit.score([], source, bnjit.CrossValidation(folds=2900))


def test_folds_in_chunks_where_moments_need_rows():
    """Triangles of some cells, and residuals of a column that others all but determine."""
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 2000)) + 1e4
    table = pd.DataFrame({"d": rng.integers(0, 2, 2000).astype(str), "x": x, "w": w, "y": 3 * x + w})
    table["y"] += np.where(table["d"] == "1", 1e-3, 1e-4) * rng.normal(size=2000)
    table["z"] = table["y"] + 1e-4 * rng.normal(size=2000)
    source = in_chunks(lambda: pa.Table.from_pandas(table).to_batches(max_chunksize=300), 470)
    arcs = [("d", "y"), ("x", "y"), ("w", "y"), ("y", "z"), ("x", "z"), ("d", "z")]
    score = bnjit.CrossValidation(folds=3)
    ours, theirs = (bnjit.score(arcs, rows, score, by_node=True) for rows in (source, table))
    pd.testing.assert_series_equal(ours, theirs, rtol=1e-9)


def test_bad_folds(frame):
    with pytest.raises(BnjitError, match="folds=1"):
        bnjit.score([], frame, bnjit.CrossValidation(folds=1))
    with pytest.raises(BnjitError, match="20 rows are too few for 15 folds"):
        bnjit.score([], frame.iloc[:20], bnjit.CrossValidation(folds=15))


@pytest.mark.parametrize("times", [0.0, 1e9])
@pytest.mark.parametrize("chunks", [False, True])
def test_residuals_under_one_fit_to_all_folds(times, chunks):
    """Used at once, or never: the scores of every fold are those of QR on the rows."""
    frame = hostile_table(2400, 1)
    score, table = bnjit.CrossValidation(folds=3), read_table(frame)
    source = look_at(in_chunks(lambda: pa.Table.from_pandas(frame).to_batches(max_chunksize=300), 470))
    rows, ours = make_scorer(table, score, "qr", seed=3), make_scorer(source if chunks else table, score, seed=3)
    node = table.index("Y")
    at_once = ours._nodes[0]._at_once
    at_once.many_rows = times
    sets = make_sets([s for size in range(6) for s in itertools.combinations(range(5), size)])
    for which in (slice(None, None, 2), slice(None)):
        batch = batch_of(node, ParentSets(sets.members[which], sets.sizes[which]))
        np.testing.assert_allclose(ours.by_fold(batch), rows.by_fold(batch), rtol=1e-9)
    assert bool(at_once.views.nodes) == (times == 0.0)


def test_a_parent_that_residuals_were_taken_under_may_be_singular_in_some_cells():
    """What it explained is not lost: such a cell is fitted from its rows."""
    rng = np.random.default_rng(4)
    n = 1200
    group, narrow = rng.integers(0, 2, n), rng.integers(0, 4, n) == 0
    u = rng.normal(size=n) * np.where(narrow, 1e-6, 1.0)
    y = u + 1e-7 * rng.normal(size=n)
    table = read_table(pd.DataFrame({"g": pd.Categorical(group), "h": pd.Categorical(narrow), "u": u, "y": y}))
    score = bnjit.CrossValidation(folds=3)
    ours, rows = make_scorer(table, score), make_scorer(table, score, "qr")
    at_once = ours._nodes[0]._at_once
    batch = batch_of(3, make_sets([(0, 2), (0, 1, 2)]))
    everything, parents = NodeSets(3, at_once.views.base, np.arange(2), batch.sets), CommonParents((2,), (0,))
    stores = residual_parts(at_once.tests, 3, parents)
    at_once.views.replace(everything, parents, View(*at_once.views.base[:2], stores, 1))
    np.testing.assert_allclose(ours.by_fold(batch), rows.by_fold(batch), rtol=1e-9)
    assert np.isfinite(rows.by_fold(batch)).all()
