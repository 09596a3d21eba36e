"""Saved statistics in place of rows."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import Statistics
from bnjit.errors import ArgumentError, StatisticsError
from bnjit.stats import Store
from bnjit.stats.readers.saved import SavedReader
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
    with pytest.raises(ArgumentError, match="needs all rows in memory"):
        bnjit.learn(statistics, estimator="qr")
    assert_same_network(bnjit.learn(Statistics.collect(frame[["x", "y"]])), bnjit.learn(frame[["x", "y"]]))


def test_digits_that_moments_do_not_have():
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + 1e-9 * rng.normal(size=300)})
    with pytest.raises(StatisticsError, match="give the rows"):
        bnjit.learn(Statistics.collect(frame))
