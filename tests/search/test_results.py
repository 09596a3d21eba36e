"""What a search reports: its result, its trace and its progress."""

import numpy as np
import pytest

import bnjit
from tests.golden.tables import TABLES


def test_result():
    table = TABLES["cgaussian"]()
    result = bnjit.learn(table)
    assert list(result.dag) == list(table)
    assert result.dag.nodes["A"]["kind"] == "discrete"
    assert result.dag.nodes["X"]["kind"] == "continuous"
    assert list(result.trace.columns) == ["step", "move", "source", "target", "delta", "score", "phase", "seconds"]
    assert result.trace["step"].tolist() == list(range(1, len(result.trace) + 1))
    assert set(result.seconds) == {"read", "statistics", "search", "summary"}
    assert result.trace["score"].iloc[-1] == pytest.approx(result.score, rel=1e-12)
    assert result.score == pytest.approx(bnjit.score(result.dag, table), rel=1e-12)
    text = repr(result)
    assert "8 nodes (4 discrete, 4 continuous)" in text
    assert f"learned from: {len(table):,} rows, 8 columns" in text
    assert result.n_rows == len(table)
    assert len(text.splitlines()) == 5
    html = result._repr_html_()
    assert "<svg" in html
    assert "<table>" in html
    assert f"{len(table):,} rows, 8 columns" in html
    assert bnjit.shd(result.cpdag, result.dag) == 0
    assert result.modelstring.startswith("[")


def test_one_column():
    assert bnjit.learn({"x": [1.0, 2.0, 4.0]}).dag.number_of_edges() == 0


def test_progress_bar(capsys, monkeypatch):
    table = TABLES["gaussian"]()
    bnjit.learn(table)
    assert capsys.readouterr().err == ""
    bnjit.learn(table, progress=True)
    shown = capsys.readouterr().err
    assert "hc" in shown
    assert "steps" in shown
    monkeypatch.setattr("bnjit.progress.is_interactive", lambda: True)
    bnjit.learn(table, progress=False)
    assert capsys.readouterr().err == ""
    bnjit.learn(table)
    assert "steps" in capsys.readouterr().err


def test_names_keep_their_type_in_a_stopped_trace():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    trace = bnjit.learn({0: x, 1: x + rng.normal(size=100), 2: x - rng.normal(size=100)}, max_iter=1).trace
    assert isinstance(trace["source"][0], int)
    assert trace["target"][1] is None
