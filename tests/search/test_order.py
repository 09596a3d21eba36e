"""Order search: the best of all orders, limits, threads."""

import itertools

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.search.constraints import make_constraints
from bnjit.search.grow_shrink import GrowShrinkTrees
from bnjit.search.order import topological_order
from tests.golden.tables import TABLES
from tests.search.by_loops import naive_graph, naive_scores, random_table
from tests.strategies import to_table

KINDS = ["discrete", "gaussian", "cgaussian"]


@pytest.mark.parametrize("kind", KINDS)
def test_order_search_finds_the_best_of_all_orders(kind):
    found = []
    for seed in range(6):
        table = random_table(np.random.default_rng(seed), kind, 300, columns=5 if kind == "gaussian" else 4)
        limits = make_constraints(to_table(table).names, to_table(table).discrete).limits
        local = naive_scores(table)
        best = max(
            sum(value for _, value in naive_graph(table, order, local, limits).values())
            for order in itertools.permutations(range(len(table)))
        )
        result = bnjit.learn(to_table(table), algorithm=bnjit.Boss(restarts=5))
        found.append(result.score)
        assert result.score >= best - 1e-7 * abs(best)
        assert result.score == pytest.approx(bnjit.score(result.dag, to_table(table)), rel=1e-12)
    assert len(set(found)) == len(found)


def test_topological_order():
    arcs = np.zeros((4, 4), bool)
    arcs[3, 0] = arcs[0, 1] = True
    assert topological_order(arcs, np.zeros(4, bool)).tolist() == [2, 3, 0, 1]
    assert topological_order(arcs, np.array([True, True, True, False])).tolist() == [3, 0, 1, 2]


@pytest.mark.parametrize("kind", TABLES)
def test_threads_and_seeds(kind):
    table = TABLES[kind]()
    traces = [
        bnjit.learn(table, algorithm=bnjit.Boss(restarts=2), seed=1, n_threads=n).trace.drop(columns="seconds")
        for n in (1, 2, 4)
    ]
    pd.testing.assert_frame_equal(traces[0], traces[1], check_exact=True)
    pd.testing.assert_frame_equal(traces[0], traces[2], check_exact=True)
    assert traces[0]["phase"].tolist().count("perturb") == 2
    assert set(traces[0]["move"]) >= {"add", "order"}


@pytest.mark.parametrize("kind", TABLES)
def test_never_worse_than_the_climb_that_it_begins_with(kind):
    table = TABLES[kind]()
    climb, result = bnjit.learn(table), bnjit.learn(table, algorithm="boss")
    assert result.score >= climb.score
    assert result.n_local_scores > climb.n_local_scores
    assert result.trace["move"].tolist()[: len(climb.trace)] == climb.trace["move"].tolist()


def test_permuted_columns_permute_the_result():
    rng = np.random.default_rng(5)
    network = bnjit.datasets.random_network("gaussian", 10, parents=2.0, seed=2)
    table = network.sample(5000, seed=1)
    results = [
        bnjit.learn(table[columns], algorithm=bnjit.Boss(restarts=5))
        for columns in (list(table), rng.permutation(list(table)).tolist())
    ]
    assert bnjit.shd(results[0].dag, results[1].dag) == 0
    assert results[0].score == pytest.approx(results[1].score, rel=1e-12)


def test_limits_are_kept():
    table = TABLES["cgaussian"]()
    plain = set(bnjit.learn(table, algorithm="boss").dag.edges)
    gone = sorted(plain)[:2]
    kept = [("C", "X"), ("W", "Z")]
    result = bnjit.learn(table, whitelist=kept, blacklist=gone, algorithm=bnjit.Boss(restarts=3))
    assert set(kept) <= set(result.dag.edges)
    assert not set(gone) & set(result.dag.edges)
    narrow = bnjit.learn(table, algorithm=bnjit.Boss(restarts=2), max_parents=1)
    assert max(dict(narrow.dag.in_degree()).values()) == 1
    tiers = [["W", "Z"], ["A", "B", "C", "D"], ["X", "Y"]]
    rank = {name: k for k, tier in enumerate(tiers) for name in tier}
    for dag in (bnjit.learn(table, algorithm=bnjit.Boss(restarts=2), tiers=tiers).dag, result.dag):
        assert dag.number_of_edges() > 3
        assert not any(dag.nodes[b]["kind"] == "discrete" != dag.nodes[a]["kind"] for a, b in dag.edges)
    tiered = bnjit.learn(table, algorithm=bnjit.Boss(restarts=2), tiers=tiers).dag
    assert all(rank[a] <= rank[b] for a, b in tiered.edges)


def test_max_iter_and_ctrl_c_keep_the_best(monkeypatch):
    table = TABLES["gaussian"]()
    climb = bnjit.learn(table)
    assert bnjit.learn(table, algorithm="boss", max_iter=2).score == climb.trace["score"][1]
    place = GrowShrinkTrees.place

    def interrupted(self, order, v, first, last, totals):
        if v == 3:
            raise KeyboardInterrupt
        place(self, order, v, first, last, totals)

    monkeypatch.setattr(GrowShrinkTrees, "place", interrupted)
    result = bnjit.learn(table, algorithm="boss")
    assert result.interrupted
    assert result.score >= climb.score
    assert result.n_local_scores > climb.n_local_scores
    assert result.trace["move"].iloc[-1] == "stopped by Ctrl-C"


def test_a_node_that_stays_impossible_does_not_spoil_the_rest():
    rng = np.random.default_rng(1)
    n = 200
    x = rng.normal(size=n)
    y = x + 0.5 * rng.normal(size=n)
    table = pd.DataFrame({"a": ["rare"] + ["often"] * (n - 1), "b": rng.normal(size=n), "x": x, "y": y})
    with pytest.warns(bnjit.BnjitWarning, match="because of `b`"):
        result = bnjit.learn(table, whitelist=[("a", "b")], algorithm=bnjit.Boss(restarts=2))
    assert result.score == -np.inf
    assert {frozenset(arc) for arc in result.dag.edges} >= {frozenset("ab"), frozenset("xy")}


def test_small_tables_and_other_scores():
    assert bnjit.learn({"x": [1.0, 2.0, 4.0]}, algorithm="boss").dag.number_of_edges() == 0
    assert (
        bnjit.learn({"x": [1.0, 2.0, 4.0], "d": list("aba")}, algorithm=bnjit.Boss(restarts=1)).dag.number_of_edges()
        == 0
    )
    for kind, score in (("discrete", "bde"), ("gaussian", "bge"), ("cgaussian", "pred")):
        table = TABLES[kind]()
        assert bnjit.learn(table, score, algorithm="boss").score >= bnjit.learn(table, score).score


@pytest.mark.parametrize("seed", [12, 24, 27])
def test_discrete_orders_are_improved_among_classes(seed):
    """Order search alone ends below what greedy equivalence search makes of its graph."""
    table = bnjit.datasets.random_network("discrete", 14, parents=2.0, seed=seed).sample(2000, seed=1)
    result = bnjit.learn(table, algorithm="boss")
    phases = result.trace["phase"].tolist()
    after = [i for i, phase in enumerate(phases) if phase in ("forward", "backward", "turning")]
    assert after
    assert result.score > result.trace["score"][: after[0]].max() + 1e-6
    assert bnjit.learn(table, algorithm="ges", start=result.dag).score == result.score
    assert result.score == pytest.approx(bnjit.score(result.dag, table), rel=1e-12)
