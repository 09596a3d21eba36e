"""The graph and its differences, move by move, against plain loops and full scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnjit.data import read_table
from bnjit.kernels import graph as kernels
from bnjit.scores import make_scorer
from bnjit.search import ScoreMemo, Search, State, hill_climbing, tabu_search
from bnjit.search.constraints import make_constraints
from tests.comparison import local_score
from tests.reference import naive
from tests.search.by_loops import table_without_ties
from tests.strategies import to_table


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["discrete", "gaussian", "cgaussian"]))
@settings(max_examples=15)
def test_every_step_is_acyclic_and_climbing_improves(seed, kind):
    table = to_table(table_without_ties(np.random.default_rng(seed), kind, 60))
    scorer = make_scorer(table, "bic")
    state = State(ScoreMemo(scorer), make_constraints(table.names, table.discrete))
    seen = []

    def look(step):
        assert naive.is_acyclic(set(zip(*(index.tolist() for index in np.nonzero(state.arcs)), strict=True)))
        full = sum(local_score(scorer, node, state.parents(node)) for node in range(len(table.names)))
        assert step.score == pytest.approx(full, rel=1e-12)
        before = seen[-1].score if seen else start
        assert step.score - before == pytest.approx(step.move.delta, rel=1e-6, abs=1e-6)
        if step.phase == "hc":
            assert step.score > before
        seen.append(step)
        ancestors = np.zeros_like(state.ancestors)
        assert kernels.find_ancestors(state.arcs, ancestors)
        np.testing.assert_array_equal(ancestors, state.ancestors)
        np.testing.assert_array_equal(state.n_parents, state.arcs.sum(axis=0))

    start = state.score
    search = Search(state, None, look)
    search.run(hill_climbing)
    assert search.stopped_by is None
    before = search.best_score
    search.run(lambda s: tabu_search(s, 5, 5))
    assert search.best_score >= before


@pytest.mark.parametrize("kernel", ["compiled", "python"])
def test_ancestors(kernel):
    rng = np.random.default_rng(0)
    N = 70
    find, add = kernels.find_ancestors, kernels.add_ancestors
    if kernel == "python":
        find, add = find.py_func, add.py_func
    order = rng.permutation(N)
    arcs = np.zeros((N, N), bool)
    ancestors, kept = np.zeros((N, 2), np.uint64), np.zeros((N, 2), np.uint64)
    for _ in range(120):
        i, j = sorted(rng.choice(N, 2, replace=False))
        if not arcs[order[i], order[j]]:
            arcs[order[i], order[j]] = True
            add(kept, order[i], order[j])
    assert find(arcs, ancestors)
    np.testing.assert_array_equal(ancestors, kept)
    reach = np.linalg.matrix_power(arcs.astype(float) + np.eye(N), N) > 0
    for i in range(N):
        for j in range(N):
            if i != j:
                assert kernels.has_bit(ancestors, j, i) == reach[i, j]
    i, j = np.argwhere(arcs)[0]
    arcs[j, i] = True
    assert not find(arcs, ancestors)


def test_large_scores_have_a_wider_tolerance():
    table = read_table({"x": 1e3 * np.random.default_rng(0).normal(size=2000), "y": np.arange(2000.0) ** 1.5})
    state = State(ScoreMemo(make_scorer(table, "bic")), make_constraints(table.names, table.discrete))
    assert state.tolerance == kernels.TOLERANCE
    state.local[:] = -1e9
    assert 1e-7 < state.tolerance < 1e-4
