"""Rows sorted by cell, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.data import Column, Table
from bnjit.kernels import configurations, sorting
from tests.kernels.versions import BOTH, QUICK, version


@pytest.mark.parametrize("which", BOTH)
@given(ids=st.lists(st.integers(0, 5), min_size=1, max_size=50))
@QUICK
def test_grouping_rows(which, ids):
    slots = np.array([2, 0, -1, 1, -1, 3], np.int32)
    found = configurations.Numbering(np.empty(0, np.int32), np.empty(0, np.int32), np.array(ids, np.int32))
    nothing = Table(["X"], [Column(np.zeros(len(ids)), None)]).view
    chosen, new = version(sorting.choose_rows, which)(nothing, found, slots, 0, len(ids))
    assert chosen.tolist() == [r for r, cell in enumerate(ids) if slots[cell] >= 0]
    position, starts = version(sorting.sorted_positions, which)(new, 4)
    values = np.arange(len(ids), dtype=np.float64)
    single = Table(["X"], [Column(values, None)])
    view = single.view
    out = np.full(len(ids), -1.0)
    sorting.scatter_column(view, 0, 0, chosen, position, out)  # which reads by address
    expected = [[r for r, cell in enumerate(ids) if slots[cell] == k] for k in range(4)]
    assert [out[starts[k] : starts[k + 1]].tolist() for k in range(4)] == expected


@pytest.mark.parametrize("which", BOTH)
@given(ids=st.lists(st.integers(0, 5), max_size=50))
@QUICK
def test_positions_are_those_of_a_stable_sort(which, ids):
    ids = np.array(ids, np.int32)
    starts, position = np.full(7, -1), np.full(60, -1, np.int32)
    version(sorting.find_positions, which)(ids, starts, position)
    order = np.argsort(ids, kind="stable")
    assert position[order].tolist() == list(range(len(ids)))
    assert position[len(ids) :].tolist() == [-1] * (60 - len(ids))
    assert starts.tolist() == np.searchsorted(ids[order], np.arange(7)).tolist()


@pytest.mark.parametrize("which", BOTH)
@given(ids=st.lists(st.integers(0, 5), max_size=50))
@QUICK
def test_rows_that_have_been_counted(which, ids):
    ids = np.array(ids, np.int32)
    counts = np.bincount(ids, minlength=6)
    position, starts = version(sorting.counted_positions, which)(ids, counts)
    expected = version(sorting.sorted_positions, which)(ids, 6)
    assert position.tolist() == expected[0].tolist()
    assert starts.tolist() == expected[1].tolist()
    wanted = np.array([1, 0, 1, 1, 0, 1], np.int32)
    order, starts = version(sorting.list_rows, which)(ids, counts, wanted)
    own = [[r for r, cell in enumerate(ids) if cell == k and wanted[k]] for k in range(6)]
    assert [order[starts[k] : starts[k + 1]].tolist() for k in range(6)] == own
    assert len(order) == starts[6]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scattering_numbers(dtype):
    values = np.arange(10, dtype=dtype)
    view = Table(["x"], [Column(values, None)]).view
    out = np.zeros(3)
    sorting.scatter_column(view, 0, 4, np.empty(0, np.int32), np.array([2, 1, 0], np.int32), out)
    assert out.tolist() == [6, 5, 4]
    sorting.scatter_column(view, 0, 0, np.array([9, 0, 7], np.int32), np.array([2, 1, 0], np.int32), out)
    assert out.tolist() == [7, 0, 9]
