"""A Result is a value: it can be pickled, copied, sent and saved, and does not keep the table."""

import copy
import gc
import json
import pickle
import weakref
from contextlib import suppress

import joblib
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.errors import ArgumentError, FileFormatError, StatisticsError
from tests.golden.tables import TABLES


def assert_same_result(ours, theirs):
    """Assert that two results agree in all that they show, and fit the same network."""
    assert nx.utils.graphs_equal(ours.dag, theirs.dag)
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.score == theirs.score
    assert repr(ours) == repr(theirs)
    assert ours.arguments == theirs.arguments
    assert ours.seconds == theirs.seconds
    for name in ("passes", "bytes_read", "n_local_scores", "n_restarts", "n_rows"):
        assert getattr(ours, name) == getattr(theirs, name)
    pd.testing.assert_frame_equal(ours.trace, theirs.trace, check_exact=True)
    for prior_rows in (0.0, 3.0):
        first, second = ours.fit(prior_rows), theirs.fit(prior_rows)
        for node in ours.dag:
            pd.testing.assert_frame_equal(first.parameters(node), second.parameters(node), check_exact=True)


def doubtful_table(n=400):
    """A table whose regressions moments do not vouch for."""
    rng = np.random.default_rng(3)
    g = rng.integers(0, 2, n)
    x, u = rng.normal(size=(2, n))
    y = 3 * x + np.where(g == 1, 1e-6, 1.0) * rng.normal(size=n)
    return pd.DataFrame({"g": np.array(list("ab"))[g], "x": x, "u": u, "y": y, "z": x + u + 1e-7 * rng.normal(size=n)})


def table_of(kind):
    return doubtful_table() if kind == "doubtful" else TABLES[kind]()


KINDS = [*TABLES, "doubtful"]


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_pickled_copied_and_saved(kind, tmp_path):
    table = table_of(kind)
    result = bnjit.learn(table, algorithm=bnjit.HillClimbing(restarts=2))
    fitted, expected = result.fit(), bnjit.fit(result, table)
    for node in table:
        pd.testing.assert_frame_equal(fitted.parameters(node), expected.parameters(node), rtol=1e-9)
    assert_same_result(pickle.loads(pickle.dumps(result)), result)
    assert_same_result(copy.deepcopy(result), result)
    assert_same_result(copy.copy(result), result)
    result.save(tmp_path / "result.npz")
    assert_same_result(bnjit.load_result(tmp_path / "result.npz"), result)
    assert [path.name for path in tmp_path.iterdir()] == ["result.npz"]


def test_results_travel_between_processes():
    tables = [TABLES["discrete"](), TABLES["gaussian"]()]
    found = joblib.Parallel(2)(joblib.delayed(bnjit.learn)(table, n_threads=1) for table in tables)
    for ours, table in zip(found, tables, strict=True):
        assert list(ours.dag.edges) == list(bnjit.learn(table).dag.edges)


def test_the_size_does_not_grow_with_the_rows():
    network = bnjit.datasets.random_network("cgaussian", 8, parents=1.5, seed=2)
    sizes = [len(pickle.dumps(bnjit.learn(network.sample(n, seed=1), max_iter=6))) for n in (2_000, 40_000)]
    assert sizes[1] < 2 * sizes[0]


def test_the_table_is_not_kept_alive():
    table = TABLES["cgaussian"]()
    values = [table[name].to_numpy() for name in table if table[name].dtype == np.float64]
    alive = [weakref.ref(array) for array in values]
    result = bnjit.learn(dict(zip([f"x{i}" for i in range(len(values))], values, strict=True)))
    del table, values
    gc.collect()
    assert result.fit() is not None
    assert [reference() for reference in alive] == [None] * len(alive)


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_stopped_searches_and_impossible_scores_are_saved(tmp_path):
    table = pd.DataFrame({"a": ["rare", *["often"] * 50], "b": np.random.default_rng(1).normal(size=51)})
    result = bnjit.learn(table, whitelist=[("a", "b")], max_iter=0)
    assert result.score == -np.inf
    result.save(tmp_path / "result.npz")
    again = bnjit.load_result(tmp_path / "result.npz")
    assert again.score == -np.inf
    assert again.stopped_by == result.stopped_by


def test_without_statistics_fit_says_what_to_do(tmp_path):
    statistics = bnjit.Statistics.collect(TABLES["discrete"](), for_=1)

    class Own:
        def local_scores(self, node, parent_sets):
            return [float(len(parents)) for parents in parent_sets]

    result = bnjit.learn(statistics, Own())
    assert result.dag.number_of_edges() > 3
    with pytest.raises(StatisticsError, match=r"these statistics have no table of .*use bnjit.fit\(result, data\)"):
        result.fit()
    result.save(tmp_path / "result.npz")
    with pytest.raises(StatisticsError, match="these statistics have no table of"):
        bnjit.load_result(tmp_path / "result.npz").fit()


def test_files_that_do_not_say_their_rows(tmp_path):
    bnjit.learn(TABLES["gaussian"]()).save(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"]))
    del header["n_rows"]
    np.savez(tmp_path / "old.npz", **{**arrays, "header": np.array(json.dumps(header))})
    old = bnjit.load_result(tmp_path / "old.npz")
    assert old.n_rows is None
    assert "learned from" not in repr(old)
    old.save(tmp_path / "again.npz")
    assert bnjit.load_result(tmp_path / "again.npz").n_rows is None


def test_rows_are_those_learned_from(tmp_path):
    table = TABLES["gaussian"]()
    assert bnjit.learn(bnjit.Statistics.collect(table)).n_rows == len(table)
    table.to_parquet(tmp_path / "table.parquet")
    assert bnjit.learn(tmp_path / "table.parquet", out_of_core=True).n_rows == len(table)
    assert bnjit.learn(table, bnjit.HeldOut(test=table.iloc[:40])).n_rows == len(table)
    assert 0 < bnjit.learn(table, bnjit.HeldOut(test=0.25), seed=1).n_rows < len(table)
    assert "1 column\n" in repr(bnjit.learn({"x": [1.0, 2.0, 4.0]}))


def test_names_are_not_html():
    table = TABLES["gaussian"]().rename(columns={"A": "<script>"})
    result = bnjit.learn(table)
    for shown in (result, result.fit()):
        assert "<script>" not in shown._repr_html_()


def test_plot_takes_the_options_of_drawings():
    import matplotlib.pyplot as plt

    result = bnjit.learn(TABLES["cgaussian"]())
    node = max(result.dag, key=result.dag.degree)
    for shown in (result, result.fit()):
        ax = shown.plot(around=node, legend=False)
        assert len(ax.texts) == result.dag.degree(node) + 2
        assert ax.get_legend() is None
        other = ax.figure.add_subplot()
        assert shown.plot(other) is other
        plt.close(ax.figure)
        with pytest.raises(ArgumentError, match="the graph has no node 'nothing'"):
            shown.plot(around="nothing")
        with pytest.raises(ArgumentError, match="distance=-1 must be"):
            shown.plot(around=node, distance=-1)


def test_names_that_a_file_cannot_keep(tmp_path):
    result = bnjit.learn(np.random.default_rng(0).normal(size=(50, 3)), names=[1, 2, 3])
    with pytest.raises(ArgumentError, match="column 1 is not named by a text"):
        result.save(tmp_path / "result.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_hostile_files(tmp_path):
    bnjit.learn(table_of("doubtful")).save(tmp_path / "good.npz")
    whole = (tmp_path / "good.npz").read_bytes()
    with np.load(tmp_path / "good.npz") as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"]))
    with pytest.raises(ArgumentError, match="there is no file"):
        bnjit.load_result(tmp_path / "nothing.npz")
    for content in (b"", b"hello", whole[: len(whole) // 2], whole[:-10]):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(FileFormatError):
            bnjit.load_result(tmp_path / "bad")
    a, b = header["arcs"][0]
    changes = [
        {"header": np.array("[]")}, {"version": np.int64(9)}, {"triangle_R0": arrays["triangle_R0"] * np.nan},
        {"triangle_keys0": arrays["triangle_keys0"] - 10}, {"triangle_counts0": -arrays["triangle_counts0"]},
        *({"header": np.array(json.dumps({**header, **change}))} for change in (
            {"nodes": []}, {"nodes": [["x", "odd"]]}, {"arcs": [[a]]}, {"arcs": [[a, b], [b, a]]}, {"arcs": [[a, "?"]]},
            {"steps": [[1, 2]]}, {"steps": 3}, {"score": "high"}, {"reading": [1]}, {"seconds": []},
            {"stopped_by": 3}, {"statistics": {}}, {"arguments": 3}, {"arguments": {}},
            {"statistics": None}, {"n_rows": "many"}, {"n_rows": -1}, {"n_rows": 1.5},
        )),
    ]  # fmt: skip
    for change in changes:
        np.savez(tmp_path / "hostile.npz", **{**arrays, **change})
        with pytest.raises(FileFormatError):
            bnjit.load_result(tmp_path / "hostile.npz")


def test_damaged_bytes(tmp_path):
    """Whatever a file holds, only our own errors come out."""
    bnjit.learn(TABLES["cgaussian"]()).save(tmp_path / "good.npz")
    whole = (tmp_path / "good.npz").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(whole)
        for at in rng.integers(0, len(whole), rng.integers(1, 4)):
            damaged[at] ^= 1 << int(rng.integers(8))
        (tmp_path / "bad.npz").write_bytes(bytes(damaged))
        with suppress(FileFormatError):
            repr(bnjit.load_result(tmp_path / "bad.npz"))
