"""Scores of Gaussian nodes, against plain loops."""

import numpy as np
import pytest

from bnjit.kernels import gaussian
from tests.kernels.versions import BOTH, version
from tests.reference import naive


@pytest.mark.parametrize("which", BOTH)
def test_bge(which):
    rng = np.random.default_rng(2)
    table = {name: rng.normal(size=30).tolist() for name in "ABC"}
    _, _, crosses = naive.cells(table, [], list("ABC"))[()]
    prior = gaussian.Prior(np.array(crosses) + 0.5 * np.eye(3), 30, 3, 0.5, 1.0, 5.0)
    out = np.empty(2)
    version(gaussian.batch_bge, which)(0, 2, prior, 2, np.array([[0, 1], [1, 0]], np.int32), np.array([2, 1]), out)
    assert out[0] == pytest.approx(naive.bge(table, "C", ["A", "B"]), rel=1e-12)
    assert out[1] == pytest.approx(naive.bge(table, "C", ["B"]), rel=1e-12)


@pytest.mark.parametrize("which", BOTH)
def test_loglik_of_many_nodes(which):
    rng = np.random.default_rng(3)
    table = {name: rng.normal(size=30).tolist() for name in "ABC"}
    table["D"] = (np.array(table["A"]) + 1e-9 * rng.normal(size=30)).tolist()
    n, means, crosses = naive.cells(table, [], list("ABCD"))[()]
    cell = gaussian.CellMoments(n, np.array(means), np.array(crosses)[np.tril_indices(4)])
    nodes, parents = np.array([2, 0, 1, 3], np.int32), np.array([[0, 1], [1, 0], [0, 2], [0, 1]], np.int32)
    out = np.empty(4)
    version(gaussian.loglik_sets, which)(0, 4, cell, nodes, parents, np.array([2, 1, 0, 1]), out)
    expected = [naive.loglik(table, "C", ["A", "B"]), naive.loglik(table, "A", ["B"]), naive.loglik(table, "B", [])]
    np.testing.assert_allclose(out[:3], expected, rtol=1e-12)
    assert np.isnan(out[3])  # which moments are not accurate enough for
    few = gaussian.CellMoments(3, *cell[1:])
    version(gaussian.loglik_sets, which)(0, 1, few, nodes[:1], parents[:1], np.array([2]), out[:1])
    assert out[0] == -np.inf
