"""One error for all columns, from every function and every source."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.cli import main
from bnjit.cli.texts import for_the_command_line

CALLS = {
    "learn": bnjit.learn,
    "score": lambda data, **more: bnjit.score([], data, **more),
    "fit": lambda data, **more: bnjit.fit([], data, **more),
    "arc_strength": lambda data, **more: bnjit.arc_strength(data, 2, **more),
}
RNG = np.random.default_rng(7)


@pytest.fixture
def frame():
    table = pd.DataFrame({name: RNG.normal(size=200) for name in "xyz"})
    table["when"] = pd.date_range("2020", periods=200)
    table["name"] = [f"r{i}" for i in range(200)]
    table.loc[:49, "y"] = np.nan
    table.loc[3, "z"] = np.inf
    return table


def message(call, data, **more):
    with pytest.raises(bnjit.DataError) as caught:
        call(data, **more)
    return str(caught.value)


@pytest.mark.parametrize("name", CALLS)
def test_all_columns_are_named(frame, name):
    lines = message(CALLS[name], frame).splitlines()
    assert lines[0] == "4 of 5 columns cannot be used as they are:"
    assert lines[1:5] == [
        "  `y` lacks 50 of 200 values (25%)",
        "  `z` is infinite in 1 of 200 rows (0.5%)",
        "  `when` holds dates",
        "  `name` has 200 values, all different, like an identifier",
    ]
    assert lines[5] == "150 of 200 rows (75%) are complete; without `y` 200 are."
    assert 'missing="drop"' in lines[6]
    assert "bnjit.check(data)" in lines[6]


def test_files_functions_and_dask(frame, tmp_path, capsys):
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    expected = message(bnjit.learn, table)
    assert expected.startswith("4 of 5 columns")
    assert message(bnjit.learn, path, out_of_core=True) == expected
    assert message(bnjit.learn, lambda: table.to_batches(50)) == expected
    assert message(bnjit.learn, dd.from_pandas(frame, npartitions=4)) == message(bnjit.learn, frame)
    assert main(["learn", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[:-1] == f"bnjit: {expected}".splitlines()[:-1]
    assert err.splitlines()[-1] == (
        "--missing drop leaves out rows with gaps, available uses what is there, em fills them. "
        "`bnjit check TABLE` shows every column, and with --out FILE writes the table with remedies."
    )


def test_one_column_keeps_its_own_words(frame):
    one = message(bnjit.learn, frame[["x", "y"]])
    assert one.startswith("column 'y' has 50 missing (NaN) values, the first in row 0 (counting from 0);")
    assert one.endswith("bnjit.check(data) shows every column, and its prepared() the table with remedies")
    assert "\n" not in one
    assert '; 25% of its values are missing, 150 of 200 rows are complete; missing="drop" leaves out' in one
    assert "missing=" not in message(bnjit.learn, frame[["x", "name"]])


def test_rows_are_left_out_only_where_that_helps(frame):
    frame.loc[:5, "when"] = pd.NaT
    assert "missing=" not in message(bnjit.learn, frame[["x", "when"]])
    assert "missing=" not in message(bnjit.learn, frame[["x", "when", "name"]])
    empty = message(bnjit.learn, frame[["x"]].assign(e=np.nan))
    assert empty.startswith("`e` has no values at all: drop it; ")
    assert "missing=" not in empty
    frame.loc[:49, "z"], frame.loc[50:, "z"] = 1.0, np.nan
    assert "0 of 200 rows (0%) are complete; without" in message(bnjit.learn, frame[["x", "y", "z"]])
    assert "missing=" not in message(bnjit.learn, frame[["x", "y", "z"]])


def test_no_complete_row_and_other_columns(frame, tmp_path):
    frame["e"] = np.nan
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    for call in CALLS.values():
        lines = message(call, frame, missing="drop").splitlines()
        assert lines[0].startswith('none of the 200 rows of data is complete, so that missing="drop" leaves nothing')
        assert lines[1] == "4 of 6 columns cannot be used as they are:"
        assert "  `when` holds dates" in lines
        assert lines[-1].startswith("bnjit.check(data) shows")
    assert "  `when` holds dates" in message(bnjit.learn, path, out_of_core=True, missing="drop").splitlines()
    partitions = message(bnjit.learn, dd.from_pandas(frame, npartitions=3), missing="drop").splitlines()
    assert partitions == message(bnjit.learn, frame, missing="drop").splitlines()
    x = frame["x"]
    only = message(bnjit.learn, {"x": x, "a": x.where(x > 0), "b": x.where(x < 0)}, missing="drop")
    assert only.startswith("none of the 200 rows")
    assert only.endswith("bnjit.check(data) shows every column, and its prepared() the table with remedies")


def test_test_rows_that_are_not_complete(frame):
    good = frame[["x"]].assign(y=RNG.normal(size=200))
    text = message(bnjit.learn, good, score=bnjit.HeldOut(test=good.assign(y=np.nan)), missing="drop")
    assert text.startswith("none of the 200 rows of")
    assert "bnjit.check" not in text


def test_many_columns_are_cut():
    text = message(bnjit.learn, pd.DataFrame(np.full((10, 50), np.nan)))
    assert "  ... and 38 more columns" in text
    assert len(text.splitlines()) < 20


def test_test_rows_have_an_error_of_their_own(frame):
    good = frame[["x"]].assign(y=RNG.normal(size=200))
    text = message(bnjit.learn, good, score=bnjit.HeldOut(test=frame[["x", "y"]]))
    assert "bnjit.check" not in text


def test_saved_statistics_and_arguments_stay(frame):
    with pytest.raises(bnjit.ArgumentError, match="discrete names the column 'q'"):
        bnjit.learn(frame, discrete=["q"])
    with pytest.raises(bnjit.DataError, match="4 of 5 columns"):
        bnjit.learn(frame, discrete=iter(()))


def test_the_command_line(frame, tmp_path, capsys):
    path, page, out = (tmp_path / name for name in ("t.csv", "t.html", "out.parquet"))
    frame.to_csv(path, index=False)
    assert main(["check", str(path), "--html", str(page), "--out", str(out)]) == 1
    shown = capsys.readouterr().out
    assert "`y` lacks 50 of 200 values" in shown
    assert "split `when` into `when_month`, `when_weekday`" in shown
    assert f"wrote {out}" in shown
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert "prefers-color-scheme: dark" in html
    assert "--missing em fills them" in html
    assert "missing=" not in html
    assert f"missing values stay: bnjit learn {out} --missing em fills them" in shown
    assert main(["check", str(out), "--quiet"]) == 1  # gaps are left
    assert main(["check", str(out), "--out", str(out)]) == 1
    assert "nothing was to change" in capsys.readouterr().out
    pd.read_parquet(out).dropna().to_parquet(out)
    assert main(["check", str(out), "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["learn", str(out), "--quiet"]) == 0
    for options, words in (
        (["--html", "a.txt"], "--html a.txt: the name must end in .html"),
        (["--out", "nowhere/a.csv"], "there is no folder 'nowhere'"),
        (["--discrete", "q"], "discrete names the column 'q'"),
    ):
        assert main(["check", str(path), *options]) == 2
        assert words in capsys.readouterr().err


def test_the_command_line_speaks_its_own_language(frame, tmp_path, capsys):
    """Nothing is said in Python, nothing is cut, and what to type is there."""
    frame["a code"] = np.arange(200) % 3
    for i in range(30):
        frame[f"a name of some length {i}"] = frame["y"].round(i % 3 + 1)
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    words = " ".join(shown.split())
    assert "--discrete 'a code' if they are levels" in words
    assert all(f"`a name of some length {i}` lacks 50 of 200 values" in words for i in range(30))
    assert "--missing em fills them, --missing drop leaves out these rows" in words
    assert "more columns; --html FILE has them all" in words
    assert "--out FILE writes the table with" in words
    assert not any(python in words for python in ("report.", "missing=", "discrete=[", "bnjit."))
    assert max(map(len, shown.splitlines()[3:])) <= 120
    frame[["x", "y"]].assign(n=range(200)).to_csv(path, index=False)
    assert main(["learn", str(path)]) == 2
    assert "--missing em, available or drop says what to do" in capsys.readouterr().err
    with pytest.warns(bnjit.BnjitWarning, match="numbers the rows") as caught:
        main(["learn", str(path), "--missing", "em"])
    said = for_the_command_line(str(caught[0].message))
    assert said.endswith("drop what measures nothing (`bnjit check TABLE --out FILE` does)")
