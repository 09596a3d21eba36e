"""Imputed tables: values against enumeration and conditional normals, and that all else stays as it was."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bnjit
from bnjit._threads import threads
from bnjit.datasets import random_network, small_discrete, small_gaussian, small_mixed
from bnjit.network import imputation
from bnjit.network.inference import joint_normal
from tests.network.completions import completions, shares
from tests.network.test_network import network_of


def with_gaps(network, n, share=0.3, seed=0):
    """Sample, and the same with gaps in all columns."""
    complete = network.sample(n, seed=3)
    mask = np.random.default_rng(seed).random(complete.shape) < share
    return complete, complete.mask(mask), mask


def coded(network, frame):
    """Codes and numbers of a complete frame: a list of values for each row."""
    columns = [frame[n].cat.codes if d else frame[n] for n, d in zip(network.names, network.discrete, strict=True)]
    return list(zip(*columns, strict=True))


def expectations(network, values, missing):
    """Probabilities of the levels, and means, of the missing nodes of a row, by enumeration."""
    found = completions(network, values, missing)
    weights, _ = shares(found)
    answer = {}
    gaps = [j for j in sorted(missing) if not network.discrete[j]]
    for j in missing:
        if network.discrete[j]:
            answer[j] = np.bincount([c.codes[j] for c in found], weights, network.levels[j])
        else:
            answer[j] = sum(w * c.mean[gaps.index(j)] for w, c in zip(weights, found, strict=True))
    return answer


@pytest.mark.parametrize("make", [small_discrete, small_gaussian, small_mixed])
def test_guesses_are_those_of_enumeration(make):
    network = make()
    complete, table, mask = with_gaps(network, 60)
    filled = network.impute(table)
    assert not filled.isna().any().any()
    for r, values in enumerate(coded(network, complete)):
        for j, expected in expectations(network, values, set(np.flatnonzero(mask[r]).tolist())).items():
            found = filled.iloc[r, j]
            if network.discrete[j]:
                assert expected[network.labels[j].index(found)] == pytest.approx(expected.max(), rel=1e-9)
            else:
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_gaussian_guesses_are_conditional_means():
    network = random_network("gaussian", 10, parents=2.5, seed=4)
    complete, table, mask = with_gaps(network, 100, share=0.5)
    mean, A = joint_normal(network)
    S, X = A @ A.T, complete.to_numpy()
    filled = network.impute(table).to_numpy()
    for r in range(100):
        m, o = np.flatnonzero(mask[r]), np.flatnonzero(~mask[r])
        expected = mean[m] + S[np.ix_(m, o)] @ np.linalg.solve(S[np.ix_(o, o)], X[r, o] - mean[o])
        np.testing.assert_allclose(filled[r, m], expected, rtol=1e-7, atol=1e-7)


def test_sweeps_approach_the_exact_answer(monkeypatch):
    network = small_mixed()
    complete, table, mask = with_gaps(network, 100, share=0.4)
    exact = network.impute(table)
    monkeypatch.setattr(imputation, "PREDICTED_CONFIGURATIONS", 1)
    swept = network.impute(table, sweeps=4000, seed=1)
    for r, values in enumerate(coded(network, complete)):
        for j, expected in expectations(network, values, set(np.flatnonzero(mask[r]).tolist())).items():
            if network.discrete[j]:  # levels with nearly the same probability may change places
                assert expected[network.labels[j].index(swept.iloc[r, j])] > expected.max() - 0.05
            else:
                assert swept.iloc[r, j] == pytest.approx(exact.iloc[r, j], abs=0.1 * exact.iloc[:, j].std())
    few = network.impute(table, sweeps=1)
    assert not few.isna().any().any()


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_draws(kind):
    network = network_of(kind)
    complete, table, mask = with_gaps(network, 400)
    table.index = range(1000, 1400)
    with threads(1):
        one = network.impute(table, draws=3, seed=5)
        guess = network.impute(table, seed=5)
    with threads(4):
        two = network.impute(table, draws=3, seed=5)
        pd.testing.assert_frame_equal(guess, network.impute(table, seed=5))
    for a, b in zip(one, two, strict=True):
        pd.testing.assert_frame_equal(a, b)
        pd.testing.assert_frame_equal(a.reset_index(drop=True).mask(mask), complete.mask(mask))
        assert a.index.equals(table.index)
        assert not a.isna().any().any()
    assert not one[0].equals(one[1])
    assert not one[0].equals(network.impute(table, draws=1, seed=6)[0])


NETWORK = network_of("cgaussian")


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "Float32", "Int64", "object", "double[pyarrow]"])
def test_types_of_numbers(dtype):
    table = NETWORK.sample(6, seed=1)
    table["X"] = table["X"].round()
    before = table["X"].astype(dtype)
    before[2] = None
    filled = NETWORK.impute(table.assign(X=before))["X"]
    assert filled.dtype == {"Int64": "Float64", "object": "float64"}.get(dtype, dtype)
    kept = [0, 1, 3, 4, 5]
    assert filled[kept].astype(float).tolist() == before[kept].astype(float).tolist()
    exact = NETWORK.predict(table, "X")[2]
    assert float(filled[2]) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("dtype", ["object", "string", "category", "str", "string[pyarrow]"])
def test_types_of_levels(dtype):
    table = NETWORK.sample(6, seed=1)
    before = table["B"].astype("object").astype(dtype)
    before[2] = None
    filled = NETWORK.impute(table.assign(B=before))["B"]
    if dtype != "category":
        assert filled.dtype == before.dtype
    else:
        assert list(filled.cat.categories[: before.nunique()]) == list(before.cat.categories)
    assert filled[2] == NETWORK.predict(table, "B")[2]
    assert filled.drop(2).tolist() == before.drop(2).tolist()


def test_levels_that_are_numbers():
    rng = np.random.default_rng(0)
    k = rng.integers(1, 4, 300)
    network = bnjit.fit([("k", "x")], pd.DataFrame({"k": pd.Categorical(k), "x": 5.0 * k + rng.normal(size=300)}))
    filled = network.impute(pd.DataFrame({"k": [1.0, np.nan, 3.0, np.nan], "x": [5.0, 10.0, np.nan, 15.0]}))
    assert filled["k"].tolist() == [1.0, 2.0, 3.0, 3.0]
    assert filled["k"].dtype == np.float64
    text = network.impute({"k": ["1", None], "x": [5.0, 14.9]})["k"]
    assert [str(level) for level in text] == ["1", "3"]
    assert network.impute({"k": [None, None], "x": [5.0, 14.9]})["k"].tolist() == [1, 3]


def test_any_table():
    table = NETWORK.sample(50, seed=1).assign(other=range(50))
    for name, r in (("A", 3), ("X", 3), ("X", 4), ("B", 7)):
        table.loc[r, name] = None
    expected = NETWORK.impute(table)
    assert expected["other"].tolist() == list(range(50))
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    columns = {name: table[name].to_numpy() for name in table}
    columns["X"] = np.ma.masked_invalid(columns["X"])
    for data in (arrow, pl.from_arrow(arrow), columns):
        found = NETWORK.impute(data)
        assert list(found) == list(expected)
        for name in found:
            assert found[name].tolist() == expected[name].tolist()


def test_nodes_without_a_column_and_columns_without_a_node():
    table = NETWORK.sample(30, seed=2)[["Z", "A", "X"]].assign(when=pd.Timestamp("2020-01-01"))
    table.loc[4, "X"] = np.nan
    filled = NETWORK.impute(table)
    assert list(filled) == ["Z", "A", "X", "when"]
    assert filled.loc[4, "X"] == pytest.approx(NETWORK.predict(table, "X")[4], rel=1e-9)
    pd.testing.assert_frame_equal(filled.drop(4), table.drop(4))
    complete = table.dropna()
    pd.testing.assert_frame_equal(NETWORK.impute(complete), complete)


def test_arguments():
    table = NETWORK.sample(5, seed=2)
    with pytest.raises(bnjit.ArgumentError, match="draws=0 must be a whole number"):
        NETWORK.impute(table, draws=0)
    with pytest.raises(bnjit.ArgumentError, match="sweeps=0 must be a whole number"):
        NETWORK.impute(table, sweeps=0)
    with pytest.raises(bnjit.DataError, match="'A' has the level 'maybe' in row 3, which"):
        NETWORK.impute(table.assign(A=[None, None, None, "maybe", "no"]))
    with pytest.raises(bnjit.DataError, match="different numbers of rows"):
        NETWORK.impute({"A": ["no", None], "X": [1.0]})
    with pytest.raises(bnjit.DataError, match="0 rows"):
        NETWORK.impute(table[:0])
