"""The commands that fit a network and ask it something, as a user types them."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.cli import main
from tests.golden.tables import TABLES

ARCS = "A->X,B->Y,X->Y,A->B,C->D,D->W"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("networks")
    table = TABLES["cgaussian"]()
    table.to_parquet(path / "t.parquet")
    table.head(20).mask(np.random.default_rng(1).random((20, 8)) < 0.2).to_csv(path / "new.csv", index=False)
    bnjit.fit([tuple(arc.split("->")) for arc in ARCS.split(",")], table).to_json(path / "net.json")
    return path


@pytest.fixture
def network(folder):
    return bnjit.read_network(folder / "net.json")


def test_fit_writes_the_network(folder, tmp_path, capsys):
    out = tmp_path / "made.json"
    assert main(["fit", ARCS, str(folder / "t.parquet"), "--out", str(out)]) == 0
    assert "8 nodes (4 discrete, 4 continuous), 6 arcs" in capsys.readouterr().out
    assert out.read_text() == (folder / "net.json").read_text()
    again = tmp_path / "again.json"  # the graph of a network; other parameters
    options = ["--prior-rows", "2", "--missing", "drop", "--threads", "2", "--quiet", "--out-of-core"]
    assert main(["fit", str(out), str(folder / "t.parquet"), "--out", str(again), *options]) == 0
    assert capsys.readouterr().out == ""
    expected = bnjit.fit(bnjit.read_network(out).dag, folder / "t.parquet", prior_rows=2.0)
    assert bnjit.read_network(again).parameters("B").equals(expected.parameters("B"))


def test_fit_reads_graphs(folder, tmp_path):
    bnjit.write_dag(bnjit.read_network(folder / "net.json").dag, tmp_path / "dag.json")
    for dag in (str(tmp_path / "dag.json"), "[A][B|A][C][D|C][W|D][X|A][Y|B:X][Z]"):
        out = tmp_path / "made.json"
        assert main(["fit", dag, str(folder / "t.parquet"), "--out", str(out), "--quiet"]) == 0
        assert out.read_text() == (folder / "net.json").read_text()


def test_fit_does_not_take_levels_for_numbers(tmp_path, capsys):
    rows = pd.DataFrame({"x": [0, 1, 1, 0, 1, 0] * 20, "y": [0.5, 2.0, 1.75, 0.25, 2.5, 0.0] * 20})
    rows.to_csv(tmp_path / "t.csv", index=False)
    dag, table, out = (str(tmp_path / name) for name in ("dag.json", "t.csv", "net.json"))
    assert main(["learn", table, "--discrete", "x", "--out", dag, "--quiet"]) == 0
    for command in (["fit", dag, table, "--out", out], ["markov", dag, table]):
        assert main(command) == 2
        assert "'x' is discrete in the graph and continuous in the data; give --discrete x" in capsys.readouterr().err
    assert main(["fit", dag, table, "--out", out, "--discrete", "x", "--quiet"]) == 0
    assert bnjit.read_network(out).discrete == (True, False)


def test_query_of_levels(folder, network, capsys):
    assert main(["query", str(folder / "net.json"), "--given", "A=yes", "--given", "Y=51.5", "--target", "B"]) == 0
    out = capsys.readouterr().out
    expected = network.query("B", given={"A": "yes", "Y": 51.5})
    shown = dict(line.split() for line in out.splitlines()[2:])
    assert {level: float(p) for level, p in shown.items()} == pytest.approx(expected.to_dict(), abs=1e-5)


def test_query_of_all_nodes_and_of_acting(folder, network, capsys):
    assert main(["query", str(folder / "net.json"), "--do", "D=a"]) == 0
    out = capsys.readouterr().out
    assert f"{network.query('W', do={'D': 'a'}).mean['W']:.4f}"[:6] in out
    assert f"{network.query('C').iloc[0]:.5f}"[:6] in out  # acting on D says nothing of C
    assert main(["query", str(folder / "net.json"), "--target", "A,X"]) == 0
    assert "posterior of A, X" in capsys.readouterr().out


def test_query_by_sampling(folder, capsys):
    ask = ["query", str(folder / "net.json"), "--given", "W=0.5", "--method", "sampling", "--particles", "1000"]
    assert main([*ask, "--target", "D", "--seed", "3"]) == 0
    first = capsys.readouterr().out
    assert main([*ask, "--target", "D", "--seed", "3"]) == 0
    assert capsys.readouterr().out == first
    assert main(ask) == 0
    assert capsys.readouterr().out.count("error") >= 7


def test_predict(folder, network, tmp_path, capsys):
    ask = ["predict", str(folder / "net.json"), str(folder / "new.csv")]
    assert main([*ask, "--node", "B"]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert printed["B"].tolist() == network.predict(str(folder / "new.csv"), "B").tolist()
    assert main([*ask, "--node", "Y", "--from", "parents", "--out", str(tmp_path / "y.parquet")]) == 0
    assert "20 rows" in capsys.readouterr().out
    expected = network.predict(str(folder / "new.csv"), "Y", from_="parents")
    np.testing.assert_allclose(pd.read_parquet(tmp_path / "y.parquet")["Y"], expected)
    assert main([*ask, "--node", "A", "--probabilities", "--out", str(tmp_path / "a.csv"), "--quiet"]) == 0
    np.testing.assert_allclose(pd.read_csv(tmp_path / "a.csv")[["no", "yes"]].sum(axis=1), 1.0)


def test_sample(folder, network, tmp_path, capsys):
    ask = ["sample", str(folder / "net.json"), "30", "--seed", "5"]
    assert main(ask) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    expected = network.sample(30, seed=5)
    assert main([*ask, "--out", str(tmp_path / "r.csv")]) == 0
    assert main([*ask, "--out", str(tmp_path / "r.parquet"), "--quiet"]) == 0
    assert capsys.readouterr().out.count("wrote") == 1
    for rows in (printed, pd.read_csv(tmp_path / "r.csv"), pd.read_parquet(tmp_path / "r.parquet")):
        assert rows["B"].astype(str).tolist() == expected["B"].astype(str).tolist()
        np.testing.assert_allclose(rows["Y"], expected["Y"])


def test_markov(folder, tmp_path, capsys):
    table = str(folder / "t.parquet")
    out, plot = tmp_path / "tests.csv", tmp_path / "p.png"
    assert main(["markov", ARCS, table, "--out", str(out), "--plot", str(plot), "--test", "mi,mi-cg"]) == 1
    text = capsys.readouterr().out
    report = bnjit.check_markov([tuple(arc.split("->")) for arc in ARCS.split(",")], table, ["mi", "mi-cg"])
    assert text.startswith(repr(report))
    tests = pd.read_csv(out, keep_default_na=False)
    np.testing.assert_allclose(tests["p_value"], report.tests["p_value"])
    assert set(tests["given"]) >= {"", "X:B"}
    assert plot.read_bytes()[:4] == b"\x89PNG"
    true = bnjit.read_network(folder / "net.json").sample(2000, seed=1)
    true.to_parquet(tmp_path / "true.parquet")
    assert main(["markov", str(folder / "net.json"), str(tmp_path / "true.parquet"), "--quiet"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit", ARCS, "T", "--out", "net.txt"], "--out net.txt: the name must end in .json or .bif"),
        (["fit", ARCS, "T", "--out", "nowhere/net.json"], "there is no folder 'nowhere'"),
        (["fit", "none.graphml", "T", "--out", "n.json"], "DAG none.graphml: there is no such file"),
        (["fit", ARCS, "none.csv", "--out", "n.json"], "there is no file 'none.csv'"),
        (["query", "NET", "--target", "Q"], "--target Q: the network has no node 'Q'; there are 'A', 'X'"),
        (["query", "NET", "--given", "A"], "--given A: write a node and its value, as in --given sex=male"),
        (["query", "NET", "--given", "Q=1"], "--given Q: the network has no node 'Q'"),
        (
            ["query", "NET", "--given", "A=maybe"],
            "--given A=maybe: 'A' has no level 'maybe'; its levels are 'no', 'yes'",
        ),
        (["query", "NET", "--do", "X=high"], "--do X=high: 'X' is continuous, and 'high' is no number"),
        (["query", "NET", "--given", "A=no", "--given", "A=yes"], "'A' has a value already"),
        (["query", "NET", "--given", "A=no", "--target", "A"], "is asked for, and known"),
        (["query", "none.json"], "there is no file 'none.json'"),
        (["predict", "NET", "T", "--node", "Q"], "--node Q: the network has no node 'Q'"),
        (["predict", "NET", "T", "--node", "A", "--out", "a.txt"], "the name must end in .csv or .parquet"),
        (["sample", "NET", "-1"], "N=-1 must be a whole number, 0 or more"),
        (["sample", "NET", "5", "--out", "rows.xlsx"], "the name must end in .parquet or .csv"),
        (["markov", ARCS, "T", "--test", "t"], "test='t' is not known"),
        (["markov", ARCS, "T", "--correction", "all"], "correction='all' is not known"),
        (["markov", "A->B,B->A", "T"], "cycle A -> B -> A"),
    ],
)
def test_bad_input_is_one_clear_line(folder, words, message, capsys):
    names = {"T": str(folder / "t.parquet"), "NET": str(folder / "net.json")}
    assert main([names.get(word, word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bnjit: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["fit", "query", "predict", "sample", "markov"])
def test_help(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert f"usage: bnjit {command}" in text
    assert "examples:" in text
    assert "exit status:" in text


def test_names_with_an_equals_sign(tmp_path, capsys):
    rows = {"a=b": ["x", "y"] * 20, "a": ["u", "v", "v", "v"] * 10, "n": [1, 2, 2, 1] * 10}
    bnjit.fit([("a=b", "a")], rows, discrete=["n"]).to_json(tmp_path / "n.json")
    assert json.loads((tmp_path / "n.json").read_text())
    assert main(["query", str(tmp_path / "n.json"), "--given", "a=b=x", "--given", "n=2", "--target", "a"]) == 0
    assert "0.5" in capsys.readouterr().out
