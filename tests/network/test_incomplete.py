"""Likelihood of incomplete rows, and prediction from what each row has, against enumeration."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bnjit
from bnjit._threads import threads
from bnjit.datasets import random_network, small_discrete, small_gaussian, small_mixed
from bnjit.network import inference
from bnjit.network.inference import joint_normal
from tests.network.completions import completions, shares
from tests.network.test_gaps import certain_network
from tests.network.test_imputation import coded, expectations, with_gaps
from tests.network.test_network import network_of

SMALL = [small_discrete, small_gaussian, small_mixed]


@pytest.mark.parametrize("make", SMALL)
def test_likelihood_is_that_of_enumeration(make):
    network = make()
    complete, table, mask = with_gaps(network, 60)
    found = network.log_likelihood(table, by_row=True)
    for r, values in enumerate(coded(network, complete)):
        _, expected = shares(completions(network, values, set(np.flatnonzero(mask[r]).tolist())))
        assert found[r] == pytest.approx(expected, rel=1e-9)
    assert network.log_likelihood(table) == found.sum()
    whole = ~mask.any(axis=1)
    assert whole.any()
    assert found[whole].tolist() == network.log_likelihood(complete, by_row=True)[whole].tolist()


def test_gaussian_likelihood_is_the_marginal_normal():
    network = random_network("gaussian", 12, parents=2.5, seed=1)
    complete, table, mask = with_gaps(network, 200, share=0.4)
    mean, A = joint_normal(network)
    S, X = A @ A.T, complete.to_numpy()
    expected = []
    for r in range(200):
        o = np.flatnonzero(~mask[r])
        e = X[r, o] - mean[o]
        expected.append(
            -0.5 * (e @ np.linalg.solve(S[np.ix_(o, o)], e) + np.linalg.slogdet(2 * np.pi * S[np.ix_(o, o)])[1])
        )
    np.testing.assert_allclose(network.log_likelihood(table, by_row=True), expected, rtol=1e-8)
    with threads(1):
        one = network.log_likelihood(table, by_row=True)
    assert np.array_equal(one, network.log_likelihood(table, by_row=True))


def test_rows_without_any_value_are_certain():
    network = small_mixed()
    nothing = network.sample(2, seed=1).mask(np.ones((2, 8), bool))
    np.testing.assert_allclose(network.log_likelihood(nothing, by_row=True), 0.0, atol=1e-12)


def test_what_cannot_be_summed_is_refused(monkeypatch):
    network = small_discrete()
    monkeypatch.setattr(inference, "LIKELIHOOD_CONFIGURATIONS", 3)
    table = network.sample(4, seed=1)
    table.loc[2, ["T", "L"]] = None
    message = "row 2 lacks 'T', 'L': .* more than 3 configurations.*impute"
    with pytest.raises(bnjit.DataError, match=message):
        network.log_likelihood(table)
    table.loc[2, ["E", "X", "D"]] = None  # without observed descendants all five drop out
    assert np.isfinite(network.log_likelihood(table))


def test_likelihood_of_certain_nodes():
    network = certain_network()
    table = pd.DataFrame({
        "x": [0.5, np.nan, np.nan, 0.5], "y": [np.nan, 2.0, np.nan, np.nan], "z": [2.5] * 4, "a": list("rrrs"),
        "b": ["r", None, "r", "r"],
    })  # fmt: skip
    found = network.log_likelihood(table, by_row=True)

    def normal(x, mean, sd):
        return -0.5 * ((x - mean) / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi))

    first = normal(0.5, 1.0, 2.0) + normal(2.5, 2.0, 0.5) + np.log(0.2)
    second = normal(2.0, 3.0, 4.0) + normal(2.5, 2.0, 0.5) + np.log(0.2)  # y has the density of 2 x + 1
    third = normal(2.5, 3.0, np.sqrt(16.25)) + np.log(0.2)
    assert found.tolist() == pytest.approx([first, second, third, -np.inf], rel=1e-10)


@pytest.mark.parametrize("make", SMALL)
def test_prediction_from_what_each_row_has(make):
    network = make()
    complete, table, mask = with_gaps(network, 40)
    rows = coded(network, complete)
    for j, target in enumerate(network.names):
        found = network.predict(table, target)
        probabilities = network.predict(table, target, probabilities=True) if network.discrete[j] else None
        parents = network.predict(table, target, from_="parents")
        for r, values in enumerate(rows):
            missing = set(np.flatnonzero(mask[r]).tolist()) | {j}
            expected = expectations(network, values, missing)[j]
            hidden = missing | (set(range(len(rows[0]))) - set(network.nodes[j].parents))
            from_parents = expectations(network, values, hidden)[j]
            if probabilities is None:
                assert found[r] == pytest.approx(expected, rel=1e-8, abs=1e-8)
                assert parents[r] == pytest.approx(from_parents, rel=1e-8, abs=1e-8)
            else:
                np.testing.assert_allclose(probabilities.iloc[r], expected, rtol=1e-8, atol=1e-12)
                assert expected[network.labels[j].index(found[r])] == pytest.approx(expected.max())
                assert from_parents[network.labels[j].index(parents[r])] == pytest.approx(from_parents.max())


def test_probabilities_are_a_table():
    network = small_mixed()
    table = network.sample(30, seed=1).set_index(np.arange(100, 130))
    found = network.predict(table, "B", probabilities=True)
    assert list(found) == list(network.labels[network.index("B")])
    assert found.index.equals(table.index)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found.idxmax(axis=1).tolist() == network.predict(table, "B").tolist()
    given = network.predict(table, "F", from_="parents", probabilities=True)
    assert given.idxmax(axis=1).tolist() == network.predict(table, "F", from_="parents").tolist()
    with pytest.raises(bnjit.ArgumentError, match="probabilities=True is for discrete nodes; 'E' is continuous"):
        network.predict(table, "E", probabilities=True)


def test_weighting_approaches_the_exact_answer(monkeypatch):
    network = small_mixed()
    _, table, _ = with_gaps(network, 100, share=0.4)
    exact = {n: network.predict(table, n, probabilities=n in "ABCF") for n in network.names}
    monkeypatch.setattr(inference, "PREDICTED_CONFIGURATIONS", 1)
    for name, expected in exact.items():
        found = network.predict(table, name, probabilities=name in "ABCF", particles=20_000, seed=1)
        error = np.abs(found - expected).to_numpy()
        assert error.max() < (0.1 if name in "ABCF" else 0.15 * expected.std())


def test_gaps_of_any_kind():
    network = network_of("cgaussian")
    table = network.sample(20, seed=4)
    table.loc[[1, 5], "A"] = None
    table.loc[[1, 7], "X"] = np.nan
    expected = network.predict(table, "B", probabilities=True)
    likelihood = network.log_likelihood(table)
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    masked = {name: table[name].to_numpy() for name in table} | {"X": np.ma.masked_invalid(table["X"].to_numpy())}
    lists = {name: arrow[name].to_pylist() for name in table}
    text = table.assign(A=table["A"].astype("string"), X=table["X"].astype("Float64"))
    for data in (arrow, pl.from_arrow(arrow), masked, lists, text):
        np.testing.assert_allclose(network.predict(data, "B", probabilities=True), expected, rtol=1e-12)
        assert network.log_likelihood(data) == pytest.approx(likelihood, rel=1e-12)
    # A column without any value is like no column, and a gap does not hide an unknown level.
    np.testing.assert_array_equal(
        network.predict(table.assign(A=None), "B"), network.predict(table.drop(columns="A"), "B")
    )
    with pytest.raises(bnjit.DataError, match="'A' has the level 'maybe' in row 2"):
        network.predict(table.assign(A=[None, None, "maybe", *["no"] * 17]), "B")
