"""Where regressions leave little of a column, moments must not lose the digits of what is left."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnjit.data import Column, Table, read_table
from bnjit.options import BIC
from bnjit.scores import Scorer, make_scorer
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.penalty import Penalty
from bnjit.stats import Request
from bnjit.stats.cell_scores import Likelihood
from bnjit.stats.opening import make_store
from bnjit.stats.parent_sets import batch_of, make_sets
from bnjit.stats.regressions import (
    Refits,
    Regression,
    fit_regressions,
    fit_smoothed,
    triangles_needed,
)
from bnjit.stats.residual_views import NodeSets
from bnjit.stats.residuals import CommonParents
from bnjit.stats.store import in_own_units
from bnjit.stats.triangles import nbytes_of
from bnjit.stats.tuning import TRIANGLE_COLUMNS
from tests.comparison import local_score, local_scores
from tests.stats.forms import in_chunks
from tests.stats.readers.by_numpy import keys_by_numpy


def hostile_table(n: int, seed: int) -> pd.DataFrame:
    """A column that its parents say to seven digits, with slopes by configuration, far from zero."""
    rng = np.random.default_rng(seed)
    z, w = rng.integers(0, 4, n), rng.integers(0, 3, n)
    a, b, c = rng.normal(size=(3, n))
    y = 1e6 + np.array([3e4, -2e4, 5e4, 1e4])[z] * a + 1e3 * b + 2e-3 * (c + w) * rng.normal(size=n)
    return pd.DataFrame({
        "Z": pd.Categorical(z), "W": pd.Categorical(w), "A": a + 1e3, "B": b, "C": c, "Y": y,
    })  # fmt: skip


def scorer_by_residuals(table: Table, test: Table | None = None, many_rows: float = 0.0) -> tuple[Scorer, Refits]:
    """BIC, or the predictive score of test rows, that takes residuals after so many times all rows."""
    store = in_own_units(make_store(table))
    other = None if test is None else in_own_units(make_store(test, constants=True), like=store)
    refits = Refits(store, other, many_rows=many_rows)
    penalty = Penalty(store, BIC()) if test is None else None
    return Scorer(store, (FromCells(store, other, refits=refits), None), penalty, equivalent=False, test=other), refits


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


def test_residuals_in_passes():
    """Where rows come in passes, triangles that are kept are no reason for residuals, but those that do not fit are."""
    rows = hostile_table(3000, 1)
    table = pa.Table.from_pandas(rows)
    node, sets = rows.columns.get_loc("Y"), [(0, 2), (0, 2, 3), (0, 2, 4), (0, 3), (0, 2, 3, 4)]
    expected = local_scores(make_scorer(read_table(rows), "bic", "qr"), node, sets)
    for room, used in ((1 << 20, False), (100, True)):
        scorer, refits = scorer_by_residuals(in_chunks(table.to_batches, 700), many_rows=3.0)
        scorer.store.cache.triangles.memory = room
        found = [local_score(scorer, node, parents) for parents in sets]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        assert bool(refits.nodes_by_residuals) == used


def test_triangles_of_few_among_many_columns_take_little_memory():
    """So that they are no reason for residuals."""
    rows = hostile_table(1500, 1)
    rows = rows.assign(**{f"N{i}": np.arange(1500.0) % (i + 2) for i in range(TRIANGLE_COLUMNS)})
    table = pa.Table.from_pandas(rows)
    node, parents = rows.columns.get_loc("Y"), (0, 1, 2, 3, 4)
    scorer, refits = scorer_by_residuals(in_chunks(table.to_batches, 700), many_rows=3.0)
    scorer.store.cache.triangles.memory = nbytes_of(12, len(parents))
    expected = local_score(make_scorer(read_table(rows), "bic", "qr"), node, parents)
    assert local_score(scorer, node, parents) == pytest.approx(expected, rel=1e-9)
    assert not refits.nodes_by_residuals


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
    scorer.refits.by_residuals([(everything, CommonParents((1,), (0,)))])
    assert [some.view.depth for some in scorer.refits.divide(batch)] == [1]
    np.testing.assert_allclose(scorer.local_scores(batch), expected, rtol=1e-9)


def regressions_by_numpy(table, node, parents, variables):
    """Coefficients, intercept first, and residual sums of squares of each cell by least squares on centred rows."""
    keys = keys_by_numpy(table, variables)
    for key in np.unique(keys):
        rows = keys == key
        X = np.empty((rows.sum(), len(parents)))
        for at, j in enumerate(parents):
            X[:, at] = table.columns[j].values[rows]
        y = table.columns[node].values[rows]
        slopes = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
        rest = y - y.mean() - (X - X.mean(axis=0)) @ slopes
        yield np.append(y.mean() - X.mean(axis=0) @ slopes, slopes), float(rest @ rest)


def assert_fits_by_numpy(fits, table, regression, rtol):
    """Assert that coefficients and residual sums of squares are those of least squares on the rows."""
    node, parents, cells = regression
    expected = list(regressions_by_numpy(table, node, parents, cells.variables))
    np.testing.assert_allclose(fits.coefficients, [coefficients for coefficients, _ in expected], rtol=rtol, atol=rtol)
    np.testing.assert_allclose(fits.rss, [rss for _, rss in expected], rtol=rtol)


def regression_of(store, node, parents, variables):
    columns = tuple(sorted((*parents, node)))
    (cells,) = store.get([Request(variables, columns)])
    return Regression(node, parents, cells.narrow(columns))


@pytest.mark.parametrize("variables", [(), (0,), (0, 1)])
@pytest.mark.parametrize("parents", [(), (3,), (3, 4), (2, 3, 4)])
def test_regressions_that_moments_vouch_for(parents, variables):
    rng = np.random.default_rng(1)
    n = 500
    z, w = rng.integers(0, 4, n), rng.integers(0, 3, n)
    a, b, c = rng.normal(size=(3, n))
    y = a - b + z * c + rng.normal(size=n)
    columns = {"Z": pd.Categorical(z), "W": pd.Categorical(w), "A": a, "B": b + a, "C": c, "Y": y}
    table = read_table(pd.DataFrame(columns))
    store = make_store(table)
    one = regression_of(store, 5, parents, variables)
    (fits,) = fit_regressions(store, [one])
    assert_fits_by_numpy(fits, table, one, rtol=1e-9)
    assert triangles_needed(store, [one]) == []
    smoothed = fit_smoothed(one)
    np.testing.assert_array_equal(smoothed.coefficients, fits.coefficients)
    np.testing.assert_array_equal(smoothed.rss, fits.rss)


def test_doubtful_regressions_are_fitted_from_triangles():
    """Several nodes and sets of variables at once; each cell is what least squares on its rows gives."""
    table = read_table(hostile_table(3000, 5))
    store = make_store(table)
    asked = [(5, (2, 3), (0,)), (5, (2, 3), (0, 1)), (5, (2, 3, 4), (0,)), (3, (4,), (1,)), (5, (2,), ())]
    regressions = [regression_of(store, *one) for one in asked]
    found = fit_regressions(store, regressions)
    for one, fits in zip(regressions, found, strict=True):
        assert_fits_by_numpy(fits, table, one, rtol=1e-5)
    needed = triangles_needed(store, regressions)
    assert {made.variables for made in needed} == {(0,), (0, 1)}
    for one, fits in zip(regressions[:3], found[:3], strict=True):
        rss = one.cells.narrow((5,)).crosses[:, 0]
        assert (fits.rss < 1e-10 * rss).all()  # moments of the column have no digits left for that


def test_rules_of_scores():
    fitted, held_out = Likelihood(predictive=False), Likelihood(predictive=True)
    assert fitted.rule(in_cells=False) == Likelihood(False, lenient=True).rule(in_cells=False)
    assert not fitted.rule(in_cells=True).predictive
    assert held_out.rule(in_cells=True).predictive
    assert held_out.rule(in_cells=True).in_cells
    assert not held_out.rule(in_cells=False).in_cells


def test_residuals_on_other_parents_take_the_place_of_those_before():
    """Each depth has one column of residuals, so that their number is bounded, and every set finds its own."""
    rng = np.random.default_rng(2)
    store = make_store(read_table({name: rng.normal(size=100) for name in "abcy"}))
    refits = Refits(store)
    batch = batch_of(3, make_sets([(0,), (1,), (0, 1), (2,)]))
    everything = NodeSets(3, refits.base, np.arange(4), batch.sets)
    for parent, expected in ((0, {0: 1, 2: 1}), (1, {1: 1, 2: 1})):
        refits.by_residuals([(everything, CommonParents((parent,), ()))])
        depth = {at: some.view.depth for some in refits.divide(batch) for at in some.at.tolist() if some.view.depth}
        assert depth == expected
