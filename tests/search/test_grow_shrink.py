"""Grow-shrink trees against growing and shrinking by plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnjit.kernels import order as kernels
from bnjit.kernels import toggles
from bnjit.scores import make_scorer
from bnjit.search.constraints import make_constraints
from bnjit.search.grow_shrink import GrowShrinkTrees
from bnjit.search.order import moved_to
from bnjit.search.score_memo import ScoreMemo
from tests.search.by_loops import naive_graph, naive_scores, random_table
from tests.strategies import to_table

KINDS = ["discrete", "gaussian", "cgaussian"]


def forest_of(table, limits=None, score="bic", **arguments):
    made = to_table(table)
    limits = limits or make_constraints(made.names, made.discrete).limits
    return GrowShrinkTrees(ScoreMemo(make_scorer(made, score)), limits, 1e-8, **arguments)


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
    shifts = forest.scores.scorer.shifts
    for _ in range(3):
        order = rng.permutation(5)
        arcs, values = forest.graph(order)
        expected = naive_graph(table, order.tolist(), local, limits)
        for v, name in enumerate(table):
            assert {made.names[i] for i in np.flatnonzero(arcs[:, v])} == expected[name][0]
            assert values[v] + shifts[v] == pytest.approx(expected[name][1], rel=1e-9)


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
    kernels.score_positions.py_func(python.trees, order, 4, 0, 4, 5, totals, missing)
    assert missing[0] > 0
    python.place(order, 4, 0, 4, totals)
    kernels.score_positions.py_func(python.trees, order, 4, 0, 4, 5, totals, missing)
    kernels.score_positions(compiled.trees, order, 4, 0, 4, 5, expected, lacking)
    assert missing[0] == lacking[0] == 0
    np.testing.assert_array_equal(totals, expected)
    grown, leaves = np.empty(5, np.int64), np.empty(5, np.int64)
    kernels.grow_all(compiled.trees, order, 5, grown, lacking)
    kernels.grow_all.py_func(compiled.trees, order, 5, leaves, missing)
    np.testing.assert_array_equal(grown, leaves)
    out = np.empty(8, np.int32)
    for parents, x in itertools.product(([], [2], [1, 4], [0, 3, 6]), range(8)):
        size = toggles._toggle.py_func(np.array(parents, np.int32), len(parents), x, out)
        assert out[:size].tolist() == sorted(set(parents) ^ {x})


def test_scores_that_come_one_by_one_make_the_same_branches():
    """Branches fall by score, ties by node, whatever the order in which scores come; children stay where they were."""
    rng = np.random.default_rng(0)
    for add in (kernels.add_scores, kernels.add_scores.py_func):
        for _ in range(20):
            forest = forest_of(random_table(rng, "gaussian", 30, columns=5))
            scores = rng.integers(0, 4, 12).astype(float)
            which = rng.permutation(12)
            trees, least = forest.trees, 0.5
            for part in np.array_split(which, 3):
                add(trees, 0, part, scores[part], least)
                first = trees.first[0]
                trees.child[first : first + trees.branches[0]] = trees.node[first : first + trees.branches[0]]
            first = trees.first[0]
            found = slice(first, first + trees.branches[0])
            expected = sorted((x for x in range(12) if scores[x] > least), key=lambda x: (-scores[x], x))
            assert trees.node[found].tolist() == trees.child[found].tolist() == expected
            assert trees.gained[found].tolist() == [scores[x] for x in expected]


def test_fixed_parents_stay():
    table = random_table(np.random.default_rng(3), "gaussian", 50)
    made = to_table(table)
    whitelist = [(made.names[2], made.names[0]), (made.names[3], made.names[0])]
    limits = make_constraints(made.names, made.discrete, whitelist=whitelist).limits
    order = np.array([2, 3, 1, 0])
    forest = forest_of(table, limits)
    arcs, values = forest.graph(order)
    expected = naive_graph(table, order.tolist(), naive_scores(table), limits)
    assert arcs[2, 0]
    assert arcs[3, 0]
    assert values.sum() + forest.scores.shift == pytest.approx(sum(value for _, value in expected.values()), rel=1e-9)


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
