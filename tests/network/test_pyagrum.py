"""Networks handed to pyAgrum and back say the same."""

import sys

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.datasets import random_network, small_discrete, small_gaussian, small_mixed


def same(first, second):
    """The same parameters, where the second lists every configuration."""
    assert first.names == second.names
    assert first.labels == second.labels
    for ours, theirs in zip(first.nodes, second.nodes, strict=True):
        assert ours.parents == theirs.parents
        known = np.isin(theirs.keys, ours.keys)
        for name in ("probabilities", "coefficients", "sd"):
            if hasattr(ours, name):
                np.testing.assert_allclose(getattr(theirs, name)[known], getattr(ours, name), rtol=1e-14)


@pytest.mark.parametrize("network", [small_discrete(), random_network("discrete", 15, parents=2.5, levels=5, seed=3)])
def test_discrete(network, pyagrum):
    model = network.to_pyagrum()
    assert not model.check()  # pyAgrum lists what is wrong
    same(network, bnjit.from_pyagrum(model))
    # The probability of a row is that which pyAgrum has, and so is a posterior.
    rows = network.sample(30, seed=1)
    at = model.completeInstantiation()
    for row, found in zip(rows.to_dict("records"), network.log_likelihood(rows, by_row=True), strict=True):
        at.fromdict(row)
        assert found == pytest.approx(model.log2JointProbability(at) * np.log(2), rel=1e-9)
    first, *_, last = network.names
    evidence = {last: rows[last][0]}
    answer = pyagrum.LazyPropagation(model)
    answer.setEvidence(evidence)
    answer.makeInference()
    np.testing.assert_allclose(network.query(first, given=evidence), answer.posterior(first).toarray(), rtol=1e-9)


def test_a_golden_table(pyagrum):
    """Two parents of different sizes, written out: axes are not mixed up."""
    model = pyagrum.fastBN("Sky{blue|grey|black}->Wet{no|yes}<-Rain{none|some}")
    model.cpt("Sky").fillWith([0.5, 0.25, 0.25])
    model.cpt("Rain").fillWith([0.75, 0.25])
    for i, sky in enumerate(["blue", "grey", "black"]):
        for k, rain in enumerate(["none", "some"]):
            model.cpt("Wet")[{"Sky": sky, "Rain": rain}] = [1 - (i + 4 * k) / 8, (i + 4 * k) / 8]
    network = bnjit.from_pyagrum(model)
    assert network.names == ("Sky", "Wet", "Rain")
    table = network.parameters("Wet").set_index(["Sky", "Rain"])["P(yes)"].to_dict()
    assert table == {
        ("blue", "none"): 0.0, ("blue", "some"): 0.5, ("grey", "none"): 0.125, ("grey", "some"): 0.625,
        ("black", "none"): 0.25, ("black", "some"): 0.75,
    }  # fmt: skip
    same(network, bnjit.from_pyagrum(network.to_pyagrum()))


def test_configurations_never_seen_and_levels_that_are_no_text():
    data = pd.DataFrame({"A": [True, True, False], "B": ["u", "v", "u"], "C": ["s", "t", "t"]})
    network = bnjit.fit("[A][B][C|A:B]", data)
    with pytest.warns(bnjit.BnjitWarning, match="pyAgrum's levels are texts; those of A are no longer"):
        model = network.to_pyagrum()
    assert model.variable("A").labels() == ("False", "True")
    np.testing.assert_allclose(model.cpt("C")[{"A": "False", "B": "v"}], [1 / 3, 2 / 3])  # all rows


def test_gaussian(pyagrum):
    network = small_gaussian()
    model = network.to_pyagrum()
    same(network, bnjit.from_pyagrum(model))
    elimination = pyagrum.clg.CLGVariableElimination(model)
    first, *_, last = network.names
    elimination.updateEvidence({first: 1.5})
    theirs = elimination.posterior(last)
    ours = network.query(last, given={first: 1.5})
    assert float(ours.mean[last]) == pytest.approx(theirs.mu(), rel=1e-9)
    assert float(ours.covariance.loc[last, last]) == pytest.approx(theirs.sigma() ** 2, rel=1e-9)


def test_arcs_without_effect_are_lost():
    network = small_gaussian()
    child = next(j for j, node in enumerate(network.nodes) if node.parents)
    network.nodes[child].coefficients[0, 1] = 0.0
    with pytest.warns(bnjit.BnjitWarning, match="coefficient of 0, so that these are lost: "):
        model = network.to_pyagrum()
    assert len(model.arcs()) == len(network.dag.edges) - 1


def test_integers_are_texts(pyagrum):
    model = pyagrum.fastBN("A[2,4]->B[2]")
    assert bnjit.from_pyagrum(model).labels == (("2", "3", "4"), ("0", "1"))


def test_refused(monkeypatch, pyagrum):
    with pytest.raises(bnjit.ArgumentError, match=r"none with both; '\w+' and others are continuous"):
        small_mixed().to_pyagrum()
    with pytest.raises(bnjit.ArgumentError, match=r"model=DAG: from_pyagrum takes a pyagrum.BayesNet"):
        bnjit.from_pyagrum(pyagrum.DAG())
    model = pyagrum.fastBN("A->B")
    model.cpt("B").fillWith(0.25)
    with pytest.raises(bnjit.ArgumentError, match="from_pyagrum: the probabilities of 'B' are missing, negative or"):
        bnjit.from_pyagrum(model)
    monkeypatch.setitem(sys.modules, "pyagrum", None)
    for convert in (small_discrete().to_pyagrum, lambda: bnjit.from_pyagrum(model)):
        with pytest.raises(bnjit.ArgumentError, match=r"pip install 'bnjit\[pyagrum\]'"):
            convert()
