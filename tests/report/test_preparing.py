"""What remedies make of columns."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit

N = 40
X = np.random.default_rng(4).normal(size=N)


def prepared(**columns):
    return bnjit.check({"x": X, **columns}).prepared().drop(columns="x")


def test_dates_are_split_where_they_vary():
    days = pd.Series(pd.date_range("2020-12-20", periods=N, freq="D"))
    days[3] = pd.NaT
    made = prepared(when=days)
    assert made.columns.tolist() == ["when_year", "when_month", "when_weekday"]
    assert made["when_month"].cat.categories.tolist() == ["Jan", "Dec"]
    assert made.isna().sum().tolist() == [1, 1, 1]
    assert made.loc[0].tolist() == [2020.0, "Dec", "Sun"]
    same = prepared(day=days.dt.strftime("%Y-%m-%d"))
    assert same["day_weekday"].tolist()[5:] == made["when_weekday"].tolist()[5:]
    hours = prepared(at=pd.Series(pd.date_range("2020-05-05", periods=N, freq="30min", tz="Asia/Tokyo")))
    assert hours.columns.tolist() == ["at_hour"]
    assert hours["at_hour"].tolist() == [float(i // 2) for i in range(N)]
    assert prepared(once=[datetime.date(2020, 1, 1)] * N).columns.tolist() == []


def test_other_types():
    made = prepared(
        t=[datetime.time(i % 5) for i in range(N)],
        wait=pd.to_timedelta(np.arange(N) % 7, "min"),
        cost=[decimal.Decimal(i) / 4 for i in range(N)],
        price=[f"{i % 9},5" for i in range(N)],
        nested=[[i] for i in range(N)],
        big=np.where(np.arange(N) % 2, 1e200, 3e200),
    )
    assert made.columns.tolist() == ["t_hour", "wait", "cost", "price", "big"]
    assert made.loc[6].tolist() == [1.0, 360.0, 1.5, 6.5, 3.0]


def test_infinite_values_become_missing_and_numbers_levels():
    table = {"x": X, "i": np.where(np.arange(N) < 3, np.inf, X), "k": np.arange(N) % 3 + 0.5}
    report = bnjit.check(table, discrete=["k"])
    made = report.prepared()
    assert made["i"].isna().sum() == 3
    assert made["k"].cat.categories.tolist() == [0.5, 1.5, 2.5]
    assert report.remedies == ["`i`: 3 infinite values became missing", "`k`: numbers became levels"]
    assert np.isinf(table["i"]).sum() == 3


def test_names_do_not_collide():
    days = pd.date_range("2020-01-01", periods=N, freq="30D")
    made = bnjit.check({"when": days, "when_year": X, "": X**2}).prepared()
    assert made.columns.tolist() == ["when_year_2", "when_month", "when_weekday", "when_year", "column_3"]


def test_columns_stay_as_they_are():
    frame = pd.DataFrame(
        {"x": X, "n": pd.array([1, None] * 20, "Int64"), "g": pd.Categorical(["b", "a"] * 20, ["b", "a", "never"])},
        index=pd.Index(range(100, 100 + N), name="row"),
    )
    pd.testing.assert_frame_equal(bnjit.check(frame).prepared(), frame)  # n is 1 or missing, which may mean no
    frame["n"] = pd.array([1, None, 2, 3] * 10, "Int64")
    pd.testing.assert_frame_equal(bnjit.check(frame).prepared(), frame)


def test_arrow_columns_become_those_of_pandas():
    table = pa.table(
        {
            "x": X,
            "b": pa.array([True, None, False, True] * 10),
            "t": pa.array(["u", "v", None, "u"] * 10),
            "c": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3] * 10), pa.array(["p", "q", "p", None])),
            "n": pa.array([1, None, 3, 4] * 10),
        }
    )
    made = bnjit.check(table).prepared()
    assert made["b"].isna().sum() == 10
    assert made["t"].isna().sum() == 10
    assert made["c"].tolist()[:3] == ["p", "q", "p"]
    assert made["c"].isna().sum() == 10
    assert made["n"].isna().sum() == 10


def test_files(tmp_path):
    report = bnjit.check({"x": X, "id": [f"r{i}" for i in range(N)]})
    for name in ("a.csv", "a.parquet"):
        report.prepared(tmp_path / name)
        assert list(bnjit.check(tmp_path / name).columns["column"]) == ["x"]
    with pytest.raises(bnjit.ArgumentError, match=r"must end in .parquet or .csv"):
        report.prepared(tmp_path / "a.xlsx")


def test_measures_are_kept():
    rng = np.random.default_rng(8)
    v = [f"{i:,}" for i in rng.permutation(9000)[: N // 2] + 500] * 2
    made = prepared(
        v=v,
        price_index=rng.permutation(900)[:N],
        population=np.sort(rng.permutation(900)[:N]),
        flag=["yes", None] * (N // 2),
        user_id=rng.permutation(900)[:N],
    )
    assert made.columns.tolist() == ["v", "price_index", "population", "flag"]
    assert made["v"].tolist() == v


def test_what_can_only_be_a_decimal_comma():
    assert prepared(v=["0,125", "1,250"] * (N // 2))["v"].tolist()[:2] == [0.125, 1.25]
    assert prepared(v=["12,5", "1,250"] * (N // 2))["v"].tolist()[:2] == [12.5, 1.25]


def test_large_integers_become_numbers():
    made = prepared(big=pd.Series([2**64 * i for i in range(N - 1)] + [None], dtype=object))
    assert made["big"].dtype == np.float64
    assert made["big"].tolist()[1] == 2.0**64
    assert made["big"].isna().sum() == 1
    assert prepared(big=pd.Series([2**70 + i for i in range(N)], dtype=object)).columns.tolist() == []


def test_large_integers_in_some_batches(monkeypatch):
    monkeypatch.setattr("bnjit.report.batches.BATCH_ROWS", 10)
    made = prepared(big=pd.Series([*range(20), *(2**64 * i for i in range(20))], dtype=object))
    assert made["big"].tolist()[:2] == [0.0, 1.0]
    assert made["big"].tolist()[-1] == 19 * 2.0**64


def test_periods_are_dates():
    days = pd.Series(pd.period_range("2020-12-20", periods=N, freq="D"))
    days[3] = pd.NaT
    pd.testing.assert_frame_equal(prepared(when=days), prepared(when=days.dt.to_timestamp()))
    assert prepared(when=pd.period_range("2020", periods=N, freq="M")).columns.tolist() == ["when_year", "when_month"]
    assert prepared(when=pd.period_range("1980", periods=N, freq="Y").array).columns.tolist() == ["when_year"]
