"""Sources made of others: training rows, test rows, and columns with other values."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

from bnjit.data import read_table
from bnjit.data.source import Replaced, check_source, derive, split_source
from bnjit.data.split import split_rows
from bnjit.errors import BnjitWarning, DataError
from tests.data.passes import assert_same_rows, read_in_chunks

N = 100
ROWS = pa.table({"x": np.arange(float(N)), "g": np.array(list("pq"))[np.arange(N) % 2], "y": np.arange(N) ** 2.0})


def read_chunks_of(table, chunk_rows):
    return read_in_chunks(lambda: table.to_batches(max_chunksize=9), chunk_rows)[0]


def double_x(rows):
    return 2.0 * rows.columns[0].values + rows.columns[2].values


@pytest.mark.parametrize("chunk_rows", [1, 7, 200])
def test_a_split_is_that_of_the_table(chunk_rows):
    root = read_chunks_of(ROWS, chunk_rows)
    for source, expected in zip(split_source(root, 0.3, 5), split_rows(read_table(ROWS), 0.3, 5), strict=True):
        assert source.n == expected.n
        assert source.requires([0, 1]) == {0, 1}
        steps = pickle.loads(pickle.dumps(source.steps))
        parts = [derive(steps, first, chunk) for first, chunk in root.read(range(3))]
        assert [part.n for part in parts if part.n] != []
        for j, column in enumerate(expected.columns):
            np.testing.assert_array_equal(np.concatenate([part.columns[j].values for part in parts]), column.values)
    with pytest.raises(DataError, match="3 rows are too few to keep 50%"):
        split_source(read_chunks_of(ROWS.slice(0, 3), chunk_rows), 0.5, 5)


def test_other_values_need_the_columns_they_are_made_of():
    root = read_chunks_of(ROWS, 30)
    source = Replaced(root, 0, (0, 2), double_x)
    assert source.requires([1]) == {1}
    assert source.requires([0]) == {0, 2}
    first, chunk = next(root.read(range(3)))
    replaced = derive(pickle.loads(pickle.dumps(source.steps)), first, chunk)
    np.testing.assert_array_equal(replaced.columns[0].values, 2.0 * np.arange(30) + np.arange(30) ** 2.0)
    first, chunk = next(root.read([1]))
    assert derive(source.steps, first, chunk) is chunk  # none of the columns is there


def test_other_levels_and_another_order():
    root = read_chunks_of(ROWS, 30)
    root.whole = "all rows"
    root.relabel(root.names, root.labels)
    assert root.whole == "all rows"
    root.relabel(["y", "g"], [None, ("r", "q", "p")])
    assert root.whole is None
    assert root.names == ("y", "g")
    _, chunk = next(root.read([1]))
    assert chunk.columns[1].values[:3].tolist() == [2, 1, 2]
    assert root.nbytes == N * 9


def test_what_cannot_be_learned_from_is_named():
    with pytest.raises(DataError, match="data has 1 row; at least 2 are needed"):
        check_source(read_chunks_of(ROWS.slice(0, 1), 10))
    each = ROWS.set_column(1, "g", pa.array([f"row {i}" for i in range(N)]))
    with pytest.raises(DataError, match="'g' is discrete and different in each of its 100 rows"):
        check_source(read_chunks_of(each, 10))
    with pytest.warns(BnjitWarning, match="one level: 'g'"):
        check_source(read_chunks_of(ROWS.set_column(1, "g", pa.array(["p"] * N)), 10))


def test_passes_give_the_rows_of_the_table():
    root, rows = read_in_chunks(lambda: ROWS.to_batches(max_chunksize=9), 30)
    assert_same_rows(rows, read_table(ROWS))
    assert root.passes == 2
    assert root.bytes_read == 2 * sum(batch.nbytes for batch in ROWS.to_batches(max_chunksize=9))
