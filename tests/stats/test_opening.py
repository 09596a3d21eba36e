"""How data is opened: whole or in chunks, and what is refused in the first pass."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnjit
from bnjit.data import type_columns
from bnjit.errors import ArgumentError, DataError
from bnjit.stats import Request
from bnjit.stats.opening import make_store, read_rows, read_test_rows, relabelled_rows
from bnjit.stats.readers.chunked import ChunkedReader
from bnjit.stats.readers.memory import MemoryReader
from bnjit.stats.readers.saved import SavedReader
from bnjit.stats.store import constant_columns
from tests.stats.forms import as_parquet, in_chunks, mixed_arrow
from tests.stats.readers.by_numpy import assert_cells_by_numpy


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


def test_rows_must_be_at_hand_for_some_things(tmp_path):
    path = as_parquet(mixed_arrow(), tmp_path / "files")
    with pytest.raises(ArgumentError, match="estimator='qr' fits every local distribution from all rows"):
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


def test_bad_values_are_found_in_the_first_pass(tmp_path):
    x = [1.0, 2.0, 4.0, 3.0]
    for name, columns, message in (
        ("null", {"x": [1.0, 2.0, 3.0, None]}, "column 'x' has missing values in .*part0.parquet.*row 3"),
        ("nan", {"x": [1.0, 2.0, float("nan"), 3.0]}, r"'x' has 1 missing \(NaN\) value"),
        ("inf", {"x": [1.0, 2.0, 3.0, float("inf")]}, "'x' has 1 infinite value"),
        ("text", {"x": x, "g": ["a", None, "b", "a"]}, "column 'g' has missing values"),
        ("same", {"x": x, "g": ["a", "b", "c", "d"]}, "'g' is discrete and different in each of its 4 rows"),
        ("date", {"x": x, "d": pa.array([1, 2, 3, 4], pa.timestamp("s"))}, "column 'd' has type timestamp"),
    ):
        folder = write_folder(tmp_path / name, columns)
        with pytest.raises(DataError, match=message):
            bnjit.learn(folder, out_of_core=True)
        with pytest.raises(DataError, match=message):
            bnjit.learn(in_chunks(folder, 2))
    with pytest.raises(DataError, match="0 rows"):
        bnjit.learn(write_folder(tmp_path / "empty", {"x": pa.array([], pa.float64())}), out_of_core=True)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(DataError, match="no Parquet files"):
        bnjit.learn(tmp_path / "nothing")


def test_functions_must_make_batches():
    mixed = mixed_arrow()
    with pytest.raises(DataError, match="must return an iterable of record batches"):
        bnjit.learn(lambda: 3)
    with pytest.raises(DataError, match="made a int"):
        bnjit.learn(lambda: [3])
    with pytest.raises(DataError, match="made no record batch"):
        bnjit.learn(list)
    turns = iter([mixed, mixed, mixed.slice(0, 100)])
    with pytest.raises(DataError, match="400 rows when it was first read and has 100 now"):
        bnjit.learn(lambda: next(turns).to_batches())


def test_a_store_for_each_kind_of_rows():
    arrow = mixed_arrow()
    table, source = read_rows(arrow, ["dose"], None), in_chunks(arrow.to_batches, 90, ["dose"])
    statistics = bnjit.Statistics.collect(arrow, discrete=["dose"])
    assert all(read_rows(rows, (), None) is rows for rows in (table, source, statistics))  # nothing is read again
    assert all(read_test_rows(rows, (), None) is rows for rows in (table, source, statistics))
    kinds = {MemoryReader: table, ChunkedReader: source, SavedReader: statistics}
    for kind, rows in kinds.items():
        store = make_store(rows)
        assert isinstance(store.reader, kind)
        assert store.n == len(arrow)
        assert_cells_by_numpy(store.whole, table, (), table.continuous)


@pytest.mark.parametrize("chunked", [False, True])
def test_constant_columns_are_told_of_unless_they_are_test_rows(chunked):
    arrow = pa.table({"x": [1.0, 2.0, 4.0], "y": [7.0, 7.0, 7.0]})
    rows = in_chunks(arrow.to_batches, 2) if chunked else type_columns(arrow, (), None, "test")
    assert make_store(rows, constants=True).whole.means[0].tolist() == pytest.approx([7 / 3, 7.0])
    with pytest.warns(bnjit.BnjitWarning, match="continuous column with one value: 'y'"):
        assert constant_columns(make_store(rows)) == (1,)


def test_columns_in_another_order_with_more_levels():
    arrow = mixed_arrow()
    table = read_rows(arrow, ["dose"], None)
    names = ["z", "place", "hot"]
    labels = [None, ("west", "south", "north", "east"), table.labels[table.index("hot")]]
    whole = [relabelled_rows(read_rows(arrow, ["dose"], None), names, labels)]
    whole += [relabelled_rows(in_chunks(arrow.to_batches, 90, ["dose"]), names, labels)]
    for rows in whole:
        assert (list(rows.names), list(rows.labels)) == (names, labels)
        store = make_store(rows)
        (cells,) = store.get([Request((1,), (0,))])
        text = np.array(arrow["place"].to_pylist())
        assert cells.keys.tolist() == [1, 2, 3]
        for cell, name in enumerate(("south", "north", "east")):
            values = arrow["z"].to_numpy()[text == name]
            assert cells.counts[cell] == len(values)
            assert cells.means[cell, 0] == pytest.approx(values.mean(), rel=1e-12)
