"""Rows in memory."""

import numpy as np
import pytest

from bnjit.data import Column, Table, read_table
from bnjit.data.table import relabelled_table
from bnjit.errors import DataError


@pytest.fixture
def table():
    return read_table({"g": ["a", "b", "a", "b"], "x": [1.0, 2.0, 4.0, 8.0]})


def test_some_rows_keep_all_levels(table):
    for rows in (np.array([True, False, True, False]), np.array([0, 2])):
        some = table.take(rows)
        assert some.n == 2
        assert some.labels == table.labels
        assert some.columns[0].values.tolist() == [0, 0]
        assert some.columns[1].values.tolist() == [1.0, 4.0]
    table.constants = True
    assert table.take(np.array([0])).constants


def test_other_values_leave_the_table_as_it_was(table):
    other = table.replaced(1, np.arange(4.0))
    assert other.columns[1].values.tolist() == [0, 1, 2, 3]
    assert table.columns[1].values.tolist() == [1, 2, 4, 8]
    assert other.columns[0].values is table.columns[0].values


def test_columns_in_another_order_with_more_levels(table):
    other = relabelled_table(table, ["x", "g"], [None, ("c", "b", "a")])
    assert other.names == ("x", "g")
    assert other.columns[1].values.tolist() == [2, 1, 2, 1]
    assert other.levels == (0, 3)


def test_memory_and_rows_of_a_table_without_its_first_column(table):
    assert table.nbytes == 4 + 4 * 8
    chunk = Table(["g", "x"], [Column(np.empty(0, np.uint8), ("a", "b")), table.columns[1]], 4)
    assert chunk.n == 4
    assert chunk.take(np.array([1, 2])).columns[1].values.tolist() == [2.0, 4.0]
    with pytest.raises(DataError, match="more than 2,147,483,647 must be given in parts"):
        Table(["x"], [Column(np.empty(0), None)], 2**31)
