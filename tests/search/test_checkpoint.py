"""A search that was killed goes on from its checkpoint to the same network."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.errors import ArgumentError, FileFormatError
from bnjit.graph.bits import bits_of
from bnjit.scores import Scorer, make_scorer
from bnjit.search.checkpoint import ScoreFile

KILLED = """
import os, signal, sys
import bnjit
from bnjit.search import Search
from bnjit.search.checkpoint import ScoreFile

ScoreFile.save_sometimes = ScoreFile.save
take = Search.take

def take_or_die(self, move, phase):
    if self.moves == 1:
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows has no SIGKILL
    return take(self, move, phase)

Search.take = take_or_die
bnjit.learn(sys.argv[1], checkpoint=sys.argv[2], **eval(sys.argv[3]))
"""


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(8)
    n = 500
    g = rng.integers(0, 3, n)
    h = np.where(rng.random(n) < 0.8, g, rng.integers(0, 3, n))
    x = rng.normal(size=n) + g
    y = x - h + rng.normal(size=n)
    z = x + y + rng.normal(size=n)
    text = np.array(["a", "b", "c"])
    pq.write_table(pa.table({"g": text[g], "x": x, "h": text[h], "y": y, "z": z}), tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


def estimated(monkeypatch):
    """Count the local scores that are estimated from now on."""
    made = []
    local_scores = Scorer.local_scores

    def counting(self, batch):
        made.extend(batch.nodes.tolist())
        return local_scores(self, batch)

    monkeypatch.setattr(Scorer, "local_scores", counting)
    return made


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"out_of_core": True},
        {"algorithm": "tabu", "score": "pred", "seed": 3},
        {"algorithm": bnjit.HillClimbing(restarts=3, perturb=2)},
    ],
    ids=str,
)
def test_killed_and_resumed(path, tmp_path, monkeypatch, options):
    kept = tmp_path / "search.npz"
    script = [sys.executable, "-c", KILLED, str(path), str(kept), repr(options)]
    ended = subprocess.run(script, check=False, capture_output=True, cwd=Path(bnjit.__file__).parents[1])
    assert abs(ended.returncode) == getattr(signal, "SIGKILL", signal.SIGTERM), ended.stderr.decode()
    assert kept.exists()
    whole = bnjit.learn(path, **options)
    made = estimated(monkeypatch)
    resumed = bnjit.learn(path, checkpoint=kept, **options)
    left = len(made)
    assert list(resumed.dag.edges) == list(whole.dag.edges)
    assert resumed.score == pytest.approx(whole.score, rel=1e-12)
    assert resumed.n_local_scores == whole.n_local_scores
    assert 0 < left < whole.n_local_scores
    made.clear()
    again = bnjit.learn(path, checkpoint=kept, **options)
    assert made == []
    assert again.score == resumed.score
    assert [p.name for p in tmp_path.glob("*.part")] == []


def test_more_moves_than_before(path, tmp_path):
    kept = tmp_path / "search.npz"
    assert bnjit.learn(path, checkpoint=kept, max_iter=2).interrupted
    result = bnjit.learn(path, checkpoint=kept)
    assert not result.interrupted
    assert list(result.dag.edges) == list(bnjit.learn(path).dag.edges)


def test_other_searches_and_other_files_are_refused(path, tmp_path):
    kept = tmp_path / "search.npz"
    bnjit.learn(path, checkpoint=kept, max_iter=1)
    with pytest.raises(ArgumentError, match="another search: score was 'bic' and is 'aic'"):
        bnjit.learn(path, "aic", checkpoint=kept)
    with pytest.raises(ArgumentError, match="another search: sparse was 'reject' and is 'pool'"):
        bnjit.learn(path, bnjit.BIC(sparse="pool"), checkpoint=kept)
    other = pq.read_table(path).slice(1)
    with pytest.raises(ArgumentError, match="another search: rows was 500 and is 499"):
        bnjit.learn(other, checkpoint=kept)
    with pytest.raises(ArgumentError, match="there is no folder"):
        bnjit.learn(path, checkpoint=tmp_path / "nowhere" / "search.npz")
    bnjit.learn(path, bnjit.CrossValidation(folds=3), checkpoint=tmp_path / "folds.npz", max_iter=1)
    for folds, seed, what in (4, None, "folds was 3 and is 4"), (3, 1, "seed was 0 and is 1"):
        with pytest.raises(ArgumentError, match=f"another search: {what}"):
            bnjit.learn(path, bnjit.CrossValidation(folds), seed=seed, checkpoint=tmp_path / "folds.npz")
    whole = kept.read_bytes()
    with np.load(kept) as file:
        arrays = dict(file)
    for name, content in {
        "cut": whole[: len(whole) // 2],
        "text": b"hello",
        "empty": b"",
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FileFormatError, match="is no checkpoint"):
            bnjit.learn(path, checkpoint=tmp_path / name)
    for name, value in {
        "nodes": arrays["nodes"] + 100,
        "sizes": arrays["sizes"] + 1,
        "members": arrays["members"][:-1],
        "scores": np.array([object()] * 3),
        "header": np.array("{"),
        "version": np.int64(99),
    }.items():
        np.savez(tmp_path / "hostile.npz", **{**arrays, name: value})
        with pytest.raises(FileFormatError):
            bnjit.learn(path, checkpoint=tmp_path / "hostile.npz")


@pytest.mark.parametrize("columns", [5, 64, 65, 130])
def test_what_a_file_keeps_comes_back(columns, tmp_path):
    """Sets with members beyond the first 64 columns, empty ones, impossible scores: all as they were."""
    rng = np.random.default_rng(columns)
    scorer = make_scorer(read_table({f"X{j}": rng.normal(size=6) for j in range(columns)}), "bic")
    known = [{} for _ in range(columns)]
    for node in range(columns):
        for size in (0, 1, 3, columns - 1):
            parents = rng.choice(np.delete(np.arange(columns), node), size, replace=False).tolist()
            known[node][bits_of(parents)] = float(rng.normal()) if size < 3 else -np.inf
    path = tmp_path / "scores.npz"
    ScoreFile(path, scorer, {"score": "made up"}).save(known)
    again = ScoreFile(path, scorer, {"score": "made up"})
    assert again.load(columns) == {(node, bits): s for node, own in enumerate(known) for bits, s in own.items()}
    assert ScoreFile(tmp_path / "none.npz", scorer, {}).load(columns) == {}
    with pytest.raises(ArgumentError, match="score was 'made up' and is 'another'"):
        ScoreFile(path, scorer, {"score": "another"}).load(columns)


def test_files_are_written_when_there_is_something_new(tmp_path):
    scorer = make_scorer(read_table({"x": [1.0, 2.0, 4.0], "y": [1.0, 3.0, 2.0]}), "bic")
    path = tmp_path / "scores.npz"
    late = ScoreFile(path, scorer, {})
    late.save_sometimes([{0: -1.0}, {}])
    assert not path.exists()
    file = ScoreFile(path, scorer, {}, seconds=0.0, share=0.0)
    file.save_sometimes([{0: -1.0}, {}])
    written = path.stat().st_mtime_ns
    file.save_sometimes([{0: -1.0}, {}])
    file.save([{0: -1.0}, {}])
    assert path.stat().st_mtime_ns == written
    file.save_sometimes([{0: -1.0}, {1: -2.0}])
    assert ScoreFile(path, scorer, {}).load(2) == {(0, 0): -1.0, (1, 1): -2.0}


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_wide_tables_go_on_from_a_checkpoint(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(72, 300))
    x[70] += x[1]
    x[71] += x[70] - x[69]
    table = {f"X{j}": x[j] for j in range(72)}
    whole = bnjit.learn(table, max_iter=3)
    assert bnjit.learn(table, max_iter=2, checkpoint=tmp_path / "search.npz").interrupted
    made = estimated(monkeypatch)
    resumed = bnjit.learn(table, max_iter=3, checkpoint=tmp_path / "search.npz")
    assert 0 < len(made) < 200
    assert list(resumed.dag.edges) == list(whole.dag.edges)
    assert resumed.score == whole.score
    assert {"X70", "X71"} <= {name for arc in whole.dag.edges for name in arc}


def test_other_tables_with_the_same_columns_one_by_one_are_refused(path, tmp_path):
    """A column in another order of rows, and test tables of the same length."""
    table = pq.read_table(path).to_pandas()
    kept = tmp_path / "search.npz"
    bnjit.learn(table, checkpoint=kept, max_iter=1)
    for name in ("h", "z"):
        other = table.assign(**{name: table[name].to_numpy()[::-1]})
        with pytest.raises(ArgumentError, match="another search: data was"):
            bnjit.learn(other, checkpoint=kept)
    first, second = table.iloc[:100], table.iloc[100:200]
    bnjit.learn(table, bnjit.HeldOut(test=first), checkpoint=tmp_path / "test.npz", max_iter=1)
    bnjit.learn(table, bnjit.HeldOut(test=first.copy()), checkpoint=tmp_path / "test.npz", max_iter=1)
    with pytest.raises(ArgumentError, match="another search: data was"):
        bnjit.learn(table, bnjit.HeldOut(test=second), checkpoint=tmp_path / "test.npz")


def test_chunks_of_another_size_find_the_same_file(tmp_path):
    """Means that are rounding of nothing do not tell one table from another."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=60_000)
    columns = {"x": (x - x.mean()) / x.std(), "y": x + rng.normal(size=60_000), "z": rng.normal(size=60_000)}
    pq.write_table(pa.table(columns), tmp_path / "table.parquet")
    for options in ({}, {"out_of_core": True}, {"out_of_core": True, "max_memory": "1MB"}):
        assert bnjit.learn(tmp_path / "table.parquet", checkpoint=tmp_path / "scores.npz", **options).score < 0
