"""Weights of configurations and normal distributions of a row, against enumeration and dense algebra."""

import numpy as np
import pytest

from bnjit.datasets import small_discrete, small_mixed
from bnjit.kernels import incomplete, posterior
from bnjit.network import nodes
from bnjit.network.gaps import flatten
from bnjit.network.sampling import draw_rows
from tests.kernels.versions import BOTH, version
from tests.network.completions import completions, shares


def row_of(network, missing, r=0, wanted=True):
    """Return a flat network, and row r of a sample ready to be weighed as one component, with its values."""
    net = flatten(network)
    row = incomplete.make_row(net, 1000)
    values = [c.values[r] for c in draw_rows(network, r + 1, 11).columns]
    for j, value in enumerate(values):
        row.missing[j] = j in missing
        if network.discrete[j]:
            row.codes[j] = 0 if j in missing else value
        else:
            row.values[j] = np.nan if j in missing else value
    T = incomplete.find_factors(net, row, np.full(len(values), wanted))
    return net, row, T, values


def rest_of(network, values, row):
    """Log-probability of the factors without a missing value, which no component has."""
    touched = {
        *row.lists[incomplete.PLAIN, : row.size[0]].tolist(),
        *row.lists[incomplete.LINKED, : row.size[1]].tolist(),
    }
    net = flatten(network)
    total = 0.0
    for j in set(range(len(values))) - touched:
        total += posterior.own_log_density(net, row, j)
    return total


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize(("make", "missing"), [(small_discrete, "TLE"), (small_mixed, "BF"), (small_mixed, "ADEG")])
def test_weights_and_likelihood(which, dense, make, missing, monkeypatch):
    if not dense:
        monkeypatch.setattr(nodes, "MOST_DENSE_CONFIGURATIONS", 0)
    network = make()
    missing = {network.index(name) for name in missing}
    net, row, T, values = row_of(network, missing, r=2)
    assert incomplete.gather_component(net, row, T, 0)
    assert not any(incomplete.gather_component(net, row, T, t) for t in range(T))  # all is one component
    expected, log_likelihood = shares(completions(network, values, missing))
    M = incomplete.activate_all(net, row, 1000)
    assert len(expected) == M
    found = version(posterior.weigh_configurations, which)(net, row, M)
    np.testing.assert_allclose(row.weights[:M], expected, rtol=1e-9, atol=1e-15)
    assert found + rest_of(network, values, row) == pytest.approx(log_likelihood, rel=1e-10)


@pytest.mark.parametrize("which", BOTH)
def test_continuous_values_given_levels(which):
    network = small_mixed()
    missing = {network.index(name) for name in "DE"}
    net, row, T, values = row_of(network, missing)
    assert incomplete.gather_component(net, row, T, 0)
    version(posterior.integrate_continuous, which)(net, row)
    (expected,) = completions(network, values, missing)
    K = row.size[4]
    at = np.argsort(row.lists[incomplete.HOLDER, :K])
    np.testing.assert_allclose(row.mean[at], expected.mean, rtol=1e-10)
    A = row.A[at, :K]
    np.testing.assert_allclose(A @ A.T, expected.covariance, rtol=1e-9)


@pytest.mark.parametrize("which", BOTH)
def test_levels_given_all_others(which):
    network = small_mixed()
    B, C, D, F = (network.index(name) for name in "BCDF")
    net, row, T, values = row_of(network, {B, C, D, F}, r=4)
    for first in range(T):
        if incomplete.gather_component(net, row, T, first) and B in row.lists[incomplete.UNKNOWN, : row.size[2]]:
            break
    row.codes[C], row.codes[F] = 3, 1
    assert version(posterior.weigh_levels, which)(net, row, B, False)
    values[C], values[F] = 3, 1
    expected, _ = shares(completions(network, values, {B, D}))
    np.testing.assert_allclose(row.weights[: network.levels[B]], expected, rtol=1e-9)


def test_nodes_that_nobody_asks_for_are_left_out():
    network = small_discrete()
    missing = {network.index(name) for name in "TEXD"}
    for wanted, count in ((True, 4), (False, 0)):
        _, row, T, _ = row_of(network, missing, wanted=wanted)
        assert count == T
        assert row.lists[incomplete.NEEDED].sum() == 4 + count
    _, row, T, _ = row_of(network, {network.index("X"), network.index("T")}, wanted=False)
    assert sorted(row.lists[incomplete.TOUCHED, :T].tolist()) == sorted(network.index(name) for name in "TE")
