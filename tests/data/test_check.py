"""Bad input: an error that names the column, what was seen and what to do."""

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bnjit

GOOD = {"a": ["x", "y", "x", "y", "x", "y"], "b": [1.0, 2.5, 0.5, 3.0, 1.5, 2.0], "c": [0.1, 0.5, 0.2, 0.9, 0.3, 0.8]}


def fails(error, pattern, data, dag=(), **arguments):
    with pytest.raises(error, match=pattern) as caught:
        bnjit.score(list(dag) if not isinstance(dag, str) else dag, data, **arguments)
    assert "Traceback" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("wrap", [pd.DataFrame, pa.table, pl.DataFrame, dict])
def test_missing_values(wrap):
    message = fails(bnjit.DataError, "'b' has 2 missing", wrap({**GOOD, "b": [1.0, None, 0.5, None, 1.5, 2.0]}))
    assert "first in row 1" in message
    assert 'missing="em", "available" or "drop" says what to do with them' in message
    fails(bnjit.DataError, "'a' has 1 missing.*row 2", wrap({**GOOD, "a": ["x", "y", None, "y", "x", "y"]}))


def test_nan_and_infinite():
    values = np.array(GOOD["b"])
    values[3] = np.nan
    fails(bnjit.DataError, r"'b' has 1 missing \(NaN\) value, the first in row 3", {**GOOD, "b": values})
    values[3] = -np.inf
    values[5] = np.inf
    fails(bnjit.DataError, "'b' has 2 infinite values, the first in row 3", {**GOOD, "b": values})
    fails(bnjit.DataError, "'b' has 1 missing", pd.DataFrame({**GOOD, "b": [1, 2, None, 4, 5, 6]}))
    fails(
        bnjit.DataError,
        "'k' has 1 missing.*row 1",
        pd.DataFrame({**GOOD, "k": pd.Categorical(["p", None, "p", "q", "q", "p"])}),
    )
    fails(bnjit.DataError, "'b' has 1 missing", {**GOOD, "b": np.array([0, 1, 0, np.nan, 0, 0])}, discrete=["b"])
    fails(bnjit.DataError, "'b' has values up to 1e.200, too large", {**GOOD, "b": np.array([1e200, 2, 3, 4, 5, 6])})


def test_missing_in_csv(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1.5\nNA,2.5\ny,3.5\n")
    fails(bnjit.DataError, "'a' has 1 missing.*row 1", path)
    path.write_text("a,b\nx,1.5\nx,\ny,3.5\n")
    fails(bnjit.DataError, "'b' has 1 missing.*row 1", path)


@pytest.mark.parametrize("values", [[2.5] * 6, (np.arange(6) * 1e-9 + 1e5).tolist(), [0.1] * 6])
@pytest.mark.parametrize("options", [{}, {"estimator": "qr"}, {"algorithm": "boss"}, {"score": "marginal"}])
def test_constant_columns_stay_without_arcs(values, options):
    table = {**GOOD, "b": values}
    with pytest.warns(bnjit.BnjitWarning, match="continuous column with one value: 'b'; nothing can depend on a const"):
        result = bnjit.learn(table, **options)
    assert not result.dag.degree("b")
    others = bnjit.learn({name: column for name, column in table.items() if name != "b"}, **options)
    assert set(result.dag.edges) == set(others.dag.edges)
    assert result.score == pytest.approx(others.score)
    assert result.fit().sample(3)["b"].tolist() == pytest.approx(values[:1] * 3)


def test_one_level_is_allowed_with_one_warning():
    with pytest.warns(bnjit.BnjitWarning, match="one level: 'a'") as caught:
        value = bnjit.score([("a", "b")], {**GOOD, "a": ["x"] * 6, "d": ["p", "q"] * 3})
    assert len(caught) == 1
    assert np.isfinite(value)


def test_names():
    fails(bnjit.DataError, "duplicate column names: 'b'", pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["b", "b"]))
    fails(bnjit.DataError, "no columns", pd.DataFrame())
    fails(bnjit.ArgumentError, "discrete names the column 'z'; the columns are 'a', 'b', 'c'", GOOD, discrete=["z"])
    fails(bnjit.ArgumentError, "names has 1 entries, data has 2 columns", np.ones((3, 2)), names=["a"])
    fails(bnjit.ArgumentError, "names is for a plain NumPy array", GOOD, names=["a"])


def test_rows():
    fails(bnjit.DataError, "data has 0 rows", {"b": []})
    fails(bnjit.DataError, "data has 1 row; at least 2", {"b": [1.0]})
    fails(bnjit.DataError, "different numbers of rows .*'a': 6, 'b': 2", {**GOOD, "b": [1.0, 2.0]})
    fails(bnjit.DataError, "3 rows are too few to keep 25%", {"b": [1.0, 2.0, 4.0]}, score="pred")


@pytest.mark.parametrize(
    ("column", "seen"),
    [
        (pd.date_range("2020", periods=6), "datetime64"),
        (np.arange(6) * 1j, "complex128"),
        (pd.to_timedelta(np.arange(6), "s"), "timedelta64"),
        (pd.Series([datetime.date(2020, 1, 1)] * 6), "date32"),
    ],
)
def test_types_that_are_neither_numbers_nor_labels(column, seen):
    message = fails(bnjit.DataError, f"'t' has type .*{seen}.*convert or drop it", pd.DataFrame({**GOOD, "t": column}))
    assert "continuous" in message


def test_mixed_types():
    fails(bnjit.DataError, "'t' mixes .*types seen: int, str", pd.DataFrame({**GOOD, "t": [1, "a", 2, "b", 3, "c"]}))
    fails(bnjit.DataError, "'t' mixes .*dict", {**GOOD, "t": [{}, 1, 2, 3, 4, 5]})
    fails(bnjit.DataError, "'t' has shape", {**GOOD, "t": np.ones((6, 2))})


def test_identifier():
    message = fails(
        bnjit.DataError, "'id' is discrete and different in each of its 6 rows", {**GOOD, "id": list("abcdef")}
    )
    assert "identifier" in message
    fails(bnjit.DataError, "'id' is discrete", {**GOOD, "id": range(6)}, discrete=["id"])
    assert np.isfinite(bnjit.score([], {**GOOD, "id": list("abcdee")}))


def test_scores_and_estimators():
    fails(bnjit.ArgumentError, "score='bicc' is not known; the scores are loglik, aic, bic", GOOD, score="bicc")
    fails(
        bnjit.ArgumentError,
        "estimator='fast' is not known; the estimators are stats, qr, 1p, 2p",
        GOOD,
        estimator="fast",
    )
    fails(bnjit.DataError, "score='bde' is for discrete columns alone, and column 'b' is not", GOOD, score="bde")
    fails(bnjit.DataError, "score='bge' is for continuous columns alone, and column 'a' is not", GOOD, score="bge")
    fails(bnjit.ArgumentError, "test_data belongs to a score: score=bnjit.HeldOut", GOOD, test_data=GOOD)
    fails(bnjit.DataError, "test lacks the column 'c'", GOOD, score=bnjit.HeldOut({k: GOOD[k] for k in "ab"}))
    wrong = {**GOOD, "a": GOOD["b"]}
    fails(bnjit.DataError, "'a' is discrete in data and continuous in test;", GOOD, score=bnjit.HeldOut(wrong))


def test_graphs():
    fails(bnjit.GraphError, "the arc a -> z names 'z', which is no column", GOOD, [("a", "z")])
    fails(bnjit.GraphError, "the cycle b -> c -> b", GOOD, [("b", "c"), ("c", "b")])
    fails(bnjit.GraphError, "the arc b -> a makes a continuous column the parent of a discrete one", GOOD, [("b", "a")])
    fails(bnjit.GraphError, "b -> b is a loop", GOOD, [("b", "b")])
    fails(bnjit.GraphError, "b -> c is there twice", GOOD, [("b", "c"), ("b", "c")])
    fails(bnjit.GraphError, "'bc'; every arc is a pair", GOOD, ["bc"])
    fails(bnjit.GraphError, "position 3 stands 'b]'", GOOD, "[a]b]")


def test_data_that_is_no_table():
    fails(bnjit.ArgumentError, "data is a int; it must be a pandas or polars DataFrame", 3)
    fails(bnjit.DataError, "there is no file 'nowhere.csv'", "nowhere.csv")
    fails(bnjit.DataError, re.escape("shape (6,)"), np.ones(6))


def test_files_that_cannot_be_read(tmp_path):
    broken = tmp_path / "t.parquet"
    broken.write_bytes(b"PAR1 and nothing more")
    fails(bnjit.DataError, "cannot read .*t.parquet", broken)
    ragged = tmp_path / "t.csv"
    ragged.write_text("a,b\n1,2\n3\n")
    fails(bnjit.DataError, "line 3 of .*t.csv' has 1 value and the first line.* has 2", ragged)
    other = tmp_path / "t.xlsx"
    other.write_text("")
    fails(bnjit.DataError, "bnjit does not read .xlsx files such as 't.xlsx'; give pandas", other)


def test_masked_and_odd_arrays():
    masked = np.ma.masked_array(GOOD["b"], mask=[0, 1, 0, 0, 0, 0])
    fails(bnjit.DataError, "'b' has 1 masked value, the first in row 1", {**GOOD, "b": masked})
    fails(bnjit.DataError, "'b' is a set; a column is an array", {**GOOD, "b": {1, 2, 3, 4, 5, 6}})
    fails(bnjit.DataError, "'b' is a str; a column is an array", {**GOOD, "b": "abcdef"})
    fails(bnjit.DataError, "'b' is a float; a column is an array", {**GOOD, "b": 1.0})
    fails(bnjit.DataError, "'b' is a ndarray; a column is an array", {**GOOD, "b": np.array(1.0)})
    fails(bnjit.DataError, "'b' mixes types.*int", {**GOOD, "b": [2**70, 1, 2, 3, 4, 5]})
    fails(bnjit.DataError, "data is a Series, which is no table", pl.Series([1.0, 2.0]))
    lists = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([[1], [2]]))
    fails(bnjit.DataError, "'x' has type dictionary", pa.table({"x": lists}))
    fails(bnjit.DataError, "a column is named nan", pd.DataFrame([[1.0], [2.0]], columns=[np.nan]))
    fails(bnjit.DataError, "there is no file", "x" * 5000)


def test_odd_arguments():
    for seed in (-1, 1.5, "a"):
        fails(bnjit.ArgumentError, "seed=.* must be a whole number, 0 or more", GOOD, score="pred", seed=seed)
    for n_threads in (0, -1, "two", 1.5):
        fails(bnjit.ArgumentError, "n_threads=.* must be a whole number, 1 or more", GOOD, n_threads=n_threads)
    for share in (None, True, 0, 1, 1.5):
        with pytest.raises(bnjit.ArgumentError, match=r"test=.* must lie between 0 and 1"):
            bnjit.HeldOut(share)
    fails(bnjit.DataError, "'a'", GOOD, score=bnjit.HeldOut("a"))
    fails(bnjit.ArgumentError, "discrete=0 must be a list", GOOD, discrete=0)
    fails(bnjit.ArgumentError, "discrete names the column", GOOD, discrete=[["a"]])
    fails(bnjit.ArgumentError, "score='x' is not known", GOOD, score="x")
    structured = np.zeros(3, [("a", float)])
    fails(bnjit.ArgumentError, "a structured one brings", structured, names=["a"])
    fails(bnjit.GraphError, "ends of an arc are names", GOOD, [(["a"], "b")])


def test_test_rows_may_be_few_and_alike():
    test = {"a": ["x"], "b": [1.7], "c": [0.4]}
    assert np.isfinite(bnjit.score([("b", "c")], GOOD, score=bnjit.HeldOut(test)))
    alike = {"a": ["x"] * 3, "b": [1.7] * 3, "c": [0.4] * 3}
    for estimator in ("stats", "qr"):
        value = bnjit.score([("b", "c"), ("a", "b")], GOOD, score=bnjit.HeldOut(alike), estimator=estimator)
        assert np.isfinite(value)
    fails(bnjit.DataError, "test: column 'b' has", GOOD, score=bnjit.HeldOut({**alike, "b": [1.0, None, 2.0]}))
    fails(bnjit.DataError, "'a' has no level in common", GOOD, score=bnjit.HeldOut({**test, "a": ["1"]}))
    fails(bnjit.DataError, "test has 0 rows", GOOD, score=bnjit.HeldOut({"a": [], "b": [], "c": []}))
