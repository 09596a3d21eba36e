"""Rows that come in chunks give what the same rows give in memory, however they are cut."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnjit
from bnjit.errors import ArgumentError, DataError
from tests.comparison import same

ROWS = 400


@pytest.fixture(scope="module")
def mixed():
    """Every type of column; levels that come late, and one that only the last rows have."""
    rng = np.random.default_rng(3)
    place = rng.integers(0, 3, ROWS)
    place[:50] = np.minimum(place[:50], 1)
    hot = rng.random(ROWS) < 0.3 + 0.2 * place
    dose = rng.integers(1, 4, ROWS)
    x = rng.normal(size=ROWS) + place
    y = (2 * x + hot + rng.normal(size=ROWS)).astype(np.float32)
    z = y - x * (1 + place) + rng.normal(size=ROWS)
    return pa.table(
        {
            "place": pa.array(np.array(["south", "north", "east"])[place]),
            "x": pa.array(x),
            "hot": pa.array(hot),
            "kind": pa.array(np.where(rng.random(ROWS) < 0.8 - 0.5 * hot, "a", "b")).dictionary_encode(),
            "y": pa.array(y),
            "dose": pa.array(dose.astype(np.int8)),
            "z": pa.array(z),
        }
    )


def in_chunks(monkeypatch, rows):
    monkeypatch.setattr("bnjit.data.open.CHUNK_ROWS", rows)


def as_folder(table, folder):
    """Uneven files, one of them without rows."""
    folder.mkdir()
    cuts = [0, 1, 50, 50, 333, len(table)]
    for i, (a, b) in enumerate(itertools.pairwise(cuts)):
        part = table.slice(a, b - a).combine_chunks()
        pq.write_table(part, folder / f"part{i}.parquet", row_group_size=40)
    return folder


def as_parquet(table, folder):
    folder.mkdir()
    pq.write_table(table, folder / "table.parquet", row_group_size=64)
    return folder / "table.parquet"


def as_ipc(table, folder):
    folder.mkdir()
    with pa.OSFile(str(folder / "table.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=37)
    return folder / "table.arrow"


def as_function(table, folder):
    empty = pa.RecordBatch.from_pylist([], table.schema)
    return lambda: iter([empty, *table.to_batches(max_chunksize=29), empty])


FORMS = {"folder": as_folder, "parquet": as_parquet, "ipc": as_ipc, "function": as_function}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [1, 7, 150, 1000])
def test_learning_is_the_same_from_every_form(mixed, tmp_path, monkeypatch, form, rows):
    if rows == 1 and form != "folder":
        mixed = mixed.slice(0, 80)
    expected = bnjit.learn(mixed, discrete=["dose"])
    data = FORMS[form](mixed, tmp_path / form)
    in_chunks(monkeypatch, rows)
    result = bnjit.learn(data, discrete=["dose"], out_of_core=True)
    same(result, expected)
    assert expected.passes == 0
    assert result.passes >= 3
    assert result.bytes_read > 0


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (None, {"score": "pred", "seed": 4}),
        (None, {"algorithm": "tabu", "score": "aic"}),
        (None, {"algorithm": "boss"}),
        (["place", "hot", "kind"], {"algorithm": "ges", "score": "bde"}),
        (["x", "y", "z"], {"algorithm": "ges"}),
        (["place", "hot", "kind", "dose"], {"algorithm": "boss", "discrete": ["dose"]}),
        (None, {"algorithm": bnjit.HillClimbing(restarts=2, perturb=3), "seed": 1, "max_parents": 2}),
        (["x", "y", "z"], {"score": "bge"}),
        (["x", "y", "z"], {"score": "bic"}),
        (["place", "hot", "kind", "dose"], {"score": "bde", "discrete": ["dose"]}),
        (["place", "hot", "kind", "dose"], {"score": "ebic", "discrete": ["dose"], "start": [("hot", "kind")]}),
    ],
)
def test_scores_and_algorithms(mixed, tmp_path, monkeypatch, columns, options):
    table = mixed if columns is None else mixed.select(columns)
    expected = bnjit.learn(table, **options)
    in_chunks(monkeypatch, 90)
    same(bnjit.learn(as_folder(table, tmp_path / "folder"), out_of_core=True, **options), expected)


def test_score_and_fit(mixed, tmp_path, monkeypatch):
    arcs = [("place", "x"), ("x", "y"), ("hot", "y"), ("hot", "kind"), ("y", "z"), ("x", "z"), ("place", "z")]
    path = as_parquet(mixed, tmp_path / "files")
    in_chunks(monkeypatch, 61)
    for score in ("bic", "pred"):
        ours = bnjit.score(arcs, path, score, by_node=True, out_of_core=True)
        pd.testing.assert_series_equal(ours, bnjit.score(arcs, mixed, score, by_node=True), rtol=1e-12)
    for prior in (0.0, 2.0):
        ours = bnjit.fit(arcs, path, out_of_core=True, prior_rows=prior)
        theirs = bnjit.fit(arcs, mixed, prior_rows=prior)
        for node in mixed.column_names:
            pd.testing.assert_frame_equal(ours.parameters(node), theirs.parameters(node), rtol=1e-10)
    result = bnjit.learn(path, out_of_core=True)
    whole = bnjit.learn(mixed)
    pd.testing.assert_frame_equal(result.fit().parameters("z"), whole.fit().parameters("z"), rtol=1e-10)


def test_test_data_in_chunks(mixed, tmp_path, monkeypatch):
    train, test = mixed.slice(0, 300), mixed.slice(300)
    expected = bnjit.learn(train, score=bnjit.HeldOut(test))
    in_chunks(monkeypatch, 70)
    first, other = as_parquet(train, tmp_path / "a"), as_ipc(test.select(test.column_names[::-1]), tmp_path / "b")
    same(bnjit.learn(first, score=bnjit.HeldOut(other), out_of_core=True), expected)


def test_threads_change_nothing(mixed, tmp_path, monkeypatch):
    path = as_parquet(mixed, tmp_path / "files")
    in_chunks(monkeypatch, 100)
    one, two = (bnjit.learn(path, out_of_core=True, n_threads=n) for n in (1, 2))
    assert one.score == two.score
    assert nx.utils.graphs_equal(one.dag, two.dag)


def test_cuts_of_files_change_nothing(mixed, tmp_path, monkeypatch):
    in_chunks(monkeypatch, 100)
    scores = {bnjit.learn(FORMS[form](mixed, tmp_path / form), out_of_core=True).score for form in FORMS}
    assert len(scores) == 1


@pytest.mark.parametrize("share", [4, 1 << 40])
@pytest.mark.parametrize("spread", [1e-7, 1e-5])
def test_doubtful_fits(tmp_path, monkeypatch, spread, share):
    """Columns that others all but say, in all cells or in some, are fitted again from rows brought to memory.

    Where there is no room for them, they are fitted from triangles.
    """
    monkeypatch.setattr("bnjit.stats.readers.chunked.CHUNKED_ROWS_PART", share)
    rng = np.random.default_rng(5)
    n = 600
    group = rng.integers(0, 3, n)
    x, u = rng.normal(size=n), rng.normal(size=n)
    y = 3 * x + np.where(group == 1, spread, 1.0) * rng.normal(size=n)
    z = x + u + spread * rng.normal(size=n)
    table = pa.table({"g": pa.array(np.array(list("abc"))[group]), "x": x, "u": u, "y": y, "z": z})
    path = as_parquet(table, tmp_path / "files")
    arcs = [("g", "y"), ("x", "y"), ("x", "z"), ("u", "z")]
    in_chunks(monkeypatch, 130)
    for score in ("bic", "pred"):
        ours = bnjit.score(arcs, path, score, by_node=True, out_of_core=True)
        pd.testing.assert_series_equal(ours, bnjit.score(arcs, table, score, by_node=True), rtol=1e-8)
        same(bnjit.learn(path, score, out_of_core=True), bnjit.learn(table, score), rel=1e-8)
    ours, theirs = bnjit.fit(arcs, path, out_of_core=True), bnjit.fit(arcs, table)
    for node in ("y", "z"):
        pd.testing.assert_frame_equal(ours.parameters(node), theirs.parameters(node), rtol=1e-6)


def test_large_files_go_out_of_core_by_themselves(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=200_000)
    table = pa.table({"x": x, "y": x + rng.normal(size=len(x))})
    path = as_parquet(table, tmp_path / "files")
    assert bnjit.learn(path).passes == 0
    assert bnjit.learn(path, max_memory="2MB").passes > 0
    assert bnjit.learn(path, max_memory="2MB", out_of_core=False).passes == 0
    for wrong in ("much", "12 parsecs", -5, 0, True, "1..2GB"):
        with pytest.raises(ArgumentError, match="max_memory"):
            bnjit.learn(path, max_memory=wrong)


def test_rows_must_be_at_hand_for_some_things(mixed, tmp_path):
    path = as_parquet(mixed, tmp_path / "files")
    with pytest.raises(ArgumentError, match="estimator='qr' needs all rows in memory"):
        bnjit.learn(path, estimator="qr", out_of_core=True)
    with pytest.raises(ArgumentError, match="out_of_core=True is for"):
        bnjit.learn({"x": [1.0, 2.0], "y": [2.0, 1.0]}, out_of_core=True)


def write_folder(folder, *tables):
    folder.mkdir()
    for i, table in enumerate(tables):
        pq.write_table(pa.table(table), folder / f"part{i}.parquet")
    return folder


@pytest.mark.parametrize("out_of_core", [True, None])
def test_files_that_do_not_agree_are_named(tmp_path, out_of_core):
    good = {"x": [1.0, 2.0, 4.0], "g": ["a", "b", "a"]}
    for name, other, message in (
        ("type", {"x": ["1", "2"], "g": ["a", "b"]}, "column 'x' is text in .*part1.parquet"),
        ("missing", {"x": [1.0, 2.0]}, "part1.parquet lacks the column 'g'"),
        ("more", {"x": [1.0, 2.0], "g": ["a", "b"], "h": [0.0, 1.0]}, "part0.parquet lacks the column 'h'"),
    ):
        with pytest.raises(DataError, match=message):
            bnjit.learn(write_folder(tmp_path / name, good, other), out_of_core=out_of_core)
    folder = write_folder(tmp_path / "cut", good, good)
    whole = (folder / "part1.parquet").read_bytes()
    (folder / "part1.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"cannot read .*part1.parquet"):
        bnjit.learn(folder, out_of_core=out_of_core)


def test_bad_values_are_found_in_the_first_pass(tmp_path, monkeypatch):
    in_chunks(monkeypatch, 2)
    x = [1.0, 2.0, 4.0, 3.0]
    for name, columns, message in (
        ("null", {"x": [1.0, 2.0, 3.0, None]}, "column 'x' has missing values in .*part0.parquet.*row 3"),
        ("nan", {"x": [1.0, 2.0, float("nan"), 3.0]}, r"'x' has 1 missing \(NaN\) value"),
        ("inf", {"x": [1.0, 2.0, 3.0, float("inf")]}, "'x' has 1 infinite value"),
        ("constant", {"x": [5.0] * 4}, r"'x' is constant \(every row is 5\)"),
        ("text", {"x": x, "g": ["a", None, "b", "a"]}, "column 'g' has missing values"),
        ("same", {"x": x, "g": ["a", "b", "c", "d"]}, "'g' is discrete and different in each of its 4 rows"),
        ("date", {"x": x, "d": pa.array([1, 2, 3, 4], pa.timestamp("s"))}, "column 'd' has type timestamp"),
    ):
        with pytest.raises(DataError, match=message):
            bnjit.learn(write_folder(tmp_path / name, columns), out_of_core=True)
    with pytest.raises(DataError, match="0 rows"):
        bnjit.learn(write_folder(tmp_path / "empty", {"x": pa.array([], pa.float64())}), out_of_core=True)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(DataError, match="no Parquet files"):
        bnjit.learn(tmp_path / "nothing")


def test_functions_must_make_batches(mixed):
    with pytest.raises(DataError, match="must return an iterable of record batches"):
        bnjit.learn(lambda: 3)
    with pytest.raises(DataError, match="made a int"):
        bnjit.learn(lambda: [3])
    with pytest.raises(DataError, match="made no record batch"):
        bnjit.learn(list)
    turns = iter([mixed, mixed, mixed.slice(0, 100)])
    with pytest.raises(DataError, match="400 rows when it was first read and has 100 now"):
        bnjit.learn(lambda: next(turns).to_batches())
