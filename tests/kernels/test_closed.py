"""Closed forms: their sums, where they need rows, and the paper's expressions without its misprints."""

import numpy as np
import pytest

from bnjit.kernels import closed
from tests.kernels.estimates import make_table, noisy, sample_of, score
from tests.kernels.versions import BOTH, version


@pytest.mark.parametrize("which", BOTH)
def test_sums_are_about_the_first_row_of_a_cell(which):
    z = [1, 0, 1, 1, 0]
    x = 1e9 + np.array([3.0, 5.0, 4.0, 6.0, 9.0])
    table = make_table(z, {"X": x, "U": -x})
    kernel = version(closed.sum_rows, which)
    sample = sample_of(table)
    one = kernel(table.view, np.array([1], np.int32), sample.ids, 2)
    assert one.tolist() == [[1e9 + 5, 4, 16], [1e9 + 3, 4, 10]]
    two = kernel(table.view, np.array([1, 2], np.int32), sample.ids, 2)
    assert two[1].tolist() == [1e9 + 3, -1e9 - 3, 4, -4, 10, -10, 10]
    whole = kernel(table.view, np.array([1, 2, 1], np.int32), sample.ids[:0], 1)
    assert whole[0].tolist() == [1e9 + 3, -1e9 - 3, 1e9 + 3, 12, -12, 12, 50, -50, 50, 50, -50, 50]


@pytest.mark.parametrize("parents", [(), (1,), (1, 2)])
def test_a_first_row_far_from_the_others(parents):
    """Sums about it have no digits left, so the cell is fitted by QR."""
    table = noisy(5000, 4, 2)
    for column in table.columns[1:]:
        column.values[0] += 1e9
    sample = sample_of(table)
    fits, wanted = np.zeros((2, 2 * len(parents) + 3)), np.ones(2, np.int32)
    at = np.array([*parents, 4], np.int32)
    left = closed.fit_closed(table.view, at, sample.ids, sample.counts, True, wanted, fits)
    assert left == 1
    assert wanted[sample.ids[0]] == 1
    assert score(table, parents, True) == pytest.approx(score(table, parents, False), rel=1e-12)


@pytest.mark.parametrize("which", BOTH)
def test_the_expressions_of_the_paper(which):
    """Section 4.1, with VAR(X_j) in the slope and COV(X_j, X_k) squared in the denominator."""
    rng = np.random.default_rng(0)
    j, k = rng.normal(size=(2, 90)) * [[2.0], [0.5]]
    i = 3.0 + j - 4.0 * k + 0.1 * rng.normal(size=90)
    table = make_table(np.zeros(90, int), {"J": j, "K": k, "I": i})
    nothing = sample_of(table).ids[:0]
    cov = np.cov([i, j, k])

    def fit(parents):
        fits, wanted = np.zeros((1, 2 * len(parents) + 3)), np.ones(1, np.int32)
        at = np.array([*parents, 3], np.int32)
        left = version(closed.fit_closed, which)(table.view, at, nothing, np.array([90]), False, wanted, fits)
        assert left == wanted[0] == 0
        return fits[0]

    assert fit([1])[2] == pytest.approx(cov[0, 1] / cov[1, 1], rel=1e-13)
    d = cov[1, 1] * cov[2, 2] - cov[1, 2] ** 2
    of_j = (cov[2, 2] * cov[0, 1] - cov[1, 2] * cov[0, 2]) / d
    of_k = (cov[1, 1] * cov[0, 2] - cov[1, 2] * cov[0, 1]) / d
    found = fit([1, 2])
    np.testing.assert_allclose(found[3:5], [of_j, of_k], rtol=1e-12)
    intercept = found[2] + found[5] - found[3] * found[0] - found[4] * found[1]
    assert intercept == pytest.approx(i.mean() - of_j * j.mean() - of_k * k.mean(), rel=1e-12)
    residual = (i - i.mean()) - of_j * (j - j.mean()) - of_k * (k - k.mean())
    assert found[6] == pytest.approx((residual**2).sum(), rel=1e-11)
