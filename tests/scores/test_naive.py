"""Scores against plain loops on random small tables, for every score and estimator."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.options import ESTIMATORS
from bnjit.scores import make_scorer
from tests.comparison import local_score, local_scores
from tests.reference import naive
from tests.strategies import part, tables, to_table

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


def compare(scorer, table, node, sets, score, test=None):
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
        compare(make_scorer(to_table(table), score, estimator), table, node, sets, score)


@given(table=tables(max_continuous=0), data=st.data(), score=st.sampled_from(["bde", "bds", "k2"]))
def test_marginal_likelihoods(table, data, score):
    node = data.draw(st.sampled_from(list(table)))
    compare(make_scorer(to_table(table), score), table, node, parent_sets(data, table, node), score)


@given(table=tables(max_discrete=0), data=st.data())
def test_bge(table, data):
    node = data.draw(st.sampled_from(list(table)))
    compare(make_scorer(to_table(table), "bge"), table, node, parent_sets(data, table, node), "bge")


@given(table=tables(min_rows=12), data=st.data())
def test_predictive(table, data):
    n = naive.rows_of(table)
    cut = data.draw(st.integers(n // 2, n - 3))
    train, test = part(table, range(cut)), part(table, range(cut, n))
    for half in (train, test):
        for column in half.values():
            if not isinstance(column, tuple) and len(set(column)) == 1:
                column[0] += 1.0
    node = data.draw(st.sampled_from(list(table)))
    sets = parent_sets(data, table, node, most=3)
    for estimator in ESTIMATORS:
        compare(make_scorer(to_table(train), "pred", estimator, to_table(test)), train, node, sets, "pred", test)


@given(table=tables(max_continuous=0, min_rows=12), seed=st.integers(0, 99))
def test_predictive_probabilities_sum_to_one(table, seed):
    """The rule for events that training never saw keeps a distribution: its levels' probabilities sum to one."""
    names = list(table)
    n = naive.rows_of(table)
    rng = np.random.default_rng(seed)
    node, parents = names[-1], names[:-1]
    configuration = {p: int(rng.integers(table[p][1])) for p in parents}
    total = 0.0
    for level in range(table[node][1]):
        # Two equal rows: the least that a table has.
        test = {p: ([configuration[p]] * 2, table[p][1]) for p in parents}
        test[node] = ([level] * 2, table[node][1])
        scorer = make_scorer(to_table(table), "pred", "stats", to_table(test))
        total += math.exp(local_score(scorer, len(names) - 1, range(len(parents))) / 2)
    assert total == pytest.approx(1.0, rel=1e-12)
    assert n >= 12


def test_mixed_network_reduces_to_gaussian_and_to_discrete():
    rng = np.random.default_rng(5)
    n = 300
    numbers = {"X": rng.normal(size=n).tolist(), "Y": rng.normal(size=n).tolist()}
    codes = {"A": (rng.integers(0, 3, n).tolist(), 3), "B": (rng.integers(0, 2, n).tolist(), 2)}
    mixed = make_scorer(to_table({**codes, **numbers}), "bic")
    assert local_score(mixed, 3, [2]) == local_score(make_scorer(to_table(numbers), "bic"), 1, [0])
    assert local_score(mixed, 1, [0]) == local_score(make_scorer(to_table(codes), "bic"), 1, [0])
    assert local_score(mixed, 0, [2]) == -math.inf
