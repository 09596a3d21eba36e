"""Networks at the limits: too few rows, regressions without error, parents that say the same."""

import json
import time

import numpy as np
import pandas as pd
import pytest

import bnjit

RNG = np.random.default_rng(3)
X = RNG.normal(size=60)
EXACT = pd.DataFrame({"x": X, "y": 2 * X + 1, "z": 2 * X + RNG.normal(size=60)}).assign(w=lambda t: t["z"] + X**2)


def test_too_few_rows_for_any_regression():
    table = pd.DataFrame(RNG.normal(size=(3, 6)), columns=list("abcdey"))
    network = bnjit.fit("[a][b][c][d][e][y|a:b:c:d:e]", table)
    assert network.nodes[5].fallback == pytest.approx([table["y"].mean(), 0, 0, 0, 0, 0, table["y"].std()])
    assert network.predict(table, "y", from_="parents").tolist() == pytest.approx([table["y"].mean()] * 3)


def test_smoothing_leaves_out_the_same_parents():
    a, b = RNG.normal(size=(2, 60))
    table = pd.DataFrame({"g": list("uv") * 30, "a": a, "b": b, "c": a + b, "y": a - b + RNG.normal(size=60)})
    plain, gentle, smooth = (bnjit.fit("[g][a][b][c][y|g:a:b:c]", table, prior_rows=p) for p in (0, 1e-7, 1))
    assert (smooth.parameters("y")["c"] == 0).all()
    pd.testing.assert_frame_equal(gentle.parameters("y"), plain.parameters("y"), rtol=1e-6)
    # One imaginary row like the average of all, in each cell: a weighted regression.
    rows = np.r_[np.flatnonzero(table["g"] == "u"), np.arange(60)]
    root = np.sqrt(np.r_[np.ones(30), np.full(60, 1 / 60)])
    design = np.column_stack([np.ones(90), a[rows], b[rows]])
    expected = np.linalg.lstsq(design * root[:, None], table["y"].to_numpy()[rows] * root, rcond=None)[0]
    assert smooth.parameters("y").loc[0, ["intercept", "a", "b"]].tolist() == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("prior_rows", [0, 1])
def test_a_fit_without_error_is_certain(prior_rows):
    network = bnjit.fit("[x][y|x][z|y][w|z]", EXACT, prior_rows=prior_rows)
    assert network.parameters("y").empty
    rest = bnjit.fit("[x][z|x][w|z]", EXACT.drop(columns="y"), prior_rows=prior_rows)
    assert network.log_likelihood(EXACT) == pytest.approx(rest.log_likelihood(EXACT), rel=1e-9)
    assert network.log_likelihood(EXACT.assign(y=EXACT["y"] + 1e-6)) == -np.inf
    w = rest.predict(EXACT[["x"]], "w", from_="all")
    cases = [("xyzw", "x", X), ("xyzw", "y", EXACT["y"]), ("yz", "x", X), ("xz", "y", EXACT["y"]), ("xy", "w", w)]
    for known, target, expected in cases:
        found = network.predict(EXACT[list(known)], target, from_="all")
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_a_deviation_of_zero_in_a_file(tmp_path):
    path = tmp_path / "n.json"
    bnjit.fit("[x][z|x]", EXACT[["x", "z"]]).to_json(path)
    document = json.loads(path.read_text())
    document["nodes"][1].update(sd=[0], coefficients=[[1, 2]])
    path.write_text(json.dumps(document))
    network = bnjit.read_network(path)
    table = pd.DataFrame({"x": [0.5, 1.0], "z": [2.0, 4.0]})
    assert np.isfinite(network.log_likelihood(table, by_row=True)).tolist() == [True, False]
    assert network.predict(table, "x", from_="all").tolist() == pytest.approx([0.5, 1.5])


def test_smoothing_is_even_where_nothing_was_observed():
    table = pd.DataFrame({"a": pd.Categorical(list("xxyy"), categories=list("xyz")), "b": list("uuuv")})
    smooth = bnjit.fit("[a][b|a]", table, prior_rows=2)
    assert np.exp(smooth.log_likelihood({"a": ["z"], "b": ["u"]})) == pytest.approx(0.5 * (2 / 3) / 6)
    plain = bnjit.fit("[a][b|a]", table)
    assert plain.predict({"a": ["z"]}, "b", from_="parents").tolist() == ["u"]


def test_parents_named_like_parameters():
    table = pd.DataFrame({"sd": X, "intercept": X**2, "y": RNG.normal(size=60)})
    network = bnjit.fit("[sd][intercept][y|sd:intercept]", table)
    found = network.parameters("y")
    assert list(found) == ["(intercept)", "sd", "intercept", "(sd)"]
    np.testing.assert_array_equal(found.iloc[0], [*network.nodes[2].coefficients[0], network.nodes[2].sd[0]])
    assert network.to_networkx().nodes["y"]["parameters"].equals(found)


def test_names_that_are_tuples():
    table = pd.DataFrame({0: list("abba"), 1: [1.0, 2.0, 4.0, 3.0]}).set_axis(
        pd.Index([("a", 1), ("b", 2)], tupleize_cols=False), axis=1
    )
    network = bnjit.fit([(("a", 1), ("b", 2))], table)
    assert list(network.sample(2).columns) == [("a", 1), ("b", 2)]
    assert not isinstance(network.sample(2).columns, pd.MultiIndex)
    assert list(network.parameters(("b", 2))) == [("a", 1), "intercept", "sd"]


def test_a_target_with_many_levels():
    levels = pd.Categorical.from_codes(RNG.integers(0, 70_000, 500), categories=[f"l{i}" for i in range(70_000)])
    table = pd.DataFrame({"k": levels, "u": list("ab") * 250, "v": list("aabb") * 125})
    network = bnjit.fit("[k][u|k][v]", table)
    network.predict(table[:1], "k", from_="all")  # compiles
    began = time.perf_counter()
    for evidence in (table[["u", "v"]], table[["u"]]):
        assert len(network.predict(evidence, "k", from_="all")) == 500
    assert time.perf_counter() - began < 30  # once minutes
