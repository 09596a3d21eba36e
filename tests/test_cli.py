"""The command line, as a user types it."""

import json
import subprocess
import sys
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.cli import _warnings_in_one_line, main
from bnjit.graph import parse_modelstring
from bnjit.options import as_algorithm, as_score
from tests.golden.tables import TABLES


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.parquet"
    TABLES["cgaussian"]().to_parquet(path)
    return str(path)


@pytest.fixture
def arcs(golden):
    return {tuple(arc) for arc in golden["cgaussian"]["hc"]["arcs"]}


def test_learn_prints_a_summary_and_the_arcs(table, arcs, capsys):
    assert main(["learn", table]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "8 nodes (4 discrete, 4 continuous), 9 arcs" in out
    assert {tuple(line.split(" -> ")) for line in map(str.strip, out.splitlines()) if " -> " in line} == arcs


def test_learn_writes_files(table, arcs, tmp_path, capsys):
    names = ["a.graphml", "a.json", "a.dot", "a.txt", "a.png", "a.svg"]
    options = [word for name in names for word in ("--out", str(tmp_path / name))]
    assert main(["learn", table, *options, "--trace", str(tmp_path / "t.csv")]) == 0
    out = capsys.readouterr().out
    assert all(f"wrote {tmp_path / name}" in out for name in names)
    graphml = nx.read_graphml(tmp_path / "a.graphml")
    assert set(graphml.edges) == arcs
    assert graphml.nodes["X"]["kind"] == "continuous"
    assert set(nx.node_link_graph(json.loads((tmp_path / "a.json").read_text()), edges="edges").edges) == arcs
    assert set(parse_modelstring((tmp_path / "a.txt").read_text())[1]) == arcs
    dot = (tmp_path / "a.dot").read_text()
    assert all(f'"{a}" -> "{b}";' in dot for a, b in arcs)
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in (tmp_path / "a.svg").read_text()
    assert (tmp_path / "t.csv").read_text().startswith("step,move,source,target,delta,score,phase,seconds\n1,add,")


def test_learn_writes_a_report(table, tmp_path, capsys):
    path = tmp_path / "report.html"
    assert main(["learn", table, "--report", str(path), "--replicates", "5"]) == 0
    assert f"wrote {path}" in capsys.readouterr().out
    html = path.read_text(encoding="utf-8")
    assert all(f">{title}</h2>" in html for title in ("How sure the arcs are", "How well each node is predicted"))
    assert "<title>table.parquet</title>" in html
    assert "--algorithm boss --restarts 20 searches more widely" in html
    assert "bnjit.Boss" not in html
    assert main(["learn", table, "--replicates", "5"]) == 2
    assert "--replicates is for --report" in capsys.readouterr().err
    assert main(["learn", table, "--report", str(tmp_path / "report.pdf")]) == 2
    assert "must end in .html" in capsys.readouterr().err


@pytest.mark.parametrize("algorithm", ["tabu", "boss", "exact"])
def test_constraints(table, tmp_path, capsys, algorithm):
    forbidden = tmp_path / "forbidden.csv"
    forbidden.write_text("from,to\nX,Y\nY,X\n")
    text = ["--whitelist", "C->X, W->Z", "--blacklist", str(forbidden), "--max-parents", "3", "--quiet"]
    path = tmp_path / "a.txt"
    assert main(["learn", table, *text, "--out", str(path), "--algorithm", algorithm]) == 0
    assert capsys.readouterr().out == ""
    found = set(parse_modelstring(path.read_text())[1])
    assert {("C", "X"), ("W", "Z")} <= found
    assert not {("X", "Y"), ("Y", "X")} & found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "nonsense"], "score='nonsense' is not known"),
        (["--algorithm", "ges", "--sparse", "pool"], 'algorithm="ges" needs a score that equivalent graphs share'),
        (["--whitelist", "A,B"], "--whitelist A,B: 'A' is no arc; write 'A->B'"),
        (["--whitelist", "no.csv"], "--whitelist no.csv: there is no such file"),
        (["--blacklist", "X->Q"], "blacklist has X -> Q, and 'Q' is no column"),
        (["--out", "a.docx"], "--out a.docx: the name must end in .graphml"),
        (["--out", "nowhere/a.png"], "--out nowhere/a.png: there is no folder 'nowhere'"),
        (["--discrete", "Q"], "discrete names the column 'Q'"),
        (["--max-parents", "-2"], "max_parents=-2 must be"),
        (["--one-se"], "--one-se belongs to --score cv; with --score bic leave it out"),
        (["--folds", "5", "--score", "pred"], "--folds belongs to --score cv; with --score pred leave it out"),
        (["--folds", "1", "--score", "cv"], "folds=1 must be a whole number, 2 or more"),
        (["--gamma", "1"], "--gamma belongs to --score ebic"),
        (["--imaginary-rows", "2"], "--imaginary-rows belongs to --score bde, bds, bge or marginal"),
        (["--degrees-of-freedom", "2"], "--degrees-of-freedom belongs to --score bge"),
        (["--sparse", "pool", "--score", "k2"], "--sparse belongs to --score loglik, aic, bic, ebic, pred or cv"),
        (["--test-fraction", "0.5"], "--test-fraction belongs to --score pred"),
        (["--test-data", "more.csv"], "--test-data belongs to --score pred"),
        (["--score", "pred", "--test-data", "x.csv", "--test-fraction", "0.1"], "exclude each other; give one of them"),
        (["--score", "pred", "--test-data", "none.csv"], "there is no file 'none.csv'"),
        (["--tabu-length", "5"], "--tabu-length belongs to --algorithm tabu; with --algorithm hc leave it out"),
        (["--patience", "5", "--algorithm", "boss"], "--patience belongs to --algorithm tabu; with --algorithm boss"),
        (["--restarts", "5", "--algorithm", "ges"], "--restarts belongs to --algorithm hc, tabu, boss or"),
        (["--seconds", "5"], "--seconds belongs to --algorithm thorough"),
        (["--exchange", "--algorithm", "ges"], "--exchange belongs to --algorithm hc, tabu or boss"),
        (["--until-repeated"], "until_repeated=True ends the restarts, and there are no restarts"),
        (
            ["--restarts", "2", "--until-repeated", "--algorithm", "boss"],
            "--until-repeated belongs to --algorithm hc or",
        ),
        (["--perturb", "3"], "perturb=3 is how many random moves a restart makes, and there are no restarts"),
        (["--estimator", "fast"], "estimator='fast' is not known; the estimators are stats, qr, 1p, 2p"),
        (["--tiers", "A,B|C"], "tiers leaves out the column 'X'; every column belongs to one tier"),
        (["--tiers", "none.txt"], "--tiers none.txt: there is no such file"),
        (["--start", "none.graphml"], "--start none.graphml: there is no such file; write '[A][B|A]', 'A->B', or"),
        (["--start", "[Q]"], "start has the node 'Q', which is no column"),
    ],
)
def test_bad_input_is_one_clear_line(table, options, message, capsys):
    assert main(["learn", table, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bnjit: ")
    assert message in err
    assert err.count("\n") == 1


def test_bad_files(tmp_path, capsys):
    assert main(["learn", str(tmp_path / "none.csv")]) == 2
    assert "there is no file" in capsys.readouterr().err
    (tmp_path / "x.csv").write_text("a,b\n1,2\n1\n")
    assert main(["learn", str(tmp_path / "x.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_help_and_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["learn", "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    for option in (
        "--score",
        "--estimator",
        "--tiers",
        "--start",
        "--test-data",
        "--algorithm",
        "--max-parents",
        "--discrete",
        "--whitelist",
        "--blacklist",
        "--out",
    ):
        assert option in text
    assert main([]) == 0
    assert "learn" in capsys.readouterr().out


def test_as_a_program(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "bnjit", "learn", "nothing.csv"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "bnjit: there is no file 'nothing.csv'\n"


def test_one_file_that_fails_does_not_lose_the_rest(tmp_path, capsys):
    table = TABLES["gaussian"]().rename(columns={"A": "a:b"})
    table.to_csv(tmp_path / "t.csv", index=False)
    files = [tmp_path / name for name in ("n.txt", "n.json", "n.svg")]
    assert main(["learn", str(tmp_path / "t.csv"), *(word for f in files for word in ("--out", str(f)))]) == 2
    out, err = capsys.readouterr()
    assert "7 nodes" in out
    assert "'a:b' cannot be written" in err
    assert [f.exists() for f in files] == [False, True, True]


def test_odd_arc_files(table, tmp_path, capsys):
    path = tmp_path / "arcs.csv"
    path.write_bytes(b"\xef\xbb\xbffrom,to\nX,Y\n")
    assert main(["learn", table, "--blacklist", str(path), "--quiet"]) == 0
    for content, message in (
        (b"from,to\nX\n", "filled in every row"),
        ("from,to\nX,\u00e9\n".encode("latin-1"), "UTF-8"),
    ):
        path.write_bytes(content)
        assert main(["learn", table, "--blacklist", str(path)]) == 2
        assert message in capsys.readouterr().err
    assert main(["learn", table, "--trace", str(tmp_path / "no" / "t.csv")]) == 2
    assert main(["learn", table, "--trace", "t.txt"]) == 2


def test_ctrl_c_before_anything(table, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("bnjit.api.learn", interrupted)
    assert main(["learn", table]) == 130
    assert capsys.readouterr().err.count("\n") == 1


def test_learn_out_of_core(tmp_path, capsys):
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=300), "g": np.where(x > 0, "a", "b")})
    frame.to_parquet(tmp_path / "table.parquet")
    whole = ["learn", str(tmp_path / "table.parquet"), "--out", str(tmp_path / "whole.txt")]
    assert main(whole) == 0
    assert "in chunks" not in capsys.readouterr().out
    options = ["--out-of-core", "--max-memory", "1GB", "--checkpoint", str(tmp_path / "kept.npz")]
    parts = ["learn", str(tmp_path / "table.parquet"), *options, "--out", str(tmp_path / "parts.txt")]
    assert main(parts) == 0
    shown = capsys.readouterr().out
    assert "300 rows, 3 columns, read in chunks of" in shown
    assert "passes" in shown
    assert "up to 1.00 GB of memory" in shown
    assert (tmp_path / "parts.txt").read_text() == (tmp_path / "whole.txt").read_text()
    assert (tmp_path / "kept.npz").exists()
    assert main([*parts[:2], "--max-memory", "lots"]) == 2
    assert "max_memory='lots'" in capsys.readouterr().err


def learned(table, tmp_path, *options):
    """Arcs that a command learns."""
    path = tmp_path / "learned.txt"
    assert main(["learn", table, *options, "--quiet", "--out", str(path)]) == 0
    return set(parse_modelstring(path.read_text())[1])


@pytest.mark.parametrize(
    ("options", "score", "algorithm"),
    [
        (["--sparse", "pool"], bnjit.BIC(sparse="pool"), "hc"),
        (["--penalty", "local"], bnjit.BIC(penalty="local"), "hc"),
        (["--score", "pred", "--density", "bayes"], bnjit.HeldOut(density="bayes"), "hc"),
        (["--score", "ebic", "--gamma", "1"], bnjit.EBIC(gamma=1.0), "hc"),
        (["--score", "cv", "--folds", "4", "--one-se"], bnjit.CrossValidation(folds=4, one_se=True), "hc"),
        (["--score", "pred", "--test-fraction", "0.5"], bnjit.HeldOut(0.5), "hc"),
        (["--algorithm", "tabu", "--tabu-length", "4", "--patience", "2"], "bic", bnjit.Tabu(length=4, patience=2)),
        (["--restarts", "2", "--perturb", "3"], "bic", bnjit.HillClimbing(restarts=2, perturb=3)),
        (["--restarts", "9", "--until-repeated"], "bic", bnjit.HillClimbing(restarts=9, until_repeated=True)),
        (["--algorithm", "boss", "--exchange"], "bic", bnjit.Boss(exchange=True)),
        (
            ["--algorithm", "thorough", "--restarts", "1", "--seconds", "60"],
            "bic",
            bnjit.Thorough(restarts=1, seconds=60),
        ),
    ],
)
def test_options_become_objects(table, monkeypatch, options, score, algorithm, capsys):
    seen = []
    learn = bnjit.api.learn
    monkeypatch.setattr("bnjit.api.learn", lambda *given, **more: seen.append(given) or learn(*given, **more))
    assert main(["learn", table, "--max-iter", "3", *options]) == 0
    assert seen[0][1:] == (as_score(score), as_algorithm(algorithm))
    assert "score (" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "score"),
    [
        (["--score", "bds", "--imaginary-rows", "3"], bnjit.BDs(imaginary_rows=3.0)),
        (["--score", "qnml"], bnjit.QNML()),
        (["--score", "fnml"], bnjit.FNML()),
        (["--score", "bge", "--degrees-of-freedom", "12"], bnjit.BGe(degrees_of_freedom=12.0)),
    ],
)
def test_scores_of_one_kind_of_columns(tmp_path, options, score):
    frame = TABLES["gaussian" if "bge" in options else "discrete"]()
    frame.to_parquet(tmp_path / "t.parquet")
    assert learned(str(tmp_path / "t.parquet"), tmp_path, *options) == set(bnjit.learn(frame, score).dag.edges)


def test_test_data_is_a_file(table, tmp_path):
    frame = TABLES["cgaussian"]()
    frame.iloc[500:].to_parquet(tmp_path / "more.parquet")
    arcs = learned(table, tmp_path, "--score", "pred", "--test-data", str(tmp_path / "more.parquet"))
    assert arcs == set(bnjit.learn(frame, bnjit.HeldOut(frame.iloc[500:])).dag.edges)


def test_tiers_as_a_text_or_a_file(table, tmp_path):
    tiers = [["D", "C", "B", "A"], ["Z", "Y"], ["X", "W"]]
    expected = set(bnjit.learn(TABLES["cgaussian"](), tiers=tiers).dag.edges)
    (tmp_path / "tiers.txt").write_text("D, C, B, A\nZ, Y\n\nX, W\n")
    for text in ("D,C,B,A|Z,Y|X,W", "D, C, B, A | Z, Y | X, W", str(tmp_path / "tiers.txt")):
        assert learned(table, tmp_path, "--tiers", text) == expected
    (tmp_path / "tiers.txt").write_bytes(b"\xff\xfe\xe9")
    assert main(["learn", table, "--tiers", str(tmp_path / "tiers.txt")]) == 2


def test_start_as_a_text_or_a_file(table, tmp_path):
    start = [("Z", "X"), ("X", "W"), ("B", "C")]
    bnjit.write_dag(start, tmp_path / "start.json")
    (tmp_path / "start.csv").write_text("from,to\nZ,X\nX,W\nB,C\n")
    texts = ["Z->X, X->W, B->C", "[Z][X|Z][W|X][B][C|B]", str(tmp_path / "start.json"), str(tmp_path / "start.csv")]
    for text in texts:
        assert learned(table, tmp_path, "--start", text, "--max-iter", "0") == set(start)


def test_warnings_are_messages(tmp_path):
    path = tmp_path / "constant.csv"
    pd.DataFrame({"x": np.arange(20.0) % 7, "y": np.arange(20.0) ** 2 % 11, "same": 1.5}).to_csv(path, index=False)
    done = subprocess.run(
        [sys.executable, "-m", "bnjit", "learn", str(path)], capture_output=True, text=True, check=True
    )
    assert "bnjit: " in done.stderr
    assert "'same'" in done.stderr
    assert "Warning" not in done.stderr
    assert "sys.exit" not in done.stderr


def test_codes_are_told(tmp_path, capsys):
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {"x": rng.normal(size=200), "survived": rng.integers(0, 2, 200), "a class": np.arange(200) % 3}
    )
    table.to_csv(path, index=False)
    said = "  few different whole numbers, taken as continuous: --discrete {}"
    assert main(["learn", str(path)]) == 0
    assert said.format("'survived,a class' for those that are levels") in capsys.readouterr().out.splitlines()
    assert main(["learn", str(path), "--discrete", "a class", "--out", str(tmp_path / "a.json")]) == 0
    assert said.format("survived if they are levels") in capsys.readouterr().out.splitlines()
    for options in (["--quiet"], ["--discrete", "survived,a class"]):
        assert main(["learn", str(path), *options]) == 0
        assert "whole numbers" not in capsys.readouterr().out
    pd.concat([table] * 3500).to_csv(path, index=False)  # too large to be looked at once more
    assert main(["learn", str(path)]) == 0
    assert "whole numbers" not in capsys.readouterr().out


def test_arcs_that_cannot_be_scored_are_told(tmp_path, capsys):
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(1)
    levels = ["rare", *rng.choice(["a", "b"], 199)]
    pd.DataFrame({"x": rng.normal(size=200), "y": rng.normal(size=200), "level": levels}).to_csv(path, index=False)
    assert main(["learn", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "  2 arcs cannot be scored, such as level -> x: `level` = 'rare' is there in 1 row" in shown
    assert shown.rstrip().endswith("--penalty local scores such arcs, too.")
    for options in (["--penalty", "local"], ["--quiet"]):
        assert main(["learn", str(path), *options]) == 0
        assert "cannot be scored" not in capsys.readouterr().out


def test_warnings_take_the_line_of_a_progress_bar(monkeypatch):
    with _warnings_in_one_line():
        shown = warnings.formatwarning("so", bnjit.BnjitWarning, "x.py", 1)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        in_a_terminal = warnings.formatwarning("so", bnjit.BnjitWarning, "x.py", 1)
        other = warnings.formatwarning("so", DeprecationWarning, "x.py", 1, "")
    assert (shown, in_a_terminal) == ("bnjit: so\n", "\r\x1b[Kbnjit: so\n")
    assert other.startswith("x.py:1: DeprecationWarning")
