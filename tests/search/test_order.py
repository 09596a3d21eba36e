"""Order search: grow-shrink trees and places against plain loops, the best of all orders, limits, threads."""

import functools
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels import order as kernels
from bnjit.kernels import toggles
from bnjit.scores import make_scorer
from bnjit.search.constraints import make_constraints
from bnjit.search.grow_shrink import GrowShrinkTrees
from bnjit.search.order import moved_to, topological_order
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.tuning import BYTES_PER_SCORE
from tests.comparison import local_scores
from tests.golden.tables import TABLES
from tests.reference import naive
from tests.strategies import to_table

KINDS = ["discrete", "gaussian", "cgaussian"]


def random_table(rng, kind, n, columns=4):
    """Naive columns that depend on those before them."""
    table = {}
    for j in range(columns):
        names = list(table)
        parents = [name for name in names if rng.random() < 0.6]
        if kind == "discrete" or (kind == "cgaussian" and j < columns // 2):
            base = sum((np.array(table[p][0]) for p in parents), np.zeros(n, int))
            table[f"D{j}"] = (((base + (rng.random(n) < 0.3)) % 2).tolist(), 2)
        else:
            mean = sum((np.array(table[p][0] if p[0] == "D" else table[p]) for p in parents), np.zeros(n))
            table[f"X{j}"] = (rng.choice([-0.7, 0.7]) * mean + rng.normal(size=n)).tolist()
    return {name: table[name] for name in rng.permutation(list(table)).tolist()}


def naive_scores(table, score="bic"):
    @functools.cache
    def local(node, parents):
        return naive.local_score(table, node, sorted(parents, key=list(table).index), score)

    return local


def forest_of(table, limits=None, score="bic", **arguments):
    made = to_table(table)
    limits = limits or make_constraints(made.names, made.discrete).limits
    return GrowShrinkTrees(ScoreMemo(make_scorer(made, score)), limits, 1e-8, **arguments)


def naive_graph(table, order, local, limits):
    """Parents of every node and their scores, by plain growing and shrinking."""
    names = list(table)
    found = {}
    for k, v in enumerate(order):
        node = names[v]
        found[node] = naive.grow_shrink(
            names,
            {names[u] for u in order[:k]},
            lambda parents, node=node: local(node, parents),
            fixed=[names[i] for i in np.flatnonzero(limits.fixed[:, v])],
            allowed=lambda x, v=v: limits.addable[names.index(x), v],
            most=limits.most,
        )
    return found


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6), most=st.sampled_from([1, 2, 9]), constrained=st.booleans())
@settings(max_examples=8)
def test_trees_find_what_growing_and_shrinking_finds(kind, seed, most, constrained):
    rng = np.random.default_rng(seed)
    table = random_table(rng, kind, 80, columns=5)
    made = to_table(table)
    limits = make_constraints(made.names, made.discrete, max_parents=most).limits
    if constrained:
        limits.addable[:] &= rng.random(limits.addable.shape) < 0.7
    forest, local = forest_of(table, limits), naive_scores(table)
    for _ in range(3):
        order = rng.permutation(5)
        arcs, values = forest.graph(order)
        expected = naive_graph(table, order.tolist(), local, limits)
        for v, name in enumerate(table):
            assert {made.names[i] for i in np.flatnonzero(arcs[:, v])} == expected[name][0]
            assert values[v] == pytest.approx(expected[name][1], rel=1e-9)


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS))
@settings(max_examples=15)
def test_places_are_worth_what_their_orders_are(seed, kind):
    rng = np.random.default_rng(seed)
    forest = forest_of(random_table(rng, kind, 60, columns=6))
    order, totals = rng.permutation(6), np.empty(6)
    for v in range(6):
        first, last = sorted(rng.integers(0, 6, 2).tolist())
        at = int(np.flatnonzero(order == v)[0])
        forest.place(order, v, first, last, totals)
        for k in range(6):
            if first <= k <= last:
                assert totals[k] == pytest.approx(forest.graph(moved_to(order, at, k))[1].sum(), rel=1e-12)
            else:
                assert totals[k] == -math.inf


def test_kernels_do_what_their_python_does():
    table = random_table(np.random.default_rng(2), "gaussian", 60, columns=5)
    compiled, python = forest_of(table), forest_of(table)
    order, totals, missing = np.array([3, 1, 4, 0, 2]), np.empty(5), np.empty(16, np.int64)
    expected, lacking = np.empty(5), np.empty(16, np.int64)
    compiled.place(order, 4, 0, 4, expected)
    kernels.score_positions.py_func(python.trees, order, 4, 0, 4, 5, 1e-8, totals, missing)
    assert missing[0] > 0
    python.place(order, 4, 0, 4, totals)
    kernels.score_positions.py_func(python.trees, order, 4, 0, 4, 5, 1e-8, totals, missing)
    kernels.score_positions(compiled.trees, order, 4, 0, 4, 5, 1e-8, expected, lacking)
    assert missing[0] == lacking[0] == 0
    np.testing.assert_array_equal(totals, expected)
    grown, leaves = np.empty(5, np.int64), np.empty(5, np.int64)
    kernels.grow_all(compiled.trees, order, 5, 1e-8, grown, lacking)
    kernels.grow_all.py_func(compiled.trees, order, 5, 1e-8, leaves, missing)
    np.testing.assert_array_equal(grown, leaves)
    out = np.empty(8, np.int32)
    for parents, x in itertools.product(([], [2], [1, 4], [0, 3, 6]), range(8)):
        size = toggles._toggle.py_func(np.array(parents, np.int32), len(parents), x, out)
        assert out[:size].tolist() == sorted(set(parents) ^ {x})


def test_fixed_parents_stay():
    table = random_table(np.random.default_rng(3), "gaussian", 50)
    made = to_table(table)
    whitelist = [(made.names[2], made.names[0]), (made.names[3], made.names[0])]
    limits = make_constraints(made.names, made.discrete, whitelist=whitelist).limits
    order = np.array([2, 3, 1, 0])
    arcs, values = forest_of(table, limits).graph(order)
    expected = naive_graph(table, order.tolist(), naive_scores(table), limits)
    assert arcs[2, 0]
    assert arcs[3, 0]
    assert values.sum() == pytest.approx(sum(value for _, value in expected.values()), rel=1e-9)


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


@pytest.mark.parametrize("score", ["loglik", "aic", "bic", "ebic"])
@given(seed=st.integers(0, 10**6), wild=st.booleans())
@settings(max_examples=10)
def test_scores_from_moments_are_those_of_the_scorer(score, seed, wild):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(40, 6))
    x[:, 3] = x[:, 0] + (1e-9 if wild else 1.0) * rng.normal(size=40)  # no moments vouch for that
    x[:, 4] += 1e5
    scorer = make_scorer(to_table({f"X{j}": x[:, j].tolist() for j in range(6)}), score)
    fast = ScoreMemo(scorer)
    assert scorer.is_quick
    requests = []
    for v in range(6):
        others = [u for u in range(6) if u != v]
        parents = rng.choice(others, rng.integers(0, 5), replace=False).tolist()
        requests.append(Toggle(v, bits_of(parents), others))
    for (v, parents, which), values in zip(requests, fast.toggled(requests), strict=True):
        sets = [members_of(parents ^ 1 << x) for x in which]
        # Where moments vouch for no fit, the scorer may turn to residuals from one batch to the next: other roundings.
        np.testing.assert_allclose(values, local_scores(scorer, v, sets), rtol=1e-13)
        np.testing.assert_allclose(values, fast.get([(v, bits_of(members)) for members in sets]), rtol=1e-13)
    assert fast.n_local_scores == 60


def test_remembered_scores_are_estimated_once():
    scorer = make_scorer(to_table(random_table(np.random.default_rng(0), "discrete", 30)), "bde")
    assert not scorer.is_quick
    scores = ScoreMemo(scorer)
    keys = [(0, 0), (0, 2), (0, 6), (0, 2)]
    first = scores.get(keys)
    assert scores.n_local_scores == 3
    np.testing.assert_array_equal(scores.get(keys), first)
    assert scores.n_local_scores == 3
    few = ScoreMemo(scorer, memory=3 * BYTES_PER_SCORE)
    for sets in ([0, 2], [4, 6], [0, 2, 4, 6], [2]):
        expected = local_scores(scorer, 0, [members_of(s) for s in sets])
        np.testing.assert_array_equal(few.get([(0, s) for s in sets]), expected)
        np.testing.assert_array_equal(few.toggled([Toggle(0, 0, [1, 2])])[0], local_scores(scorer, 0, [[1], [2]]))


def test_trees_that_outgrow_their_memory_are_grown_anew():
    table = random_table(np.random.default_rng(1), "gaussian", 200, columns=8)
    whole, small = forest_of(table), forest_of(table, memory=0)
    rng = np.random.default_rng(0)
    a, b = np.empty(8), np.empty(8)
    for _ in range(40):
        order = rng.permutation(8)
        for forest, totals in ((whole, a), (small, b)):
            forest.place(order, 3, 0, 7, totals)
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(whole.graph(order)[0], small.graph(order)[0])
    assert small.trees.used[0] < whole.trees.used[0]


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
