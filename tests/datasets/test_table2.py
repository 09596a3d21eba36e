"""Synthetic tables of the shapes of the paper's Table 2."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import datasets
from bnjit._threads import threads

SHAPES = {"airline": (9, 19), "gas": (0, 37), "hepmass": (1, 28), "higgs": (1, 28), "susy": (1, 18)}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    frame = datasets.table2_like(name, 300)
    assert len(frame) == 300
    kinds = (len(frame.select_dtypes("category").columns), len(frame.select_dtypes("float64").columns))
    assert kinds == SHAPES[name]
    assert frame.attrs["source"] == f"synthetic stand-in for {name.upper()}"
    assert np.isfinite(frame.select_dtypes("number").to_numpy()).all()
    pd.testing.assert_frame_equal(datasets.table2_like(name, 200), frame.iloc[:200])
    assert not datasets.table2_like(name, 300, seed=1).equals(frame)


def test_threads_make_no_difference():
    whole = datasets.table2_like("airline", 3000, seed=5)
    with threads(1):
        pd.testing.assert_frame_equal(datasets.table2_like("airline", 3000, seed=5), whole)


def test_columns_are_those_of_the_published_tables(shared):
    assert set(pd.read_parquet(shared / "data" / "airline-sample.parquet")) < set(datasets.table2_like("airline", 2))
    assert set(pd.read_parquet(shared / "data" / "susy-sample.parquet")) == set(datasets.table2_like("susy", 2))


@pytest.mark.parametrize(
    "name", ["gas", "susy", *(pytest.param(n, marks=pytest.mark.slow) for n in ("airline", "higgs"))]
)
def test_density_is_that_of_the_paper(name):
    frame = datasets.table2_like(name, 50_000)
    arcs = bnjit.learn(frame, max_parents=5).dag.number_of_edges()
    assert 2.5 <= arcs / frame.shape[1] <= 3.5


def test_unknown_tables():
    with pytest.raises(bnjit.ArgumentError, match="name='iris' is not known; the tables are airline, gas"):
        datasets.table2_like("iris", 10)
    with pytest.raises(bnjit.ArgumentError, match="n=-1 must be"):
        datasets.table2_like("gas", -1)
