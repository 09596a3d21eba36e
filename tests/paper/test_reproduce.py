"""The whole flow on tiny tables: files, page, and what an interruption leaves."""

import re

import pandas as pd
import pytest

import bnjit
from bnjit.cli import main
from bnjit.paper import measure, reproduce
from bnjit.paper.choices import FIGURES
from bnjit.paper.log import COLUMNS, Log

FILES = {
    *(f"{stem}.{kind}" for stem in ("figure1", "figure2", "figure3", "complexity") for kind in ("png", "svg", "csv")),
    "table1.csv", "table2.csv", "measurements.csv", "reproduce.html",
}  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Where all tests of this module keep their measurements, so that each is made once."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def made(kept, tiny):
    return reproduce(out=kept, seed=3, n_threads=1, progress=False)


@pytest.fixture
def counted(monkeypatch):
    """Searches that are really made, without those that only compile."""
    calls = []
    real = measure._measure

    def counting(job, rows, settings):
        calls.append(job)
        return real(job, rows, settings)

    monkeypatch.setattr(measure, "_measure", counting)
    return calls


def test_everything_is_written(made, kept):
    assert {path.name for path in kept.iterdir()} == FILES == {path.name for path in made.files}
    assert all((kept / name).stat().st_size > 100 for name in FILES)
    assert [figure.name for figure in made.figures] == list(FIGURES)
    assert all(figure.findings and figure.caption for figure in made.figures)
    log = pd.read_csv(kept / "measurements.csv")
    assert list(log.columns) == list(COLUMNS)
    assert (log["seconds"] > 0).all()
    assert log["machine"].nunique() == log["code"].nunique() == 1


def test_tables_follow_from_the_measurements(made, kept, tiny):
    log = pd.read_csv(kept / "measurements.csv")
    mine = log[(log["experiment"] == "mehra") & (log["n"] == 1_000) & (log["run"] == 0)]
    table = pd.read_csv(kept / "table1.csv").set_index("n")
    for column, estimator, known in (
        ("BIC", "STATS", "yes"), ("PRED", "STATS PRED", "yes"),
        ("BIC without knowledge", "STATS", "no"), ("PRED without knowledge", "STATS PRED", "no"),
    ):  # fmt: skip
        own = mine[(mine["estimator"] == estimator) & (mine["knowledge"] == known)]
        assert len(own) == table.loc[1_000, "samples"] == tiny.samples
        assert table.loc[1_000, column] == own["shd"].sum()
    assert table.loc[1_000_000, ["paper's BIC", "paper's PRED"]].tolist() == [11, 2]
    assert pd.isna(table.loc[1_000_000, "BIC"])
    assert table.loc[1_500, "samples"] == 1
    bars = pd.read_csv(kept / "figure2.csv")
    assert len(bars) == 2 * 6
    assert (bars[bars["estimator"] == "QR"]["ratio"] == 1).all()
    shapes = pd.read_csv(kept / "table2.csv").set_index("data")
    assert shapes.loc["GAS", ["d", "M", "n", "paper's M"]].tolist() == [0, 37, 600, 37]
    assert shapes["source"].str.startswith("synthetic").all()


def test_same_network_by_every_estimator_of_a_score(made):
    searches = made.measurements[made.measurements["experiment"].isin(["mehra", "nodes"])]
    bic = searches[~searches["estimator"].str.contains("PRED")]
    assert (bic.groupby(["experiment", "data", "n", "sample", "knowledge"])["arcs"].nunique() == 1).all()


def test_knowledge():
    names = bnjit.datasets.mehra_like().names
    forbidden = measure.arcs_into_place_and_time(names)
    assert len(forbidden) == 11 * 23
    assert {target for _, target in forbidden} == set(names[:11])


def test_page_needs_nothing_else(made, kept):
    text = (kept / "reproduce.html").read_text(encoding="utf-8")
    assert text.count('src="data:image/svg+xml;base64,') == 4
    assert set(re.findall(r"""\b(?:src|href)=["']([^"':]*)""", text)) <= {
        "data", "#fig1", "#fig2", "#fig3", "#table1", "#table2", "#complexity", "#made"
    }  # fmt: skip
    assert "<script" not in text
    assert "<link" not in text
    for word in ("numba", "cores", "seed", "synthetic", "BIC without knowledge", "PRED without knowledge", "the paper"):
        assert word in text
    assert made._repr_html_() in text


def test_nothing_is_measured_twice(made, kept, counted):
    before = (kept / "measurements.csv").read_bytes()
    again = reproduce(out=kept, seed=3, n_threads=1, progress=False)
    assert counted == []
    assert (kept / "measurements.csv").read_bytes() == before
    pd.testing.assert_frame_equal(again.measurements, made.measurements)


def test_killed_while_writing(made, kept, counted, tmp_path):
    tables = {name: (kept / name).read_bytes() for name in ("table1.csv", "table2.csv")}
    content = (kept / "measurements.csv").read_bytes()
    lines = content.splitlines(keepends=True)
    cut = tmp_path / "measurements.csv"
    cut.write_bytes(b"".join(lines[:-8]) + lines[-8][: len(lines[-8]) // 2])
    reproduce(out=tmp_path, seed=3, n_threads=1, progress=False)
    assert len(counted) == 8
    mended = cut.read_bytes().splitlines()
    assert len(mended) == len(lines)
    assert {name: (tmp_path / name).read_bytes() for name in tables} == tables


def test_ctrl_c_says_what_was_kept(kept, made, tmp_path, monkeypatch, capsys):
    real, calls = bnjit.api.learn, []

    def interrupted(*arguments, **options):
        calls.append(1)
        result = real(*arguments, **options)
        result.interrupted = len(calls) == 4  # as a search says on Ctrl-C
        return result

    monkeypatch.setattr("bnjit.api.learn", interrupted)
    words = ["reproduce", "table2", "--out", str(tmp_path), "--quiet"]
    assert main(words) == 130
    out, err = capsys.readouterr()
    kept_there = len(Log(tmp_path / "measurements.csv").rows)
    assert out == ""
    assert f"{kept_there} of 2 measurements are kept" in err
    assert kept_there == 1  # of four calls two compiled, and the last was interrupted
    assert err.count("\n") == 1
    assert main(words) == 0
    assert len(Log(tmp_path / "measurements.csv").rows) == 2


def test_other_settings_are_not_mixed(made, kept, tmp_path, counted):
    (tmp_path / "measurements.csv").write_bytes((kept / "measurements.csv").read_bytes())
    other = reproduce("table2", out=tmp_path, seed=4, n_threads=1, progress=False)
    assert len(counted) == 2
    assert set(other.measurements["seed"]) == {"4"}
    assert f"{len(made.measurements)} measurements made with another seed" in other.note
    assert other.note in repr(other)


def test_file_of_another_version(tmp_path):
    (tmp_path / "measurements.csv").write_text("a,b\n1,2\n")
    with pytest.raises(bnjit.BnjitError, match="other columns"):
        reproduce("table2", out=tmp_path, progress=False)


def test_command_line(kept, made, tmp_path, capsys, counted):
    (tmp_path / "measurements.csv").write_bytes((kept / "measurements.csv").read_bytes())
    words = ["reproduce", "fig2", "table1", "--seed", "3", "--threads", "1", "--out", str(tmp_path)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "Figure 2" in out
    assert f"{tmp_path / 'reproduce.html'}" in out
    assert not (tmp_path / "figure3.png").exists()
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert counted == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["fig9"], "what='fig9' is not known; choose from fig1"),
        (["--scale", "huge"], "scale='huge' is not known; it is quick or paper"),
        (["--sizes", "ten"], "--sizes ten: write numbers of rows"),
        (["--sizes", "10"], "sizes=10 must be a whole number, 100 or more"),
        (["--sizes", "500,500"], "must be different numbers"),
        (["--samples", "0"], "samples=0 must be"),
        (["--runs", "0"], "runs=0 must be"),
        (["--seed", "-1"], "seed=-1 must be"),
        (["--threads", "0"], "n_threads=0 must be"),
        (["--out", __file__], "is a file; name a folder"),
    ],
)
def test_bad_arguments_are_one_clear_line(options, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_help(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["reproduce", "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    for word in (*FIGURES, "--scale", "--sizes", "--samples", "--runs", "--seed", "--threads", "--out", "--quiet",
                 "--no-knowledge", "continues where it stopped"):  # fmt: skip
        assert word in text
