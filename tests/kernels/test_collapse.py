"""Distinct rows of discrete columns, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.kernels import collapse
from tests.kernels.versions import BOTH, QUICK, version
from tests.reference import naive
from tests.strategies import tables, to_table


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_continuous=0, max_rows=80), words=st.integers(1, 3))
@QUICK
def test_distinct_rows(which, table, words):
    whole = to_table(table)
    names = list(table)
    n = whole.n
    word = np.minimum(np.arange(len(names)), words - 1)
    rows = [naive.configuration(table, names, row) for row in range(n)]
    where, times = np.zeros((2, n), np.int32)
    find = version(collapse.distinct_rows, which)
    variables = np.arange(len(names), dtype=np.int32)
    m = find(whole.view, variables, word, 1, n, 0, where, times)
    expected = list(dict.fromkeys(rows[1:]))
    assert [rows[r] for r in where[:m]] == expected
    assert times[:m].tolist() == [rows[1:].count(row) for row in expected]
    assert find(whole.view, variables, word, 1, n, 0, where[: m - 1], times[: m - 1]) == -1
    assert find(whole.view, variables, word, 1, n, n - 1, where, times) == (-1 if 4 * m > 3 * (n - 1) else m)
