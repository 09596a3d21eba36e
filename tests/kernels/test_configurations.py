"""Configurations of discrete variables and observed cells, against NumPy and plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.kernels import configurations
from bnjit.stats.collect import membership, ranked
from tests.kernels.versions import BOTH, QUICK, version
from tests.reference import naive
from tests.strategies import tables, to_table


@pytest.mark.parametrize("which", BOTH)
@given(keys=st.lists(st.integers(0, 40), min_size=1, max_size=200))
@QUICK
def test_ranks(which, keys):
    keys = np.array(keys)
    expected, inverse = np.unique(keys, return_inverse=True)
    for rank in (
        lambda k, ids: version(configurations.rank_dense, which)(k, 41, ids),
        version(configurations.rank_sparse, which),
    ):
        ids = np.empty(len(keys), np.int32)
        np.testing.assert_array_equal(rank(keys, ids), expected)
        np.testing.assert_array_equal(ids, inverse)


def test_hashing_many_distinct_keys():
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**62, 20_000)
    keys[10_000:] = keys[:10_000]
    ids = np.empty(len(keys), np.int32)
    expected, inverse = np.unique(keys, return_inverse=True)
    np.testing.assert_array_equal(configurations.rank_sparse(keys, ids), expected)
    np.testing.assert_array_equal(ids, inverse)


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_continuous=0), first=st.integers(0, 3))
@QUICK
def test_cells_of_rows(which, table, first):
    """Keys are mixed-radix numbers; cells are told by a list of them, or by a table of all configurations."""
    whole = to_table(table)
    names = list(table)
    variables = tuple(range(len(names)))
    keys = np.zeros(whole.n, np.int64)
    version(configurations.append_keys, which)(whole.view, np.array(variables, np.int32), keys)
    codes = [naive.configuration(table, names, row) for row in range(whole.n)]
    levels = [table[name][1] for name in names]
    assert keys.tolist() == [int(np.ravel_multi_index(code, levels)) for code in codes]
    found = membership(whole, variables)
    expected = np.searchsorted(found.keys, keys)[first:]
    for numbering in (found.numbering, ranked(whole, variables, found.keys).numbering):
        cells = np.empty(whole.n, np.int32)
        version(configurations.find_cells, which)(whole.view, numbering, first, whole.n - first, cells)
        assert cells[: whole.n - first].tolist() == expected.tolist()
    one = membership(whole, ()).numbering
    version(configurations.find_cells, which)(whole.view, one, first, whole.n - first, cells)
    assert not cells[: whole.n - first].any()
