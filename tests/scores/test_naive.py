"""Scores against plain loops on random small tables, for every score and estimator."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.options import ESTIMATORS
from bnjit.scores import make_scorer
from tests.comparison import local_score, local_scores
from tests.reference import naive
from tests.strategies import tables, take_rows, to_table

GENERAL = ("loglik", "aic", "bic", "ebic")


def parent_sets(data, columns, node, most=4):
    """A few random parent sets, the empty one among them."""
    others = [name for name in columns if name != node]
    sets = [()]
    if others:
        sets += data.draw(
            st.lists(st.lists(st.sampled_from(others), max_size=most, unique=True), min_size=1, max_size=4)
        )
    return [tuple(s) for s in sets]


def assert_scores_of_loops(scorer, table, node, sets, score, test=None):
    names = list(table)
    at = {name: i for i, name in enumerate(names)}
    ours = local_scores(scorer, at[node], [[at[p] for p in s] for s in sets])
    for value, s in zip(ours, sets, strict=True):
        # Parents are ordered by column, which decides whom a singular regression drops.
        expected = naive.local_score(table, node, sorted(s, key=names.index), score, test)
        assert value == pytest.approx(expected, rel=1e-8, abs=1e-7), (node, s)
        assert local_score(scorer, at[node], [at[p] for p in reversed(s)]) == value


@given(table=tables(), data=st.data())
def test_penalised_likelihoods(table, data):
    score = data.draw(st.sampled_from(GENERAL))
    node = data.draw(st.sampled_from(list(table)))
    sets = parent_sets(data, table, node)
    for estimator in ESTIMATORS:
        assert_scores_of_loops(make_scorer(to_table(table), score, estimator), table, node, sets, score)


@given(table=tables(max_continuous=0), data=st.data(), score=st.sampled_from(["bde", "bds", "k2", "qnml", "fnml"]))
def test_marginal_and_normalised_likelihoods(table, data, score):
    node = data.draw(st.sampled_from(list(table)))
    assert_scores_of_loops(make_scorer(to_table(table), score), table, node, parent_sets(data, table, node), score)


@given(table=tables(max_discrete=0), data=st.data())
def test_bge(table, data):
    node = data.draw(st.sampled_from(list(table)))
    assert_scores_of_loops(make_scorer(to_table(table), "bge"), table, node, parent_sets(data, table, node), "bge")


@given(table=tables(min_rows=12), data=st.data())
def test_predictive(table, data):
    n = naive.rows_of(table)
    cut = data.draw(st.integers(n // 2, n - 3))
    train, test = take_rows(table, range(cut)), take_rows(table, range(cut, n))
    for half in (train, test):
        for column in half.values():
            if not isinstance(column, tuple) and len(set(column)) == 1:
                column[0] += 1.0
    node = data.draw(st.sampled_from(list(table)))
    sets = parent_sets(data, table, node, most=3)
    for estimator in ESTIMATORS:
        assert_scores_of_loops(
            make_scorer(to_table(train), "pred", estimator, to_table(test)), train, node, sets, "pred", test
        )
