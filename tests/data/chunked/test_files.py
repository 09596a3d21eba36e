"""Files give their rows as record batches, with the columns asked for."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnjit.data.chunked.batches import BatchFunction
from bnjit.data.chunked.files import IpcFile, ParquetFiles, files_of, open_batches
from bnjit.errors import DataError

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
    (tmp_path / "year=2020").mkdir()
    pq.write_table(ROWS, tmp_path / "year=2020" / "rows.parquet")
    with pytest.raises(DataError, match=r"hold values in their names \('year=2020'\); out of core, every column"):
        files_of(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="empty' has no Parquet files"):
        files_of(tmp_path / "empty")


def test_a_file_that_changed_is_named(folder):
    files = open_batches(folder)
    pq.write_table(ROWS.slice(0, 5), folder / "a.parquet")
    with pytest.raises(DataError, match=r"a.parquet' was changed while it was read"):
        rows_of(files, ["x"], 10)
