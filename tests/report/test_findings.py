"""Each rule by itself: what it says of a column, and what it leaves alone."""

import numpy as np
import pandas as pd
import pytest

import bnjit

RNG = np.random.default_rng(3)
NUMBER = "number as text"


def problems(values, name="column", **others):
    """What is found in one column."""
    report = bnjit.check({name: values, **others})
    return {one.problem: one.severity for one in report.findings if one.position == 0}


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("n", np.arange(1, 31), {"row number": "warning"}),
        ("n", np.arange(1, 20), {}),  # too few rows to tell
        ("year", np.arange(1990, 2024), {"identifier": "hint"}),  # a series of years
        ("year", np.arange(1565, 1825, 5), {"identifier": "hint"}),
        ("year_id", np.arange(1990, 2024), {"row number": "warning"}),
        ("n", np.arange(30.0), {}),  # not integers
        ("n", np.arange(30) ** 2, {"identifier": "hint"}),  # a table may be sorted by what it measures
        ("glycemic_index", RNG.permutation(10**6)[:50], {"identifier": "hint"}),
        ("heat index", RNG.permutation(10**6)[:50], {"identifier": "hint"}),
        ("index", RNG.permutation(10**6)[:50], {"identifier": "warning"}),
        ("population", RNG.permutation(10**6)[:50], {"identifier": "hint"}),
        ("PassengerId", RNG.permutation(10**6)[:50], {"identifier": "warning"}),
        ("humid", RNG.permutation(10**6)[:50], {"identifier": "hint"}),
        ("n", np.repeat(np.arange(25), 2), {}),
        ("code", RNG.integers(0, 4, 50), {"few values": "hint"}),
        ("code", np.append(RNG.integers(0, 4, 50), np.nan), {"missing": "error", "few values": "hint"}),
        ("x", RNG.integers(0, 4, 50) + 0.5, {}),
        ("", np.arange(30), {"unnamed": "warning", "row number": "warning"}),
        ("t", [f"{i}" for i in range(50)], {"identifier": "error", "number as text": "hint"}),
        ("t", ["a", "b"], {}),  # two rows
        ("t", ["a", "b", None, "c"], {"missing": "error", "identifier": "error"}),
        ("t", [f"w{i % 20}" for i in range(60)], {"many levels": "hint"}),
        ("t", [f"w{i % 20}" for i in range(100)], {}),
        ("t", ["1.5", "2"] * 20, {"number as text": "hint"}),
        ("t", ["1"] * 19 + ["n/a"] + ["2"] * 20, {"number as text": "hint"}),
        ("t", ["2020-01-01", "2020-01-02"] * 5, {"date": "hint"}),
        ("t", ["2020-01-01", "2020-13-02"] * 5, {}),
        ("x", np.full(9, 7.0), {"constant": "warning"}),
        ("x", np.array([7.0, np.nan, 7.0]), {"missing": "error", "constant": "warning"}),
        ("x", 1e9 + np.array([0.0, 1e-4, 2e-4]), {"constant": "warning"}),
        ("x", np.array([1.0, np.inf, 7.0]), {"infinite": "error"}),
        ("x", np.array([np.nan, np.inf, np.nan]), {"empty": "error"}),
        ("x", np.array([1e200, 2.0, 7.0]), {"too large": "error"}),
        ("x", [None, None, None], {"empty": "error"}),
    ],
)  # fmt: skip
def test_rules_of_columns(name, values, expected):
    assert problems(values, name) == expected


def test_copies():
    a = RNG.choice(["x", "y", "z"], 100)
    same = pd.Series(a).map({"x": 1, "y": 2, "z": 3})
    table = {"a": a, "b": same.map(str), "c": same, "d": np.where(np.arange(100) == 99, "new", a)}
    report = bnjit.check(table, discrete=["c"])
    copies = [(one.column, one.detail) for one in report.findings if one.problem == "copy"]
    assert [name for name, _ in copies] == ["b", "c"]
    assert copies[0][1].startswith("`b` repeats `a`")


def test_relations_are_said_in_words():
    x, y = RNG.normal(size=(2, 200))
    gaps = np.where(np.arange(200) % 3 == 0, np.nan, x + y)
    report = bnjit.check({"x": x, "y": y, "sum": gaps, "double": 2 * x})
    details = {one.column: one.detail for one in report.findings if one.problem == "linear relation"}
    assert details == {"sum": "`sum` is `x` + `y`", "double": "`double` is 2 x `x`"}


def test_few_rows_for_many_columns():
    report = bnjit.check(RNG.normal(size=(20, 40)))
    (found,) = [one for one in report.findings if one.problem == "few rows"]
    assert found.severity == "warning"
    assert found.detail.startswith("20 rows are few for 40 columns")
    assert not report.stops_learning


def test_the_columns_that_cost_most_rows():
    n = 1000
    table = {name: RNG.normal(size=n) for name in "abcde"}
    table["b"][:600] = np.nan
    table["d"][550:800] = np.nan
    table["e"][:7] = np.nan
    report = bnjit.check(table)
    assert report.complete_rows == 200
    assert report.complete_in_words == "200 of 1,000 rows (20%) are complete; without `b` and `d` 993 are"


def test_gaps_that_always_come_together():
    table = {name: RNG.normal(size=100) for name in "abc"}
    table["a"][:50] = table["b"][:50] = np.nan
    assert bnjit.check(table).complete_in_words == "50 of 100 rows (50%) are complete; without `a` and `b` 100 are"


def test_duplicated_rows_are_told_where_something_is_measured():
    x = RNG.normal(size=50)
    x[10:20] = x[:10]
    report = bnjit.check({"x": x})
    assert [one.detail for one in report.findings] == ["10 rows repeat another one in every column"]
    levels = bnjit.check({"g": RNG.choice(["a", "b"], 50)})
    assert levels.duplicated_rows == 48
    assert levels.findings == []


def test_names():
    frame = pd.DataFrame(RNG.normal(size=(30, 4)), columns=pd.Index(["a", "a", None, "Unnamed: 3"], dtype=object))
    report = bnjit.check(frame)
    assert report.columns["problem"].tolist() == ["", "duplicate name", "unnamed", "unnamed"]
    assert report.problems["severity"].tolist() == ["error", "error", "warning"]
    assert report.prepared().columns.tolist() == ["a", "a_2", "column_3", "column_4"]


def said(values, problem):
    """What is said of one problem of a column, and what to do."""
    one = next(one for one in bnjit.check({"v": values}).findings if one.problem == problem)
    return one.detail, one.remedy


def test_ascending_integers_are_said_to_be():
    assert said(np.arange(30) ** 2, "identifier")[0] == "`v` has 30 integers, all different and ascending"


@pytest.mark.parametrize(
    ("values", "problem", "words", "way_out"),
    [
        (["920", "5,547"], NUMBER, "thousands or decimals, like '5,547'", 'thousands DATA.replace(",", "")'),
        (["12.5", "5,547"], NUMBER, "comma separates thousands or decimals", 'for decimals DATA.replace(",", ".")'),
        (["920", "-1,005,547"], NUMBER, "thousands separators, like '-1,005,547'", 'DATA.replace(",", "")'),
        (["920", "5,547.25"], NUMBER, "thousands separators, like '5,547.25'", 'DATA.replace(",", "")'),
        (["$13,290", "$5"], NUMBER, "amounts of money, like '$13,290'", "DATA.replace("),
        (["13,290.50 \u20ac", "-5\u20ac"], NUMBER, "amounts of money", "DATA.replace("),
        (["1.3%", "20 %"], NUMBER, "percentages, like '1.3%'", 'DATA.rstrip("% ")'),
        (["31/12/2020", "1/2/2021"], "date", "dates with day, month and year", "dayfirst=True"),
        (["31.12.2020", "01.02.2021"], "date", "dates with day, month and year", "dayfirst=True"),
        (["1949-01", "1949-12"], "date", "months of years, like '1949-01'", "pd.PeriodIndex(data['v'], freq="),
        (["1977-Jan", "1977-Feb"], "date", "months of years, like '1977-Jan'", 'freq="M")'),
        (["July 1991", "May 1991"], "date", "months of years", 'freq="M")'),
        (["1970 Q1", "1970 Q4"], "date", "quarters of years, like '1970 Q1'", 'freq="Q")'),
        (["1970Q1", "1971Q1"], "date", "quarters of years", 'freq="Q")'),
    ],
)  # fmt: skip
def test_texts_that_measure_something(values, problem, words, way_out):
    values = values * 9
    detail, remedy = said(values, problem)
    assert words in detail
    assert way_out.replace("DATA", "data['v'].str") in remedy
    data = pd.DataFrame({"v": values, "x": RNG.normal(size=len(values))})
    assert bnjit.check(data).prepared()["v"].tolist() == values  # the user decides what they mean
    way = remedy.removeprefix("convert it: ").removeprefix("for thousands ").split(", for ")[0].split(", or ")[0]
    made = eval(way.removesuffix(", if commas separate thousands"), {"pd": pd, "data": data})
    assert made.notna().all()
    assert made.nunique() == 2


@pytest.mark.parametrize(
    "values",
    [
        ["$13,290", "b"],
        ["1.3%", "b"],
        ["31/12/2020", "41/12/2020"],
        ["1.2.10", "1.2.11"],
        ["5,5", "1,000,000"],
        ["2012-13", "2013-14"],
        ["1970 Q1", "1970 Q5"],
        ["May", "July"],
    ],
)
def test_other_texts_are_levels(values):
    assert problems(values * 9) == {}


def test_flags_with_gaps():
    detail, remedy = said(["yes", None, None] * 9, "constant")
    assert detail == "`v` has one level, 'yes', wherever it has a value"
    assert remedy == "missing may mean no: fill it with fillna, or drop it"
    assert said(np.array([1.0, np.nan] * 9), "constant")[0] == "`v` is 1 wherever it has a value"
    assert said(["yes"] * 9, "constant") == ("`v` has one level, 'yes', in every row", "drop it")


def test_objects_of_one_type_are_not_mixed():
    large = pd.Series([2**64 * i for i in range(1, 30)], dtype=object)
    assert said(large, "type")[0] == "`v` holds integers too large for int64"
    assert problems(pd.Series([2**64, None] * 9, dtype=object)).keys() == {"missing", "type"}
    assert said(pd.Series([object()] * 9, dtype=object), "type")[0].startswith("`v` has type object, which")
    assert said(pd.Series([2**64, "a", None] * 9, dtype=object), "mixed types")[0] == "`v` mixes the types int, str"
    assert "beyond floating-point" in said(pd.Series([10**400, 3] * 9, dtype=object), "type")[0]


def test_texts_that_differ_and_measure_something_are_told_once():
    months = pd.period_range("1991-07", periods=40, freq="M").strftime("%Y %b")
    (found,) = bnjit.check({"v": months.tolist(), "x": RNG.normal(size=40)}).findings
    assert found.detail == "`v` has 40 texts, all different, that hold months of years, like '1991 Jul'"
    assert (found.severity, found.remedy[:26]) == ("error", "convert it: pd.PeriodIndex")


def test_one_row_that_repeats():
    x = np.append(RNG.normal(size=30), 0.5)
    found = [one for one in bnjit.check({"x": np.append(x, 0.5)}).findings if one.problem == "duplicate rows"]
    assert [(one.detail, one.remedy) for one in found] == [
        ("1 row repeats another one in every column", "drop it if it was entered twice")
    ]
