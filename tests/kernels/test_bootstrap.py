"""Weights of rows in bootstrap replicates and the products that they weigh, against NumPy."""

import numpy as np
import pytest

from bnjit.data.split import row_numbers, seed_state
from bnjit.kernels import bootstrap
from tests.kernels.versions import BOTH, version


@pytest.mark.parametrize("which", BOTH)
def test_weights(which):
    below = np.array([0.3, 0.7, 0.9])
    starts = np.array([seed_state(seed) for seed in range(3)])
    out = np.empty((3, 200))
    with np.errstate(over="ignore"):
        version(bootstrap.weigh_replicates, which)(0, len(out), starts, 11, below, out)
    for seed, weights in enumerate(out):
        numbers = row_numbers(200, seed, first=11)
        assert weights.tolist() == np.searchsorted(below, numbers, side="right").tolist()


@pytest.mark.parametrize("which", BOTH)
def test_products(which):
    Z = np.random.default_rng(0).normal(size=(3, 20))
    out = np.ones((10, 20))
    version(bootstrap.multiply_columns, which)(0, len(Z), Z, out)
    i, j = np.tril_indices(3)
    np.testing.assert_array_equal(out, np.vstack([np.ones((1, 20)), Z, Z[i] * Z[j]]))
