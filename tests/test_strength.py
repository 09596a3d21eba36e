"""Arc strength by bootstrap, against learning from rows that are repeated by hand."""

import itertools
import time

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit._threads import side_by_side, thread_count, threads
from bnjit.averaging import strength_threshold
from bnjit.data import read_table
from bnjit.data.chunked.chunks import Chunks
from bnjit.data.source import derive
from bnjit.data.split import row_numbers, seed_state
from bnjit.errors import BnjitError
from bnjit.search import Search
from bnjit.stats import Store, bootstrap
from bnjit.stats.opening import make_store
from bnjit.stats.readers.replicates import ReplicateReader
from tests.golden.tables import STRENGTHS, strengths
from tests.stats.forms import in_chunks


def frame_of(kind, n=2000):
    return bnjit.datasets.random_network(kind, 6, parents=1.5, seed=4).sample(n, seed=1)


def naive_strength(frame, replicates, seed, **arguments):
    """Count edges of the networks of tables whose rows are repeated one by one."""
    names = list(frame)
    edges = dict.fromkeys(itertools.permutations(names, 2), 0.0)
    for start in bootstrap.starts_of(seed, replicates):
        weights = bootstrap.weights_of(len(frame), start)
        rows = [row for row, weight in enumerate(weights) for _ in range(weight)]
        graph = bnjit.cpdag(bnjit.learn(frame.iloc[rows], seed=seed, **arguments).dag)
        for a, b in graph.edges:
            edges[a, b] += 0.5 if graph.has_edge(b, a) else 1.0
    rows = []
    for a, b in edges:
        both = edges[a, b] + edges[b, a]
        rows.append((a, b, both / replicates, edges[a, b] / both if both else 0.0))
    return pd.DataFrame(rows, columns=["from", "to", "strength", "direction"])


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
@pytest.mark.parametrize("algorithm", ["hc", "boss"])
def test_equals_repeated_rows(kind, algorithm):
    frame = frame_of(kind)
    ours = bnjit.arc_strength(frame, 6, algorithm=algorithm, seed=2)
    pd.testing.assert_frame_equal(ours, naive_strength(frame, 6, 2, algorithm=algorithm), check_dtype=False)


def test_weights_are_poisson_and_of_the_row_alone():
    start = bootstrap.starts_of(7, 3)[2]
    weights = bootstrap.weights_of(100_000, start)
    u = row_numbers(100_000, (7 << 32) + 3)
    assert start == seed_state((7 << 32) + 3)
    np.testing.assert_array_equal(weights, np.searchsorted(bootstrap.BELOW, u, side="right"))
    np.testing.assert_array_equal(weights[:500], bootstrap.weights_of(500, start))
    assert weights.mean() == pytest.approx(1.0, abs=0.02)
    assert weights.var() == pytest.approx(1.0, abs=0.03)


def test_moments_of_replicates_are_those_of_their_rows():
    rng = np.random.default_rng(0)
    table = read_table({f"x{j}": 1e5 + 10.0**j * rng.normal(size=5000) for j in range(4)})
    starts = bootstrap.starts_of(None, 3)
    wholes = bootstrap.replicate_wholes(table, make_store(table).whole, starts)
    for whole, start in zip(wholes, starts, strict=True):
        store = Store(ReplicateReader(table, start, whole))
        expected = make_store(bootstrap.drawn_rows(table, start))
        assert store.n == expected.n == store.reader.table.n
        np.testing.assert_allclose(store.whole.means, expected.whole.means, rtol=1e-12)
        scale = np.sqrt(np.diag(expected.whole.covariance()))
        difference = (store.whole.covariance() - expected.whole.covariance()) / np.outer(scale, scale)
        np.testing.assert_allclose(difference, 0.0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_fits_that_need_rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = x + 1e-5 * rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": y, "z": x - y + 1e-6 * rng.normal(size=300)})
    pd.testing.assert_frame_equal(bnjit.arc_strength(frame, 3), naive_strength(frame, 3, None), check_dtype=False)


@pytest.mark.parametrize("kind", ["gaussian", "cgaussian"])
def test_threads_and_seeds(kind):
    frame = frame_of(kind, 300)
    first = bnjit.arc_strength(frame, 10, seed=1)
    pd.testing.assert_frame_equal(first, bnjit.arc_strength(frame, 10, seed=1, n_threads=1))
    assert not first.equals(bnjit.arc_strength(frame, 10, seed=2))


def test_arguments_reach_the_search():
    frame = frame_of("gaussian")
    strength = bnjit.arc_strength(frame, 4, "ebic", max_parents=0)
    assert (strength["strength"] == 0).all()
    raw = bnjit.arc_strength(frame, 4, classes=False)
    assert set(raw["direction"] * raw["strength"] * 4) <= {0.0, 1.0, 2.0, 3.0, 4.0}
    for arguments, what in (
        ({"replicates": 0}, "replicates=0"),
        ({"score": bnjit.HeldOut(frame)}, "cannot be drawn with the rows of a replicate"),
        ({"checkpoint": "scores.npz"}, "checkpoint is of one search"),
        ({"algorithm": "none"}, "algorithm='none' is not known"),
    ):
        with pytest.raises(BnjitError, match=what):
            bnjit.arc_strength(frame, **arguments)
    with pytest.raises(BnjitError, match="data is Statistics"):
        bnjit.arc_strength(bnjit.Statistics.collect(frame))


@pytest.mark.parametrize("chunk", [77, 501])
@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("gaussian", {}),
        ("gaussian", {"score": "pred"}),
        ("discrete", {"algorithm": "boss"}),
        ("cgaussian", {}),
        ("cgaussian", {"score": "pred"}),
    ],
)
def test_out_of_core_as_in_memory(kind, arguments, chunk, tmp_path):
    frame = frame_of(kind, 1000)
    frame.to_parquet(tmp_path / "rows.parquet")
    expected = bnjit.arc_strength(frame, 4, seed=3, **arguments)
    for data in (tmp_path / "rows.parquet", tmp_path, lambda: pa.Table.from_pandas(frame).to_batches(max_chunksize=90)):
        found = bnjit.arc_strength(in_chunks(data, chunk), 4, seed=3, **arguments)
        pd.testing.assert_frame_equal(found, expected)


def test_replicates_of_chunks_are_those_of_the_table(tmp_path):
    frame = frame_of("cgaussian", 1000)
    frame.to_parquet(tmp_path / "rows.parquet")
    source = in_chunks(tmp_path / "rows.parquet", 300)
    start = bootstrap.starts_of(1, 1)[0]
    replicate, drawn = bootstrap.Repeated(source, start), bootstrap.drawn_rows(read_table(frame), start)
    assert replicate.n == drawn.n
    rows = 0
    for first, chunk in source.read(range(len(frame.columns))):
        part = derive(replicate.steps, first, chunk)
        assert replicate.begins[first] == rows
        for ours, whole in zip(part.columns, drawn.columns, strict=True):
            np.testing.assert_array_equal(ours.values, whole.values[rows : rows + part.n])
        rows += part.n
    assert rows == drawn.n


def test_one_pass_for_all_replicates_of_continuous_columns(tmp_path, monkeypatch):
    frame_of("gaussian", 1000).to_parquet(tmp_path / "rows.parquet")
    passes = []
    chunks = Chunks._chunks

    def counted(self, *arguments):
        passes.append(1)
        return chunks(self, *arguments)

    monkeypatch.setattr(Chunks, "_chunks", counted)
    bnjit.arc_strength(in_chunks(tmp_path / "rows.parquet", 300), 10)
    assert len(passes) == 2  # the first finds means and standard deviations


@pytest.mark.parametrize("n_threads", [1, 4])
def test_ctrl_c_ends_it_all(n_threads, monkeypatch):
    begun = []

    def interrupted(self, move, phase):
        begun.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "take", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bnjit.arc_strength(frame_of("cgaussian", 300), 50, n_threads=n_threads)
    assert 1 <= len(begun) < 50


def test_progress_over_replicates(capsys):
    frame = frame_of("gaussian", 300)
    bnjit.arc_strength(frame, 3, progress=True)
    shown = capsys.readouterr().err
    assert "arc_strength" in shown
    assert "/3 " in shown
    bnjit.arc_strength(frame, 3)
    assert capsys.readouterr().err == ""


def test_side_by_side():
    with threads(4):
        seen = list(side_by_side(lambda i: (i, thread_count()), 9, 2))
    assert [i for i, _ in seen] == list(range(9))
    assert {kernels for _, kernels in seen} == {4 // 2}
    begun = []

    def failing(i):
        begun.append(i)
        if i == 1:
            raise ValueError("two")
        time.sleep(0.01)
        return i

    results = side_by_side(failing, 100, 3)
    assert next(results) == 0
    with pytest.raises(ValueError, match="two"):
        next(results)
    assert len(begun) < 100


def test_threshold_is_closest_in_l1():
    rng = np.random.default_rng(3)
    for _ in range(20):
        values = np.sort(rng.integers(0, 21, 15) / 20)
        grid = (np.arange(4000) + 0.5) / 4000
        observed = np.searchsorted(values, grid, side="right") / len(values)
        distance = [np.abs(observed - t).mean() for t in np.unique(observed)]
        t = np.unique(observed)[int(np.argmin(distance))]
        least = strength_threshold(pd.DataFrame({"strength": values}))
        chosen = np.abs(observed - (values <= least).mean() * (least > 0)).mean()
        assert chosen <= min(distance) + 1e-3 or (values <= least).mean() == pytest.approx(t)
    assert strength_threshold(pd.DataFrame({"strength": np.ones(6)})) == 0.0


def test_averaged_network():
    frame = frame_of("gaussian")
    strength = bnjit.arc_strength(frame, 20)
    graph = bnjit.averaged_network(strength)
    assert list(graph) == list(frame)
    least = strength_threshold(strength)
    pairs = {frozenset(arc) for arc in graph.edges}
    strong = strength[strength["strength"] > least]
    assert pairs == {frozenset(arc) for arc in zip(strong["from"], strong["to"], strict=True)}
    sure = strength[(strength["strength"] == 1.0) & (strength["direction"] >= 0.5)]
    assert 0 < bnjit.averaged_network(strength, 1.0).number_of_edges() == len({*map(frozenset, pairs_of(sure))})
    with pytest.raises(BnjitError, match="lacks the column 'direction'"):
        bnjit.averaged_network(strength.drop(columns="direction"))


def pairs_of(strength):
    return list(zip(strength["from"], strength["to"], strict=True))


def distance(values, t):
    """L1 distance of the distribution function of strengths from one that is t between 0 and 1."""
    steps = np.concatenate([[0.0], np.sort(values), [1.0]])
    return (np.diff(steps) * np.abs(np.arange(len(values) + 1) / len(values) - t)).sum()


def test_thresholds_and_networks_of_bnlearn(golden):
    """Equal to bnlearn's but for what the docstrings name: its numeric search, cycles, and both ways as frequent."""
    equal = {"threshold": 0, "arcs": 0}
    for seed, theirs in zip(STRENGTHS, golden["averages"], strict=True):
        strength = strengths(seed)
        values = strength["strength"].to_numpy()
        ours = strength_threshold(strength)
        if ours != theirs["threshold"]:
            larger = np.unique(values[values > ours])
            assert theirs["threshold"] == larger[0]
        shares = [(values <= threshold).mean() for threshold in (ours, theirs["threshold"])]
        assert distance(values, shares[0]) <= distance(values, shares[1]) + 1e-12
        least = min(distance(values, k / len(values)) for k in range(len(values) + 1))
        assert distance(values, shares[0]) <= least + 1e-12
        arcs = {tuple(arc) for arc in theirs["arcs"]}
        found = set(bnjit.averaged_network(strength, 0.5).edges)
        likely = strength[(values > 0.5) & (strength["direction"] >= 0.5)]
        if nx.is_directed_acyclic_graph(nx.DiGraph(pairs_of(likely))):
            assert found == arcs
        else:
            assert {*map(frozenset, arcs)} <= {*map(frozenset, found)} == {*map(frozenset, pairs_of(likely))}
        equal["threshold"] += ours == theirs["threshold"]
        equal["arcs"] += found == arcs
    assert min(equal.values()) >= 5, equal


def test_a_cycle_is_turned_at_its_weakest_arc():
    arcs = [("a", "b", 1.0, 1.0), ("b", "c", 1.0, 0.9), ("c", "a", 1.0, 0.6)]
    rows = arcs + [(b, a, s, 1 - d) for a, b, s, d in arcs]
    strength = pd.DataFrame(rows, columns=["from", "to", "strength", "direction"])
    assert set(bnjit.averaged_network(strength, 0.5).edges) == {("a", "b"), ("b", "c"), ("a", "c")}


def test_plot():
    from bnjit.plots import draw_strength

    strength = bnjit.arc_strength(frame_of("gaussian"), 5)
    ax = draw_strength(strength)
    assert f"{bnjit.averaged_network(strength).number_of_edges()} arcs" in ax.get_legend_handles_labels()[1][0]
    heights = ax.lines[0].get_ydata()
    assert (np.diff(heights) >= 0).all()
    assert heights[-1] == 1.0


@pytest.mark.parametrize("score", ["bic", "pred"])
@pytest.mark.parametrize("discrete", [False, True])
def test_columns_that_are_constant_in_a_replicate(tmp_path, score, discrete):
    rng = np.random.default_rng(1)
    rare = np.zeros(60)
    rare[5] = 1.0  # not in every replicate
    x = rng.normal(size=60)
    frame = pd.DataFrame({"rare": rare, "x": x, "y": x + rng.normal(size=60)})
    if discrete:
        frame["d"] = np.where(rng.random(60) < 0.5, "a", "b")
    frame.to_parquet(tmp_path / "rows.parquet")
    whole = bnjit.arc_strength(frame, 10, score, seed=1)
    parts = bnjit.arc_strength(tmp_path / "rows.parquet", 10, score, seed=1, out_of_core=True)
    pd.testing.assert_frame_equal(whole, parts)


@pytest.mark.parametrize("out_of_core", [False, True])
def test_columns_that_are_constant(tmp_path, out_of_core):
    frame = pd.DataFrame({"x": np.random.default_rng(1).normal(size=60), "same": 1.0})
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.warns(bnjit.BnjitWarning, match="with one value: 'same'") as caught:
        strength = bnjit.arc_strength(tmp_path / "rows.parquet", 10, out_of_core=out_of_core)
    assert len(caught) == 1  # not once for each replicate
    assert (strength["strength"] == 0.0).all()


def test_too_few_rows_for_replicates():
    with pytest.raises(bnjit.DataError, match="data has 3 rows, so few that a replicate"):
        bnjit.arc_strength({"d": list("xyx"), "e": list("xyy")}, replicates=200)
