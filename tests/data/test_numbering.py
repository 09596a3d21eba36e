"""Columns that number the rows are warned of, and others are not."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bnjit

N = 2500
RNG = np.random.default_rng(11)
X = RNG.normal(size=N)


@pytest.mark.parametrize("wrap", [pd.DataFrame, pa.table, pl.DataFrame, dict])
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
        ("user_id", RNG.integers(0, N, N)),
        ("user_id", np.arange(N) // 2),
        ("year", np.arange(1990, 2024)),
        ("year", np.arange(1565, 1825, 5)),
        ("n", np.arange(19)),
    ],
)
def test_other_columns_are_not(name, values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bnjit.learn({"x": X[: len(values)], name: values})


def test_lists_and_names():
    with pytest.warns(bnjit.BnjitWarning, match="^'' numbers the rows.*; '' has no name, like a saved index"):
        bnjit.learn({"x": X[:50], "": list(range(50))})
    with pytest.warns(bnjit.BnjitWarning, match="^'Unnamed: 3' has no name"):
        bnjit.learn({"x": X, "Unnamed: 3": X**2})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bnjit.learn({"x": X[:40], "n": [float(i) for i in range(40)], "g": ["a", "b"] * 20})
