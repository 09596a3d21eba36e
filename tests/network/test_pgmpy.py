"""Networks handed to pgmpy say the same there."""

import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnjit

# pgmpy warns of itself when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


def test_discrete():
    network = bnjit.datasets.small_discrete()
    model = network.to_pgmpy()
    assert model.check_model()
    assert set(model.edges()) == set(network.dag.edges)
    from pgmpy.inference import VariableElimination

    answer = VariableElimination(model).query(["D"], {"E": "a", "B": "b"}, show_progress=False)
    table = network.parameters("D").set_index(["B", "E"])
    expected = table.loc[("b", "a"), [f"P({level})" for level in answer.state_names["D"]]]
    np.testing.assert_allclose(answer.values, expected, rtol=1e-12)


def test_discrete_with_configurations_never_seen():
    data = pd.DataFrame({"A": ["x", "x", "y"], "B": ["u", "v", "u"], "C": ["s", "t", "t"]})
    network = bnjit.fit("[A][B][C|A:B]", data)
    model = network.to_pgmpy()
    assert model.check_model()
    cpd = model.get_cpds("C")
    np.testing.assert_allclose(cpd.values[:, 1, 1], [1 / 3, 2 / 3])  # y, v: all rows


def test_gaussian():
    network = bnjit.datasets.small_gaussian()
    model = network.to_pgmpy()
    assert model.check_model()
    sample = network.sample(200_000, seed=1)
    mean, covariance = model.to_joint_gaussian()
    order = list(nx.topological_sort(model))
    deviation = np.sqrt(np.diag(covariance))
    assert np.abs(sample[order].mean() - mean).max() < 0.02 * deviation.max()
    np.testing.assert_allclose(sample[order].std(), deviation, rtol=0.02)


def test_refused(monkeypatch):
    with pytest.raises(bnjit.ArgumentError, match="no conditional Gaussian"):
        bnjit.datasets.small_mixed().to_pgmpy()
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    with pytest.raises(bnjit.ArgumentError, match="pip install"):
        bnjit.datasets.small_discrete().to_pgmpy()
