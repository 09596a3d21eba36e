"""The paper's estimators, closed forms and QR, against plain loops on awkward rows."""

import math

import numpy as np
import pytest

from bnjit._threads import threads
from bnjit.kernels import estimators
from bnjit.kernels.rules import Rule
from bnjit.scores import make_scorer
from tests.comparison import local_score, local_scores
from tests.kernels.estimates import expected, make_table, noisy, sample_of, score


@pytest.mark.parametrize("parents", [(), (1,), (1, 2), (1, 2, 3)])
@pytest.mark.parametrize("in_cells", [True, False])
def test_estimates(parents, in_cells):
    table, test = noisy(300, 1, 4), noisy(80, 2, 4)
    for closed in {False, len(parents) <= 2}:
        assert score(table, parents, closed, in_cells) == pytest.approx(expected(table, parents, in_cells), rel=1e-11)
        ours = score(table, parents, closed, in_cells, test)
        assert ours == pytest.approx(expected(table, parents, in_cells, test), rel=1e-11)


@pytest.mark.parametrize(("parents", "closed"), [((), True), ((1, 2), True), ((1, 2, 3), False)])
def test_compiled_and_python_agree(parents, closed):
    tables = noisy(300, 1, 4), noisy(80, 2, 4)  # which keep alive what the samples point to
    train, test = map(sample_of, tables)
    which = np.array([*parents, 4], np.int32)
    for scored in (train, test):
        arguments = train, scored, np.arange(4), which, closed, Rule(scored is test, in_cells=True)
        python = estimators.estimate.py_func(*arguments)
        assert python == pytest.approx(estimators.estimate(*arguments), rel=1e-13)


@pytest.mark.parametrize("parents", [(), (1,), (1, 2)])
def test_large_offsets(parents):
    """Values of 1e8 with deviations of 1e-3: what doubles keep of them, both estimators see."""
    table = noisy(3000, 3, 3, offset=1e8, spread=1e-3)
    centred = [x.values - 1e8 for x in table.columns[1:]]  # exact
    near = make_table(table.columns[0].values, dict(zip("ABCY", centred, strict=True)))
    for closed in (True, False):
        assert score(table, parents, closed) == pytest.approx(score(near, parents, False), rel=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("parents", [(1,), (2,), (1, 2), (2, 3), (1, 2, 3)])
def test_constant_and_collinear_parents(dtype, parents):
    rng = np.random.default_rng(5)
    z = np.arange(400) % 3
    a = np.where(z == 1, 7.0, rng.normal(size=400)).astype(dtype)
    b = np.where(z == 2, 2.0 * a, rng.normal(size=400)).astype(dtype)
    table = make_table(z, {"A": a, "B": b, "C": rng.normal(size=400), "Y": a + b + rng.normal(size=400)}, dtype)
    for closed in {False, len(parents) <= 2}:
        assert score(table, parents, closed) == pytest.approx(expected(table, parents), rel=1e-9)


def test_node_that_is_constant_in_a_cell():
    rng = np.random.default_rng(6)
    z = np.arange(90) % 3
    table = make_table(z, {"A": rng.normal(size=90), "Y": np.where(z == 1, 4.0, rng.normal(size=90))})
    for closed in (True, False):
        assert score(table, (), closed) == score(table, (1,), closed) == -math.inf
        # Nobody is scored there: the cell does not count.
        some = table.take(z != 1)
        assert math.isfinite(score(table, (1,), closed, test=some, cells=[0, 2]))


def test_one_row_in_a_cell_and_unseen_cells():
    """What counts alone rule out, for every method."""
    rng = np.random.default_rng(7)
    z = np.array([0] * 40 + [1] * 3 + [2])
    table = make_table(z, {"A": rng.normal(size=44), "Y": rng.normal(size=44)})
    train, test = table.take(z < 2), table.take(z > 0)
    for estimator in ("qr", "1p", "2p"):
        assert local_scores(make_scorer(table, "loglik", estimator), 2, [(0,), (0, 1)]).tolist() == [-math.inf] * 2
        assert math.isfinite(local_score(make_scorer(train, "loglik", estimator), 2, (0, 1)))
        values = local_scores(make_scorer(train, "pred", estimator, test), 2, [(), (0,)])
        assert math.isfinite(values[0])
        assert values[1] == -math.inf


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("levels", [5, 200])
def test_sorted_in_parts_and_in_place(dtype, levels):
    """Both ways to bring the rows of a cell together give its triangle, whatever the parts."""
    rng = np.random.default_rng(8)
    n = 150_000
    z = rng.integers(0, levels, n)
    x = rng.normal(size=(5, n))
    table = make_table(z, dict(zip("ABCDE", x, strict=True)), dtype)
    sample, at = sample_of(table), np.array([1, 2, 3, 4, 5], np.int32)
    m = len(sample.counts)
    one, other = np.zeros((m, 11)), np.zeros((m, 11))
    estimators._fit_in_place(sample, at, True, np.ones(m, np.int32), one)
    estimators._fit_in_parts(sample, at, True, 40_000, other)
    np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
    cell = 3
    own = sample.ids == cell
    design = np.column_stack([np.ones(own.sum()), *(c.values[own].astype(float) for c in table.columns[1:5])])
    beta, rss, *_ = np.linalg.lstsq(design, table.columns[5].values[own].astype(float), rcond=None)
    np.testing.assert_allclose(one[cell, 5:9], beta[1:], rtol=1e-9)
    assert one[cell, 10] == pytest.approx(rss[0], rel=1e-10)


@pytest.mark.parametrize("estimator", ["qr", "1p", "2p"])
def test_threads_and_the_batch_change_no_digit(estimator):
    table, test = noisy(90_000, 10, 7), noisy(30_000, 11, 7)
    sets = [(), (0,), (1,), (0, 1), (1, 2), (0, 1, 2), (0, 1, 2, 3)]
    for arguments in ((table, "loglik", estimator), (table, "pred", estimator, test)):
        alone = [local_score(make_scorer(*arguments), 4, s) for s in sets]
        for n_threads in (1, 2):
            with threads(n_threads):
                assert local_scores(make_scorer(*arguments), 4, sets).tolist() == alone


@pytest.mark.parametrize(("parents", "closed"), [((1,), True), ((1,), False), ((1, 2, 3), False)])
def test_a_cell_that_its_parents_nearly_explain(parents, closed):
    """There the triangle has too few digits; the residuals of that cell's rows are summed, and no others."""
    rng = np.random.default_rng(12)

    def rows(n):
        z = np.arange(n) % 20
        a, b, c, noise = rng.normal(size=(4, n))
        return make_table(z, {"A": a, "B": b, "C": c, "Y": np.where(z == 7, 2.0 * a + 1e-5 * noise, a + noise)})

    table, test = rows(4000), rows(1000)
    ours = score(table, parents, closed, test=test)
    assert ours == pytest.approx(expected(table, parents, test=test), rel=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_residuals_of_some_cells_are_those_of_all(dtype):
    table = noisy(6000, 13, 12)
    table = make_table(
        table.columns[0].values, dict(zip("ABCY", (c.values for c in table.columns[1:]), strict=True)), dtype
    )
    sample, at = sample_of(table), np.array([1, 2, 3, 4], np.int32)
    fits = np.zeros((12, 9))
    estimators._fit_in_place(sample, at, True, np.ones(12, np.int32), fits)
    every, some = fits.copy(), fits.copy()
    every[:, 8] = some[:, 8] = -1.0
    estimators._fit_residuals(sample, at, np.ones(12, np.int32), every)
    wanted = np.array([0, 1] + 10 * [0], np.int32)
    estimators._fit_residuals(sample, at, wanted, some)
    assert some[1, 8] == pytest.approx(every[1, 8], rel=1e-13)
    assert every[1, 8] == pytest.approx(fits[1, 8], rel=1e-10)
    assert (np.delete(some[:, 8], 1) == -1.0).all()
