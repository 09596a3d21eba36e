"""The whole check, on tables that nobody prepared."""

import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import bnjit
from tests.report.nasty import COLUMNS, messy, nasty_frames


def found(report):
    return {(one.column, one.problem, one.severity) for one in report.findings}


def learn_quietly(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnjit.BnjitWarning)
        return bnjit.learn(frame)


def test_everything_is_found_in_one_pass():
    report = bnjit.check(messy())
    assert found(report) == {
        ("Unnamed: 0", "unnamed", "warning"),
        ("Unnamed: 0", "row number", "warning"),
        ("patient_id", "identifier", "warning"),
        ("name", "identifier", "error"),
        ("kilos", "linear relation", "warning"),
        ("sex", "missing", "error"),
        ("visits", "few values", "hint"),
        ("when", "date", "error"),
        ("day", "date", "hint"),
        ("same", "constant", "warning"),
        ("one", "constant", "warning"),
        ("empty", "empty", "error"),
        ("infinite", "infinite", "error"),
        ("huge", "too large", "error"),
        ("price", "number as text", "hint"),
        ("income", "missing", "error"),
        ("wait", "date", "error"),
        ("power", "number as text", "hint"),
        ("latin", "copy", "warning"),
        (None, "incomplete rows", "warning"),
    }
    assert (report.n_rows, report.n_columns, report.complete_rows) == (300, 20, 0)
    assert list(report.problems.columns) == ["column", "problem", "severity", "detail", "remedy"]
    order = report.problems["severity"].map({"error": 0, "warning": 1, "hint": 2})
    assert order.is_monotonic_increasing


def test_a_good_table_has_no_problems():
    rng = np.random.default_rng(1)
    x = rng.normal(size=500)
    report = bnjit.check({"x": x, "y": x + rng.normal(size=500), "g": rng.choice(["a", "b"], 500)})
    assert report.findings == []
    assert not report.stops_learning
    assert report.problems.empty
    assert report.remedies == []
    assert "nothing stands in the way" in repr(report)


@settings(max_examples=150)
@given(nasty_frames())
def test_no_table_is_an_error_and_prepared_ones_are_learned(frame):
    before = frame.copy(deep=True)
    report = bnjit.check(frame)
    assert len(report.columns) == frame.shape[1]
    assert len(repr(report).splitlines()) <= 42
    assert report._repr_html_()
    prepared = report.prepared()
    assert prepared.columns.is_unique
    assert len(prepared) == len(frame)
    pd.testing.assert_frame_equal(frame, before)
    complete = bnjit.check(prepared.dropna()).prepared()  # fewer rows: levels may be one, or all different, now
    if complete.shape[1] and len(complete) > 1:
        learn_quietly(complete)
    stopping = {one.problem for one in bnjit.check(prepared).findings if one.severity == "error"}
    assert stopping <= {"missing"} or not prepared.shape[1]


@pytest.mark.parametrize("kind", COLUMNS)
def test_learning_stops_where_the_report_says(kind):
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"column": COLUMNS[kind](rng, 60), "x": rng.normal(size=60)})
    report = bnjit.check(table)
    if "constant" not in report.problems["problem"].tolist():
        with pytest.raises(bnjit.DataError) if report.stops_learning else nullcontext():
            learn_quietly(table)
    prepared = report.prepared()
    learn_quietly(prepared.dropna() if len(prepared.dropna()) > 1 else prepared[["x"]])


def test_declared_columns_are_levels():
    rng = np.random.default_rng(2)
    table = {"month": rng.integers(1, 13, 200), "x": rng.normal(size=200)}
    report = bnjit.check(table, discrete=["month"])
    assert report.columns.loc[0, "kind"] == "discrete"
    prepared = report.prepared()
    assert learn_quietly(prepared).dag.nodes["month"]["kind"] == "discrete"
    assert report.remedies == ["`month`: numbers became levels"]
    with pytest.raises(bnjit.ArgumentError, match="discrete names the column 'z'"):
        bnjit.check(table, discrete=["z"])


def test_what_is_no_table():
    statistics = bnjit.Statistics.collect({"x": np.arange(5.0) ** 2, "y": np.arange(5.0)})
    with pytest.raises(bnjit.ArgumentError, match="data is Statistics, which has no rows to check"):
        bnjit.check(statistics)
    with pytest.raises(bnjit.ArgumentError, match="data is a int"):
        bnjit.check(3)
    with pytest.raises(bnjit.DataError, match="there is no file"):
        bnjit.check("nowhere.csv")
    with pytest.raises(bnjit.DataError, match=r"different numbers of rows \('a': 2, 'b': 3\)"):
        bnjit.check({"a": [1, 2], "b": [1, 2, 3]})
    with pytest.raises(bnjit.ArgumentError, match="out_of_core='yes' must be"):
        bnjit.check({"a": [1.0, 2.0]}, out_of_core="yes")


def test_what_concerns_the_table_has_an_empty_column():
    problems = bnjit.check({"a": [1.0, None, None, 2.0]}).problems
    assert problems["column"].tolist() == ["a", ""]
    assert bnjit.check(pd.DataFrame({None: [1.0, 2.0]})).problems["column"].tolist() == [None]


def test_what_is_no_column():
    report = bnjit.check({"a": "text", "b": [1.0, 2.0, 4.0], "c": np.ones((3, 2)), "d": {1, 2}})
    assert report.columns["kind"].tolist() == ["unusable", "continuous", "unusable", "unusable"]
    assert report.prepared().columns.tolist() == ["b"]
    found = {one.column: one.detail for one in bnjit.check({"a": [1, 2, 3.0], "b": 4, "c": "text", "d": {1}}).findings}
    assert found["b"] == "`b` is one value, 4, not a column"
    assert found["c"] == "`c` is one value, 'text', not a column"
    assert found["d"] == "`d` is of type set, not a column"


@pytest.mark.parametrize("data", [{}, {"a": []}, {"a": [1.0]}, pd.DataFrame(), pd.DataFrame({"a": []})])
def test_few_rows_and_no_columns_are_findings(data):
    report = bnjit.check(data)
    assert report.stops_learning
    assert repr(report)
    assert len(report.prepared()) == report.n_rows
