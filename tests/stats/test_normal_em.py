"""EM for a normal distribution: plain NumPy, row by row; the likelihood never falls; nothing is lost without gaps."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from bnjit.data.read import read_table
from bnjit.kernels.patterns import expect_moments
from bnjit.stats.normal_em import complete_moments, missing_in, pattern_cells, rows_worth
from bnjit.stats.opening import make_store


def table_with_gaps(n=400, share=0.25, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4)) + [0.0, 5.0, -3.0, 100.0]
    return pd.DataFrame(X, columns=list("abcd")).mask(rng.random((n, 4)) < share)


def em_by_rows(X, steps):
    """Means, covariances and log-likelihoods of what is observed, in plain steps over rows."""
    mean, cov = np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0))
    logliks = []
    for _ in range(steps):
        sums, products, loglik = np.zeros(len(mean)), np.zeros_like(cov), 0.0
        for x in X:
            o, m = ~np.isnan(x), np.isnan(x)
            inverse = np.linalg.inv(cov[np.ix_(o, o)])
            away = x[o] - mean[o]
            loglik -= 0.5 * (
                o.sum() * np.log(2 * np.pi) + np.linalg.slogdet(cov[np.ix_(o, o)])[1] + away @ inverse @ away
            )
            filled, left = x.copy(), np.zeros_like(cov)
            B = cov[np.ix_(m, o)] @ inverse
            filled[m] = mean[m] + B @ away
            left[np.ix_(m, m)] = cov[np.ix_(m, m)] - B @ cov[np.ix_(o, m)]
            sums += filled
            products += np.outer(filled, filled) + left
        mean = sums / len(X)
        cov = products / len(X) - np.outer(mean, mean)
        logliks.append(loglik)
    return mean, cov, logliks


def test_moments_are_those_of_plain_em():
    table = table_with_gaps()
    store = make_store(read_table(table, gaps="keep"))
    for steps in (1, 7):
        found = complete_moments(store, pattern_cells(store), steps=steps)
        mean, cov, logliks = em_by_rows(table.to_numpy(), steps)
        whole = found.tables[0]
        np.testing.assert_allclose(whole.means[0], mean, rtol=1e-9)
        np.testing.assert_allclose(whole.covariance() * (whole.counts[0] - 1) / whole.counts[0], cov, rtol=1e-8)
        assert found.loglik == pytest.approx(logliks[-1], rel=1e-9)


def test_the_likelihood_never_falls_and_steps_end():
    table = table_with_gaps(share=0.5)
    table = table[table.notna().any(axis=1)]
    store = make_store(read_table(table, gaps="keep"))
    cells = pattern_cells(store)
    logliks = [complete_moments(store, cells, steps=k).loglik for k in range(1, 30)]
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(logliks))
    assert complete_moments(store, cells).converged


def test_constants_change_nothing():
    table = table_with_gaps()
    more = table.assign(constant=np.where(table["a"] > 0, 0.1, np.nan), once=np.nan)
    more.loc[3, "once"] = 2.0
    found = []
    for some in (table, more[["constant", *table, "once"]]):
        store = make_store(read_table(some, gaps="keep"), constants=True)
        found.append(complete_moments(store, pattern_cells(store)))
    plain, others = (one.tables[0] for one in found)
    np.testing.assert_allclose(others.means[0], [0.1, *plain.means[0], 2.0], rtol=1e-12)
    share = plain.counts[0] / others.counts[0]
    expected = np.zeros((6, 6))
    i, j = np.tril_indices(4)
    expected[i + 1, j + 1] = plain.crosses[0] / share
    np.testing.assert_allclose(others.crosses[0], expected[np.tril_indices(6)], rtol=1e-9)
    assert found[0].converged
    assert found[1].steps == found[0].steps


def test_a_table_of_constants_has_nothing_to_complete():
    store = make_store(read_table({"a": [1.0, 1.0, None], "b": [2.0, None, 2.0]}, gaps="keep"), constants=True)
    found = complete_moments(store, pattern_cells(store))
    assert found.converged
    assert found.tables[0].means.tolist() == [[1.0, 2.0]]
    assert not found.tables[0].crosses.any()


def test_rows_are_worth_those_that_have_two_columns():
    table = table_with_gaps()
    store = make_store(read_table(table, gaps="keep"))
    there = table.notna().to_numpy()
    pairs = [(there[:, i] & there[:, j]).sum() for i in range(4) for j in range(i)]
    assert rows_worth(store.schema.gaps, pattern_cells(store)) == pytest.approx(np.mean(pairs))


def test_the_kernel_is_its_python_self():
    table = table_with_gaps(60)
    store = make_store(read_table(table, gaps="keep"))
    cells = pattern_cells(store)
    missing = missing_in(cells, store.schema.gaps)
    mean, cov = np.nanmean(table, axis=0), np.diag(np.nanvar(table, axis=0)) + 0.1
    results = []
    for function in (expect_moments, expect_moments.py_func):
        sums, products = np.zeros(4), np.zeros((4, 4))
        loglik = function(0, len(cells.keys), cells.moments, missing, mean, cov, sums, products)
        results.append(np.concatenate([[loglik], sums, products.ravel()]))
    np.testing.assert_allclose(*results, rtol=1e-12)
