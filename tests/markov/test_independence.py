"""Tests of independence, against bnlearn's values and plain definitions."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.errors import ArgumentError, DataError
from tests.golden.gaps import make_gaps
from tests.golden.tables import TABLES
from tests.reference.naive.independence import adjusted_ratio, pearson_by_strata

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "independence.json").read_text())


@pytest.mark.parametrize("kind", GOLDEN)
def test_equal_to_bnlearn(kind):
    table = bnjit.Statistics.collect(TABLES[kind](), 5) if kind != "cgaussian" else TABLES[kind]()
    assert len(GOLDEN[kind]) > 80
    for x, y, given, test, *expected in GOLDEN[kind]:
        found = bnjit.independence(x, y, given, table, test)
        assert (found.x, found.y, found.given) == (x, y, tuple(given))
        assert found.test == test or (test == "mi-cg" and found.test == "mi")  # of discrete columns they are the same
        for ours, theirs in zip((found.statistic, found.df, found.p_value), expected, strict=True):
            assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-8), (x, y, given, test)


@pytest.mark.parametrize("given", [[], ["A"], ["A", "C"], ["A", "B", "C"]])
def test_scaled_chi_squared_by_loops(given):
    table = TABLES["discrete"](300)
    found = bnjit.independence("E", "F", given, table)
    assert found.test == "x2-adj"
    assert (found.statistic, found.df) == pytest.approx(pearson_by_strata(table, "E", "F", given), rel=1e-10)


@pytest.mark.parametrize("y", ["D", "Y"])
@pytest.mark.parametrize("given", [["A"], ["B", "C"], ["Z", "C"], ["A", "B", "C", "Z"]])
def test_scaled_likelihood_ratio_by_loops(given, y):
    table = TABLES["cgaussian"](150)  # configurations with too few rows for a regression are left out
    found = bnjit.independence("X", y, given, table)
    assert found.test == "mi-cg-adj"
    statistic, df, n = adjusted_ratio(table, "X", y, given)
    assert (found.statistic, found.df, found.n) == pytest.approx((statistic, df, n), rel=1e-8)


def test_the_columns_may_change_places():
    table = TABLES["cgaussian"]()
    for x, y, given in (("A", "X", ["B"]), ("A", "B", ["C"]), ("X", "Y", ["A", "Z"]), ("W", "Z", [])):
        ours, theirs = (bnjit.independence(*pair, given, table) for pair in ((x, y), (y, x)))
        assert ours.p_value == pytest.approx(theirs.p_value, rel=1e-6)
        assert (ours.x, theirs.x) == (x, y)


def test_effect_is_the_size_of_a_correlation():
    rng = np.random.default_rng(1)
    x = rng.normal(size=100_000)
    y = 0.6 * x + 0.8 * rng.normal(size=100_000)
    table = {"x": x, "y": y, "g": np.where(rng.random(100_000) < 0.5, "a", "b")}
    assert bnjit.independence("x", "y", data=table).effect == pytest.approx(0.6, abs=0.01)
    assert bnjit.independence("x", "y", "g", table).effect == pytest.approx(0.6, abs=0.01)
    assert bnjit.independence("x", "g", data=table).effect < 0.02


def test_rows_that_observe_the_columns():
    table = make_gaps(TABLES["cgaussian"]())
    for x, y, given in (("A", "B", ["C"]), ("X", "Y", ["Z"]), ("X", "A", ["B"])):
        complete = table[[x, y, *given]].dropna()
        ours = bnjit.independence(x, y, given, table, missing="available")
        theirs = bnjit.independence(x, y, given, complete)
        assert ours.n == theirs.n == len(complete)
        assert (ours.statistic, ours.df) == pytest.approx((theirs.statistic, theirs.df), rel=1e-9)
    with pytest.warns(bnjit.BnjitWarning, match="leaves out"):
        assert bnjit.independence("A", "B", (), table, missing="drop").n == len(table.dropna())
    with pytest.raises(DataError, match="missing"):
        bnjit.independence("A", "B", (), table)


def test_where_rows_are_and_how_many_threads(tmp_path):
    table = TABLES["cgaussian"]()
    table.to_parquet(tmp_path / "t.parquet")
    for x, y, given in (("A", "B", ["C"]), ("X", "Y", ["Z", "A"]), ("X", "A", ["B"])):
        whole = bnjit.independence(x, y, given, table, n_threads=1)
        assert bnjit.independence(x, y, given, table, n_threads=3) == whole
        parts = bnjit.independence(x, y, given, tmp_path / "t.parquet", out_of_core=True)
        assert (parts.statistic, parts.df) == pytest.approx((whole.statistic, whole.df), rel=1e-9)


def test_rows_that_count_more_than_once():
    table = TABLES["cgaussian"](400)
    counts = np.random.default_rng(1).integers(0, 4, 400)
    long = table.loc[table.index.repeat(counts)]
    for x, y, given in (("A", "B", ["C"]), ("X", "Y", ["Z", "A"]), ("X", "A", ["B"])):
        ours = bnjit.independence(x, y, given, table.assign(times=counts), weights="times")
        assert ours == bnjit.independence(x, y, given, long)


def test_columns_that_say_nothing_or_everything():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    z, one = rng.normal(size=200), pd.Categorical(["a"] * 200, ["a", "b"])
    table = pd.DataFrame({"x": x, "twice": 2.0 * x, "z": z, "one": one, "g": ["a", "b"] * 100})
    assert bnjit.independence("x", "twice", (), table).p_value == 0.0
    assert bnjit.independence("x", "twice", (), table).effect == 1.0
    assert bnjit.independence("z", "x", "twice", table).p_value == 1.0  # nothing is left of x
    assert bnjit.independence("g", "one", (), table).p_value == 1.0
    assert bnjit.independence("x", "one", "g", table).p_value == 1.0
    certain = table.assign(y=np.where(table["g"] == "a", 1.0, 2.0))
    assert bnjit.independence("y", "g", (), certain).n == 0  # no configuration has residuals


def test_one_level_in_place_of_many_rows():
    few = bnjit.independence("x", "y", ["z"], {"x": [1.0, 2.0, 4.0], "y": [1.0, 3.0, 2.0], "z": [0.0, 1.0, 5.0]})
    assert few.p_value == 1.0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("A", "Q"), {}, "y: the data have no column 'Q'"),
        (("A", "B", ["A"]), {}, "'A' is named twice"),
        (("A", "B", ["X"]), {}, "given has the continuous column 'X'"),
        (("A", "B"), {"test": "cor"}, "test='cor' is for continuous columns"),
        (("A", "X"), {"test": "x2"}, "test='x2' is for discrete columns"),
        (("A", "X"), {"test": "fisher"}, "test='fisher' is not known; the tests are x2-adj"),
        (("A", "B"), {"test": 3}, "test=3 is not known; the tests are x2-adj"),
        (("A", "X"), {"missing": "em"}, 'missing="em" fills gaps'),
    ],
)
def test_errors(arguments, options, message):
    x, y, *given = arguments
    with pytest.raises(ArgumentError) as raised:
        bnjit.independence(x, y, *(given or [()]), TABLES["cgaussian"](50), **options)
    assert message in str(raised.value)


def test_data_must_be_given():
    with pytest.raises(ArgumentError, match="data=None"):
        bnjit.independence("A", "B")
