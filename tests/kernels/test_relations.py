"""What is left of columns, against NumPy's decomposition."""

import numpy as np
import pytest

from bnjit.kernels.relations import least_left


@pytest.mark.parametrize("kernel", [least_left, least_left.py_func])
@pytest.mark.parametrize("c", [1, 2, 5, 12])
def test_against_cholesky(kernel, c):
    X = np.random.default_rng(c).normal(size=(60, c))
    X[:, -1] += 3.0 * X[:, 0]
    cross = (X - X.mean(0)).T @ (X - X.mean(0))
    scale = np.sqrt(np.diag(cross))
    expected = np.diag(np.linalg.cholesky(cross / np.outer(scale, scale))) ** 2
    assert kernel(cross[np.tril_indices(c)], c, np.empty((c, c))) == pytest.approx(expected.min(), rel=1e-9)


@pytest.mark.parametrize("kernel", [least_left, least_left.py_func])
def test_copies_and_constants(kernel):
    x, z = np.random.default_rng(0).normal(size=(2, 50))
    X = np.stack([x - x.mean(), 0.0 * x, z - z.mean()])
    assert kernel((X @ X.T)[np.tril_indices(3)], 3, np.empty((3, 3))) > 0.5
    X = np.stack([*X, 2.0 * X[0] - X[2]])
    assert kernel((X @ X.T)[np.tril_indices(4)], 4, np.empty((4, 4))) < 1e-12
