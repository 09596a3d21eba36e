"""Residuals in place of a column, of rows in memory and of chunks that travel."""

import pickle

import numpy as np

from bnjit.data.source import derive
from bnjit.stats.collect import membership
from bnjit.stats.residuals import Residuals
from tests.stats.rows import grouped_rows


def test_residuals_travel():
    table = grouped_rows()
    compute = Residuals((1, 3), np.array([0, 1, 2]), np.zeros((3, 2)), np.array([[1.0], [2.0], [3.0]]))
    again = pickle.loads(pickle.dumps(compute))
    expected = table.columns[3].values - (1.0 + table.columns[0].values) * table.columns[1].values
    np.testing.assert_allclose(again(table, membership(table, (0,))), expected, rtol=1e-12)
    assert derive((), 0, table) is table
