"""Moments of many cells from rows that are sorted block by block."""

import numpy as np
import pytest
from hypothesis import given

from bnjit.kernels import cells, combine
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import no_moments
from tests.kernels.moments_by_loops import assert_equal_to_plain_loops, make_case
from tests.kernels.versions import BOTH, QUICK, version
from tests.strategies import tables


@pytest.mark.parametrize(("which", "room"), [(which, room) for which in BOTH for room in (1, 7 * 16)])
@given(table=tables(max_discrete=1, max_continuous=10))
@QUICK
def test_moments_by_cell(which, room, table):
    case = make_case(table)
    n, m, c = case.table.n, case.m, len(case.selected)
    halves = no_moments(2 * m, c)
    for half in (0, 1):
        bounds = n * half // 2, n * (half + 1) // 2
        by_cell = Moments(*(array[half * m : (half + 1) * m] for array in halves))
        version(cells.add_by_cell, which)(
            case.table.view, case.selected, case.numbering, *bounds, 7, np.full(room, np.nan), by_cell
        )
    joined = no_moments(m, c)
    order = np.arange(2 * m).reshape(2, m).T.ravel()
    version(combine.combine, which)(order, 2 * np.arange(m + 1), halves, 0, m, joined)
    assert_equal_to_plain_loops(joined, case.expected)
    parts = [Moments(*(array[half * m : (half + 1) * m].copy() for array in halves)) for half in range(2)]
    elsewhere = no_moments(m, c)
    for part in parts:
        backwards = Moments(*(array[::-1].copy() for array in part))
        version(combine.merge_at, which)(elsewhere, np.arange(m)[::-1].copy(), backwards, 0, m)
    assert_equal_to_plain_loops(elsewhere, case.expected)
    version(combine.merge, which)(*parts, 0, m)
    assert_equal_to_plain_loops(parts[0], case.expected)


@given(table=tables(max_discrete=1, max_continuous=10))
@QUICK
def test_room_for_rows_in_order_changes_no_digit(table):
    case = make_case(table)
    found = []
    for room in (1, 40, 10_000):
        out = no_moments(case.m, len(case.selected))
        cells.add_by_cell(
            case.table.view, case.selected, case.numbering, 0, case.table.n, 30, np.full(room, np.nan), out
        )
        found.append(out)
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))
