"""Hostile numbers: exact and near collinearity, huge means, tiny cells; scores do not depend on the estimator."""

import itertools

import numpy as np
import pytest

from bnjit.data import read_table
from bnjit.options import ESTIMATORS
from bnjit.scores import make_scorer
from tests.comparison import local_score, local_scores
from tests.reference.mehra import sample_mehra


def compare_with_qr(scorers, node, sets, rel=1e-9):
    """Compare all estimators with QR; -> how many fits are singular."""
    values = {estimator: local_scores(scorer, node, sets) for estimator, scorer in scorers.items()}
    finite = np.isfinite(values["qr"])
    for estimator, ours in values.items():
        assert np.array_equal(np.isfinite(ours), finite), estimator
        np.testing.assert_allclose(ours[finite], values["qr"][finite], rtol=rel, err_msg=estimator)
    return int((~finite).sum())


def scorers(table, score="loglik", test=None):
    return {estimator: make_scorer(table, score, estimator, test) for estimator in ESTIMATORS}


@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-2])
def test_collinear_regressors(noise):
    rng = np.random.default_rng(1)
    n = 2000
    a, b, e = rng.normal(size=(3, n))
    table = read_table(
        {"A": a, "B": b, "C": a + b + noise * e, "D": a + noise * e[::-1], "Y": a - b + rng.normal(size=n)}
    )
    sets = [s for p in range(5) for s in itertools.combinations(range(4), p)]
    assert compare_with_qr(scorers(table), 4, sets) == 0


@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-2])
def test_node_that_its_parents_determine(noise):
    rng = np.random.default_rng(2)
    n = 2000
    a, b, e = rng.normal(size=(3, n))
    table = read_table({"A": a, "B": b, "C": 3 * a - b + noise * e, "Z": rng.integers(0, 3, n).astype(str)})
    sets = [s for p in range(4) for s in itertools.combinations([0, 1, 3], p)]
    singular = compare_with_qr(scorers(table), 2, sets)
    assert singular == (2 if noise < 1e-8 else 0 if noise > 2e-8 else singular)


@pytest.mark.parametrize("order", list(itertools.permutations("DWXY")), ids="".join)
def test_a_parent_without_variance_in_a_configuration(order):
    """The other one is not dropped with it, in whatever order the columns are, and all but determines the node."""
    rng = np.random.default_rng(4)
    n = 400
    d, x, w = rng.integers(0, 3, n), rng.normal(size=n), rng.normal(size=n)
    columns = {"D": d.astype(str), "W": np.where(d == 0, 2.0, w), "X": x, "Y": x + 1e-5 * rng.normal(size=n)}
    table = read_table({name: columns[name] for name in order})
    own, parents = table.index("Y"), sorted(table.index(name) for name in "DWX")
    for score in ("loglik", "cv"):
        ours, rows = (local_score(make_scorer(table, score, estimator, seed=1), own, parents)
                      for estimator in ("stats", "qr"))  # fmt: skip
        assert ours == pytest.approx(rows, rel=1e-9)
        assert ours > 3000  # without X some 1,000 less


@pytest.mark.parametrize("mean", [0.0, 1e4, 1e8])
def test_means_far_from_zero(mean):
    rng = np.random.default_rng(3)
    n = 3000
    z = rng.integers(0, 4, n)
    a = rng.normal(size=n) + mean * (z + 1)
    b = 0.5 * (a - mean * (z + 1)) + rng.normal(size=n) + mean
    table = read_table({"Z": z.astype(str), "A": a, "B": b, "C": rng.normal(size=n) - b / max(mean, 1.0)})
    assert (
        compare_with_qr(scorers(table), 2, [(), (0,), (1,), (0, 1), (0, 1, 3)], rel=1e-9 if mean < 1e6 else 1e-7) == 0
    )


def test_constant_regressor_inside_a_cell():
    rng = np.random.default_rng(4)
    n = 600
    z = rng.integers(0, 2, n)
    a = np.where(z == 0, 5.0, rng.normal(size=n))
    b, c = rng.normal(size=(2, n))
    table = read_table({"Z": z.astype(str), "A": a, "B": b, "C": c, "Y": a + b + rng.normal(size=n)})
    assert compare_with_qr(scorers(table), 4, [(0, 1), (0, 1, 2), (0, 1, 2, 3)]) == 0


def test_doubtful_fits_are_predicted_from_rows_too():
    rng = np.random.default_rng(6)
    n = 4000
    z = rng.integers(0, 3, n).astype(str)
    a, b, e = rng.normal(size=(3, n))
    table = read_table({"Z": z, "A": a, "B": a + 1e-3 * b, "Y": 2.0 * a + 1e-5 * e})
    train, test = table.take(np.arange(n) % 4 > 0), table.take(np.arange(n) % 4 == 0)
    sets = [(), (0,), (1,), (0, 1), (1, 2), (0, 1, 2)]
    assert compare_with_qr(scorers(train, "pred", test), 3, sets) == 0


def test_airline_is_exactly_collinear(shared):
    table = read_table(shared / "data" / "airline-sample.parquet")
    at = {name: i for i, name in enumerate(table.names)}
    four = [at[name] for name in ("actualElapsedTime", "airTime", "taxiIn", "taxiOut")]
    more = [at[name] for name in ("distance", "crsElapsedTime", "month")]
    estimators = scorers(table)
    for node in four:
        others = [v for v in four if v != node]
        sets = [(*s, *m) for p in range(1, 4) for s in itertools.combinations(others, p) for m in [(), *zip(more)]]
        assert compare_with_qr(estimators, node, sets) == 4  # all three others, with each further parent
    # As regressors they are singular, but the model is not.
    assert compare_with_qr(estimators, at["distance"], [tuple(four), (*four, at["month"])]) == 0


def mehra_sets(table, node, seed, count, most):
    """Random parent sets of a continuous node, from one to `most` parents, among them pure continuous ones."""
    rng = np.random.default_rng(seed)
    columns = [v for v in range(len(table.names)) if v != node]
    numbers = [v for v in table.continuous if v != node]
    sets = {()}
    for pool in (columns, numbers):
        for p in range(1, most + 1):
            sets |= {tuple(sorted(rng.choice(pool, p, replace=False).tolist())) for _ in range(count)}
    return sorted(sets)


def assert_estimators_agree_on_mehra(shared, n, count, most):
    table = read_table(sample_mehra(shared / "data" / "mehra-complete.rda", n, seed=1))
    cut = np.arange(n) < n * 3 // 4
    for score, both in (("loglik", (table, None)), ("pred", (table.take(cut), table.take(~cut)))):
        estimators = scorers(both[0], score, both[1])
        for node in table.continuous:
            compare_with_qr(estimators, node, mehra_sets(table, node, node, count, most))


def test_mehra(shared):
    assert_estimators_agree_on_mehra(shared, 50_000, 2, 4)


@pytest.mark.slow
def test_mehra_with_a_million_rows(shared):
    assert_estimators_agree_on_mehra(shared, 1_000_000, 4, 6)


@pytest.mark.parametrize(("offset", "spread", "residual"), [(1e8, 1.0, 1e-4), (1e9, 1e-3, 1e-3), (-3e7, 10.0, 1.0)])
def test_large_offsets_cost_no_digits(offset, spread, residual):
    """Residuals are small against the values, and exact all the same: all estimators agree."""
    rng = np.random.default_rng(3)
    x = offset + spread * rng.normal(size=400)
    y = 0.9 * offset + 0.8 * (x - offset) + residual * rng.normal(size=400)
    table = read_table({"x": x, "y": y})
    centred = [np.float64(v) for v in (x - offset, y - 0.9 * offset)]
    design = np.column_stack([np.ones(400), centred[0] - centred[0].mean()])
    coefficients, *_ = np.linalg.lstsq(design, centred[1] - centred[1].mean(), rcond=None)
    rss = float(np.sum((centred[1] - centred[1].mean() - design @ coefficients) ** 2))
    expected = -0.5 * 400 * np.log(2 * np.pi * rss / 398) - 0.5 * 398
    for estimator in ESTIMATORS:
        assert local_score(make_scorer(table, "loglik", estimator), 1, (0,)) == pytest.approx(expected, rel=1e-11)
