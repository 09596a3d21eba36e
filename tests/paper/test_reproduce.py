"""The whole flow on tiny tables: files, page, and what an interruption leaves."""

import math
import random
import re

import pandas as pd
import pytest
from matplotlib.figure import Figure

import bnjit
from bnjit.cli import main
from bnjit.paper import measure, reproduce, timing
from bnjit.paper.bars import Mark, draw_bars
from bnjit.paper.choices import FIGURES
from bnjit.paper.log import COLUMNS, Log

FILES = {
    *(f"{stem}.{kind}" for stem in ("figure1", "figure2", "figure3", "threads", "complexity")
      for kind in ("png", "svg", "csv")),
    "table1.csv", "table1_arcs.csv", "table2.csv", "measurements.csv", "reproduce.html",
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
    assert (log["cpu_seconds"] > 0).all()
    assert (log["wall_seconds"] > 0).all()
    assert log["machine"].nunique() == 1
    assert (log.groupby(log["experiment"] == "accuracy")["code"].nunique() == 1).all()
    assert (log[~log["experiment"].isin(["accuracy"])]["threads"] == 1).all()


def test_tables_follow_from_the_measurements(made, kept):
    log = pd.read_csv(kept / "measurements.csv")
    mine = log[(log["experiment"] == "accuracy") & (log["n"] == 1_000)]
    table = pd.read_csv(kept / "table1.csv").set_index(["n", "protocol", "knowledge"])
    for protocol, known in (("reject", True), ("pool", False), ("exchange", True), ("pred", False)):
        own = mine[(mine["estimator"] == protocol) & (mine["knowledge"] == ("yes" if known else "no"))]
        row = table.loc[1_000, protocol, known]
        assert len(own) == row["samples"] == 2
        assert row["sum"] == own["shd"].sum()
        assert row["mean"] == own["shd"].mean()
    assert (1_000, "exchange", False) not in table.index
    assert table.loc[1_500, "reject", True]["samples"] == 1
    arcs = pd.read_csv(kept / "table1_arcs.csv")
    counts = arcs.groupby(["n", "protocol", "knowledge"]).size()
    assert counts.to_dict() == {key: total for key, total in table["sum"].to_dict().items() if total}
    assert set(arcs["kind"]) <= {"missing", "extra", "turned"}
    assert set(arcs["why"]) <= {"rule", "score", "search"}
    shown = next(figure for figure in made.figures if figure.name == "table1")
    assert list(shown.table)[:5] == ["rows", "samples", "the paper's BIC", "the paper's PRED", "BIC, reject"]
    paper = shown.table.set_index("rows")
    assert paper.loc["1 million", ["the paper's BIC", "the paper's PRED"]].tolist() == ["11", "2"]
    assert paper.loc["1 million", "BIC, reject"] == ""
    total = table.loc[1_000, "reject", True]["sum"]
    assert paper.loc["1,000", "BIC, reject"] == f"{total:g} ({total / 2:.1f})"
    headings = dict(shown.more)
    assert headings["Score of the network found, less that of the true one (means)"]["BIC, reject"].iloc[0] == (
        "truth impossible"
    )
    assert "Started at the true network" in headings
    shapes = pd.read_csv(kept / "table2.csv").set_index("data")
    assert shapes.loc["GAS", ["d", "M", "n", "paper's M"]].tolist() == [0, 37, 600, 37]
    assert shapes["source"].str.startswith("synthetic").all()


def test_bars_are_pairs_of_processor_times(made, kept):
    log = pd.read_csv(kept / "measurements.csv")
    bars = pd.read_csv(kept / "figure2.csv").set_index(["panel", "n", "estimator"])
    assert len(bars) == 2 * 2 * 6
    mine = log[(log["experiment"] == "mehra") & (log["n"] == 1_000)].set_index(["estimator", "sample"])
    times = mine["cpu_seconds"]
    expected = (times["1P"] / times["QR"]).map(math.log).mean()
    assert bars.loc["search", 1_000, "1P"]["ratio"] == pytest.approx(math.exp(expected))
    one = times / mine["n_local_scores"]
    expected = (one["PRED"] / one["QR"]).map(math.log).mean()
    assert bars.loc["local distribution", 1_000, "PRED"]["ratio"] == pytest.approx(math.exp(expected))
    assert (bars.xs("QR", level="estimator")["ratio"] == 1).all()


def test_every_interval_is_inside_the_axes():
    ratios = pd.DataFrame({
        "n": 10, "estimator": ["QR", "1P"], "ratio": [1.0, 0.9], "low": [1.0, 0.2], "high": [1.0, 3.7], "seconds": 1.0
    })  # fmt: skip
    ax = Figure().add_subplot()
    draw_bars(ax, ratios, "n", ["n = 10"], "", (Mark("other", "D", "k", 0.0, {None: {"1P": 4.2}}),))
    assert ax.get_ylim()[0] == 0.0
    assert ax.get_ylim()[1] > 4.2


def test_same_network_by_every_estimator_of_a_score(made):
    searches = made.measurements[made.measurements["experiment"].isin(["mehra", "nodes"])]
    bic = searches[~searches["estimator"].str.contains("PRED")]
    assert (bic.groupby(["experiment", "data", "n", "sample", "knowledge"])["arcs"].nunique() == 1).all()


def test_knowledge():
    names = bnjit.datasets.mehra_like().names
    forbidden = timing.arcs_into_place_and_time(names)
    assert len(forbidden) == 11 * 23
    assert {target for _, target in forbidden} == set(names[:11])


def test_page_needs_nothing_else(made, kept):
    text = (kept / "reproduce.html").read_text(encoding="utf-8")
    assert text.count('src="data:image/svg+xml;base64,') == 5
    assert set(re.findall(r"""\b(?:src|href)=["']([^"':]*)""", text)) <= {
        "data", "#fig1", "#fig2", "#threads", "#fig3", "#table1", "#table2", "#complexity", "#made"
    }  # fmt: skip
    assert "<script" not in text
    assert "<link" not in text
    for word in ("numba", "cores", "seed", "synthetic", "Without background knowledge", "the paper", "commit",
                 "by the search",
                 "Student's t of the logarithms".replace("'", "&#x27;"), "prefers what was found"):  # fmt: skip
        assert word in text
    assert made._repr_html_() in text


def test_nothing_is_measured_twice(made, kept, counted):
    before = (kept / "measurements.csv").read_bytes()
    again = reproduce(out=kept, seed=3, n_threads=1, progress=False)
    assert counted == []
    assert (kept / "measurements.csv").read_bytes() == before
    pd.testing.assert_frame_equal(again.measurements, made.measurements)


def test_killed_while_writing(made, kept, counted, tmp_path):
    tables = {name: (kept / name).read_bytes() for name in ("table1_arcs.csv", "table2.csv")}
    content = (kept / "measurements.csv").read_bytes()
    lines = content.splitlines(keepends=True)
    cut = tmp_path / "measurements.csv"
    cut.write_bytes(b"".join(lines[:-8]) + lines[-8][: len(lines[-8]) // 2])
    reproduce(out=tmp_path, seed=3, n_threads=1, progress=False)
    assert len(counted) == 8
    mended = cut.read_bytes().splitlines()
    assert len(mended) == len(lines) + 1  # the line that was cut off stays, and does not count
    assert len(Log(cut).rows) == len(lines) - 1
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
    assert f"also holds {len(made.measurements)} measurements made with another seed" in other.note
    assert other.note in repr(other)


def test_accuracy_is_shared_between_machines_and_folders(made, kept, tmp_path, counted, monkeypatch):
    machine = measure.machine
    monkeypatch.setattr(machine, "summary", lambda: "another machine")
    also = [kept / "measurements.csv"]
    other = reproduce("table1", out=tmp_path, seed=3, n_threads=2, also=also, progress=False)
    assert counted == []
    assert set(other.measurements["experiment"]) == {"accuracy"}
    assert (tmp_path / "table1.csv").read_bytes() == (kept / "table1.csv").read_bytes()
    # Sizes that are in the files are shown, also if this call does not ask for them.
    few = reproduce("table1", sizes=[500], samples=1, protocols=["reject"], out=tmp_path, seed=3, also=also,
                    progress=False)  # fmt: skip
    assert {job.n for job in counted} == {500}
    assert set(few.measurements["n"]) == {500, 1_000, 1_500}
    monkeypatch.setattr(machine, "learning_fingerprint", lambda: "other code")
    reproduce("table1", sizes=[500], samples=1, protocols=["reject"], out=tmp_path, seed=3, progress=False)
    assert len(counted) == 4


def test_figures_are_drawn_again_from_times_of_other_code(made, kept, tmp_path, counted, monkeypatch):
    machine, also = measure.machine, [kept / "measurements.csv"]
    before = machine.fingerprint()
    monkeypatch.setattr(machine, "fingerprint", lambda: "other code")
    monkeypatch.setattr(machine, "summary", lambda: "another machine")
    drawn = reproduce(["fig2", "fig3"], out=tmp_path, seed=3, n_threads=2, also=also, keep_times=True, progress=False)
    assert counted == []
    for name in ("figure2.csv", "figure3.csv"):
        assert (tmp_path / name).read_bytes() == (kept / name).read_bytes()
    assert f"{before} (timed)" in drawn.page.read_text(encoding="utf-8")
    # Once this code has measured an experiment, its times are those; those of other experiments stay.
    few = reproduce("fig3", sizes=[500], rows=300, runs=1, budget=0, out=tmp_path, seed=3, also=also, progress=False)
    assert {job.experiment for job in counted} == {"table2"}
    both = reproduce(["fig2", "fig3"], out=tmp_path, seed=3, also=also, keep_times=True, progress=False)
    codes = both.measurements.groupby("experiment")["code"].unique()
    assert {name: list(found) for name, found in codes.items()} == {"mehra": [before], "table2": ["other code"]}
    assert (both.measurements["experiment"] == "table2").sum() == len(few.measurements)
    page = both.page.read_text(encoding="utf-8")
    assert f"{before} for mehra" in page
    assert "other code for table2" in page


def test_splits(tmp_path, counted):
    made = reproduce("table1", sizes=[500], samples=1, splits=3, protocols=["reject", "pred"], out=tmp_path,
                     progress=False)  # fmt: skip
    assert [(job.estimator, job.run) for job in counted if job.knowledge and job.estimator == "pred"] == [
        ("pred", 0), ("pred", 1), ("pred", 2)
    ]  # fmt: skip
    assert [job.run for job in counted if job.estimator == "reject"] == [0, 0]
    table = pd.read_csv(tmp_path / "table1.csv").set_index(["protocol", "knowledge"])
    own = made.measurements[(made.measurements["estimator"] == "pred") & made.measurements["knowledge"]]
    assert table.loc[("pred", True), ["samples", "splits"]].tolist() == [1, 3]
    assert table.loc[("pred", True), "sum"] == pytest.approx(own["shd"].mean())


def test_wide_intervals_get_more_runs(tmp_path, counted, monkeypatch):
    rng = random.Random(1)

    def noisy(job, rows, settings):
        return {"cpu_seconds": rng.uniform(0.5, 1.5), "wall_seconds": 1.0, "arcs": 1, "n_local_scores": 1, "score": 0.0}

    monkeypatch.setattr(measure, "_measure_once", noisy)
    reproduce("fig3", out=tmp_path, seed=3, budget=40.0, progress=False)
    assert len(counted) == 36  # 24 were planned; two rounds of six fit into what is left of 40 seconds
    made = reproduce("fig3", out=tmp_path, seed=3, budget=40.0, progress=False)
    assert len(counted) == 36
    assert "the budget of 40 s, 10 runs or 24 samples were used up before 0.05 was reached" in made.figures[0].caption


def test_missing_file_of_another_folder(tmp_path):
    with pytest.raises(bnjit.BnjitError, match="there is no file"):
        reproduce("fig1", out=tmp_path, also=[tmp_path / "no.csv"], progress=False)


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
        (["--splits", "0"], "splits=0 must be"),
        (["--rows", "5"], "rows=5 must be"),
        (["--budget", "-1"], "budget=-1.0 must be a number, 0 or more"),
        (["--protocols", "best"], "protocols='best' is not known; choose from reject, pool"),
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
                 "--no-knowledge", "--also", "--keep-times", "--protocols", "--splits", "--rows", "--budget",
                 "default reproduced", "continues where it stopped"):  # fmt: skip
        assert word in text
