"""Chunks have the rows of the files, however these are cut, and a reader that stops when nobody reads on."""

import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnjit.data import read_table
from bnjit.data.chunked.batches import BatchFunction
from bnjit.data.chunked.chunks import Chunks
from bnjit.errors import DataError
from tests.data.passes import KeepRows, assert_same_rows, read_again, read_in_chunks

N = 200
RNG = np.random.default_rng(1)
ROWS = pa.table(
    {
        "late": pa.array(["a"] * 150 + ["b", "c"] * 25),
        "x": RNG.normal(size=N),
        "narrow": RNG.normal(size=N).astype(np.float32),
        "flag": RNG.random(N) < 0.5,
        "kind": pa.array(RNG.choice(["q", "p"], N)).dictionary_encode(),
        "dose": RNG.integers(1, 4, N),
    }
)


@pytest.mark.parametrize("chunk_rows", [1, 7, 64, 200, 1000])
@pytest.mark.parametrize("batch_rows", [1, 50, 200])
def test_chunks_have_the_rows_of_the_table(chunk_rows, batch_rows):
    root, rows = read_in_chunks(lambda: ROWS.to_batches(max_chunksize=batch_rows), chunk_rows, ["dose"])
    assert_same_rows(rows, read_table(ROWS, ["dose"]))
    assert list(root.firsts) == list(range(0, N, chunk_rows))
    assert root.most_rows == chunk_rows


def test_only_the_columns_asked_for_are_there(tmp_path):
    pq.write_table(ROWS, tmp_path / "rows.parquet", row_group_size=30)
    root, _ = read_in_chunks(tmp_path / "rows.parquet", 90)
    before = root.bytes_read
    (kept,) = root.run_pass([KeepRows()], [1])
    table = kept.table()
    assert [len(column.values) for column in table.columns] == [0, N, 0, 0, 0, 0]
    assert 0 < root.bytes_read - before < before / 4
    assert len(root.run_pass([KeepRows(), KeepRows()], [])) == 2
    assert root.passes == 4


@pytest.mark.parametrize(("room", "again"), [(0, {0, 1, 3, 4}), (N, {1, 3, 4}), (2 * N, {1, 4}), (10 * N, {1})])
def test_codes_are_decoded_once_if_they_fit(room, again):
    """Of three columns with codes of one byte; a pass that reads nothing is none."""
    asked = []

    class Batches(BatchFunction):
        def read(self, names, rows):
            asked.append({ROWS.schema.get_field_index(name) for name in names})
            return super().read(names, rows)

    root = Chunks(Batches(lambda: ROWS.to_batches(max_chunksize=64)), (), 90)
    root.codes_memory = room
    expected = read_again(root)
    for columns in ([0, 1, 3, 4], [4, 0], [3]):
        before = root.passes
        asked.clear()
        (kept,) = root.run_pass([KeepRows()], columns)
        assert asked == ([again & set(columns)] if again & set(columns) else [])
        assert root.passes == before + len(asked)
        assert kept.firsts == list(root.firsts)
        for j, column in enumerate(kept.table().columns):
            np.testing.assert_array_equal(column.values, expected.columns[j].values if j in columns else [])
    root.relabel(root.names, [("a", "b", "c", "d"), *root.labels[1:]])
    asked.clear()
    root.run_pass([KeepRows()], [0])
    assert asked == [{0}]


@pytest.mark.parametrize("rows", [210, 300])
def test_rows_that_were_added(rows):
    more = pa.concat_tables([ROWS, ROWS]).slice(0, rows)
    turns = iter([ROWS, ROWS, ROWS, more])
    root, _ = read_in_chunks(lambda: next(turns).to_batches(), 90)
    with pytest.raises(DataError, match="data had 200 rows when it was first read and has more now"):
        root.run_pass([KeepRows()], [0, 1])


def test_progress_is_reported():
    root = Chunks(BatchFunction(lambda: ROWS.to_batches(max_chunksize=64)), ["dose"], 90)
    reported = []
    root.watch = lambda *progress: reported.append(progress)
    read_again(root)
    assert reported == [(1, done, 0, "rows") for done in (90, 180, 200)] + [
        (2, done, 200, "rows") for done in (90, 180, 200)
    ]


def test_a_reader_stops_when_nobody_reads_on():
    root, _ = read_in_chunks(lambda: ROWS.to_batches(max_chunksize=1), 1)
    chunks = root.read([1])
    next(chunks)
    chunks.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "bnjit-reader"]


def test_rows_must_stay_as_they_were():
    turns = iter([ROWS, ROWS, ROWS, ROWS.slice(0, 50)])
    root, _ = read_in_chunks(lambda: next(turns).to_batches(), 90)
    with pytest.raises(DataError, match="data had 200 rows when it was first read and has 50 now"):
        root.run_pass([KeepRows()], [1])


def test_errors_of_the_first_pass_name_the_rows():
    class Refuse(KeepRows):
        def start(self):
            return self

        def add_chunk(self, first, chunk):
            if first:
                raise DataError("column 'x' is odd")

    root = Chunks(BatchFunction(ROWS.to_batches), (), 90)
    with pytest.raises(DataError, match=r"column 'x' is odd \(rows 90 ... 179 of data\)"):
        root.first_pass(Refuse())
