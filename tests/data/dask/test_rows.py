"""A dask.dataframe gives what the same rows give in memory, however they are cut, wherever they are."""

import os
import signal

import dask
import dask.dataframe as dd
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.data.dask.rows import DaskRows
from bnjit.errors import ArgumentError, BnjitWarning, DataError
from bnjit.stats.first_passes import Extremes, FirstPass
from bnjit.stats.opening import read_rows
from tests.comparison import assert_same_search
from tests.data.dask.frames import every_kind, in_partitions, of_parts
from tests.golden.tables import TABLES


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_memory_chunks_threads_and_workers_agree(cluster, tmp_path, kind):
    frame = TABLES[kind]()
    frame.to_parquet(tmp_path / "rows.parquet")
    expected = bnjit.learn(frame)
    assert expected.dag.number_of_edges() > 3
    assert_same_search(bnjit.learn(tmp_path / "rows.parquet", out_of_core=True), expected)
    rows = in_partitions(frame)
    here = bnjit.learn(rows)
    assert_same_search(here, expected)
    with cluster.as_current():
        source = read_rows(rows, (), None)
        there = bnjit.learn(source)
        read = bnjit.learn(dd.read_parquet(tmp_path / "rows.parquet"))
    assert_same_search(read, expected)
    assert_same_search(there, expected)
    assert there.score == here.score  # to the bit
    assert there.passes == here.passes >= 1
    assert there.bytes_read > 0
    assert source.root.bytes_travelled > 0


class Killer:
    """Kills the process that it runs in, once: when a partition is read for the `when`-th time."""

    def __init__(self, folder, when):
        self.folder, self.when = folder, when

    def __call__(self, frame, partition_info=None):
        if partition_info is not None and partition_info["number"] == 2:
            turn = len(list(self.folder.glob("read*")))
            (self.folder / f"read{turn}").touch(exist_ok=True)
            if turn + 1 == self.when and not (self.folder / "killed").exists():
                (self.folder / "killed").touch()
                os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows has no SIGKILL
        return frame


@pytest.mark.parametrize("when", [1, 4])
def test_a_killed_worker_changes_nothing(cluster, tmp_path, when):
    rows = in_partitions(TABLES["cgaussian"]())
    with cluster.as_current():
        expected = bnjit.learn(rows)
        before = set(cluster.scheduler_info()["workers"])
        result = bnjit.learn(rows.map_partitions(Killer(tmp_path, when), meta=rows._meta))
        cluster.wait_for_workers(2)
    assert (tmp_path / "killed").exists()
    assert set(cluster.scheduler_info()["workers"]) != before
    assert nx.utils.graphs_equal(result.dag, expected.dag)
    assert result.score == expected.score
    assert result.trace.drop(columns="seconds").equals(expected.trace.drop(columns="seconds"))
    assert result.passes == expected.passes


def test_several_threads_of_a_worker():
    """Tasks of one process take turns at the kernels."""
    rows = in_partitions(TABLES["cgaussian"](), range(0, 1900, 200))
    expected = bnjit.learn(rows)
    with dask.config.set(scheduler="threads", num_workers=8):
        assert bnjit.learn(rows).score == expected.score
    with dask.config.set(scheduler="synchronous"):
        assert bnjit.learn(rows, n_threads=1).score == expected.score


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("cgaussian", {"score": "pred", "seed": 4}),
        ("cgaussian", {"algorithm": "boss"}),
        ("cgaussian", {"algorithm": bnjit.Tabu(restarts=1), "score": "aic", "seed": 1}),
        ("discrete", {"score": "bde", "algorithm": "ges"}),
        ("gaussian", {"score": "bge"}),
    ],
)
def test_scores_and_algorithms(kind, options):
    frame = TABLES[kind]().iloc[:700]
    assert_same_search(bnjit.learn(in_partitions(frame), **options), bnjit.learn(frame, **options))


def test_score_fit_statistics_and_test_data():
    frame = TABLES["cgaussian"]()
    rows = in_partitions(frame)
    dag = bnjit.learn(frame).dag
    ours, theirs = (bnjit.score(dag, data, by_node=True) for data in (rows, frame))
    pd.testing.assert_series_equal(ours, theirs)
    mine, other = bnjit.fit(dag, rows), bnjit.fit(dag, frame)
    for node in frame:
        pd.testing.assert_frame_equal(mine.parameters(node), other.parameters(node))
    collected = bnjit.Statistics.collect(rows, for_=1)
    assert collected.n == len(frame)
    train, test = frame.iloc[:1000], frame.iloc[1000:, ::-1]
    expected = bnjit.score(dag, train, bnjit.HeldOut(test))
    for data, other_data in ((in_partitions(train), in_partitions(test)), (in_partitions(train), test)):
        assert bnjit.score(dag, data, bnjit.HeldOut(other_data)) == pytest.approx(expected, rel=1e-10)
    assert bnjit.score(dag, train, bnjit.HeldOut(in_partitions(test))) == pytest.approx(expected, rel=1e-10)


def test_a_search_goes_on_from_a_checkpoint(tmp_path):
    rows = in_partitions(TABLES["cgaussian"]())
    first, again = (bnjit.learn(rows, checkpoint=tmp_path / "kept.npz") for _ in range(2))
    assert again.score == first.score
    assert again.passes < first.passes


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
@pytest.mark.parametrize("spread", [1e-7, 1e-5])
def test_doubtful_fits_need_no_rows_here(spread):
    """Columns that others all but say, in all cells or in some, are fitted from triangles made on workers."""
    rng = np.random.default_rng(5)
    n = 600
    group = rng.integers(0, 3, n)
    x, u = rng.normal(size=n), 1e3 + rng.normal(size=n)
    y = 3 * x + np.where(group == 1, spread, 1.0) * rng.normal(size=n)
    z = x + u + spread * rng.normal(size=n)
    frame = pd.DataFrame({"g": np.array(list("abc"))[group], "x": x, "u": u, "y": y, "z": z})
    rows = in_partitions(frame)
    arcs = [("g", "y"), ("x", "y"), ("x", "z"), ("u", "z")]
    for score in ("bic", "pred"):
        ours, theirs = (bnjit.score(arcs, data, score, by_node=True) for data in (rows, frame))
        pd.testing.assert_series_equal(ours, theirs, rtol=1e-8)
        assert_same_search(bnjit.learn(rows, score), bnjit.learn(frame, score), rel=1e-8)
    mine, other = bnjit.fit(arcs, rows), bnjit.fit(arcs, frame)
    for node in ("y", "z"):
        pd.testing.assert_frame_equal(mine.parameters(node), other.parameters(node), rtol=1e-6)


def test_only_what_is_needed_is_read_where_it_is_seen(tmp_path):
    """One Dask task reads a partition and computes from it, so rows are not sent; few columns merge no partitions."""
    frame = every_kind()
    for number in range(4):
        (tmp_path / "rows").mkdir(exist_ok=True)
        frame.iloc[75 * number : 75 * (number + 1)].to_parquet(tmp_path / "rows" / f"{number}.parquet")
    root = DaskRows(dd.read_parquet(tmp_path / "rows"), ["dose"])
    told = []
    root.watch = lambda *progress: told.append(progress)
    root.first_pass(FirstPass())
    assert told == [(1, done, 4, "partitions") for done in (1, 2, 3, 4)]
    assert (root.n, root.most_rows, root.passes) == (300, 75, 1)
    leaves = root._leaves(root._describe_pass([1], []))
    assert len(leaves) == 4
    assert len(leaves[0].__dask_graph__()) == 4 + 1  # and the question
    told.clear()
    root.run_pass([Extremes((), 1)], [1])
    assert told == [(2, done, 300, "rows") for done in (75, 150, 225, 300)]
    (part,) = dask.compute(leaves[3])
    assert part.rows == (75,)
    assert part.nbytes == 75 * 4  # one column of float32


def test_progress_of_workers(cluster):
    rows = DaskRows(in_partitions(every_kind()), ["dose"])
    told = []
    rows.watch = lambda *progress: told.append(progress)
    with cluster.as_current():
        rows.first_pass(FirstPass())
        assert told == [(1, done, 6, "partitions") for done in range(1, 7)]
        told.clear()
        (limits,) = rows.run_pass([Extremes((), 1)], [1])
    assert limits.values[1] == every_kind()["x"].max()
    done = [progress[1] for progress in told]
    assert done == sorted(done)
    assert told[-1] == (2, 300, 300, "rows")


def test_errors_of_workers_come_through(cluster):
    frame = every_kind()
    parts = [frame.iloc[:100], frame.iloc[100:].assign(x="warm")]
    with cluster.as_current(), pytest.raises(DataError, match="column 'x' holds text in partition 1 of data"):
        bnjit.learn(of_parts(parts))


def test_what_cannot_be():
    frame = every_kind()
    rows = in_partitions(frame)
    for wrong, message in (
        ({"estimator": "qr"}, "estimator='qr' fits every local distribution from all rows"),
        ({"out_of_core": False}, "give data.compute\\(\\) for that"),
        ({"names": list("abcdef")}, "names is for a plain NumPy array"),
        ({"discrete": ["Q"]}, "discrete names the column 'Q'"),
    ):
        with pytest.raises(ArgumentError, match=message):
            bnjit.learn(rows, **wrong)
    with pytest.raises(DataError, match="0 rows"):
        bnjit.learn(in_partitions(frame.iloc[:0], (0, 0)))
    with pytest.raises(DataError, match="at least 2 are needed"):
        bnjit.learn(in_partitions(frame.iloc[:1], (0, 0)))
    each = frame.assign(place=[f"row {i}" for i in range(300)])
    with pytest.raises(DataError, match="'place' is discrete and different in each of its 300 rows"):
        bnjit.learn(in_partitions(each))
    with pytest.warns(BnjitWarning, match="column with one value: 'x'"):
        bnjit.learn(in_partitions(frame.assign(x=5.0)))
    with pytest.warns(BnjitWarning, match="with one level: 'place'"):
        bnjit.learn(in_partitions(frame.assign(place="here")))
    with pytest.raises(ArgumentError, match="data is a Series of dask"):
        bnjit.learn(rows["x"])


@pytest.mark.parametrize("score", ["bic", "pred"])
def test_strengths_are_those_of_the_table(score):
    frame = every_kind()
    for columns in (list(frame), list(frame.select_dtypes("float"))):
        whole = bnjit.arc_strength(frame[columns], 5, score, seed=1)
        parts = bnjit.arc_strength(in_partitions(frame[columns]), 5, score, seed=1)
        pd.testing.assert_frame_equal(whole, parts)
