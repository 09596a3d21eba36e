"""Columns that number the rows are warned of, and others are not."""

import warnings

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.data.numbering import RowNumbers, numbers_rows
from bnjit.data.tuning import IDENTIFIERS_KEPT

N = 2500
RNG = np.random.default_rng(11)
X = RNG.normal(size=N)


def in_chunks(columns):
    """A function of batches, none of which has twenty rows."""
    return lambda: pa.table(columns).to_batches(max_chunksize=17)


def on_dask(columns):
    return dd.from_pandas(pd.DataFrame(columns), npartitions=7)


EVERYWHERE = [pd.DataFrame, pa.table, pl.DataFrame, dict, in_chunks, on_dask]


@pytest.mark.parametrize("wrap", EVERYWHERE)
@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("n", np.arange(N), "numbers the rows, like an index"),
        ("n", np.arange(7, N + 7).astype(np.uint16), "numbers the rows, like an index"),
        ("user_id", RNG.permutation(N), "is different in every row, like an identifier"),
        ("index", RNG.permutation(N), "is different in every row, like an identifier"),
    ],
)
def test_numbering_is_warned_of(wrap, name, values, words):
    with pytest.warns(bnjit.BnjitWarning, match=f"^'{name}' {words}: drop what measures"):
        bnjit.learn(wrap({"x": X, name: values}))


def test_both_cases_are_told_apart():
    with pytest.warns(bnjit.BnjitWarning, match="^'n' numbers the rows, .*; 'a_id', 'b_id' are different in every row"):
        bnjit.learn({"x": X, "n": np.arange(N), "a_id": RNG.permutation(N), "b_id": RNG.permutation(N)})


@pytest.mark.parametrize("wrap", [dict, in_chunks, on_dask])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n", np.arange(N) * 1.0),
        ("n", RNG.permutation(N)),
        ("n", np.arange(N) * 3),
        ("population", np.cumsum(RNG.integers(1, 9, N))),
        ("glycemic_index", RNG.permutation(N)),
        ("heat index", RNG.permutation(N)),
        ("count", (np.arange(N) % 256).astype(np.uint8)),
        ("n", np.append(np.arange(N - 1), 5)),
        ("n", np.append(np.arange(1000), np.arange(1001, N + 1))),
        ("user_id", np.append(np.arange(N - 1), 5)),
        ("user_id", RNG.integers(0, N, N)),
        ("user_id", np.arange(N) // 2),
        ("year", np.arange(1990, 2024)),
        ("year", np.arange(1565, 1825, 5)),
        ("n", np.arange(19)),
    ],
)
def test_other_columns_are_not(wrap, name, values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bnjit.learn(wrap({"x": X[: len(values)], name: values}))


def test_names_are_looked_at_everywhere():
    for wrap in (in_chunks, on_dask):
        with pytest.warns(bnjit.BnjitWarning, match="^'Unnamed: 0' numbers the rows.*; 'Unnamed: 0' has no name"):
            bnjit.learn(wrap({"Unnamed: 0": np.arange(N), "x": X}))


def test_no_pass_more():
    plain = bnjit.learn(in_chunks({"x": X, "y": X**2}))
    with pytest.warns(bnjit.BnjitWarning, match="'n' numbers the rows"):
        assert bnjit.learn(in_chunks({"x": X, "n": np.arange(N)})).passes == plain.passes


@settings(max_examples=80)
@given(
    kind=st.sampled_from(["rows", "gap", "ids", "twice", "constant"]), cuts=st.lists(st.integers(0, 300), max_size=5),
    seed=st.integers(0, 1000), named=st.booleans(),
)  # fmt: skip
def test_batches_and_merges_make_no_difference(kind, cuts, seed, named):
    rng = np.random.default_rng(seed)
    values = {
        "rows": np.arange(5000, 5300), "gap": np.delete(np.arange(301), 200), "ids": rng.permutation(300),
        "twice": rng.permutation(np.append(np.arange(299), 17)), "constant": np.ones(300, int),
    }[kind]  # fmt: skip
    name = "user_id" if named else "n"
    expected = kind in ("rows", "gap", "ids") if named else kind == "rows"
    parts = np.split(values, sorted(cuts))
    one, some = RowNumbers(name), []
    for part in parts:
        one.add(part)
        some.append(RowNumbers(name))
        some[-1].add(part)
    assert one.rows == 300
    assert one.number_rows == expected == numbers_rows(name, values, values) == some[0].merged(some[1:]).number_rows


def test_identifiers_of_large_tables_are_recognised_in_bounded_memory():
    values = np.random.default_rng(1).permutation(3 * IDENTIFIERS_KEPT)
    found, twice = RowNumbers("user_id"), RowNumbers("user_id")
    for part in np.split(values, 6):
        found.add(part)
        twice.add(part)
        assert len(found._kept) <= IDENTIFIERS_KEPT
    assert found.number_rows
    twice.add(values[:1000] + len(values))
    assert twice.number_rows
    twice.add(values[:1000])  # some of which were kept
    assert not twice.number_rows


def test_lists_and_names():
    with pytest.warns(bnjit.BnjitWarning, match="^'' numbers the rows.*; '' has no name, like a saved index"):
        bnjit.learn({"x": X[:50], "": list(range(50))})
    with pytest.warns(bnjit.BnjitWarning, match="^'Unnamed: 3' has no name"):
        bnjit.learn({"x": X, "Unnamed: 3": X**2})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bnjit.learn({"x": X[:40], "n": [float(i) for i in range(40)], "g": ["a", "b"] * 20})


def with_gaps(kind, values, where):
    """Whole numbers some of which are missing, as a table with another column."""
    table = pd.DataFrame({"x": X[: len(values)], kind: pd.Series(values, dtype="Int64")})
    table.loc[where, kind] = pd.NA
    return table


@pytest.mark.parametrize("rule", ["available", "em"])
@pytest.mark.parametrize("where", [[0], [300], [299, 300], slice(0, 39), slice(250, 300)])
def test_gaps_among_whole_numbers(where, rule, tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "table.csv"
    for wrap in (
        lambda table: table,
        lambda table: table.to_csv(path, index=False) or path,
        lambda table: lambda: pa.Table.from_pandas(table).to_batches(max_chunksize=40),
        lambda table: dd.from_pandas(table, npartitions=4),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rows = with_gaps("n", np.arange(301), where)  # a number of the row is never missing
            assert set(bnjit.learn(wrap(rows), missing=rule).dag) == {"x", "n"}
        with pytest.warns(bnjit.BnjitWarning, match="'user_id' is different in every row, like an identifier"):
            bnjit.learn(wrap(with_gaps("user_id", rng.permutation(301), where)), missing=rule)


@pytest.mark.parametrize("cuts", [[], [40], [40, 80], [1], [300]])
def test_gaps_in_some_batches(cuts):
    numbers = np.arange(301.0)
    for gaps in (slice(0, 40), slice(40, 80), slice(0, 0), slice(0, 301)):
        values = numbers.copy()
        values[gaps] = np.nan
        some = [RowNumbers("n") for _ in range(len(cuts) + 1)]
        for one, part in zip(some, np.split(values, cuts), strict=True):
            one.add(part)
        found = some[0].merged(some[1:])
        assert found.rows == 301
        assert found.number_rows == (gaps == slice(0, 0))
