"""Tables with gaps: every way to write a missing value, and columns without gaps that are made of them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bnjit.data.gaps import CountGaps, type_with_gaps, without_gaps
from bnjit.data.read import read_table
from bnjit.errors import ColumnError

RAW = {
    "numpy": (np.array([1.5, np.nan, 3.0]), np.array(["u", None, "v"], object)),
    "masked": (
        np.ma.array([1.5, 9.0, 3.0], mask=[False, True, False]),
        np.ma.array(["u", "w", "v"], mask=[False, True, False]),
    ),
    "lists": ([1.5, None, 3.0], ["u", None, "v"]),
    "pandas": (pd.Series([1.5, None, 3.0], dtype="Float64"), pd.Series(["u", pd.NA, "v"], dtype="string")),
    "categories": (pd.Series([1.5, np.nan, 3.0]), pd.Series(pd.Categorical(["u", None, "v"]))),
    "arrow": (pa.array([1.5, None, 3.0]), pa.array(["u", None, "v"]).dictionary_encode()),
    "polars": (pl.Series([1.5, None, 3.0]), pl.Series(["u", None, "v"])),
}


@pytest.mark.parametrize("source", RAW)
def test_gaps_of_every_kind_of_column(source):
    numbers, texts = RAW[source]
    np.testing.assert_array_equal(type_with_gaps("x", numbers, False).values, [1.5, np.nan, 3.0])
    column = type_with_gaps("g", texts, False)
    assert column.labels == ("u", "v")
    assert column.values.tolist() == [0, 2, 1]


def test_booleans_and_declared_integers_may_have_gaps():
    booleans = type_with_gaps("b", pd.Series([True, None, False], dtype="boolean"), False)
    assert (booleans.labels, booleans.values.tolist()) == ((False, True), [1, 2, 0])
    integers = type_with_gaps("i", pd.Series([3, None, 1], dtype="Int64"), True)
    assert (integers.labels, integers.values.tolist()) == ((1, 3), [1, 2, 0])


def test_a_column_of_256_levels_has_room_for_a_gap():
    column = type_with_gaps("g", [*(f"{k:03d}" for k in range(256)), None], False)
    assert column.values.dtype == np.uint16
    assert column.values[-1] == 256


def test_a_column_without_values_is_an_error():
    with pytest.raises(ColumnError, match="'x' has no values at all"):
        type_with_gaps("x", [None, None], False)


def test_gaps_become_levels_and_indicators():
    frame = pd.DataFrame({"x": [1.0, np.nan, 4.0], "g": ["u", "v", None], "y": [1.0, 2.0, 3.0]})
    table = read_table(frame, gaps="keep")
    assert table.names == ("x", "g", "y", ("x", "missing"))
    assert table.columns[0].numbers().tolist() == [1.0, 2.5, 4.0]  # the mean of what is there
    assert np.shares_memory(table.columns[0].values, frame["x"].to_numpy())  # no copy
    assert table.columns[1].values.tolist() == [0, 1, 2]
    assert table.columns[3].values.tolist() == [0, 1, 0]
    assert table.gaps.columns == (0, 1)
    assert table.gaps.missing == (1, 1, 0)
    assert table.as_given.names == ("x", "g", "y")
    assert frame["x"].isna().sum() == 1  # the user's own column stays as it was


def test_a_table_without_gaps_stays_as_it_is():
    table = read_table({"x": [1.0, 2.0], "g": ["u", "v"]})
    assert without_gaps(table) is table
    assert read_table({"x": [1.0, 2.0], "g": ["u", "v"]}, gaps="keep").gaps is None


def test_gaps_are_counted_alike_in_any_chunks():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(5.0, 1.0, 101), "g": rng.choice(list("ab"), 101)}).mask(
        rng.random((101, 2)) < 0.3
    )
    from bnjit.data.read import type_columns

    table = type_columns(frame, gaps="keep")
    whole = CountGaps().start()
    whole.add_chunk(0, table)
    parts = []
    for rows in np.array_split(np.arange(101), 4):
        parts.append(CountGaps().start())
        parts[-1].add_chunk(int(rows[0]), table.take(rows))
    together = parts[0].merged(parts[1:])
    assert together.missing.tolist() == whole.missing.tolist() == frame.isna().sum().tolist()
    assert together.means[0] == pytest.approx(frame["x"].mean(), rel=1e-14)


@pytest.mark.parametrize("empty", [np.nan, None])
def test_a_partition_of_gaps_alone_may_have_any_type(empty):
    import dask
    import dask.dataframe as dd

    import bnjit

    rng = np.random.default_rng(2)
    x = rng.normal(size=90)
    frame = pd.DataFrame({
        "x": x, "whole": np.round(3 * x), "b": x > 0, "g": np.where(x + rng.normal(size=90) > 0, "u", "v"),
        "c": pd.Categorical(np.where(rng.random(90) < 0.5, "s", "t")), "d": 1.0 * (x > 1),
    })  # fmt: skip
    frame = frame.astype({"b": object})
    frame.iloc[30:60, 1:] = None
    parts = [frame.iloc[:30].astype({"whole": int, "b": bool}), frame.iloc[30:60], frame.iloc[60:].astype({"b": bool})]
    parts[1] = parts[1].assign(**{name: pd.Series(empty, index=parts[1].index) for name in frame.columns[1:]})
    for some in (parts, [parts[1], parts[0], parts[2]]):
        rows = dd.from_delayed([dask.delayed(part) for part in some], meta=frame.iloc[:0], verify_meta=False)
        for rule in ("available", "em"):
            ours = bnjit.learn(rows, missing=rule, discrete=["d"])
            theirs = bnjit.learn(pd.concat([frame.loc[part.index] for part in some]), missing=rule, discrete=["d"])
            assert list(ours.dag.edges) == list(theirs.dag.edges)
            assert ours.score == pytest.approx(theirs.score, rel=1e-9)


def test_a_column_of_gaps_in_every_partition_is_named():
    import dask.dataframe as dd

    import bnjit

    frame = pd.DataFrame({"x": np.arange(20.0) % 7, "none": pd.Series([None] * 20, dtype=object)})
    with pytest.raises(bnjit.DataError, match="`none` has no values at all"):
        bnjit.learn(dd.from_pandas(frame, npartitions=2), missing="available")


@pytest.mark.parametrize("rule", ["available", "em"])
@pytest.mark.parametrize(
    ("value", "message"), [(np.inf, "column 'x' has 1 infinite value,"), (1e308, "column 'x' .*too large to square")]
)
def test_gaps_beside_values_that_cannot_be_used(rule, value, message, tmp_path):
    import dask.dataframe as dd

    import bnjit

    frame = pd.DataFrame({"x": np.arange(20.0) % 7, "y": np.arange(20.0) % 3})
    frame.loc[::3, "x"] = None
    frame.loc[[1, 11], "x"] = [value, value if value < np.inf else 1.0]
    frame.to_parquet(tmp_path / "x.parquet")
    for data, options in (
        (frame, {}), (tmp_path / "x.parquet", {"out_of_core": True}), (dd.from_pandas(frame, npartitions=3), {})
    ):  # fmt: skip
        with pytest.raises(bnjit.DataError, match=message) as caught:
            bnjit.learn(data, missing=rule, **options)
        assert "bnjit.check(data)" in str(caught.value)
