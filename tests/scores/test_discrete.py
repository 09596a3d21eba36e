"""Scores of discrete nodes: distributions, and sets that cannot be counted."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.scores import make_scorer
from bnjit.scores.discrete import Likelihood
from bnjit.stats import Request
from bnjit.stats.opening import make_store
from bnjit.stats.parent_sets import make_batch
from tests.comparison import local_score, local_scores
from tests.reference import naive
from tests.stats.forms import in_chunks
from tests.strategies import tables, to_table


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


def discrete_table(n=150):
    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 3, n), rng.integers(0, 2, n)
    return {
        "a": (a.tolist(), 3),
        "b": (b.tolist(), 2),
        "x": rng.normal(size=n).tolist(),
        "c": (((a + b) % 4).tolist(), 4),
    }


def test_families_and_their_counts():
    """The sets to count, the weight of the node's digit and the configurations of the parents, by hand."""
    store = make_store(to_table(discrete_table()))
    likelihood = Likelihood(store)
    batch = make_batch([(1, ()), (1, (0, 3)), (1, (2,)), (1, (0, 2)), (3, (0,))])
    first, second = likelihood._families(batch)
    assert first.at.tolist() == [0, 1]  # sets with a continuous parent cannot be
    assert [request.variables for request in first.sets.requests()] == [(1,), (0, 1, 3)]
    assert first.strides.tolist() == [1, 4]
    assert first.q.tolist() == [1, 12]
    assert second.at.tolist() == [4]
    assert second.strides.tolist() == [1]
    assert likelihood.counts_needed(batch) == [
        (store, Request((1,))), (store, Request((0, 1, 3))), (store, Request((0, 3)))
    ]  # fmt: skip
    assert np.isneginf(likelihood.local_scores(batch)).tolist() == [False, False, True, True, False]


def test_sets_that_cannot_be_numbered_are_impossible():
    rng = np.random.default_rng(1)
    table = {f"D{i}": (np.append(np.arange(99), rng.integers(0, 99, 60)).tolist(), 99) for i in range(10)}
    scorer = make_scorer(to_table(table), "bic")
    nine, ten = local_scores(scorer, 0, [range(1, 9), range(1, 10)])
    assert math.isfinite(nine)
    assert ten == -math.inf


@pytest.mark.parametrize("score", ["loglik", "bde", "bds", "k2", "qnml", "fnml"])
def test_scores_of_rows_in_memory_and_in_chunks(score):
    naive_table = {name: column for name, column in discrete_table().items() if name != "x"}
    table = to_table(naive_table)
    arrow = pa.table({name: [f"v{code}" for code in codes] for name, (codes, _) in naive_table.items()})
    chunks = in_chunks(lambda: arrow.to_batches(max_chunksize=31), 40)
    pairs = [(0, ()), (0, (1,)), (0, (1, 2)), (2, (0, 1)), (1, (0,))]
    batch = make_batch(pairs)
    ours, theirs = (make_scorer(rows, score).local_scores(batch) for rows in (table, chunks))
    np.testing.assert_array_equal(ours, theirs)
    for value, (node, parents) in zip(ours, pairs, strict=True):
        names = list(naive_table)
        expected = naive.local_score(naive_table, names[node], [names[p] for p in parents], score)
        assert value == pytest.approx(expected, rel=1e-9)
