"""Saved statistics in place of rows."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import Statistics
from bnjit.errors import ArgumentError, StatisticsError
from bnjit.stats import Store, TriangleRequest, triangles_for
from bnjit.stats.graph_statistics import GraphStatistics
from bnjit.stats.readers.saved import SavedReader
from bnjit.stats.requests import Plan
from bnjit.stats.triangles import add_rows, no_triangles
from tests.stats.readers.by_numpy import assert_cells_by_numpy, assert_triangles_by_numpy
from tests.stats.rows import collect, mixed_rows
from tests.stats.test_statistics import assert_same_network, rows


def test_tables_that_were_forgotten_are_found_again():
    frame = rows(500, 1)
    statistics = Statistics.collect(frame, for_=3, discrete=["dose"])
    store = Store(SavedReader(statistics, memory=0))
    assert_same_network(bnjit.learn(store), bnjit.learn(frame, discrete=["dose"]))


def test_what_is_not_there_is_named():
    frame = rows(300, 1)
    statistics = Statistics.collect(frame, for_=1)
    assert statistics.sets == [(), ("place",), ("hot",)]
    with pytest.raises(StatisticsError, match=r"no table of 'place', 'hot' together.*for_=2"):
        bnjit.learn(statistics)
    with pytest.raises(ArgumentError, match="from all rows, which must be in memory"):
        bnjit.learn(statistics, estimator="qr")
    with pytest.raises(ArgumentError, match="divides rows into folds, and data is Statistics"):
        bnjit.learn(statistics, "cv")
    assert_same_network(bnjit.learn(Statistics.collect(frame[["x", "y"]])), bnjit.learn(frame[["x", "y"]]))


def test_digits_that_moments_do_not_have():
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + 1e-9 * rng.normal(size=300)})
    with pytest.raises(StatisticsError, match="give the rows"):
        bnjit.score([("x", "y")], Statistics.collect(frame))


def test_tables_are_rolled_up_from_the_smallest_that_serves():
    """Every set inside a saved table, with any of its columns; a set that is in none is named."""
    table = mixed_rows(300)
    tables = [collect(table, (), table.continuous), collect(table, (0, 1), (2, 3)), collect(table, (1,), (2, 3, 4))]
    reader = SavedReader(GraphStatistics(table, tables, []))
    assert reader.n == 300
    plan = Plan(counts=[(0,), (1,), (0, 1)], tables={(0,): (3,), (1,): (2, 4), (0, 1): (2, 3), (): (5,)})
    ((counts, found, _),) = reader.read([(reader, plan)])
    for variables, cells in zip(plan.counts, counts, strict=True):
        assert_cells_by_numpy(cells, table, variables, ())
    for variables, columns in plan.tables.items():
        assert_cells_by_numpy(found[variables], table, variables, columns)
    with pytest.raises(StatisticsError, match="no table of 'Z', 'Y' together"):
        reader.read([(reader, Plan(tables={(0, 1): (2, 4)}))])


def test_triangles_that_were_saved():
    table = mixed_rows(300)
    request = TriangleRequest((0,), np.array([0, 2, 3]), (2, 4), 300)
    made = no_triangles(request)
    add_rows(table, request, made)
    reader = SavedReader(GraphStatistics(table, [collect(table, (), table.continuous)], [made]))
    for wanted in (request, request._replace(keys=np.array([2])), request._replace(columns=(4,))):
        ((_, _, (found,)),) = reader.read([(reader, Plan(triangles=[wanted]))])
        assert_triangles_by_numpy(found, table, wanted)
    others = [
        request._replace(keys=np.array([0, 1])), request._replace(columns=(2, 3)), request._replace(variables=(1,)),
        request._replace(as_one=True),
    ]  # fmt: skip
    for wanted in others:
        with pytest.raises(StatisticsError, match="give the rows"):
            reader.read([(reader, Plan(triangles=[wanted]))])


def test_saved_triangles_through_a_store():
    """Cell after cell, as several fits ask for them."""
    table = mixed_rows(300)
    request = TriangleRequest((0,), np.array([0, 2, 3]), (2, 4), 300)
    made = no_triangles(request)
    add_rows(table, request, made)
    store = Store(SavedReader(GraphStatistics(table, [collect(table, (), table.continuous)], [made])))
    for key in (0, 2, 3):
        wanted = request._replace(keys=np.array([key]))
        (found,) = triangles_for([(store, wanted)])
        assert_triangles_by_numpy(found, table, wanted)
