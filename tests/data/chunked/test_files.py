"""Files give their rows as record batches, with the columns asked for."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnjit
from bnjit.data.chunked.batches import BatchFunction
from bnjit.data.chunked.files import IpcFile, ParquetFiles, files_of, open_batches
from bnjit.errors import BnjitWarning, DataError

ROWS = pa.table({"x": np.arange(100.0), "g": ["a", "b"] * 50, "kind": pa.array(["p", "q"] * 50).dictionary_encode()})


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deep").mkdir()
    pq.write_table(ROWS.slice(0, 30), tmp_path / "a.parquet", row_group_size=8)
    pq.write_table(ROWS.slice(30), tmp_path / "deep" / "b.PQ")
    pq.write_table(ROWS, tmp_path / "_hidden.parquet")
    (tmp_path / "notes.txt").write_text("no rows")
    return tmp_path


@pytest.fixture
def ipc(tmp_path):
    with pa.OSFile(str(tmp_path / "rows.arrow"), "wb") as file, pa.ipc.new_file(file, ROWS.schema) as writer:
        writer.write_table(ROWS, max_chunksize=33)
    return tmp_path / "rows.arrow"


def rows_of(batches, names, rows):
    """All rows of some columns."""
    found = [batch for _, batch in batches.read(names, rows)]
    assert all(batch.num_rows <= rows for batch in found)
    return pa.Table.from_batches(found)


def test_what_can_be_opened(folder, ipc):
    assert isinstance(open_batches(folder), ParquetFiles)
    assert isinstance(open_batches(str(folder / "a.parquet")), ParquetFiles)
    assert isinstance(open_batches(ipc), IpcFile)
    assert isinstance(open_batches(ROWS.to_batches), BatchFunction)
    for other in (ROWS, folder / "notes.txt", folder / "none.parquet", "x" * 5000):
        assert open_batches(other) is None


def test_every_form_has_the_same_rows(folder, ipc):
    for data in (folder, ipc, lambda: ROWS.to_batches(max_chunksize=41)):
        batches = open_batches(data)
        assert batches.schema.names == ROWS.schema.names
        for rows in (7, 1000):
            found = rows_of(batches, ["kind", "x"], rows)
            assert found.column("x").to_pylist() == ROWS.column("x").to_pylist()
            assert found.column("kind").to_pylist() == ROWS.column("kind").to_pylist()
        assert sum(batch.num_rows for _, batch in batches.read([], 1000)) == 100


def test_sizes_that_are_known_before(folder, ipc):
    files = open_batches(folder)
    assert files.n == 100
    assert 0 < files.nbytes(["x"]) < files.nbytes(["x", "g"]) < files.nbytes(["x", "g", "kind"])
    assert files.memory() == 100 * (8 + 16 + 2)
    assert open_batches(ipc).memory() == ipc.stat().st_size
    made = open_batches(ROWS.to_batches)
    assert (made.n, made.nbytes(["x"]), made.memory()) == (None, None, None)


def test_folders(folder, tmp_path):
    assert [path.name for path in files_of(folder)] == ["a.parquet", "b.PQ"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="empty' has no Parquet files"):
        files_of(tmp_path / "empty")


@pytest.fixture
def by_year(tmp_path):
    """Rows in folders that hold values, one of them with a character that names cannot have."""
    for first, rows, year, place in ((0, 30, 2020, "north"), (30, 40, 2020, "a%2Fb"), (70, 30, 2021, "north")):
        path = tmp_path / f"year={year}" / "plain" / f"place={place}"
        path.mkdir(parents=True)
        pq.write_table(ROWS.slice(first, rows), path / "rows.parquet")
    return tmp_path


def test_folders_with_values_in_their_names(by_year):
    files = open_batches(by_year)
    assert files.schema.names == ["x", "g", "kind", "year", "place"]
    found = rows_of(files, ["place", "x", "year"], 12)
    whole = files.table()
    for name in ("place", "x", "year"):
        assert found.column(name).to_pylist() == whole.column(name).to_pylist()
    seen = list(zip(whole["x"].to_pylist(), whole["year"].to_pylist(), whole["place"].to_pylist(), strict=True))
    assert set(seen) == {(x, 2020, "north") if x < 30 else (x, 2020, "a/b") if x < 70 else (x, 2021, "north")
                         for x in map(float, range(100))}  # fmt: skip
    assert sum(batch.num_rows for _, batch in files.read(["year"], 1000)) == 100
    by_year.joinpath("year=2021", "plain", "other.parquet").write_bytes(
        by_year.joinpath("year=2021", "plain", "place=north", "rows.parquet").read_bytes()
    )
    with pytest.raises(DataError, match=r"name the columns 'year', those of .* 'year', 'place'"):
        open_batches(by_year)


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_learning_from_folders_in_memory_and_in_chunks(by_year):
    whole, chunks = (bnjit.learn(by_year, out_of_core=out_of_core, discrete=["year"]) for out_of_core in (False, True))
    assert set(whole.dag) == {"x", "g", "kind", "year", "place"}
    assert whole.score == pytest.approx(chunks.score, rel=1e-12)
    assert set(whole.dag.edges) == set(chunks.dag.edges)


def test_folders_that_pandas_wrote(tmp_path):
    frame = pd.DataFrame({"x": np.arange(60.0) % 7, "year": [2023, 2024] * 30, "place": ["a/b", "c", "d"] * 20})
    frame.to_parquet(tmp_path / "whole", partition_cols=["year", "place"])
    by_hand = bnjit.learn(frame[["x", "year", "place"]], discrete=["year"], progress=False)
    frame.loc[frame["x"] == 3, "place"] = None
    frame.to_parquet(tmp_path / "gaps", partition_cols=["year", "place"])
    for out_of_core in (None, True):
        found = bnjit.learn(tmp_path / "whole", discrete=["year"], out_of_core=out_of_core, progress=False)
        assert found.score == pytest.approx(by_hand.score, rel=1e-12)
        with pytest.raises(DataError, match=r"column 'place' has .*missing values"):
            bnjit.learn(tmp_path / "gaps", out_of_core=out_of_core, progress=False)


@pytest.mark.parametrize(
    ("kinds", "common"),
    [((pa.int64(), pa.float64()), pa.float64()), ((pa.float32(), pa.float64()), pa.float64()),
     ((pa.int8(), pa.int64(), pa.int16()), pa.int64()), ((pa.uint8(), pa.float32()), pa.float32()),
     ((pa.uint64(), pa.int64()), pa.float64())],
)  # fmt: skip
def test_numbers_of_different_types_are_widened_with_one_warning(tmp_path, kinds, common):
    for i, kind in enumerate(kinds):
        pq.write_table(pa.table({"x": pa.array([1, 2, i], kind), "g": list("abc")}), tmp_path / f"{i}.parquet")
    files = open_batches(tmp_path)
    with pytest.warns(BnjitWarning, match="columns 'x' have numbers of different types in some files") as seen:
        files.table()
    assert len(seen) == 1
    assert files.schema.field("x").type == common
    assert files.table()["x"].to_pylist() == rows_of(files, ["x"], 2)["x"].to_pylist()
    assert files.table()["x"].type == common


@pytest.mark.parametrize("out_of_core", [False, True])
def test_learning_warns_of_widened_numbers_once(tmp_path, out_of_core):
    for i, kind in enumerate((pa.int64(), pa.float64())):
        x = np.random.default_rng(i).integers(0, 50, 40)
        pq.write_table(pa.table({"x": pa.array(x, kind), "y": x + 0.5 * (x % 3)}), tmp_path / f"{i}.parquet")
    with pytest.warns(BnjitWarning) as seen:
        bnjit.learn(tmp_path, out_of_core=out_of_core)
    assert sum("different types" in str(one.message) for one in seen) == 1


def test_names_that_are_there_twice(tmp_path):
    twice = pa.Table.from_arrays([pa.array([1.0, 2.0]), pa.array([2.0, 3.0])], names=["x", "x"])
    pq.write_table(twice, tmp_path / "rows.parquet")
    for out_of_core in (False, True):
        for data in (tmp_path, tmp_path / "rows.parquet"):
            with pytest.raises(DataError, match="duplicate column names: 'x'"):
                bnjit.learn(data, out_of_core=out_of_core)


def test_other_types_are_not_mixed(tmp_path):
    pq.write_table(pa.table({"x": [1.0]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"x": ["1.0"]}), tmp_path / "1.parquet")
    with pytest.raises(DataError, match=r"column 'x' is text in .*1\.parquet and double in"):
        open_batches(tmp_path)


def test_a_file_that_changed_is_named(folder):
    files = open_batches(folder)
    pq.write_table(ROWS.slice(0, 5), folder / "a.parquet")
    with pytest.raises(DataError, match=r"a.parquet' was changed while it was read"):
        rows_of(files, ["x"], 10)
