"""The public functions, as users call them."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from tests.golden.tables import TABLES


def test_score_is_the_sum_of_local_scores():
    table = TABLES["cgaussian"]()
    arcs = [("A", "X"), ("X", "Y"), ("B", "Y")]
    by_node = bnjit.score(arcs, table, by_node=True)
    assert isinstance(by_node, pd.Series)
    assert by_node.index.tolist() == list(table.columns)
    assert by_node.name == "bic"
    total = bnjit.score(arcs, table)
    assert isinstance(total, float)
    assert total == pytest.approx(by_node.sum(), rel=1e-14)


def test_order_of_columns_and_rows_does_not_matter():
    table = TABLES["cgaussian"]()
    arcs = [("A", "X"), ("X", "Y"), ("B", "Y"), ("C", "D")]
    expected = bnjit.score(arcs, table, by_node=True)
    shuffled = table.sample(frac=1.0, random_state=1)[list(table.columns)[::-1]]
    ours = bnjit.score(arcs, shuffled, by_node=True)
    assert ours.index.tolist() == list(table.columns)[::-1]
    for node in expected.index:
        assert ours[node] == pytest.approx(expected[node], rel=1e-12)


def test_predictive_split_by_seed():
    table = TABLES["cgaussian"]()
    arcs = [("A", "X")]
    first = bnjit.score(arcs, table, score="pred", seed=1)
    assert first == bnjit.score(arcs, table, score="pred", seed=1)
    assert first != bnjit.score(arcs, table, score="pred", seed=2)
    assert bnjit.score(arcs, table, score="pred") == bnjit.score(arcs, table, score="pred", seed=None)
    assert first < 0.5 * bnjit.score(arcs, table, score="pred", seed=1, test_fraction=0.1)


def test_test_data_may_have_other_levels_and_columns():
    train = {"a": ["x", "y", "x", "y"], "b": [1.0, 2.0, 1.5, 2.5]}
    test = {"more": [1, 2], "b": [1.2, 2.2], "a": ["z", "y"]}
    value = bnjit.score("[a][b]", train, score="pred", test_data=test, by_node=True)
    # Three levels in all, one never seen in training: (0 + 1/3) / 5 for z, (2 + 1/3) / 5 for y.
    assert value["a"] == pytest.approx(np.log(1 / 15) + np.log(7 / 15), rel=1e-12)
    assert bnjit.score([("a", "b")], train, score="pred", test_data=test) == -np.inf


def test_impossible_models_score_minus_infinity():
    table = {"a": ["x", "x", "x", "y"], "b": [1.0, 2.0, 4.0, 3.0]}
    for method in ("stats", "qr", "1p", "2p"):
        by_node = bnjit.score([("a", "b")], table, by_node=True, method=method)
        assert by_node["b"] == -np.inf
        assert np.isfinite(by_node["a"])


def test_more_configurations_than_can_be_numbered():
    rng = np.random.default_rng(0)
    columns = {f"D{i}": pd.Categorical(rng.integers(0, 100, 500).astype(str)) for i in range(11)}
    table = pd.DataFrame({**columns, "X": rng.normal(size=500)})
    by_node = bnjit.score([*((c, "X") for c in columns), *((f"D{i}", "D10") for i in range(10))], table, by_node=True)
    assert by_node["X"] == by_node["D10"] == -np.inf
    assert np.isfinite(by_node["D0"])


def test_number_of_threads_is_an_argument():
    table = TABLES["gaussian"]()
    assert bnjit.score([("A", "B")], table, n_threads=1) == bnjit.score([("A", "B")], table, n_threads=3)
