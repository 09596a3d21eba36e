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


def same(first, second):
    assert first.names == second.names
    assert first.labels == second.labels
    for ours, theirs in zip(first.nodes, second.nodes, strict=True):
        assert ours.parents == theirs.parents
        for name in ("keys", "probabilities", "coefficients", "sd"):
            if hasattr(ours, name):
                np.testing.assert_allclose(getattr(theirs, name), getattr(ours, name), rtol=1e-14)


def test_there_and_back():
    for network in (bnjit.datasets.small_discrete(), bnjit.datasets.small_gaussian()):
        same(network, bnjit.from_pgmpy(network.to_pgmpy()))


def test_a_golden_table():
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork([("b", "c"), ("a", "c")])
    model.add_cpds(
        TabularCPD("a", 2, [[0.25], [0.75]], state_names={"a": ["no", "yes"]}),
        TabularCPD("b", 3, [[0.5], [0.25], [0.25]], state_names={"b": [1, 2, 3]}),
        # The states of a parent may come in another order than in its own table.
        TabularCPD(
            "c", 2, [[0.0, 0.125, 0.25, 0.5, 0.625, 0.75], [1.0, 0.875, 0.75, 0.5, 0.375, 0.25]], ["a", "b"], [2, 3],
            state_names={"c": ["u", "v"], "a": ["yes", "no"], "b": [1, 2, 3]},
        ),
    )  # fmt: skip
    network = bnjit.from_pgmpy(model)
    assert network.labels[network.names.index("b")] == (1, 2, 3)
    assert network.parameters("c").set_index(["a", "b"])["P(u)"].to_dict() == {
        ("yes", 1): 0.0, ("yes", 2): 0.125, ("yes", 3): 0.25, ("no", 1): 0.5, ("no", 2): 0.625, ("no", 3): 0.75,
    }  # fmt: skip
    model.get_cpds("c").state_names["a"] = ["yes", "maybe"]
    with pytest.raises(bnjit.ArgumentError, match=r"the table of 'c' has the states \['yes', 'maybe'\] for 'a'"):
        bnjit.from_pgmpy(model)


def test_from_pgmpy_refuses(monkeypatch):
    from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork

    model = bnjit.datasets.small_discrete().to_pgmpy()
    with pytest.raises(bnjit.ArgumentError, match="model=DiscreteMarkovNetwork: from_pgmpy takes"):
        bnjit.from_pgmpy(DiscreteMarkovNetwork())
    with pytest.raises(bnjit.ArgumentError, match="node 'x' has no TabularCPD; add one"):
        bnjit.from_pgmpy(DiscreteBayesianNetwork([("x", "y")]))
    model.latents = {"A"}
    with pytest.warns(bnjit.BnjitWarning, match="that A are latent is lost"):
        bnjit.from_pgmpy(model)
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    with pytest.raises(bnjit.ArgumentError, match="pip install"):
        bnjit.from_pgmpy(model)


def test_a_network_of_the_repository(tmp_path):
    """ALARM as bnjit reads it, and as it comes from pgmpy's reader."""
    import importlib.util
    from pathlib import Path

    from pgmpy.readwrite import BIFReader

    path = Path(importlib.util.find_spec("pgmpy").origin).parent / "utils" / "example_models" / "alarm.bif.gz"
    network = bnjit.read_network(path)
    bnjit.write_network(network, tmp_path / "alarm.bif")
    other = bnjit.from_pgmpy(BIFReader(str(tmp_path / "alarm.bif")).get_model())
    rows = network.sample(500, seed=1)
    assert other.log_likelihood(rows[list(other.names)]) == pytest.approx(network.log_likelihood(rows), rel=1e-6)
    model = network.to_pyagrum()
    assert bnjit.from_pyagrum(model).log_likelihood(rows) == pytest.approx(network.log_likelihood(rows), rel=1e-12)
    bnjit.write_network(network, tmp_path / "alarm.net")
    again = bnjit.read_network(tmp_path / "alarm.net")
    assert again.log_likelihood(rows) == pytest.approx(network.log_likelihood(rows), rel=1e-12)
