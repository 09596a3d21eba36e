"""Rows with a gap are left out, whatever a gap looks like and wherever rows come from."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bnjit
from bnjit.data.complete import complete_columns, missing_values, tell_of_rows
from bnjit.errors import ColumnError
from tests.data.dask.frames import in_partitions

RNG = np.random.default_rng(1)
N = 600
WHOLE = bnjit.datasets.random_network("cgaussian", 5, parents=2.0, share_discrete=0.4, seed=3).sample(N, seed=1)
GAPS = WHOLE.copy()
for name in GAPS:
    GAPS.loc[RNG.random(N) < 0.06, name] = None
KEPT = GAPS.dropna().reset_index(drop=True)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (np.array([1.0, np.nan]), [False, True]),
        (np.array([1, 2]), [False, False]),
        (np.ma.array([1.0, 2.0, np.nan], mask=[True, False, False]), [True, False, True]),
        (np.array(["a", None, np.nan], object), [False, True, True]),
        (pd.Series([1, None], dtype="Int64"), [False, True]),
        (pd.Series(["a", None], dtype="category"), [False, True]),
        (pd.Series([pd.NaT, pd.Timestamp(0)]), [True, False]),
        (pa.array([None, "a"]), [True, False]),
        (pa.chunked_array([[1.0], [float("nan"), None]]), [False, True, True]),
        (pl.Series(["x", None]), [False, True]),
        (["x", None, float("nan")], [False, True, True]),
    ],
)
def test_what_is_missing(raw, expected):
    assert missing_values(raw).tolist() == expected


def test_nothing_is_copied_where_nothing_is_missing():
    columns = [("a", np.arange(3.0)), ("b", ["x", "y", "z"])]
    assert [raw for _, raw in complete_columns(columns)] == [raw for _, raw in columns]


def forms(frame, folder):
    """The same rows in every form that learning takes."""
    frame.to_parquet(folder / "rows.parquet", row_group_size=100)
    frame.to_csv(folder / "rows.csv", index=False)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    yield frame, {}
    yield arrow, {}
    yield pl.from_arrow(arrow), {}
    yield frame.to_dict("list"), {}
    yield folder / "rows.parquet", {}
    yield folder / "rows.parquet", {"out_of_core": True}
    yield lambda: arrow.to_batches(70), {}
    yield folder / "rows.csv", {}
    yield in_partitions(frame), {}


@pytest.mark.parametrize("score", ["bic", "pred"])
def test_every_source_leaves_out_the_same_rows(tmp_path, score):
    expected = bnjit.learn(KEPT, score, seed=2)
    assert len(KEPT) < 0.8 * N
    for data, options in forms(GAPS, tmp_path):
        found = bnjit.learn(data, score, seed=2, missing="drop", **options)
        assert found.n_rows == expected.n_rows
        assert set(found.dag.edges) == set(expected.dag.edges)
        assert found.score == pytest.approx(expected.score, rel=1e-9)


def test_the_other_functions():
    dag = bnjit.learn(KEPT).dag
    assert bnjit.score(dag, GAPS, missing="drop") == bnjit.score(dag, KEPT)
    for name in KEPT:
        pd.testing.assert_frame_equal(
            bnjit.fit(dag, GAPS, missing=bnjit.DropRows()).parameters(name), bnjit.fit(dag, KEPT).parameters(name)
        )
    pd.testing.assert_frame_equal(
        bnjit.arc_strength(GAPS, 5, seed=1, missing="drop"), bnjit.arc_strength(KEPT, 5, seed=1)
    )
    collected = bnjit.Statistics.collect(GAPS, missing="drop")
    assert bnjit.learn(collected, max_parents=1).score == bnjit.learn(KEPT, max_parents=1).score
    more = collected.update(GAPS, missing="drop")
    assert more.n == 2 * len(KEPT)
    with pytest.raises(bnjit.ArgumentError, match="leaves out rows, and data is Statistics"):
        bnjit.learn(collected, missing="drop")


def test_test_rows_too():
    train, test = GAPS.iloc[:400], GAPS.iloc[400:]
    ours = bnjit.score("[" + "][".join(GAPS) + "]", train, bnjit.HeldOut(test), missing="drop")
    assert ours == bnjit.score("[" + "][".join(GAPS) + "]", train.dropna(), bnjit.HeldOut(test.dropna()))


def forms_of(frame, folder):
    """A table in memory, as a file, and in partitions, with what to read it with."""
    import dask.dataframe as dd

    frame.to_parquet(folder / "rows.parquet")
    return (frame, {}), (folder / "rows.parquet", {"out_of_core": True}), (dd.from_pandas(frame, npartitions=5), {})


def test_most_rows_or_all_of_them(tmp_path):
    frame = WHOLE.assign(rare=np.where(np.arange(N) < 200, 1.0 + np.arange(N) % 7, np.nan))
    for data, options in forms_of(frame, tmp_path):
        with pytest.warns(bnjit.BnjitWarning, match=r"leaves out 400 of the 600 rows .* 'rare' \(400 missing\)"):
            assert bnjit.learn(data, missing="drop", **options).n_rows == 200
    frame = WHOLE.assign(rare=np.nan)
    for data, options in forms_of(frame, tmp_path):
        with pytest.raises(bnjit.DataError, match=r"none of the 600 rows of data is complete.*'rare' \(600 missing"):
            bnjit.learn(data, missing="drop", **options)
    with pytest.raises(ColumnError, match="none of the 3 rows"):
        tell_of_rows(3, 3, {"a": 3})


def test_identifiers_are_judged_by_all_rows():
    frame = pd.DataFrame({"x": RNG.normal(size=40), "name": [f"n{i % 30}" for i in range(40)]})
    frame.loc[30:, "x"] = np.nan
    with pytest.warns(bnjit.BnjitWarning, match="'name' is discrete and different .* In the rows that were left out"):
        bnjit.learn(frame, missing="drop")
    for data in (
        frame.assign(name=range(40)).astype({"name": str}),
        pa.table({"x": frame["x"], "name": map(str, range(40))}),
    ):
        with pytest.raises(bnjit.DataError, match=r"name. .*different"):
            bnjit.learn(data, missing="drop")


def test_other_problems_are_told_of_without_the_gaps():
    frame = GAPS.assign(when=pd.Timestamp(0), key=[f"k{i}" for i in range(N)])
    with pytest.raises(bnjit.DataError) as error:
        bnjit.learn(frame, missing="drop")
    assert "2 of 7 columns cannot be used" in str(error.value)
    assert "`when`" in str(error.value)
    assert "`key`" in str(error.value)
    assert "missing" not in str(error.value)
