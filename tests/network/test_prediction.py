"""Prediction of a node from others, and the evidence that it takes."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.network.evidence import read_evidence
from bnjit.network.inference import joint_normal, node_log_probability
from tests.golden.tables import TABLES
from tests.network.test_network import network_of


def test_gaussian_prediction_is_the_conditional_normal():
    network = network_of("gaussian")
    table = TABLES["gaussian"]()[:50]
    mean, A = joint_normal(network)
    covariance = A @ A.T
    sample = network.sample(300_000, seed=1)
    np.testing.assert_allclose(covariance, np.cov(sample.T), rtol=0.05, atol=0.05)
    names = list(table)
    for target in names:
        j = names.index(target)
        for known in ([n for n in names if n != target], [n for n in "ACG" if n != target]):
            k = [names.index(n) for n in known]
            weights = np.linalg.inv(covariance[np.ix_(k, k)]) @ covariance[k, j]
            expected = mean[j] + (table[known].to_numpy() - mean[k]) @ weights
            ours = network.predict(table[known], target, from_="all")
            assert ours.name == target
            np.testing.assert_allclose(ours, expected, rtol=1e-8, atol=1e-8 * np.sqrt(covariance[j, j]))


def test_prediction_from_parents():
    network = network_of("cgaussian")
    table = TABLES["cgaussian"]()[:200]
    rows = network.parameters("Y").set_index(["B", "C"])
    expected = [
        rows.loc[(b, c), "intercept"] + rows.loc[(b, c), "X"] * x
        for b, c, x in zip(table["B"], table["C"], table["X"], strict=True)
    ]
    np.testing.assert_allclose(network.predict(table[["B", "C", "X"]], "Y", from_="parents"), expected, rtol=1e-12)
    likeliest = network.parameters("B").set_index("A").idxmax(axis=1)
    assert network.predict(table, "B", from_="parents").tolist() == [likeliest[a][2:-1] for a in table["A"]]
    with pytest.raises(bnjit.DataError, match="lacks the column 'X', a parent of 'Y'"):
        network.predict(table[["B", "C"]], "Y", from_="parents")


def test_prediction_from_all_is_bayes_rule():
    network = network_of("cgaussian")
    table = TABLES["cgaussian"]()[:60]
    scores = np.stack([
        network.log_likelihood(table.assign(B=pd.Categorical([level] * 60, categories=list("lmh"))), by_row=True)
        for level in "lmh"
    ])  # fmt: skip
    assert network.predict(table, "B", from_="all").tolist() == ["lmh"[k] for k in scores.argmax(axis=0)]
    # The density of a continuous node given all others is normal: its logarithm is a parabola with the mean on top.
    for target in ("X", "Y", "Z"):
        at = [network.log_likelihood(table.assign(**{target: x}), by_row=True) for x in (-1.0, 0.0, 1.0)]
        top = 0.5 * (at[0] - at[2]) / (at[0] - 2 * at[1] + at[2])
        np.testing.assert_allclose(network.predict(table, target, from_="all"), top, rtol=1e-6, atol=1e-6)


def test_likelihood_weighting_approaches_the_exact_answer():
    network = network_of("cgaussian")
    table = TABLES["cgaussian"]()[:40]
    known = table[["A", "Y", "C"]]
    first = network.predict(known, "X", from_="all", particles=4000, seed=1)
    pd.testing.assert_series_equal(first, network.predict(known, "X", from_="all", particles=4000, seed=1))
    # Exact: average over the levels of B, the only unknown that matters; D, W and Z are below.
    expected = []
    for _, row in known.iterrows():
        total = weighted = 0.0
        for b in "lmh":
            grid = np.linspace(-6, 9, 3001)
            frame = pd.DataFrame({"A": row["A"], "B": b, "C": row["C"], "X": grid, "Y": row["Y"]})
            evidence, _ = read_evidence(network, frame)
            log = sum(node_log_probability(network, network.index(node), evidence) for node in "ABXY")
            total += np.exp(log).sum()
            weighted += (grid * np.exp(log)).sum()
        expected.append(weighted / total)
    assert np.abs(first - expected).max() < 0.25
    assert np.corrcoef(first, expected)[0, 1] > 0.99
    level = network.predict(table[["X"]], "A", from_="all", particles=2000)
    assert set(level.cat.categories) == {"no", "yes"}
    assert (level == np.where(table["X"] > 1.0, "yes", "no")).mean() > 0.9


def test_evidence_that_does_not_fit():
    network = network_of("cgaussian")
    table = TABLES["cgaussian"]()[:5]
    with pytest.raises(bnjit.DataError, match="'A' has the level 'maybe' in row 1"):
        network.log_likelihood(table.assign(A=["no", "maybe", "no", "no", "no"]))
    with pytest.raises(bnjit.DataError, match="lacks the column 'W'"):
        network.log_likelihood(table.drop(columns="W"))
    with pytest.raises(bnjit.DataError, match="'X' is discrete, and the network's node is continuous"):
        network.log_likelihood(table.assign(X="a"))
    with pytest.raises(bnjit.ArgumentError, match="no node 'Q'"):
        network.predict(table, "Q")
    with pytest.raises(bnjit.ArgumentError, match="from_='children' must be"):
        network.predict(table, "X", from_="children")


def test_events_of_probability_zero():
    network = bnjit.fit("[D]", pd.DataFrame({"D": pd.Categorical(list("ab"), categories=list("abc"))}))
    assert network.log_likelihood({"D": ["a", "c"]}) == -np.inf


def test_evidence_is_what_is_needed():
    network = network_of("cgaussian")
    table = TABLES["cgaussian"]()[:20].set_index(np.arange(100, 120))
    expected = network.predict(table, "B", from_="all")
    assert expected.index.equals(table.index)
    assert network.predict(table, "X", from_="parents").index.equals(table.index)
    other = table.assign(when=pd.Timestamp("2020-01-01"), nothing=None)
    for target in (None, pd.Categorical(["l", None] * 10), ["unknown", "l"] * 10):
        pd.testing.assert_series_equal(network.predict(other.assign(B=target), "B", from_="all"), expected)
    assert network.log_likelihood(other) == network.log_likelihood(table)
    assert len(network.predict(other[["when"]], "A", from_="parents")) == 20
    with pytest.raises(bnjit.DataError, match=r"'X' has 1 .* value, the first in row 3"):
        network.log_likelihood(table.assign(X=[1.0] * 3 + [np.inf] + [1.0] * 16))
    with pytest.raises(bnjit.DataError, match="0 rows; give at least one"):
        network.log_likelihood(table[:0])


def test_levels_that_the_network_does_not_know_have_ways_out():
    table = TABLES["cgaussian"]()
    rows = table[:6].assign(A=["no", "maybe", "no", "maybe", None, "yes"])
    network = network_of("cgaussian")
    said = r"'maybe' in row 1, .* know \(2 rows have such levels\); make it missing there.* categorical column"
    with pytest.raises(bnjit.DataError, match=said):
        network.predict(rows, "X")
    unknown = rows.assign(A=rows["A"].where(rows["A"] != "maybe"))
    assert np.isfinite(network.predict(unknown, "X")).all()
    levels = pd.CategoricalDtype(["maybe", "no", "yes"])
    learned = bnjit.fit(network.dag, table.assign(A=table["A"].astype(levels)))
    assert np.isfinite(learned.predict(rows, "X")).all()
