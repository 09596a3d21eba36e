"""Configurations with too few rows: what `sparse` makes of them, against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnjit
from bnjit.errors import ArgumentError
from bnjit.options import SCORES
from bnjit.scores import make_scorer
from tests.comparison import local_scores
from tests.reference import naive
from tests.scores.test_naive import GENERAL, parent_sets
from tests.strategies import tables, take_rows, to_table


def assert_pooled_scores_of_loops(scorer, table, node, sets, score, test=None):
    names = list(table)
    at = {name: i for i, name in enumerate(names)}
    ours = local_scores(scorer, at[node], [[at[p] for p in s] for s in sets])
    for value, s in zip(ours, sets, strict=True):
        expected = naive.local_score(table, node, sorted(s, key=names.index), score, test, sparse="pool")
        # A residual of nothing is known to some 1e-14 of what it is left of, and weighed by the tolerance.
        assert value == pytest.approx(expected, rel=1e-7, abs=1e-6), (node, s)


@pytest.fixture
def sparse_frame():
    rng = np.random.default_rng(3)
    n = 400
    a, b = rng.integers(0, 12, n), rng.integers(0, 15, n)
    x = rng.normal(size=n)
    y = x * (1 + a % 3) + a + rng.normal(size=n)
    return {"a": a.astype(str), "b": b.astype(str), "x": x, "y": y}


@given(table=tables(max_continuous=3, min_rows=8), data=st.data())
def test_pooled_likelihoods(table, data):
    numbers = [name for name in table if not naive.is_discrete(table[name])]
    score, node = data.draw(st.sampled_from(GENERAL)), data.draw(st.sampled_from(numbers or list(table)))
    scorer = make_scorer(to_table(table), SCORES[score](sparse="pool"))
    assert_pooled_scores_of_loops(scorer, table, node, parent_sets(data, table, node), score)


@given(table=tables(max_continuous=3, min_rows=16), data=st.data())
def test_pooled_predictive(table, data):
    n = naive.rows_of(table)
    train, test = take_rows(table, range(n // 2)), take_rows(table, range(n // 2, n))
    for half in (train, test):
        for column in half.values():
            if not isinstance(column, tuple) and len(set(column)) == 1:
                column[0] += 1.0
    numbers = [name for name in table if not naive.is_discrete(table[name])]
    node = data.draw(st.sampled_from(numbers or list(table)))
    scorer = make_scorer(to_table(train), bnjit.HeldOut(sparse="pool"), test=to_table(test))
    assert_pooled_scores_of_loops(scorer, train, node, parent_sets(data, table, node, most=3), "pred", test)


@pytest.mark.parametrize("score", ["bic", "pred"])
def test_rules_agree_where_nothing_is_sparse(sparse_frame, score):
    frame = {"a": np.where(sparse_frame["x"] > 0, "u", "v"), "x": sparse_frame["x"], "y": sparse_frame["y"]}
    arcs = [("a", "x"), ("a", "y"), ("x", "y")]
    reject, pool = (bnjit.score(arcs, frame, SCORES[score](sparse=sparse)) for sparse in ("reject", "pool"))
    assert math.isfinite(reject)
    assert pool == pytest.approx(reject, rel=1e-13)


@pytest.mark.parametrize("score", ["bic", "pred"])
def test_nothing_but_sparse_configurations_is_no_discrete_parent(sparse_frame, score):
    frame = {**sparse_frame, "a": [f"{i // 2}" for i in range(400)]}
    with_parent, without = (
        bnjit.score(arcs, frame, SCORES[score](sparse="pool"), by_node=True)["y"]
        for arcs in ([("a", "y"), ("x", "y")], [("x", "y")])
    )
    assert with_parent == pytest.approx(without, rel=1e-12)


def test_a_constant_in_a_configuration_is_not_impossible(sparse_frame):
    flat = np.where(sparse_frame["a"] == "1", 0.0, sparse_frame["y"])
    frame = {**sparse_frame, "y": flat}
    for arcs in ([("a", "y")], [("a", "y"), ("x", "y")]):
        assert bnjit.score(arcs, frame) == -math.inf
        assert bnjit.score(arcs, frame, bnjit.BIC(sparse="pool")) > bnjit.score([("x", "y")], frame)


def test_learns_what_reject_cannot(sparse_frame):
    arcs = {("a", "y"), ("x", "y")}
    frame = {**sparse_frame, "a": np.append(sparse_frame["a"][:-1], "rare")}
    assert ("a", "y") not in bnjit.learn(frame).dag.edges
    for algorithm in ("hc", "tabu", "boss"):
        one, all_ = (bnjit.learn(frame, bnjit.BIC(sparse="pool"), algorithm, n_threads=k) for k in (1, None))
        assert arcs <= set(all_.dag.edges)
        assert one.score == all_.score == bnjit.score(all_.dag, frame, bnjit.BIC(sparse="pool"))


def test_bad_rules(sparse_frame):
    with pytest.raises(ArgumentError, match="sparse='drop' is not known; the rules are reject, pool"):
        bnjit.learn(sparse_frame, bnjit.BIC(sparse="drop"))
    with pytest.raises(ArgumentError, match="sparse='pool' is for estimator=\"stats\"; with estimator='qr'"):
        bnjit.score([], sparse_frame, bnjit.BIC(sparse="pool"), estimator="qr")
