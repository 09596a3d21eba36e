"""Wherever rows are, the report is the same."""

import io

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnjit
from bnjit.report import batches, summary
from tests.report.nasty import messy

NAMES = "species grams kilos sex visits when day same name patient_id infinite income latin power price"


@pytest.fixture
def frame():
    frame = messy(400)[NAMES.split()]
    frame.loc[5] = frame.loc[4]  # a row that comes twice, but for its name
    frame["name"] = frame["name"].where(frame.index != 5, "p4")
    return frame


def seen(report):
    """All that may not depend on where rows are; types have other names."""
    return (
        [(one.column, one.problem, one.severity, one.remedy) for one in report.findings],
        report.columns[["column", "kind", "values", "missing", "problem", "hint"]].to_dict("records"),
        report.remedies,
        (report.n_rows, report.complete_rows, report.duplicated_rows, report.complete_in_words),
    )


def test_every_source_has_the_same_report(frame, tmp_path, monkeypatch):
    expected = seen(bnjit.check(frame))
    assert ("name", "identifier", "error", "drop it, or make it a number") not in expected[0]
    assert expected[3][2] == 1
    path = tmp_path / "t.parquet"
    frame.to_parquet(path, row_group_size=90)
    frame.reset_index(drop=True).to_feather(tmp_path / "t.feather")
    folder = tmp_path / "parts"
    folder.mkdir()
    frame[:150].to_parquet(folder / "a.parquet")
    frame[150:].to_parquet(folder / "b.parquet")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for data in (table, pl.from_pandas(frame), path, tmp_path / "t.feather", folder, dict(frame.items())):
        assert seen(bnjit.check(data)) == expected
    monkeypatch.setattr(batches, "BATCH_ROWS", 64)
    for data in (frame, path, folder, lambda: table.to_batches(max_chunksize=70)):
        chunked = {} if isinstance(data, pd.DataFrame) else {"out_of_core": True}
        assert seen(bnjit.check(data, **chunked)) == expected
    assert seen(bnjit.check(dd.from_pandas(frame, npartitions=11))) == expected


def test_csv_and_arrays(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("row_id,a,a,b\n" + "".join(f"{i},{i * i % 7}.5,{'xyz'[i % 3]},\n" for i in range(30)))
    report = bnjit.check(path)
    assert report.columns["problem"].tolist() == ["row number", "", "duplicate name", "empty"]
    assert report.prepared().columns.tolist() == ["a", "a_2"]
    report = bnjit.check(np.column_stack([np.arange(30.0) ** 2, np.full(30, np.nan)]), names=["p", "q"])
    assert report.columns["problem"].tolist() == ["", "empty"]


def test_kinds_that_differ_between_batches_are_mixed(monkeypatch):
    monkeypatch.setattr(batches, "BATCH_ROWS", 4)
    mixed = pd.Series([1, 2, 3, 4, "a", "b", "c", "d"], dtype=object)
    numbers = pd.Series([1, 2, 3, 4, 1.5, 2.5, None, None], dtype=object)
    report = bnjit.check(pd.DataFrame({"mixed": mixed, "numbers": numbers, "late": [None] * 6 + ["x", "y"]}))
    assert report.columns["kind"].tolist() == ["unusable", "continuous", "discrete"]
    assert report.columns["missing"].tolist() == [0.0, 0.25, 0.75]


def test_duplicates_are_looked_for_among_the_first_rows(monkeypatch):
    monkeypatch.setattr(summary, "MOST_HASHED_ROWS", 50)
    monkeypatch.setattr(batches, "BATCH_ROWS", 30)
    x = np.random.default_rng(1).normal(size=100)
    x[40], x[99] = x[0], x[1]
    report = bnjit.check({"x": x})
    assert report.duplicated_rows == 1


def test_progress_is_shown(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert bnjit.check({"x": [1.0, 2.0, 4.0]}, progress=True).n_rows == 3


def test_dask_partitions_keep_their_rows(frame):
    made = bnjit.check(dd.from_pandas(frame, npartitions=3)).prepared()
    assert isinstance(made, dd.DataFrame)
    expected = bnjit.check(frame).prepared()
    pd.testing.assert_frame_equal(made.compute(), expected, check_dtype=False)
    assert made.dtypes.to_dict() == made.compute().dtypes.to_dict()


def test_large_files_are_prepared_batch_by_batch(frame, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "BATCH_ROWS", 64)
    path, out = tmp_path / "t.parquet", tmp_path / "out.parquet"
    frame.to_parquet(path)
    report = bnjit.check(path, out_of_core=True, discrete=["visits"])
    assert report.prepared(out) is None
    written = pq.read_table(out).to_pandas()
    expected = bnjit.check(frame, discrete=["visits"]).prepared()
    assert written.columns.tolist() == expected.columns.tolist()
    assert written["visits"].tolist() == expected["visits"].astype(str).tolist()
    assert written["when_month"].tolist() == expected["when_month"].tolist()
    pd.testing.assert_frame_equal(report.prepared(), written)
    monkeypatch.setattr("bnjit.report.report.VALUE_BYTES", 10**9)
    with pytest.raises(bnjit.ArgumentError, match=r"about .* GB, and max_memory is .*prepared\(.*\) writes it batch"):
        report.prepared()
