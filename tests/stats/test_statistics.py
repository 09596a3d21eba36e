"""Statistics in place of rows: collected, merged, updated, saved, and learned from."""

import json

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import Statistics
from bnjit.errors import ArgumentError, FileFormatError, StatisticsError
from bnjit.stats import Store
from bnjit.stats.readers.saved import SavedReader


def rows(n, seed, places=("north", "south", "east")):
    rng = np.random.default_rng(seed)
    place = rng.integers(0, len(places), n)
    hot = rng.random(n) < 0.3 + 0.2 * (place > 0)
    x = rng.normal(size=n) + place
    y = 2 * x + hot + rng.normal(size=n)
    dose = rng.integers(1, 4, n)
    return pd.DataFrame({"place": np.array(places)[place], "x": x, "hot": hot, "y": y, "dose": dose})


def same(ours, theirs):
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.score == pytest.approx(theirs.score, rel=1e-11)
    assert ours.n_local_scores == theirs.n_local_scores


def test_learning_scoring_and_fitting_need_no_rows():
    frame = rows(500, 1)
    statistics = Statistics.collect(frame, for_=3, discrete=["dose"])
    whole = bnjit.learn(frame, discrete=["dose"])
    same(bnjit.learn(statistics), whole)
    arcs = list(whole.dag.edges)
    exact = Statistics.collect(frame, for_=arcs, discrete=["dose"])
    pd.testing.assert_series_equal(
        bnjit.score(arcs, exact, by_node=True), bnjit.score(arcs, frame, by_node=True, discrete=["dose"]), rtol=1e-12
    )
    ours, theirs = bnjit.fit(arcs, exact), bnjit.fit(arcs, frame, discrete=["dose"])
    for node in frame:
        pd.testing.assert_frame_equal(ours.parameters(node), theirs.parameters(node), rtol=1e-10)


def test_tables_that_were_forgotten_are_found_again():
    frame = rows(500, 1)
    statistics = Statistics.collect(frame, for_=3, discrete=["dose"])
    store = Store(SavedReader(statistics, memory=0))
    same(bnjit.learn(store), bnjit.learn(frame, discrete=["dose"]))


@pytest.mark.parametrize("kind", ["mixed", "gaussian", "discrete"])
def test_parts_that_share_no_row(kind, tmp_path):
    """Levels differ between parts, and so does the order of columns."""
    a, b, c = rows(200, 1), rows(150, 2, ("west", "north"))[["y", "x", "dose", "hot", "place"]], rows(9, 3, ("east",))
    columns = {"mixed": list(a), "gaussian": ["x", "y"], "discrete": ["place", "hot", "dose"]}[kind]
    parts = [part[[name for name in part if name in columns]] for part in (a, b, c)]
    discrete = ["dose"] if kind != "gaussian" else []
    together = Statistics.collect(parts[0], discrete=discrete).merge(Statistics.collect(parts[1], discrete=discrete))
    together.save(tmp_path / "kept.npz")
    together = Statistics.load(tmp_path / "kept.npz").update(parts[2])
    frame = pd.concat([part[columns] for part in parts], ignore_index=True)
    levels = {"place": ["east", "north", "south", "west"]}
    for name in set(levels) & set(columns):
        frame[name] = pd.Categorical(frame[name], levels[name])
    assert together.n == len(frame)
    same(bnjit.learn(together, max_parents=1), bnjit.learn(frame, max_parents=1, discrete=discrete))


def test_out_of_core(tmp_path, monkeypatch):
    monkeypatch.setattr("bnjit.data.open.CHUNK_ROWS", 77)
    frame = rows(300, 4)
    frame.to_parquet(tmp_path / "table.parquet")
    statistics = Statistics.collect(tmp_path / "table.parquet", for_=2, out_of_core=True)
    same(bnjit.learn(statistics, max_parents=1), bnjit.learn(frame, max_parents=1))


def test_predictive_scores_from_two_statistics():
    train, test = rows(300, 1), rows(100, 2)
    expected = bnjit.score([("x", "y")], train, bnjit.HeldOut(test))
    ours = bnjit.score([("x", "y")], Statistics.collect(train), bnjit.HeldOut(Statistics.collect(test)))
    assert ours == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ArgumentError, match="cannot split Statistics"):
        bnjit.learn(Statistics.collect(train), "pred")


def test_what_is_not_there_is_named():
    frame = rows(300, 1)
    statistics = Statistics.collect(frame, for_=1)
    assert statistics.sets == [(), ("place",), ("hot",)]
    with pytest.raises(StatisticsError, match=r"no table of 'place', 'hot' together.*for_=2"):
        bnjit.learn(statistics)
    with pytest.raises(ArgumentError, match="needs all rows in memory"):
        bnjit.learn(statistics, estimator="qr")
    same(bnjit.learn(Statistics.collect(frame[["x", "y"]])), bnjit.learn(frame[["x", "y"]]))


def test_digits_that_moments_do_not_have():
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + 1e-9 * rng.normal(size=300)})
    with pytest.raises(StatisticsError, match="give the rows"):
        bnjit.learn(Statistics.collect(frame))


def test_what_does_not_fit_together():
    a = Statistics.collect(rows(100, 1))
    with pytest.raises(ArgumentError, match="merge takes Statistics"):
        a.merge(rows(10, 1))
    with pytest.raises(StatisticsError, match="'x' is only in one of them"):
        a.merge(Statistics.collect(rows(100, 1).drop(columns="x")))
    with pytest.raises(StatisticsError, match="only one of the two has the table"):
        a.merge(Statistics.collect(rows(100, 1), for_=1))
    with pytest.raises(ArgumentError, match="for_=-1"):
        Statistics.collect(rows(100, 1), for_=-1)


def test_hostile_files(tmp_path):
    path = tmp_path / "kept.npz"
    Statistics.collect(rows(100, 1)).save(path)
    whole = path.read_bytes()
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"]))
    with pytest.raises(ArgumentError, match="there is no file"):
        Statistics.load(tmp_path / "nothing.npz")
    for content in (b"", b"hello", whole[: len(whole) // 2], whole[:-10]):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(FileFormatError):
            Statistics.load(tmp_path / "bad")
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(FileFormatError):
        Statistics.load(tmp_path / "array.npy")
    infinite = arrays["means1"].copy()
    infinite[0, 0] = np.inf
    whole_table = header["tables"][0]
    wrong_tables = [[whole_table, table] for table in ([[99], []], [[1], []], [[0, 0], []], [["0"], []], [[0], [99]])]
    wrong_tables += [[[[], []]], [[[0], []]]]
    changes = [
        *({"header": np.array(json.dumps({**header, "tables": tables}))} for tables in wrong_tables),
        {"version": np.int64(7)},
        {"version": np.array("one")},
        {"header": np.array("{")},
        {"header": np.array("[]")},
        {"header": np.array(json.dumps({**header, "names": ["a"]}))},
        {"keys1": arrays["keys1"][::-1]},
        {"keys1": arrays["keys1"] + 10**9},
        {"keys1": arrays["keys1"].astype(np.float64)},
        {"counts1": -arrays["counts1"]},
        {"counts1": arrays["counts1"] + 1},
        {"means1": infinite},
        {"means1": arrays["means1"][:, :1]},
        {"crosses1": -arrays["crosses1"]},
        {"crosses1": np.array([object()])},
    ]
    for change in changes:
        np.savez(tmp_path / "hostile.npz", **{**arrays, **change})
        with pytest.raises(FileFormatError):
            Statistics.load(tmp_path / "hostile.npz")
    del arrays["mean_corrections1"]
    np.savez(tmp_path / "hostile.npz", **arrays)
    with pytest.raises(FileFormatError):
        Statistics.load(tmp_path / "hostile.npz")
