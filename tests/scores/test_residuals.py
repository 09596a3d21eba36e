"""Scores by residuals: where regressions leave little of a column, moments must not lose the digits of what is left."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bnjit.data import Column, Table, read_table
from bnjit.scores import cgaussian, make_scorer
from bnjit.scores.batch import at_once, make_sets
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.residuals import Essential
from bnjit.stats import Store


def hostile_table(n: int, seed: int) -> pd.DataFrame:
    """A column that its parents say to eight digits, with slopes by configuration, far from zero."""
    rng = np.random.default_rng(seed)
    z, w = rng.integers(0, 4, n), rng.integers(0, 3, n)
    a, b, c = rng.normal(size=(3, n))
    y = 1e6 + np.array([3e4, -2e4, 5e4, 1e4])[z] * a + 1e3 * b + 1e-4 * (c + w) * rng.normal(size=n)
    return pd.DataFrame({
        "Z": pd.Categorical(z), "W": pd.Categorical(w), "A": a + 1e3, "B": b, "C": c, "Y": y,
    })  # fmt: skip


@pytest.mark.parametrize("score", ["bic", "pred"])
@pytest.mark.parametrize("times", [0, 1e9])
def test_residuals_equal_rows(monkeypatch, score, times):
    """Used at once, or never: the scores are those of QR on the rows."""
    monkeypatch.setattr(cgaussian, "MANY_ROWS", times)
    table = read_table(hostile_table(4000, 1))
    test = read_table(hostile_table(1500, 2)) if score == "pred" else None
    ours, rows = (make_scorer(table, score, estimator, test) for estimator in ("stats", "qr"))
    node = table.index("Y")
    sets = [s for size in range(6) for s in itertools.combinations(range(5), size)]
    for batch in (sets[::2], sets, sets[::-1]):
        np.testing.assert_allclose(ours.local_scores(node, batch), rows.local_scores(node, batch), rtol=1e-9)
    assert bool(ours._continuous._by_residuals) == (times == 0)


def test_scores_do_not_depend_on_the_batch_once_residuals_are_used(monkeypatch):
    monkeypatch.setattr(cgaussian, "MANY_ROWS", 0)
    table = read_table(hostile_table(3000, 3))
    scorer = make_scorer(table, "bic")
    node = table.index("Y")
    sets = [(0, 2, 3), (0, 1, 2, 3), (0, 2, 3, 4), (0, 2)]
    scorer.local_scores(node, sets)
    together = scorer.local_scores(node, sets)
    assert [scorer.local_score(node, s) for s in sets] == together.tolist()


@pytest.mark.parametrize("score", ["bic", "pred"])
def test_parents_that_are_dropped_are_not_taken_off(monkeypatch, score):
    """A parent far from zero is singular beside two others, and a copy beside the first: rows decide, not residuals."""
    monkeypatch.setattr(cgaussian, "MANY_ROWS", 0)
    rng = np.random.default_rng(4)
    z = rng.integers(0, 2, 2000)
    a, b, u = rng.normal(size=(3, 2000))
    y = u + 1e-4 * (a + b + rng.normal(size=2000))
    columns = {"U": 1e7 + 1e-3 * u, "A": a, "B": b, "Copy": u + 3e-5 * rng.normal(size=2000), "V": u, "Y": y}
    table = read_table(pd.DataFrame({"Z": pd.Categorical(z), **columns}))
    test = table.take(np.arange(500)) if score == "pred" else None
    ours, rows = (make_scorer(table, score, estimator, test) for estimator in ("stats", "qr"))
    node = table.index("Y")
    for s in [(1,), (1, 2), (1, 2, 3), (0, 1, 2, 3), (5,), (4, 5), (0, 4, 5), (2, 4, 5)]:
        one = make_scorer(table, score, "stats", test)
        one.local_score(node, (s[-1],) if 5 in s else (1,))
        expected = rows.local_score(node, s)
        np.testing.assert_allclose([ours.local_score(node, s), one.local_score(node, s)], expected, rtol=1e-9)


def test_parents_that_are_dropped_take_nothing_with_them():
    """A parent may count for a regression on it alone, and be singular beside two others."""
    rng = np.random.default_rng(4)
    n = 400
    group = rng.integers(0, 2, n).astype(np.uint8)
    noise, v, w = rng.normal(size=(3, n))
    u = np.where(group == 0, 1e6 + 1e-3 * noise, noise)
    y = np.where(group == 0, 1e4 * (u - 1e6), 3 * u) + v + w + 1e-3 * rng.normal(size=n)
    columns = [Column(group, ("a", "b")), *(Column(x, None) for x in (u, v, w, y))]
    scorer = FromCells(Store(Table(list("guvwy"), columns)))
    sets = make_sets([(0, 1, 2, 3), (0, 1), (0, 1, 2)])
    expected = at_once(scorer.steps(4, sets))
    by_residuals = scorer._without(4, Essential((1,), (0,)))
    np.testing.assert_allclose(at_once(by_residuals.steps(4, sets)), expected, rtol=1e-9)
