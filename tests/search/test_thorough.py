"""Thorough search: never worse than its parts, and as they are: knowledge, threads, seeds, Ctrl-C, budgets."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import datasets
from bnjit.data import read_table
from bnjit.errors import ArgumentError
from bnjit.scores import make_scorer
from bnjit.search import ScoreMemo, Search, State
from bnjit.search import thorough as module
from bnjit.search.constraints import make_constraints
from bnjit.search.greedy import Stopped
from bnjit.search.order import OrderSearch
from tests.search.made_up import MadeUp, best_graph

KINDS = ["discrete", "gaussian", "cgaussian"]
PARTS = ["hc", "tabu", "ges", "boss", bnjit.HillClimbing(exchange=True)]


def frame_of(kind, nodes=13, rows=1500, seed=1):
    return datasets.random_network(kind, nodes, parents=2.0, seed=seed).sample(rows, seed=seed)


@pytest.fixture
def inexact(monkeypatch):
    """Small tables are searched as large ones are."""
    monkeypatch.setattr(module, "is_quickly_exact", lambda state: False)


def best_of_parts(frame, score, **known):
    found = []
    for algorithm in PARTS:
        try:
            found.append(bnjit.learn(frame, score, algorithm, **known).score)
        except ArgumentError:
            assert algorithm == "ges"
    return max(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", ["bic", "pred"])
def test_never_worse_than_its_parts(kind, score, inexact):
    for seed in (1, 2):
        frame = frame_of(kind, seed=seed)
        result = bnjit.learn(frame, score, bnjit.Thorough(restarts=2))
        assert result.score >= best_of_parts(frame, score) - 1e-6
        assert result.n_restarts == 2
        assert not result.interrupted
        if score == "bic":
            assert result.score == pytest.approx(bnjit.score(result.dag, frame, score), rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_finds_the_best_network(kind, inexact):
    for seed in range(3):
        frame = frame_of(kind, nodes=8, rows=600, seed=seed)
        best = bnjit.learn(frame, algorithm="exact").score
        result = bnjit.learn(frame, algorithm="thorough")
        assert result.score == pytest.approx(best, rel=1e-9)
        assert result.certificate is None


@pytest.mark.parametrize("kind", KINDS)
def test_few_columns_are_searched_exactly(kind):
    frame = frame_of(kind, nodes=6, rows=300)
    result = bnjit.learn(frame, algorithm="thorough")
    assert result.certificate == "exact: no network scores higher"
    assert result.score == bnjit.learn(frame, algorithm="exact").score


@pytest.mark.parametrize("kind", KINDS)
def test_knowledge(kind, inexact):
    frame = frame_of(kind)
    plain = bnjit.learn(frame, algorithm="thorough").dag
    (a, b), *gone = list(plain.edges)[:4]
    kinds = dict(plain.nodes(data="kind"))
    fixed = (b, a) if kinds[a] == kinds[b] else (a, b)
    names = list(frame)
    known = {"whitelist": [fixed], "blacklist": gone, "max_parents": 2}
    result = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=2), **known)
    assert fixed in result.dag.edges
    assert not set(gone) & set(result.dag.edges)
    assert max(dict(result.dag.in_degree()).values()) <= 2
    assert result.score >= best_of_parts(frame, "bic", **known) - 1e-6
    tiers = [names[6:], names[:6]] if kind != "cgaussian" else [
        [v for v in names if kinds[v] == "discrete"], [v for v in names if kinds[v] == "continuous"]
    ]  # fmt: skip
    result = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=1), tiers=tiers)
    assert not any(v in tiers[1] and w in tiers[0] for v, w in result.dag.edges)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_for_any_number_of_threads(kind):
    frame = frame_of(kind, nodes=18)
    first, second = (bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=2), seed=3, n_threads=n) for n in (1, 4))
    columns = ["move", "source", "target", "delta", "score", "phase"]
    pd.testing.assert_frame_equal(first.trace[columns], second.trace[columns], check_exact=True)
    assert first.n_local_scores == second.n_local_scores
    assert list(first.dag.edges) == list(second.dag.edges)


def test_ctrl_c_returns_the_best_network_seen(inexact, monkeypatch):
    frame = frame_of("discrete")
    whole = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=1))
    for stop in range(1, len(whole.trace), 7):
        steps = []

        def interrupt(self, step, steps=steps, stop=stop):
            steps.append(step)
            if len(steps) == stop:
                raise KeyboardInterrupt

        monkeypatch.setattr("bnjit.progress.Progress.__call__", interrupt)
        result = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=1))
        assert result.stopped_by == "Ctrl-C"
        assert result.score == pytest.approx(max(step.score for step in steps), abs=1e-6)
        assert result.score == pytest.approx(bnjit.score(result.dag, frame), rel=1e-10)


def test_seconds(inexact):
    frame = frame_of("discrete", nodes=20)
    result = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=10_000, seconds=0.3))
    assert result.stopped_by == "seconds=0.3, which depends on the machine"
    assert result.interrupted
    assert result.n_restarts < 10_000
    assert result.score == pytest.approx(bnjit.score(result.dag, frame), rel=1e-10)
    enough = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=1, seconds=1e6))
    assert enough.stopped_by is None
    assert enough.score == bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=1)).score


def test_copies_are_joined_after_the_seconds():
    frame = frame_of("discrete", nodes=20)
    first = next(iter(frame))
    frame["copy"] = frame[first].to_numpy()
    with pytest.warns(bnjit.BnjitWarning, match="copy"):
        result = bnjit.learn(frame, algorithm=bnjit.Thorough(seconds=0.2))
    assert set(result.dag.predecessors("copy")) == {first}


def test_a_score_of_ones_own(inexact):
    table = {name: np.random.default_rng(0).normal(size=10) for name in "abcd"}
    for seed in range(5):
        score = MadeUp(seed, interaction=1.5)
        best = score.score(best_graph(score))
        assert bnjit.learn(table, score, "thorough").score == pytest.approx(best, rel=1e-12)


def test_pairs_that_matter_only_together(inexact):
    """No single arc into y says anything, and no search but one of pairs finds them."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (14, 4000))
    codes[13] = codes[2] ^ codes[7] ^ (rng.random(4000) < 0.1)
    levels = np.array(["no", "yes"])
    frame = pd.DataFrame({f"x{i}": levels[own] for i, own in enumerate(codes)})
    result = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=0))
    assert {frozenset(arc) for arc in bnjit.cpdag(result.dag).edges} >= {
        frozenset({"x2", "x13"}), frozenset({"x7", "x13"})
    }  # fmt: skip
    assert result.score > best_of_parts(frame, "bic") + 100.0


def test_with_gaps_and_folds(inexact):
    frame = frame_of("cgaussian", nodes=5, rows=400)
    folds = bnjit.CrossValidation(folds=3, one_se=True)
    one_se = bnjit.learn(frame, folds, bnjit.Thorough(restarts=1), seed=1)
    assert one_se.score == pytest.approx(bnjit.score(one_se.dag, frame, folds, seed=1))
    some = next(name for name in frame if frame[name].dtype.kind == "f")
    frame.loc[frame.index[::5], some] = np.nan
    for rule in ("available", "em"):
        thorough = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=1), missing=rule)
        assert thorough.dag.number_of_edges() > 0
        if rule == "available":
            assert thorough.score >= bnjit.learn(frame, missing=rule, algorithm="boss").score - 1e-6


COLUMNS = ["move", "source", "target", "delta", "score", "phase"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_moves_from_a_checkpoint(kind, inexact, tmp_path):
    """What the file has joins the pool when the search comes to it, not before."""
    frame = frame_of(kind)
    whole = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=3))
    for checkpoint in (tmp_path / "new.npz", tmp_path / "new.npz"):
        result = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=3), checkpoint=checkpoint)
        pd.testing.assert_frame_equal(result.trace[COLUMNS], whole.trace[COLUMNS])
        assert result.n_local_scores == whole.n_local_scores


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_moves_out_of_core(kind, inexact, tmp_path):
    """What is estimated ahead where rows are read in passes does not join the pool."""
    frame = frame_of(kind)
    frame.to_parquet(tmp_path / "rows.parquet")
    found = [
        bnjit.learn(tmp_path / "rows.parquet", algorithm=bnjit.Thorough(restarts=2), out_of_core=out_of_core)
        for out_of_core in (False, True)
    ]
    pd.testing.assert_frame_equal(found[0].trace[COLUMNS], found[1].trace[COLUMNS])
    assert found[0].n_local_scores == found[1].n_local_scores


@pytest.mark.parametrize(
    ("kind", "score", "rows", "expected"),
    [
        ("gaussian", "bic", 5000, "pairs"), ("gaussian", "pred", 9000, "families"), ("discrete", "bic", 300, "pairs"),
        ("discrete", "bic", 5000, "families"), ("cgaussian", "bic", 300, "families"),
    ],
)  # fmt: skip
def test_pairs_are_scored_where_that_takes_little(kind, score, rows, expected, inexact, monkeypatch):
    """Rows are no reason against it where moments are enough."""
    asked = []
    monkeypatch.setattr(module, "PAIR_VALUES", 14 * 78 * 4000.0)
    for name in ("add_pairs", "add_families"):
        monkeypatch.setattr(module.ParentSetPool, name, lambda self, name=name: asked.append(name) or [])
    bnjit.learn(frame_of(kind, nodes=14, rows=rows), score, bnjit.Thorough(restarts=0))
    assert asked == [f"add_{expected}"]


def test_time_ends_order_search_before_a_node_moves():
    frame = frame_of("discrete")
    table = read_table(frame)
    constraints = make_constraints(table.names, table.discrete, start=bnjit.learn(frame, algorithm="boss").dag)
    search = Search(State(ScoreMemo(make_scorer(table, "bic")), constraints), None, lambda step: None)
    orders = OrderSearch(search)
    orders.climb_from(search.best)
    search.on_step = lambda step: setattr(search, "ends", (0.0, "late"))  # from the first move on
    moves = search.moves
    with pytest.raises(Stopped, match="late"):
        orders.climb_from(search.best)
    assert search.moves == moves + 1
