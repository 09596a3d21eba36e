"""What a search will take is said before it starts."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnjit.forecast import expected_passes, forecast

FRAME = pd.DataFrame({"x": np.arange(1000.0), "y": np.arange(1000.0) ** 0.5, "g": ["a", "b"] * 500})


@pytest.mark.parametrize(
    ("columns", "discrete", "passes"),
    [
        (["x", "y"], [], "about 1 pass, "),
        (["g"], [], "about 15 passes, "),
        (["x", "g"], [], "about 60 passes, "),
        (["x", "g"], ["x"], "about 15 passes, "),
    ],
)
def test_files(tmp_path, columns, discrete, passes):
    FRAME[columns].to_parquet(tmp_path / "rows.parquet")
    line = forecast(tmp_path / "rows.parquet", discrete, "1GB", True, name="rows")
    assert line.startswith(f"rows: 1,000 rows, {len(columns)} columns, read in chunks of 1,048,576 rows: {passes}")
    assert line.endswith("up to 1.00 GB of memory for rows and statistics")
    assert forecast(tmp_path / "rows.parquet", discrete, "1GB", None) is None


def test_rows_that_are_not_known_before():
    line = forecast(pa.Table.from_pandas(FRAME).to_batches, (), "1GB", None)
    assert line.startswith("data: rows unknown before they are read, 3 columns")
    assert "seconds" not in line


def test_data_in_memory_needs_no_forecast():
    assert forecast(FRAME, (), None, None) is None


def test_passes_by_kinds():
    assert expected_passes([True, True, False]) == 60
