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


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_appending_codes(dtype):
    codes = Table(["x"], [Column(np.array([2, 0, 1, 2], dtype), ("a", "b", "c"))])
    view = codes.view
    keys = np.array([5, 7, 0])
    columns.append_codes(view, 0, 1, keys, 3)
    assert keys.tolist() == [15, 22, 2]
