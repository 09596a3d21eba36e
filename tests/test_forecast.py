"""What a search will take is said before it starts."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.forecast import expected_passes, expected_seconds, forecast
from bnjit.progress import Progress

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


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_long_searches_are_announced(capsys):
    """Rows, columns, time and memory, and only where a search is long and a bar is shown."""
    rng = np.random.default_rng(1)
    wide = {f"x{j}": rng.normal(size=40) for j in range(800)}
    bnjit.learn(wide, max_iter=1, progress=True)
    shown = capsys.readouterr().err
    assert "40 rows, 800 columns, 0 of them discrete: hill climbing takes about 6 seconds" in shown
    assert "GB of memory for statistics" in shown
    bnjit.learn(wide, max_iter=1, progress=False)
    bnjit.learn({name: wide[name] for name in ("x0", "x1")}, progress=True)
    assert "rows, " not in capsys.readouterr().err


def test_many_levels_take_longer():
    """Configurations of three columns that do not fit in a table are found by sorting rows."""
    rng = np.random.default_rng(1)
    few, many = (pd.DataFrame(rng.integers(0, r, (500, 6))).astype("category") for r in (3, 200))
    seconds = [expected_seconds(read_table(frame)) for frame in (few, many)]
    assert seconds[1] > 2 * seconds[0]


def test_first_step_tells_how_long_a_search_takes(capsys):
    class Step:
        phase, score = "hc", -1.0

    with Progress("hc", shown=True) as bar:
        bar.begin()
        bar._began -= 60.0
        bar(Step())
        bar(Step())
    assert capsys.readouterr().err.count("the first step took 60 s; all will take 3 to 20 minutes or so") == 1
    with Progress("hc", shown=True) as bar:
        bar.begin()
        bar._began -= 60.0
        bar._compiling()  # which does not count
        bar(Step())
    shown = capsys.readouterr().err
    assert "compiling kernel 1; the first time takes 20 s or so" in shown
    assert "the first step" not in shown
