"""Posteriors for every row: one row at a time gives the same, by other code, and so does every engine."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.datasets import random_network, small_discrete, small_mixed
from bnjit.kernels import expectations
from bnjit.network.queries import rows as module

KINDS = ["discrete", "gaussian", "cgaussian"]


def with_gaps(network, n, share, seed=1):
    table = network.sample(n, seed=seed)
    return table.mask(np.random.default_rng(seed).random(table.shape) < share)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_answered_as_single_queries(kind):
    """Many hidden nodes, so that compiled elimination is compared with tables of numpy."""
    network = random_network(kind, 12, parents=1.8, levels=3, share_discrete=0.6, seed=5)
    table = with_gaps(network, 12, 0.6).set_index(np.arange(100, 112))
    found = network.query_rows(table, list(network.names))
    assert found.index.equals(table.index)
    for i in range(len(table)):
        row = table.iloc[i]
        for name in network.names:
            answer = network.query(name, row.drop(name))
            expected = answer if isinstance(answer, pd.Series) else [answer.mean[name], answer.sd[name]]
            np.testing.assert_allclose(found[name].iloc[i], expected, rtol=1e-9, atol=1e-12)
    name = network.names[-1]
    pd.testing.assert_frame_equal(network.query_rows(table, name), found[name])
    if network.discrete[-1]:
        pd.testing.assert_frame_equal(network.predict(table, name, probabilities=True), found[name])


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_many_rows_are_those_of_each(kind, monkeypatch):
    network = random_network(kind, 9, parents=1.8, levels=3, share_discrete=0.6, seed=3)
    table = with_gaps(network, 40, 0.3)
    table.iloc[:20] = network.sample(20, seed=8)  # the same gaps in many rows
    table.iloc[:20, 2:5] = None
    expected = network.query_rows(table, list(network.names))
    kernel = module.row_posteriors

    def none_fits(*arguments):
        found, status = kernel(*arguments)
        return np.zeros_like(found), np.full_like(status, expectations.TOO_LARGE)

    monkeypatch.setattr(module, "row_posteriors", none_fits)
    for rows in (1, 256):
        monkeypatch.setattr(module, "QUERY_ROWS", rows)
        found = network.query_rows(table, list(network.names))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_acting_in_every_row():
    network = small_mixed()
    table = with_gaps(network, 10, 0.3)
    do = {"A": "b", "E": 1.0}
    found = network.query_rows(table, ["B", "G"], do=do)
    for i in range(10):
        given = table.iloc[i].drop(["A", "E"])
        np.testing.assert_allclose(found["B"].iloc[i], network.query("B", given.drop("B"), do), rtol=1e-9, atol=1e-12)
        answer = network.query("G", given.drop("G"), do)
        np.testing.assert_allclose(found["G"].iloc[i], [answer.mean["G"], answer.sd["G"]], rtol=1e-9)
    assert "A" not in found.columns.get_level_values(0)
    with pytest.raises(bnjit.ArgumentError, match="'A' is asked for, and known"):
        network.query_rows(table, "A", do=do)


def test_rows_that_contradict_themselves():
    table = pd.DataFrame({"A": list("xxyy"), "B": list("uuvv"), "C": list("stst"), "D": [1.0, 2.0, 3.0, 5.0]})
    network = bnjit.fit("[A][C][B|A][D|C:B]", table)
    rows = pd.DataFrame({"A": ["x", "x", "y"], "B": ["u", "v", None]})
    assert network.query_rows(rows[::2], "C").round(6).to_numpy().tolist() == [[0.5, 0.5]] * 2
    copied = bnjit.fit("[A][B|A][C|A]", table.assign(C=table["B"]))
    with pytest.raises(bnjit.DataError, match=r"row 1 says of 'B', 'C' has probability 0 under the network \(1 such"):
        copied.query_rows(pd.DataFrame({"B": ["u", "v"], "C": ["u", "u"]}), "A")


def test_sampling_only_where_it_has_to_be(monkeypatch):
    network = small_discrete()
    table = with_gaps(network, 20, 0.4)
    exact = network.query_rows(table, "E")
    pd.testing.assert_frame_equal(network.query_rows(table, "E", method="sampling"), exact)
    with pytest.raises(bnjit.ArgumentError, match="method='no'"):
        network.query_rows(table, "E", method="no")


def test_samples_after_acting():
    network = small_mixed()
    free, done = network.sample(4000, seed=1), network.sample(4000, seed=1, do={"A": "b", "E": 0.5})
    assert set(done["A"]) == {"b"}
    assert set(done["E"]) == {0.5}
    pd.testing.assert_frame_equal(done[["B", "C", "F", "H"]], free[["B", "C", "F", "H"]])
    answer = network.query("G", do={"A": "b", "E": 0.5})
    assert done["G"].mean() == pytest.approx(answer.mean["G"], abs=5 * answer.sd["G"] / 4000**0.5)
    assert bnjit.datasets.mehra_like(gaps=True).sample(5, do={"t2m": 1.0})["t2m"].tolist() == [1.0] * 5
    with pytest.raises(bnjit.ArgumentError, match="do: the network has no node 'Q'"):
        network.sample(3, do={"Q": 1})
