"""Statistics in place of rows: collected, merged, updated, saved, and learned from."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import Statistics
from bnjit.errors import ArgumentError, StatisticsError
from tests.stats.forms import in_chunks


def rows(n, seed, places=("north", "south", "east")):
    rng = np.random.default_rng(seed)
    place = rng.integers(0, len(places), n)
    hot = rng.random(n) < 0.3 + 0.2 * (place > 0)
    x = rng.normal(size=n) + place
    y = 2 * x + hot + rng.normal(size=n)
    dose = rng.integers(1, 4, n)
    return pd.DataFrame({"place": np.array(places)[place], "x": x, "hot": hot, "y": y, "dose": dose})


def assert_same_network(ours, theirs):
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.score == pytest.approx(theirs.score, rel=1e-11)
    assert ours.n_local_scores == theirs.n_local_scores


def test_learning_scoring_and_fitting_need_no_rows():
    frame = rows(500, 1)
    statistics = Statistics.collect(frame, for_=3, discrete=["dose"])
    whole = bnjit.learn(frame, discrete=["dose"])
    assert_same_network(bnjit.learn(statistics), whole)
    arcs = list(whole.dag.edges)
    exact = Statistics.collect(frame, for_=arcs, discrete=["dose"])
    pd.testing.assert_series_equal(
        bnjit.score(arcs, exact, by_node=True), bnjit.score(arcs, frame, by_node=True, discrete=["dose"]), rtol=1e-12
    )
    ours, theirs = bnjit.fit(arcs, exact), bnjit.fit(arcs, frame, discrete=["dose"])
    for node in frame:
        pd.testing.assert_frame_equal(ours.parameters(node), theirs.parameters(node), rtol=1e-10)


@pytest.mark.parametrize("kind", ["mixed", "gaussian", "discrete"])
def test_parts_that_share_no_row(kind, tmp_path):
    """Levels differ between parts, and so does the order of columns."""
    a, b, c = rows(200, 1), rows(150, 2, ("west", "north"))[["y", "x", "dose", "hot", "place"]], rows(9, 3, ("east",))
    columns = {"mixed": list(a), "gaussian": ["x", "y"], "discrete": ["place", "hot", "dose"]}[kind]
    parts = [part[[name for name in part if name in columns]] for part in (a, b, c)]
    discrete = ["dose"] if kind != "gaussian" else []
    together = Statistics.collect(parts[0], discrete=discrete).merge(Statistics.collect(parts[1], discrete=discrete))
    together.save(tmp_path / "kept.npz")
    together = Statistics.load(tmp_path / "kept.npz").update(parts[2])
    frame = pd.concat([part[columns] for part in parts], ignore_index=True)
    levels = {"place": ["east", "north", "south", "west"]}
    for name in set(levels) & set(columns):
        frame[name] = pd.Categorical(frame[name], levels[name])
    assert together.n == len(frame)
    assert_same_network(bnjit.learn(together, max_parents=1), bnjit.learn(frame, max_parents=1, discrete=discrete))


def test_out_of_core(tmp_path):
    frame = rows(300, 4)
    frame.to_parquet(tmp_path / "table.parquet")
    statistics = Statistics.collect(in_chunks(tmp_path / "table.parquet", 77), for_=2)
    assert_same_network(bnjit.learn(statistics, max_parents=1), bnjit.learn(frame, max_parents=1))


def test_predictive_scores_from_two_statistics():
    train, test = rows(300, 1), rows(100, 2)
    expected = bnjit.score([("x", "y")], train, bnjit.HeldOut(test))
    ours = bnjit.score([("x", "y")], Statistics.collect(train), bnjit.HeldOut(Statistics.collect(test)))
    assert ours == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ArgumentError, match="cannot split Statistics"):
        bnjit.learn(Statistics.collect(train), "pred")


def test_what_does_not_fit_together():
    a = Statistics.collect(rows(100, 1))
    with pytest.raises(ArgumentError, match="merge takes Statistics"):
        a.merge(rows(10, 1))
    with pytest.raises(StatisticsError, match="'x' is only in one of them"):
        a.merge(Statistics.collect(rows(100, 1).drop(columns="x")))
    with pytest.raises(StatisticsError, match="only one of the two has the table"):
        a.merge(Statistics.collect(rows(100, 1), for_=1))
    with pytest.raises(ArgumentError, match="for_=-1"):
        Statistics.collect(rows(100, 1), for_=-1)
