"""Penalties against a count of parameters by hand."""

import itertools
import math

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.options import AIC, BIC, EBIC, LogLik
from bnjit.scores.penalty import Penalty
from bnjit.scores.sparse import Pooled
from bnjit.stats.opening import make_store
from bnjit.stats.parent_sets import make_batch

LEVELS = {0: 3, 2: 2, 4: 5}  # of the discrete columns; 1 and 3 are continuous
N = 5


@pytest.fixture(scope="module")
def store():
    rng = np.random.default_rng(2)
    n = 60
    columns = [
        Column(rng.integers(0, LEVELS[j], n).astype(np.uint8), tuple(range(LEVELS[j])))
        if j in LEVELS
        else Column(rng.normal(size=n), None)
        for j in range(N)
    ]
    return make_store(Table(list("abcde"), columns))


def families():
    for node in range(N):
        others = [v for v in range(N) if v != node and not (node in LEVELS and v not in LEVELS)]
        for size in range(len(others) + 1):
            yield from ((node, parents) for parents in itertools.combinations(others, size))


def parameters(node, parents):
    """(r - 1) q for a discrete node, an intercept, slopes and a variance for each configuration otherwise."""
    q = math.prod(LEVELS[v] for v in parents if v in LEVELS)
    return (LEVELS[node] - 1) * q if node in LEVELS else (sum(v not in LEVELS for v in parents) + 2) * q


@pytest.mark.parametrize(
    ("score", "each", "per_parent"),
    [
        (LogLik(), 0.0, 0.0),
        (AIC(), 1.0, 0.0),
        (BIC(), math.log(60) / 2, 0.0),
        (EBIC(gamma=0.25), math.log(60) / 2, 4 * 0.25 * math.log(N)),
    ],
    ids=str,
)
def test_penalties_by_hand(store, score, each, per_parent):
    pairs = list(families())
    penalty = Penalty(store, score)
    assert penalty.parameters(make_batch(pairs)).tolist() == [parameters(*pair) for pair in pairs]
    expected = [each * parameters(node, parents) + per_parent * len(parents) for node, parents in pairs]
    np.testing.assert_allclose(penalty(make_batch(pairs)), expected, rtol=1e-14)


def test_sparse_configurations_that_share_a_regression_count_as_one(store):
    table = store.reader.table
    pairs = [(node, parents) for node, parents in families() if node not in LEVELS]
    expected = []
    for _, parents in pairs:
        g, discrete = sum(v not in LEVELS for v in parents), [v for v in parents if v in LEVELS]
        rows = zip(*(table.columns[v].values.tolist() for v in discrete), strict=True) if discrete else [()] * table.n
        counts = np.unique(list(rows), axis=0, return_counts=True)[1] if discrete else [table.n]
        dense = sum(count > g + 1 for count in counts)
        declared = math.prod(LEVELS[v] for v in discrete)
        expected.append((g + 2) * min(declared, dense + 1))
    penalty = Penalty(store, BIC(sparse="pool"), Pooled(store))
    assert penalty.parameters(make_batch(pairs)).tolist() == expected
    assert any(value < parameters(*pair) for value, pair in zip(expected, pairs, strict=True))


def test_continuous_tables_have_a_slope_for_each_parent():
    rng = np.random.default_rng(0)
    store = make_store(Table(list("xyz"), [Column(rng.normal(size=20), None) for _ in range(3)]))
    batch = make_batch([(0, ()), (1, (0,)), (2, (0, 1))])
    assert Penalty(store, BIC()).parameters(batch).tolist() == [2.0, 3.0, 4.0]
