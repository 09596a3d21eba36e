"""Moments of up to three columns, without sorting."""

import numpy as np
import pytest
from hypothesis import given

from bnjit.kernels import moments_small
from bnjit.kernels.moments_small import MOST_COLUMNS
from bnjit.stats.cells import no_moments
from tests.kernels.moments_by_loops import assert_equal_to_plain_loops, make_case
from tests.kernels.versions import BOTH, QUICK, version
from tests.strategies import tables


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_discrete=1, max_continuous=MOST_COLUMNS))
@QUICK
def test_moments_of_up_to_three_columns(which, table):
    case = make_case(table)
    c = len(case.selected)
    if c:
        found = no_moments(case.m, c)
        version(moments_small.add_up_to_three, which)(
            case.table.view, case.selected, case.numbering, 0, case.table.n, found
        )
        assert_equal_to_plain_loops(found, case.expected)


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("c", [1, 2, 3])
def test_a_first_row_far_from_the_others(which, c):
    """Sums about it would lose digits: they are taken again about the mean."""
    rng = np.random.default_rng(c)
    n = 3000
    numbers = rng.normal(size=(c, n))
    numbers[:, :2] += 1e6
    table = {"Z": ([0, 1] * (n // 2), 2)} | {f"X{i}": x.tolist() for i, x in enumerate(numbers)}
    case = make_case(table)
    found = no_moments(2, c)
    version(moments_small.add_up_to_three, which)(case.table.view, case.selected, case.numbering, 0, n, found)
    for cell, (_, means, crosses) in case.expected.items():
        np.testing.assert_allclose(found.means[cell[0]], means, rtol=1e-13)
        lower = [crosses[i][j] for i in range(c) for j in range(i + 1)]
        np.testing.assert_allclose(found.crosses[cell[0]], lower, rtol=1e-13)
