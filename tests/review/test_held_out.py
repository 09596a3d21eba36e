"""Predictions of rows that were held out, against loops over pandas."""

import numpy as np
import pytest

import bnjit
from bnjit.data.split import row_numbers
from bnjit.datasets import small_discrete, small_gaussian, small_mixed
from bnjit.errors import DataError
from bnjit.review.held_out import predict_held_out
from bnjit.review.tuning import MOST_TEST_ROWS


def by_name(found):
    return {one.name: one for one in found.predictions}


def test_gaussian_nodes_are_predicted_as_by_least_squares():
    table = small_gaussian().sample(2_000, seed=1)
    result = bnjit.learn(table)
    found = predict_held_out(result.dag, table, len(table), 0.25, 3)
    test = row_numbers(len(table), 3) < 0.25
    assert (found.n_train, found.n_test, found.n_dropped) == ((~test).sum(), test.sum(), 0)
    for name, one in by_name(found).items():
        parents = list(result.dag.pred[name])
        design = np.column_stack([np.ones(len(table)), *(table[p] for p in parents)])
        values = table[name].to_numpy()
        solution = np.linalg.lstsq(design[~test], values[~test], rcond=None)[0]
        left = ((values[test] - design[test] @ solution) ** 2).sum()
        total = ((values[test] - values[~test].mean()) ** 2).sum()
        assert one.parents == pytest.approx(1 - left / total, abs=1e-9)
        assert one.others >= one.parents - 0.01
        assert one.measure == "R²"


def test_discrete_nodes_are_predicted_as_by_counting():
    table = small_discrete().sample(2_000, seed=1).astype(str)
    result = bnjit.learn(table)
    found = predict_held_out(result.dag, table, len(table), 0.25, 3)
    test = row_numbers(len(table), 3) < 0.25
    for name, one in by_name(found).items():
        parents = list(result.dag.pred[name])
        usual = table[name][~test].value_counts().idxmax()
        assert one.baseline == (table[name][test] == usual).mean()
        groups = table[~test].groupby(parents)[name].agg(lambda s: s.value_counts().idxmax()) if parents else None
        guesses = [
            usual if groups is None else groups[tuple(row) if len(parents) > 1 else row[0]]
            for row in table[test][parents].itertuples(index=False)
        ]
        assert one.parents == pytest.approx((table[name][test] == guesses).mean())


def test_only_so_many_rows_are_predicted():
    table = small_mixed().sample(60_000, seed=1)
    found = predict_held_out(bnjit.learn(table).dag, table, len(table), 0.5, 1)
    assert found.n_test == MOST_TEST_ROWS
    assert found.n_train < 0.51 * len(table), "rows that are neither are not trained on"


def test_rows_with_gaps_are_left_out():
    table = small_mixed().sample(400, seed=1)
    table.loc[:99, "E"] = None
    table.loc[50:149, "A"] = None
    found = predict_held_out(small_mixed().dag, table, 400, 0.25, 1)
    assert found.n_dropped == 150


def test_too_few_rows():
    table = small_gaussian().sample(3, seed=1)
    with pytest.raises(DataError, match="3 rows are too few"):
        predict_held_out(small_gaussian().dag, table, 3, 0.25, 1)
