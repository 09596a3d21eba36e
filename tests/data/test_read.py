"""Every kind of table gives the same Table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import bnjit
from bnjit.data import read_table
from tests.data.passes import read_in_chunks

N = 30
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "label": RNG.choice(["low", "mid", "high"], N),
        "flag": RNG.random(N) < 0.5,
        "wide": RNG.normal(size=N),
        "narrow": RNG.normal(size=N).astype(np.float32),
        "whole": RNG.integers(-5, 100, N),
        "kind": pd.Categorical(RNG.choice(["b", "a"], N), categories=["b", "a", "never"]),
        "code": RNG.integers(3, 7, N),
    }
)


def assert_same_tables(table, reference, levels_of_kind=("b", "a", "never")):
    assert table.names == reference.names
    assert table.n == reference.n
    for name, ours, theirs in zip(table.names, table.columns, reference.columns, strict=True):
        if name == "kind":
            assert set(ours.labels) == set(levels_of_kind)
            assert [ours.labels[c] for c in ours.values] == [theirs.labels[c] for c in theirs.values]
        else:
            assert ours.labels == theirs.labels, name
            np.testing.assert_array_equal(ours.values, theirs.values)
            assert ours.values.dtype == theirs.values.dtype, name


@pytest.fixture(scope="module")
def reference():
    return read_table(FRAME, discrete=["code"])


def test_types_of_columns(reference):
    assert reference.discrete == (True, True, False, False, False, True, True)
    assert reference.levels == (3, 2, 0, 0, 0, 3, 4)
    columns = dict(zip(reference.names, reference.columns, strict=True))
    assert columns["label"].labels == ("high", "low", "mid")
    assert columns["flag"].labels == (False, True)
    assert columns["kind"].labels == ("b", "a", "never")
    assert columns["code"].labels == (3, 4, 5, 6)
    assert {c.values.dtype for c in reference.columns if c.labels is not None} == {np.dtype(np.uint8)}
    assert columns["wide"].values.dtype == np.float64
    assert columns["narrow"].values.dtype == np.float32
    assert columns["whole"].values.dtype == np.float64
    np.testing.assert_array_equal(columns["whole"].values, FRAME["whole"])
    decoded = [columns["label"].labels[code] for code in columns["label"].values]
    assert decoded == FRAME["label"].tolist()


def test_pandas_flavours(reference):
    assert_same_tables(read_table(FRAME.astype({"label": object}), discrete=["code"]), reference)
    assert_same_tables(read_table(FRAME.astype({"label": "string"}), discrete=["code"]), reference)
    nullable = FRAME.astype(
        {"flag": "boolean", "wide": "Float64", "narrow": "Float32", "whole": "Int64", "code": "Int8"}
    )
    assert_same_tables(read_table(nullable, discrete=["code"]), reference)
    assert_same_tables(read_table(FRAME.convert_dtypes(dtype_backend="pyarrow"), discrete=["code"]), reference)
    assert_same_tables(read_table(FRAME.set_index(FRAME.index[::-1]), discrete=["code"]), reference)


def test_other_tables(reference, tmp_path):
    arrow = pa.Table.from_pandas(FRAME)
    assert_same_tables(read_table(arrow, discrete=["code"]), reference)
    assert_same_tables(read_table(pa.concat_tables([arrow[:7], arrow[7:7], arrow[7:]]), discrete=["code"]), reference)
    assert_same_tables(read_table(arrow.to_batches()[0], discrete=["code"]), reference)
    polars = pl.from_arrow(arrow)
    assert_same_tables(read_table(polars, discrete=["code"]), reference, ("a", "b"))
    declared = polars.with_columns(pl.col("kind").cast(pl.String).cast(pl.Enum(["b", "a", "never"])))
    assert_same_tables(read_table(declared, discrete=["code"]), reference)
    assert_same_tables(read_table(FRAME.to_dict("series"), discrete=["code"]), reference)
    pq.write_table(arrow, tmp_path / "t.parquet", row_group_size=11)
    assert_same_tables(read_table(tmp_path / "t.parquet", discrete=["code"]), reference)
    assert_same_tables(read_table(str(tmp_path / "t.parquet"), discrete="code"), reference)


def test_lists_and_structured_arrays():
    columns = {name: FRAME[name].tolist() for name in ("label", "flag", "wide", "whole")}
    table = read_table(columns)
    structured = np.zeros(N, [("label", "U8"), ("flag", bool), ("wide", float), ("whole", int)])
    for name, values in columns.items():
        structured[name] = values
    assert_same_tables(read_table(structured), table)
    assert table.discrete == (True, True, False, False)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv"])
def test_csv(suffix, tmp_path):
    path = tmp_path / f"t{suffix}"
    frame = FRAME.drop(columns=["kind", "narrow"])
    frame.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    assert_same_tables(read_table(path, discrete=["code"]), read_table(frame, discrete=["code"]))


def test_arrays_with_names():
    values = np.asfortranarray(RNG.normal(size=(20, 3)))
    table = read_table(values, names=["a", "b", "c"])
    assert table.names == ("a", "b", "c")
    assert read_table(values).names == ("X1", "X2", "X3")
    assert np.shares_memory(table.columns[1].values, values)
    np.testing.assert_array_equal(read_table(np.ascontiguousarray(values)).columns[2].values, values[:, 2])


def test_no_copy_where_the_input_allows_it():
    table = read_table(FRAME)
    assert np.shares_memory(table.columns[2].values, FRAME["wide"].to_numpy())
    assert np.shares_memory(table.columns[3].values, FRAME["narrow"].to_numpy())
    assert np.shares_memory(table.columns[1].values, FRAME["flag"].to_numpy())
    assert np.shares_memory(table.columns[5].values, FRAME["kind"].array.codes)
    arrow = pa.table({"x": FRAME["wide"].to_numpy()})
    assert np.shares_memory(read_table(arrow).columns[0].values, FRAME["wide"].to_numpy())


def test_float32_is_accumulated_in_float64():
    x = (np.arange(200_000) % 1000 + 1e5).astype(np.float32)
    y = np.random.default_rng(1).normal(size=len(x)).astype(np.float32)
    ours = bnjit.score([("x", "y")], pd.DataFrame({"x": x, "y": y}))
    theirs = bnjit.score([("x", "y")], pd.DataFrame({"x": x.astype(float), "y": y.astype(float)}))
    assert ours == theirs


def test_an_index_of_pandas_is_no_column(tmp_path):
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5, 4.0], "k": [3, 1, 2, 0], "d": list("abab")})
    for index, stored in ((frame.set_index("k"), "k"), (frame[["x", "d"]][frame["k"] != 1], "__index_level_0__")):
        arrow = pa.Table.from_pandas(index)
        assert stored in arrow.schema.names
        index.to_parquet(parquet := tmp_path / "rows.parquet")
        pyarrow.feather.write_feather(arrow, feather := tmp_path / "rows.arrow", compression="uncompressed")
        batches = lambda arrow=arrow: arrow.to_batches(max_chunksize=1)  # noqa: E731
        for data in (arrow, parquet, feather):
            assert read_table(data).names == ("x", "d")
        for data in (parquet, feather, batches):
            root, rows = read_in_chunks(data, 2)
            assert root.names == rows.names == ("x", "d")
            assert rows.columns[0].values.tolist() == index["x"].tolist()
