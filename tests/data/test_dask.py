"""A dask.dataframe gives what the same rows give in memory, however they are cut, wherever they are."""

import os
import signal
from itertools import pairwise

import dask
import dask.dataframe as dd
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import bnjit
from bnjit.cli import main
from bnjit.data.dask import DaskRows
from bnjit.errors import ArgumentError, BnjitWarning, DataError
from bnjit.stats.passes import Extremes, FirstLook
from tests.comparison import same
from tests.golden.tables import TABLES

CUTS = (0, 1, 1, 50, 51, 200)  # partitions of one row, of none


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process of its own."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as made,
        Client(made, set_as_default=False) as client,
    ):
        yield client


def in_partitions(frame, cuts=CUTS):
    """A dask.dataframe of the rows between cuts; what types the partitions have they keep."""
    bounds = [*cuts, len(frame)]
    return of_parts([frame.iloc[a:b] for a, b in pairwise(bounds)])


def of_parts(parts):
    return dd.from_map(as_it_is, parts, meta=parts[0].iloc[:0])


def as_it_is(part):
    return part


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_memory_chunks_threads_and_workers_agree(cluster, tmp_path, kind):
    frame = TABLES[kind]()
    frame.to_parquet(tmp_path / "rows.parquet")
    expected = bnjit.learn(frame)
    assert expected.dag.number_of_edges() > 3
    same(bnjit.learn(tmp_path / "rows.parquet", out_of_core=True), expected)
    rows = in_partitions(frame)
    here = bnjit.learn(rows)
    same(here, expected)
    with cluster.as_current():
        there = bnjit.learn(rows)
        read = bnjit.learn(dd.read_parquet(tmp_path / "rows.parquet"))
    same(read, expected)
    same(there, expected)
    assert there.score == here.score  # to the bit
    assert there.passes == here.passes >= 1
    assert there.bytes_read > 0
    assert there._store.table.root.bytes_travelled > 0


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
        ("cgaussian", {"algorithm": "tabu", "score": "aic", "restarts": 1, "seed": 1}),
        ("discrete", {"score": "bde", "algorithm": "ges"}),
        ("gaussian", {"score": "bge"}),
    ],
)
def test_scores_and_algorithms(kind, options):
    frame = TABLES[kind]().iloc[:700]
    same(bnjit.learn(in_partitions(frame), **options), bnjit.learn(frame, **options))


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
    expected = bnjit.score(dag, train, "pred", test_data=test)
    for data, other_data in ((in_partitions(train), in_partitions(test)), (in_partitions(train), test)):
        assert bnjit.score(dag, data, "pred", test_data=other_data) == pytest.approx(expected, rel=1e-10)
    assert bnjit.score(dag, train, "pred", test_data=in_partitions(test)) == pytest.approx(expected, rel=1e-10)


def test_a_search_goes_on_from_a_checkpoint(tmp_path):
    rows = in_partitions(TABLES["cgaussian"]())
    first, again = (bnjit.learn(rows, checkpoint=tmp_path / "kept.npz") for _ in range(2))
    assert again.score == first.score
    assert again.passes < first.passes


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
        same(bnjit.learn(rows, score), bnjit.learn(frame, score), rel=1e-8)
    mine, other = bnjit.fit(arcs, rows), bnjit.fit(arcs, frame)
    for node in ("y", "z"):
        pd.testing.assert_frame_equal(mine.parameters(node), other.parameters(node), rtol=1e-6)


def every_kind(n=300):
    """Levels that come late; some that only one partition has."""
    rng = np.random.default_rng(3)
    place = rng.integers(0, 3, n)
    place[:50] = np.minimum(place[:50], 1)
    hot = rng.random(n) < 0.3 + 0.2 * place
    x = (rng.normal(size=n) + place).astype(np.float32)
    return pd.DataFrame(
        {
            "place": np.array(["south", "north", "east"])[place],
            "x": x,
            "hot": hot,
            "kind": pd.Categorical(np.where(rng.random(n) < 0.8 - 0.5 * hot, "b", "a"), ["b", "c", "a"]),
            "dose": rng.integers(1, 4, n) + 2 * hot,
            "y": 2.0 * x + hot + rng.normal(size=n),
        }
    )


def as_objects(part):
    return part.astype({"place": object})


def as_found(part):
    """Categories that each partition has of its own."""
    return part.astype({"place": "category"})


@pytest.mark.parametrize("change", [as_objects, as_found, lambda part: part])
def test_levels_of_partitions_are_put_together(change):
    frame = every_kind()
    frame["kind"] = frame["kind"].cat.remove_unused_categories()
    expected = bnjit.learn(frame, discrete=["dose"])
    rows = of_parts([change(frame.iloc[a:b]) for a, b in pairwise([*CUTS, 300])])
    ours = bnjit.learn(rows, discrete=["dose"])
    same(ours, expected)
    table = ours._store.table
    assert table.labels[2:5] == ((False, True), ("b", "a"), (1, 2, 3, 4, 5))
    order = ["south", "north", "east"] if change is as_found else ["east", "north", "south"]
    assert sorted(table.labels[0]) == sorted(order)
    if change is not as_found:
        assert table.labels[0] == tuple(order)


@pytest.mark.parametrize("known", [True, False])
def test_categories_known_and_unknown(tmp_path, known):
    frame = every_kind().drop(columns="dose").astype({"place": "category"})
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    rows = dd.read_parquet(tmp_path / "rows.parquet", split_row_groups=True)
    assert rows.npartitions == 5
    rows = rows.categorize() if known else rows
    assert rows["place"].cat.known == known
    result = bnjit.learn(rows)
    same(result, bnjit.learn(rows.compute()))
    assert set(result._store.table.labels[0]) == {"east", "north", "south"}


def test_only_what_is_needed_is_read_where_it_is_seen(tmp_path):
    """One task for each partition reads and sees it, so that rows never travel; few columns merge no partitions."""
    frame = every_kind()
    for number in range(4):
        (tmp_path / "rows").mkdir(exist_ok=True)
        frame.iloc[75 * number : 75 * (number + 1)].to_parquet(tmp_path / "rows" / f"{number}.parquet")
    root = DaskRows(dd.read_parquet(tmp_path / "rows"), ["dose"])
    told = []
    root.watch = lambda *progress: told.append(progress)
    root.first_pass(FirstLook())
    assert told == [(1, done, 4, "partitions") for done in (1, 2, 3, 4)]
    assert (root.n, root.most_rows, root.passes) == (300, 75, 1)
    leaves = root._leaves(root._asked([1], []))
    assert len(leaves) == 4
    assert len(leaves[0].__dask_graph__()) == 4 + 1  # and the question
    told.clear()
    root.run_pass([Extremes((), 1)], [1])
    assert told == [(2, done, 300, "rows") for done in (75, 150, 225, 300)]
    (part,) = dask.compute(leaves[3])
    assert part.rows == (75,)
    assert part.nbytes == 75 * 4  # one column of float32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": "warm"}, "column 'x' holds text in partition 3 of data and numbers in partition 0"),
        ({"place": 1.5}, "column 'place' holds numbers in partition 3 of data and text in partition 0"),
        ({"hot": 2.0}, "column 'hot' holds numbers in partition 3 of data and booleans in partition 0"),
        ({"kind": "a"}, "column 'kind' holds text in partition 3 of data and categories in partition 0"),
        ({"dose": "much"}, "column 'dose' holds text in partition 3 of data and numbers in partition 0"),
        ({"x": np.nan}, r"partition 3 of data \(counting from 0\): column 'x' has 49 missing \(NaN\) values"),
        ({"x": np.inf}, r"partition 3 of data \(counting from 0\): column 'x' has 49 infinite values"),
        ({"place": None}, r"partition 3 of data \(counting from 0\): column 'place'"),
        ({"x": pd.Timestamp("2020-01-01")}, "partition 3 .*: column 'x' has type datetime64"),
        ({"x": np.linspace(-1e200, 1e200, 49)}, r"partition 3 .*: column 'x' has values up to 1e\+200, too large"),
    ],
)
def test_bad_partitions_are_named(change, message):
    frame = every_kind()
    parts = [frame.iloc[a:b] for a, b in pairwise([0, 1, 50, 50, 99, 300])]
    parts[3] = parts[3].assign(**change)
    with pytest.raises(DataError, match=message):
        bnjit.learn(of_parts(parts), discrete=["dose"])


def test_progress_of_workers(cluster):
    rows = DaskRows(in_partitions(every_kind()), ["dose"])
    told = []
    rows.watch = lambda *progress: told.append(progress)
    with cluster.as_current():
        rows.first_pass(FirstLook())
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
        ({"method": "qr"}, "method='qr' needs all rows in memory"),
        ({"score": "cv"}, "needs all rows in memory"),
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
    with pytest.raises(DataError, match=r"'x' is constant \(every row is 5\)"):
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


class Growing:
    """Partitions that are not the same when they are read again."""

    def __init__(self, folder, change):
        self.folder, self.change = folder, change

    def __call__(self, frame, partition_info=None):
        if partition_info is None or partition_info["number"] != 1:
            return frame
        again = (self.folder / "read").exists()
        (self.folder / "read").touch()
        return self.change(frame) if again else frame


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part.iloc[1:], "partition 1 .* had 150 rows when it was first read and has 149 now"),
        (lambda part: part.assign(place="west"), "column 'place' has the level 'west' in partition 1"),
    ],
)
def test_data_must_stay_as_it_was(tmp_path, change, message):
    rows = in_partitions(every_kind(), (0, 150))
    with pytest.raises(DataError, match=message):
        bnjit.learn(rows.map_partitions(Growing(tmp_path, change), meta=rows._meta))


def test_command_line(cluster, tmp_path, capsys):
    frame = every_kind()
    (tmp_path / "rows").mkdir()
    for number, part in enumerate([frame.iloc[:100], frame.iloc[100:]]):
        part.to_parquet(tmp_path / "rows" / f"{number}.parquet")
    rows, address = str(tmp_path / "rows"), cluster.scheduler.address
    assert main(["learn", rows, "--discrete", "dose", "--out", str(tmp_path / "here.txt"), "--quiet"]) == 0
    options = ["--dask", address, "--discrete", "dose", "--out", str(tmp_path / "there.txt")]
    assert main(["learn", rows, *options]) == 0
    shown = capsys.readouterr().out
    assert f"{rows}: 300 rows, 6 columns in 2 partitions, 2 workers with 2 threads: about 60 passes" in shown
    assert "out of core" in shown
    assert (tmp_path / "there.txt").read_text() == (tmp_path / "here.txt").read_text()
    assert main(["learn", str(tmp_path / "none"), "--dask", address]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_no_scheduler_there(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("bnjit.data.cluster.WAIT", 0.5)
    every_kind().to_parquet(tmp_path / "rows.parquet")
    assert main(["learn", str(tmp_path / "rows.parquet"), "--dask", "tcp://127.0.0.1:9"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("bnjit: no Dask scheduler answers at 'tcp://127.0.0.1:9'")
    assert err.count("\n") == 1
