"""Moments of one cell, in ranges of rows that are joined."""

import numpy as np
import pytest
from hypothesis import given

from bnjit.kernels import combine, moments
from bnjit.stats.cells import no_moments
from tests.kernels.moments_by_loops import assert_equal_to_plain_loops, make_case
from tests.kernels.versions import BOTH, QUICK, version
from tests.strategies import tables


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_discrete=0, max_continuous=10))
@QUICK
def test_moments_of_one_cell(which, table):
    case = make_case(table)
    n, c = case.table.n, len(case.selected)
    ranges = no_moments(2, c)
    for half in (0, 1):
        bounds = n * half // 2, n * (half + 1) // 2
        version(moments.add_all, which)(case.table.view, case.selected, *bounds, half, ranges)
    joined = no_moments(1, c)
    version(combine.combine, which)(np.arange(2), np.array([0, 2]), ranges, 0, 1, joined)
    assert_equal_to_plain_loops(joined, case.expected)


@pytest.mark.parametrize("which", BOTH)
def test_centring_sums(which):
    """Sums about a shift become moments; a shift too far off is reported, and the means are then good shifts."""
    x = 1e6 + np.array([1.0, 2.0, 4.0, 9.0])
    for shift, far in ((x[0], False), (x[0] + 1e6, True)):
        out = no_moments(2, 1)
        out.counts[0], out.means[0] = 4, shift
        out.mean_corrections[0], out.crosses[0] = (x - shift).sum(), ((x - shift) ** 2).sum()
        assert version(moments.centre_sums, which)(out) == far
        assert out.means[0, 0] + out.mean_corrections[0, 0] == x.mean()
        assert out.crosses[0, 0] == pytest.approx(38.0, rel=1e-2 if far else 1e-15)
        version(moments.reset_sums, which)(out)
        assert out.means[0, 0] == x.mean()
        assert not out.counts.any()
        assert not out.mean_corrections.any()
        assert not out.crosses.any()
