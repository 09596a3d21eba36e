"""Elimination of unknown nodes in one row against enumeration, compiled and not."""

import numpy as np
import pytest

from bnjit.datasets import small_discrete, small_mixed
from bnjit.kernels import elimination, incomplete
from tests.kernels.test_posterior import row_of
from tests.kernels.versions import BOTH, version
from tests.network.completions import completions, shares


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize(
    ("make", "missing", "target"),
    [
        (small_discrete, "TLE", "L"),
        (small_discrete, "ASTLBE", "E"),
        (small_mixed, "BF", "B"),
        (small_mixed, "ADEG", "E"),
    ],
)
def test_posterior_of_one_node(which, make, missing, target):
    network = make()
    j, missing = network.index(target), {network.index(name) for name in missing}
    net, row, T, values = row_of(network, missing, r=2)
    assert incomplete.gather_component(net, row, T, 0)
    tables = elimination.make_tables(len(values), 1000)
    M = version(elimination.eliminate, which)(net, row, tables, j, 500)
    found = completions(network, values, missing)
    weights, _ = shares(found)
    if network.discrete[j]:
        expected = np.bincount([c.codes[j] for c in found], weights, network.levels[j])
        np.testing.assert_allclose(row.weights[:M], expected, rtol=1e-9, atol=1e-14)
        assert network.levels[j] == M
    else:
        k = sorted(g for g in missing if not network.discrete[g]).index(j)
        mean = sum(w * c.mean[k] for w, c in zip(weights, found, strict=True))
        square = sum(w * (c.covariance[k, k] + c.mean[k] ** 2) for w, c in zip(weights, found, strict=True))
        answer = version(elimination.mean_and_variance, which)(net, row, j, M)
        assert answer == pytest.approx((mean, square - mean**2), rel=1e-9)


def test_what_does_not_fit_is_left():
    network = small_discrete()
    net, row, T, _ = row_of(network, set(range(8)), r=2)
    assert incomplete.gather_component(net, row, T, 0)
    for capacity, most in ((1000, 3), (20, 500)):
        assert elimination.eliminate(net, row, elimination.make_tables(8, capacity), 3, most) == 0
