"""Residuals in place of a column, of rows in memory and of chunks that travel."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.data import read_table
from bnjit.data.source import derive
from bnjit.stats import Request
from bnjit.stats.collect import membership
from bnjit.stats.opening import make_store
from bnjit.stats.parent_sets import make_sets
from bnjit.stats.residuals import CommonParents, Residuals, common_parents, residual_stores
from tests.stats.forms import in_chunks
from tests.stats.readers.by_numpy import assert_cells_by_numpy, replaced_rows
from tests.stats.rows import grouped_rows


def test_residuals_travel():
    table = grouped_rows()
    compute = Residuals((1, 3), np.array([0, 1, 2]), np.zeros((3, 2)), np.array([[1.0], [2.0], [3.0]]))
    again = pickle.loads(pickle.dumps(compute))
    expected = table.columns[3].values - (1.0 + table.columns[0].values) * table.columns[1].values
    np.testing.assert_allclose(again(table, membership(table, (0,))), expected, rtol=1e-12)
    assert derive((), 0, table) is table


def noisy_rows(n, seed, groups=3):
    """A column that two others say, with slopes by group."""
    rng = np.random.default_rng(seed)
    g = rng.integers(0, groups, n)
    a, b = rng.normal(size=(2, n))
    y = 1e3 + (1.0 + g) * a - b + 0.1 * rng.normal(size=n)
    return read_table({"g": np.array(list("abcd"))[g], "a": a + 5.0, "y": y, "b": b})


def residuals_by_numpy(train, rows, parents, by_group):
    """Centred by the means of training, less the slopes of training, group by group."""
    out = np.empty(rows.n)
    for group in range(3) if by_group else [None]:
        fitted, scored = ((t.columns[0].values == group) if by_group else np.ones(t.n, bool) for t in (train, rows))
        X = np.stack([train.columns[j].values[fitted] for j in parents], axis=1)
        y = train.columns[2].values[fitted]
        slopes = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
        new = np.stack([rows.columns[j].values[scored] for j in parents], axis=1)
        out[scored] = rows.columns[2].values[scored] - y.mean() - (new - X.mean(axis=0)) @ slopes
    return out


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("parents", "by_group"), [((1,), False), ((1, 3), False), ((1, 3), True), ((3,), True)])
def test_residuals_against_least_squares(parents, by_group, chunked):
    """Training rows and test rows both get the residuals of the fit to training rows."""
    train, test = noisy_rows(400, 1), noisy_rows(90, 2)
    stores = [make_store(rows if not chunked else in_chunks(batches_of(rows), 37)) for rows in (train, test)]
    ours = residual_stores(*stores, 2, CommonParents(parents, (0,) if by_group else ()))
    for store, rows in zip(ours, (train, test), strict=True):
        expected = replaced_rows(rows, 2, residuals_by_numpy(train, rows, parents, by_group))
        assert_cells_by_numpy(store.whole, expected, (), rows.continuous)
        assert_cells_by_numpy(store.get([Request((0,), (1, 2))])[0], expected, (0,), (1, 2))
    assert residual_stores(stores[0], None, 2, CommonParents(parents, ()))[1] is None


def batches_of(table):
    columns = {
        name: np.array(c.labels)[c.values] if c.labels is not None else c.values
        for name, c in zip(table.names, table.columns, strict=True)
    }
    return lambda: pa.table(columns).to_batches(max_chunksize=29)


@given(sets=st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=6))
def test_parents_that_all_sets_have(sets):
    kinds = [True, False, True, False, False, True]
    found = common_parents(make_sets([sorted(s) for s in sets]), kinds)
    common = set.intersection(*sets)
    assert found == (tuple(sorted(common & {1, 3, 4})), tuple(sorted(common & {0, 2, 5})))
    some = CommonParents((3,), (0,))
    assert some.within(make_sets([sorted(s) for s in sets])).tolist() == [{0, 3} <= s for s in sets]
    assert some.request(1) == ((0,), (1, 3))
