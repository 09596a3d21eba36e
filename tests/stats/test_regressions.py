"""Where regressions leave little of a column, moments must not lose the digits of what is left."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bnjit.data import Column, Table, read_table
from bnjit.options import BIC
from bnjit.scores import Scorer, make_scorer
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.penalty import Penalty
from bnjit.stats.opening import make_store
from bnjit.stats.parent_sets import batch_of, make_sets
from bnjit.stats.regressions import NodeSets, Refits
from bnjit.stats.residuals import Essential
from tests.comparison import local_score, local_scores


def hostile_table(n: int, seed: int) -> pd.DataFrame:
    """A column that its parents say to eight digits, with slopes by configuration, far from zero."""
    rng = np.random.default_rng(seed)
    z, w = rng.integers(0, 4, n), rng.integers(0, 3, n)
    a, b, c = rng.normal(size=(3, n))
    y = 1e6 + np.array([3e4, -2e4, 5e4, 1e4])[z] * a + 1e3 * b + 1e-4 * (c + w) * rng.normal(size=n)
    return pd.DataFrame({
        "Z": pd.Categorical(z), "W": pd.Categorical(w), "A": a + 1e3, "B": b, "C": c, "Y": y,
    })  # fmt: skip


def scorer_by_residuals(table: Table, test: Table | None = None, many_rows: float = 0.0) -> tuple[Scorer, Refits]:
    """BIC, or the predictive score of test rows, that takes residuals after so many times all rows."""
    store, other = make_store(table), None if test is None else make_store(test, constants=True)
    refits = Refits(store, other, many_rows=many_rows)
    penalty = Penalty(store, BIC()) if test is None else None
    return Scorer(store, (FromCells(store, other, refits=refits), None), penalty, equivalent=False), refits


@pytest.mark.parametrize("score", ["bic", "pred"])
@pytest.mark.parametrize("times", [0, 1e9])
def test_residuals_equal_rows(score, times):
    """Used at once, or never: the scores are those of QR on the rows."""
    table = read_table(hostile_table(4000, 1))
    test = read_table(hostile_table(1500, 2)) if score == "pred" else None
    (ours, refits), rows = scorer_by_residuals(table, test, times), make_scorer(table, score, "qr", test)
    node = table.index("Y")
    sets = [s for size in range(6) for s in itertools.combinations(range(5), size)]
    for batch in (sets[::2], sets, sets[::-1]):
        np.testing.assert_allclose(local_scores(ours, node, batch), local_scores(rows, node, batch), rtol=1e-9)
    assert bool(refits.nodes_by_residuals) == (times == 0)


def test_scores_do_not_depend_on_the_batch_once_residuals_are_used():
    table = read_table(hostile_table(3000, 3))
    scorer, _ = scorer_by_residuals(table)
    node = table.index("Y")
    sets = [(0, 2, 3), (0, 1, 2, 3), (0, 2, 3, 4), (0, 2)]
    local_scores(scorer, node, sets)
    together = local_scores(scorer, node, sets)
    assert [local_score(scorer, node, s) for s in sets] == together.tolist()


@pytest.mark.parametrize("score", ["bic", "pred"])
def test_parents_that_are_dropped_are_not_taken_off(score):
    """A parent far from zero is singular beside two others, and a copy beside the first: rows decide, not residuals."""
    rng = np.random.default_rng(4)
    z = rng.integers(0, 2, 2000)
    a, b, u = rng.normal(size=(3, 2000))
    y = u + 1e-4 * (a + b + rng.normal(size=2000))
    columns = {"U": 1e7 + 1e-3 * u, "A": a, "B": b, "Copy": u + 3e-5 * rng.normal(size=2000), "V": u, "Y": y}
    table = read_table(pd.DataFrame({"Z": pd.Categorical(z), **columns}))
    test = table.take(np.arange(500)) if score == "pred" else None
    (ours, _), rows = scorer_by_residuals(table, test), make_scorer(table, score, "qr", test)
    node = table.index("Y")
    for s in [(1,), (1, 2), (1, 2, 3), (0, 1, 2, 3), (5,), (4, 5), (0, 4, 5), (2, 4, 5)]:
        one, _ = scorer_by_residuals(table, test)
        local_score(one, node, (s[-1],) if 5 in s else (1,))
        expected = local_score(rows, node, s)
        np.testing.assert_allclose([local_score(ours, node, s), local_score(one, node, s)], expected, rtol=1e-9)


def test_parents_that_are_dropped_take_nothing_with_them():
    """A parent may count for a regression on it alone, and be singular beside two others."""
    rng = np.random.default_rng(4)
    n = 400
    group = rng.integers(0, 2, n).astype(np.uint8)
    noise, v, w = rng.normal(size=(3, n))
    u = np.where(group == 0, 1e6 + 1e-3 * noise, noise)
    y = np.where(group == 0, 1e4 * (u - 1e6), 3 * u) + v + w + 1e-3 * rng.normal(size=n)
    columns = [Column(group, ("a", "b")), *(Column(x, None) for x in (u, v, w, y))]
    scorer = FromCells(make_store(Table(list("guvwy"), columns)))
    batch = batch_of(4, make_sets([(0, 1, 2, 3), (0, 1), (0, 1, 2)]))
    expected = scorer.local_scores(batch)
    everything = NodeSets(4, scorer.refits.base, np.arange(3), batch.sets)
    scorer.refits.by_residuals([(everything, Essential((1,), (0,)))])
    assert [some.view.depth for some in scorer.refits.divide(batch)] == [1]
    np.testing.assert_allclose(scorer.local_scores(batch), expected, rtol=1e-9)
