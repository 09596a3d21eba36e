"""Scores of a discrete node from counts, against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.kernels import discrete, regret
from bnjit.kernels.tuning import DENSE_CONFIGURATIONS
from bnjit.stats.collect import collect_cells, membership
from tests.kernels.versions import BOTH, QUICK, version
from tests.reference import naive
from tests.strategies import tables, to_table


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_continuous=0, min_rows=6), data=st.data())
@QUICK
def test_discrete_scores(which, table, data):
    names = list(table)
    node = data.draw(st.sampled_from(names))
    parents = [name for name in names if name != node]
    whole = to_table(table)
    found = collect_cells(whole, (), membership(whole, tuple(range(len(names)))))
    counts = np.bincount(membership(whole, tuple(range(len(names)))).ids)
    r = table[node][1]
    stride = math.prod(table[name][1] for name in names[names.index(node) + 1 :])
    q = math.prod(table[p][1] for p in parents)
    given_counts = discrete.Tables(
        np.array([0]), np.array([len(counts)]), found.keys, counts, np.array([stride]), np.array([q])
    )
    out = np.empty(1)
    version(discrete.batch_loglik, which)(0, 1, given_counts, r, out)
    assert out[0] == pytest.approx(naive.loglik(table, node, parents), rel=1e-10, abs=1e-10)
    version(discrete.batch_marginal, which)(0, 1, given_counts, r, np.array([1.0 / (r * q)]), False, out)
    assert out[0] == pytest.approx(naive.marginal(table, node, parents, "bde"), rel=1e-10, abs=1e-9)
    version(discrete.batch_marginal, which)(0, 1, given_counts, r, np.array([1.0]), True, out)
    assert out[0] == pytest.approx(naive.marginal(table, node, parents, "bds"), rel=1e-10, abs=1e-9)
    known = np.zeros(3)  # more rows than that are not known beforehand
    version(regret.regrets_by_rows, which)(r, known)
    version(regret.batch_factorised, which)(0, 1, given_counts, r, known, out)
    assert out[0] == pytest.approx(naive.normalised(table, node, parents, "fnml"), rel=1e-10, abs=1e-9)
    out[0] = naive.loglik(table, node, parents)
    version(regret.subtract_quotients, which)(naive.rows_of(table), r, np.array([q]), out)
    assert out[0] == pytest.approx(naive.normalised(table, node, parents, "qnml"), rel=1e-10, abs=1e-9)
    version(discrete.batch_predictive, which)(0, 1, given_counts, given_counts, r, out)
    assert out[0] == pytest.approx(naive.predictive(table, table, node, parents), rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("which", BOTH)
def test_parent_configurations_dense_and_hashed_agree(which):
    rng = np.random.default_rng(1)
    keys = np.unique(rng.integers(0, 7 * 3 * 5, 60))
    counts = rng.integers(1, 9, len(keys))
    find = version(discrete.parent_cells, which)
    j, n_j = find(keys, counts, 5, 3, 35)
    j_hashed, n_j_hashed = find(keys, counts, 5, 3, DENSE_CONFIGURATIONS + 5 * len(keys))
    np.testing.assert_array_equal(n_j[j], n_j_hashed[j_hashed])
    assert len(n_j) == len(n_j_hashed)
