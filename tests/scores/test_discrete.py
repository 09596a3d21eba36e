"""Scores of discrete nodes: distributions, and sets that cannot be counted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.scores import make_scorer
from tests.comparison import local_score
from tests.reference import naive
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
