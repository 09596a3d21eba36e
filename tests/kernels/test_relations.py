"""What is left of columns, against NumPy's decomposition; columns that divide rows alike, against sets of rows."""

import numpy as np
import pytest

from bnjit.kernels.relations import least_left, mark_alike, mark_constant
from tests.strategies import to_table


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


@pytest.mark.parametrize("kernel", [mark_alike, mark_alike.py_func])
def test_columns_that_divide_rows_alike(kernel):
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 3, 30), rng.integers(0, 3, 30)
    columns = {
        "a": a,
        "x": rng.normal(size=30),
        "b": b,
        "A": np.array([2, 0, 1])[a],
        "late": np.where(np.arange(30) < 20, a, b),
    }
    table = to_table(
        {name: values.tolist() if name == "x" else (values.tolist(), 3) for name, values in columns.items()}
    )
    alike = np.empty(4, np.int32)
    kernel(table.view, np.array([0, 2, 3, 4], np.int32), 30, alike)
    assert alike.tolist() == [0, 1, 0, 3]
    kernel(table.view, np.array([0, 2, 3, 4], np.int32), 20, alike)
    assert alike.tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("kernel", [mark_constant, mark_constant.py_func])
def test_numbers_of_levels(kernel):
    rng = np.random.default_rng(5)
    g, h = rng.integers(0, 3, (2, 30))
    late = np.where(np.arange(30) < 20, g * 2.0, 9.0)
    table = to_table({
        "g": (g.tolist(), 3), "x": rng.normal(size=30).tolist(), "h": (h.tolist(), 3), "code": (g * 1.5).tolist(),
        "late": late.tolist(),
    })  # fmt: skip
    marks = np.empty((2, 3), np.uint8)
    for rows, expected in ((30, [[0, 1, 0], [0, 0, 0]]), (20, [[0, 1, 1], [0, 0, 0]])):
        kernel(table.view, np.array([0, 2], np.int32), np.array([1, 3, 4], np.int32), rows, marks)
        assert marks.tolist() == expected
