"""Typed columns. The kernels that read them follow addresses, which plain Python cannot: they are tested compiled."""

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.kernels import columns


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_reading_numbers(dtype):
    values = np.arange(10, dtype=dtype)
    view = Table(["x"], [Column(values, None)]).view
    out = np.zeros(4)
    columns.read_values(view, 0, 3, out, 4)
    assert out.tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_viewing_numbers(dtype):
    table = Table(["x"], [Column(np.arange(10, dtype=dtype), None)])
    room = np.full(4, -1.0)
    seen = columns.view(table.view, 0, 3, 4, room)
    assert seen.tolist() == [3, 4, 5, 6]
    assert seen.dtype == np.float64
    assert np.shares_memory(seen, room) == (dtype == np.float32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_another_value_stands_for_nan_in_a_filled_column(dtype):
    values = np.array([np.nan, 1.5, np.nan, -2.0, 0.1], dtype)
    table = Table(["x"], [Column(values, None, 0.3)]).scaled(np.array([4.0]))
    plain = Table(["x"], [Column(np.where(np.isnan(values), dtype(0.3), values), None)]).scaled(np.array([4.0]))
    room, expected = np.empty((2, 5))
    columns.read_values(plain.view, 0, 0, expected, 5)
    assert columns.view(table.view, 0, 0, 5, room).tolist() == expected.tolist()
    assert table.columns[0].numbers().tolist() == plain.columns[0].values.tolist()
    assert table.take(np.array([0, 3])).columns[0].numbers().tolist() == [dtype(0.3), -2.0]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_appending_codes(dtype):
    codes = Table(["x"], [Column(np.array([2, 0, 1, 2], dtype), ("a", "b", "c"))])
    view = codes.view
    keys = np.array([5, 7, 0])
    columns.append_codes(view, 0, 1, keys, 3)
    assert keys.tolist() == [15, 22, 2]
