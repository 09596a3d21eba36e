"""Kernels of the paper's estimators, closed forms and QR, against plain loops on awkward rows."""

import math

import numpy as np
import pytest

from bnjit._jit import threads
from bnjit.data import Column, Table
from bnjit.kernels import closed as closed_forms
from bnjit.kernels import estimators, rows
from bnjit.kernels.cgaussian import Rule
from bnjit.scores import make_scorer
from bnjit.stats.collect import membership
from tests.reference import naive

BOTH = ["compiled", "python"]


def make_table(z, numbers, dtype=np.float64):
    """One discrete column Z and continuous ones."""
    z = np.asarray(z)
    codes = Column(z.astype(np.uint8), tuple(map(str, range(int(z.max()) + 1))))
    names = ["Z", *numbers]
    return Table(names, [codes, *(Column(np.asarray(x, dtype), None) for x in numbers.values())])


def sample_of(table, variables=(0,)):
    found = membership(table, variables)
    counts = np.bincount(found.ids) if variables else np.array([table.n])
    return estimators.Sample(table.view, found.ids, counts)


def score(table, parents, closed, in_cells=True, test=None, cells=None):
    """Score of the last column."""
    train = sample_of(table, (0,) if in_cells else ())
    scored = train if test is None else sample_of(test, (0,) if in_cells else ())
    cells = np.arange(len(train.counts)) if cells is None else np.array(cells)
    which = np.array([*parents, len(table.names) - 1], np.int32)
    return estimators.estimate(train, scored, cells, which, closed, Rule(test is not None, in_cells))


def plain(table):
    """The same table as the plain loops take it."""
    return {
        name: (column.values.tolist(), len(column.labels)) if column.labels else column.values.astype(float).tolist()
        for name, column in zip(table.names, table.columns, strict=True)
    }


def expected(table, parents, in_cells=True, test=None):
    names = [*(["Z"] if in_cells else []), *(table.names[v] for v in parents)]
    kind = "loglik" if test is None else "pred"
    return naive.local_score(plain(table), table.names[-1], names, kind, None if test is None else plain(test))


def noisy(n, seed, levels, offset=0.0, spread=1.0):
    """Rows whose last column depends on the others, about a large offset."""
    rng = np.random.default_rng(seed)
    z = rng.permutation(np.arange(n) % levels)
    a, b, c = offset + spread * (rng.normal(size=(3, n)) + z)
    y = offset + 0.5 * (a - offset) - (b - offset) + 0.2 * (c - offset) + spread * rng.normal(size=n)
    return make_table(z, {"A": a, "B": b, "C": c, "Y": y})


@pytest.mark.parametrize("parents", [(), (1,), (1, 2), (1, 2, 3)])
@pytest.mark.parametrize("in_cells", [True, False])
def test_estimates(parents, in_cells):
    table, test = noisy(300, 1, 4), noisy(80, 2, 4)
    for closed in {False, len(parents) <= 2}:
        assert score(table, parents, closed, in_cells) == pytest.approx(expected(table, parents, in_cells), rel=1e-11)
        ours = score(table, parents, closed, in_cells, test)
        assert ours == pytest.approx(expected(table, parents, in_cells, test), rel=1e-11)


@pytest.mark.parametrize("which", BOTH)
def test_sums_are_about_the_first_row_of_a_cell(which):
    z = [1, 0, 1, 1, 0]
    x = 1e9 + np.array([3.0, 5.0, 4.0, 6.0, 9.0])
    table = make_table(z, {"X": x, "U": -x})
    kernel = closed_forms.sum_rows if which == "compiled" else closed_forms.sum_rows.py_func
    sample = sample_of(table)
    one = kernel(table.view, np.array([1], np.int32), sample.ids, 2)
    assert one.tolist() == [[1e9 + 5, 4, 16], [1e9 + 3, 4, 10]]
    two = kernel(table.view, np.array([1, 2], np.int32), sample.ids, 2)
    assert two[1].tolist() == [1e9 + 3, -1e9 - 3, 4, -4, 10, -10, 10]
    whole = kernel(table.view, np.array([1, 2, 1], np.int32), sample.ids[:0], 1)
    assert whole[0].tolist() == [1e9 + 3, -1e9 - 3, 1e9 + 3, 12, -12, 12, 50, -50, 50, 50, -50, 50]


@pytest.mark.parametrize("parents", [(), (1,), (1, 2)])
def test_large_offsets(parents):
    """Values of 1e8 with deviations of 1e-3: what doubles keep of them, both estimators see."""
    table = noisy(3000, 3, 3, offset=1e8, spread=1e-3)
    centred = [x.values - 1e8 for x in table.columns[1:]]  # exact
    near = make_table(table.columns[0].values, dict(zip("ABCY", centred, strict=True)))
    for closed in (True, False):
        assert score(table, parents, closed) == pytest.approx(score(near, parents, False), rel=1e-9)


@pytest.mark.parametrize("parents", [(), (1,), (1, 2)])
def test_a_first_row_far_from_the_others(parents):
    """Sums about it have no digits left, so the cell is fitted by QR."""
    table = noisy(5000, 4, 2)
    for column in table.columns[1:]:
        column.values[0] += 1e9
    sample = sample_of(table)
    fits, wanted = np.zeros((2, 2 * len(parents) + 3)), np.ones(2, np.int32)
    at = np.array([*parents, 4], np.int32)
    left = closed_forms.fit_closed(table.view, at, sample.ids, sample.counts, True, wanted, fits)
    assert left == 1
    assert wanted[sample.ids[0]] == 1
    assert score(table, parents, True) == pytest.approx(score(table, parents, False), rel=1e-12)


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
    """What counts alone rule out, for every estimator."""
    rng = np.random.default_rng(7)
    z = np.array([0] * 40 + [1] * 3 + [2])
    table = make_table(z, {"A": rng.normal(size=44), "Y": rng.normal(size=44)})
    train, test = table.take(z < 2), table.take(z > 0)
    for estimator in ("qr", "1p", "2p"):
        assert make_scorer(table, "loglik", estimator).local_scores(2, [(0,), (0, 1)]).tolist() == [-math.inf] * 2
        assert math.isfinite(make_scorer(train, "loglik", estimator).local_score(2, (0, 1)))
        values = make_scorer(train, "pred", estimator, test).local_scores(2, [(), (0,)])
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
    estimators._fit_in_place(sample, at, True, np.ones(m, np.int32), n, one)
    estimators._fit_in_parts(sample, at, True, 40_000, other)
    np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
    cell = 3
    own = sample.ids == cell
    design = np.column_stack([np.ones(own.sum()), *(c.values[own].astype(float) for c in table.columns[1:5])])
    beta, rss, *_ = np.linalg.lstsq(design, table.columns[5].values[own].astype(float), rcond=None)
    np.testing.assert_allclose(one[cell, 5:9], beta[1:], rtol=1e-9)
    assert one[cell, 10] == pytest.approx(rss[0], rel=1e-10)


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("lengths", [(1, 1, 1, 1), (40,), (7, 33, 2)])
def test_triangle_of_blocks(which, lengths):
    """Blocks reflected one after the other make the triangle of all rows."""
    kernel = rows.reflect_block if which == "compiled" else rows.reflect_block.py_func
    rng = np.random.default_rng(9)
    x = rng.normal(size=(3, sum(lengths)))
    R, first = np.zeros((4, 4)), 0
    for length in lengths:
        B = np.full((3, rows.BLOCK), np.nan)
        B[:, :length] = x[:, first : first + length]
        kernel(R, B, length, np.array([0.0, *B[:, :length].sum(axis=1)]))
        first += length
    design = np.vstack([np.ones(x.shape[1]), x])
    np.testing.assert_allclose(np.triu(R.T).T @ np.triu(R.T), design @ design.T, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("estimator", ["qr", "1p", "2p"])
def test_threads_and_the_batch_change_no_digit(estimator):
    table, test = noisy(90_000, 10, 7), noisy(30_000, 11, 7)
    sets = [(), (0,), (1,), (0, 1), (1, 2), (0, 1, 2), (0, 1, 2, 3)]
    for arguments in ((table, "loglik", estimator), (table, "pred", estimator, test)):
        alone = [make_scorer(*arguments).local_score(4, s) for s in sets]
        for n_threads in (1, 2):
            with threads(n_threads):
                assert make_scorer(*arguments).local_scores(4, sets).tolist() == alone
