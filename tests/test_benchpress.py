"""The module for Benchpress learns, and writes what Benchpress reads."""

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.options import as_algorithm, as_score

MODULE = Path(__file__).resolve().parents[1] / "benchmarks" / "benchpress"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the script as Snakemake does, with the object `snakemake` and Benchpress's limit of time."""
    limits = []

    @contextmanager
    def timeoutf(seconds, *files):
        limits.append((seconds, files[:3]))
        yield

    helper = ModuleType("add_timeout")
    helper.timeoutf = timeoutf
    monkeypatch.setitem(sys.modules, "add_timeout", helper)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(bnjit, "compile", lambda everything: None)

    def call(table, **wildcards):
        table.to_csv(tmp_path / "data.csv", index=False)
        output = {name: str(tmp_path / name) for name in ("adjmat", "time", "ntests")}
        example = json.loads((MODULE / "schema.json").read_text())["items"]["examples"][0]
        chosen = {name: value[0] if isinstance(value, list) else value for name, value in example.items()} | wildcards
        given = {name: str(value) for name, value in chosen.items()}
        job = SimpleNamespace(input={"data": str(tmp_path / "data.csv")}, output=output, wildcards=given)
        code = compile((MODULE / "script.py").read_text(encoding="utf-8"), "script.py", "exec")
        exec(code, {"snakemake": job, "__name__": "script"})
        assert float((tmp_path / "time").read_text()) > 0
        assert int((tmp_path / "ntests").read_text()) > 0
        return pd.read_csv(tmp_path / "adjmat"), limits

    return call


@pytest.mark.parametrize("algorithm", ["hc", "boss"])
def test_continuous(run, algorithm):
    table = bnjit.datasets.small_gaussian().sample(500, seed=1)
    found, limits = run(table, algorithm=algorithm)
    dag = bnjit.learn(table, algorithm=algorithm).dag
    assert list(found) == list(table)
    expected = [[int(dag.has_edge(a, b)) for b in table] for a in table]
    np.testing.assert_array_equal(found, expected)
    assert found.to_numpy().sum() > 3
    assert limits == []


def test_discrete_with_limits(run):
    table = bnjit.datasets.small_discrete().sample(500, seed=1)
    codes = table.apply(lambda column: column.astype("category").cat.codes)
    with_levels = pd.concat([codes.max().add(1).to_frame().T, codes], ignore_index=True)
    found, limits = run(with_levels, datatype="discrete", max_parents=1, timeout=60)
    dag = bnjit.learn(codes, discrete=list(codes), max_parents=1).dag
    assert {(found.columns[i], found.columns[j]) for i, j in np.argwhere(found.to_numpy())} == set(dag.edges)
    assert found.sum().max() == 1
    ((seconds, files),) = limits
    assert seconds == 60
    assert [Path(path).name for path in files] == ["adjmat", "time", "ntests"]


def test_what_it_offers_exists():
    properties = json.loads((MODULE / "schema.json").read_text())["items"]
    (example,) = properties["examples"]
    assert set(example) == set(properties["required"]) == set(properties["properties"])
    for score in example["score"]:
        as_score(score)
    for algorithm in example["algorithm"]:
        as_algorithm(algorithm)
    assert json.loads((MODULE / "info.json").read_text())["language"] == "Python"
    assert bnjit.__version__.startswith(json.loads((MODULE / "info.json").read_text())["version"])
