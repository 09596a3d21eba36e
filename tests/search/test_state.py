"""The graph and its differences, move by move, against plain loops and full scores."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnjit.data import read_table
from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels import graph as kernels
from bnjit.kernels.graph import ADD, DELETE, REVERSE
from bnjit.scores import make_scorer
from bnjit.search import ScoreMemo, Search, State, hill_climbing, tabu_search
from bnjit.search.constraints import make_constraints
from bnjit.search.state import Move, rank_of
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

    start = state.score + state.shift
    search = Search(state, None, look)
    search.run(hill_climbing)
    assert search.stopped_by is None
    before = search.best_score
    search.run(lambda s: tabu_search(s, 5, 5))
    assert search.best_score >= before


def test_equivalence_fails_where_a_parent_is_dropped():
    """With the same parents, i -> j and j -> i gain the same, unless rules for singular fits decide one of them."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 500))
    for c, equal in ((a + b + rng.normal(size=500), True), (a.copy(), False)):
        scorer = make_scorer(read_table({"a": a, "b": a + b, "c": c}), "bic")
        start = [("a", "b"), ("a", "c")]
        state = State(ScoreMemo(scorer), make_constraints(("a", "b", "c"), [False] * 3, start=start))
        state.refresh()
        if equal:
            assert state.delta[1, 2] == pytest.approx(state.delta[2, 1], rel=1e-9)
            assert state.delta[1, 2] > 1.0
        else:
            assert state.delta[1, 2] == 0.0  # impossible before and after
            assert state.delta[2, 1] == pytest.approx(-math.log(500) / 2, rel=1e-2)  # dropped, and paid for


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["discrete", "gaussian"]))
@settings(max_examples=15)
def test_nodes_without_parents_share_their_differences(seed, kind):
    """Score equivalence: one estimate for both directions, which is the one for the lower column as the parent."""
    table = to_table(table_without_ties(np.random.default_rng(seed), kind, 60))
    state = State(ScoreMemo(make_scorer(table, "bic")), make_constraints(table.names, table.discrete))
    state.refresh()
    N = len(table.names)
    assert state.n_local_scores == N * (N - 1) // 2
    np.testing.assert_array_equal(state.delta, state.delta.T)
    for i, j in itertools.permutations(range(N), 2):
        gain = local_score(state.scores.scorer, j, (i,)) - local_score(state.scores.scorer, j, ())
        assert state.delta[i, j] == pytest.approx(gain, rel=1e-7, abs=1e-7)


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
    memo = ScoreMemo(make_scorer(table, "bic"))
    constraints = make_constraints(table.names, table.discrete)
    assert State(memo, constraints).tolerance == kernels.TOLERANCE
    memo.get = lambda keys: np.full(len(keys), -1e9)
    assert 1e-7 < State(memo, constraints).tolerance < 1e-4


class Made:
    """Local scores that are made up, as a memo gives them; it counts what it is asked for."""

    equivalent, shift = False, 0.0

    def __init__(self, N, seed):
        self.worth, self.asked = np.random.default_rng(seed).normal(size=(N, N)), []

    def of(self, node, parents):
        return float(self.worth[node, members_of(parents)].sum()) + 0.1 * math.sin(parents)

    def get(self, keys):
        return np.array([self.of(*key) for key in keys])

    def toggled(self, requests, likely=None):
        self.asked += [request.node for request in requests]
        return [np.array([self.of(r.node, r.parents ^ 1 << x) for x in r.which]) for r in requests]


def assert_state_of_arcs(state, made):
    """Assert that local scores, differences and parents are those of the graph, one by one."""
    N = len(state.arcs)
    for j in range(N):
        bits = bits_of(state.parents(j))
        assert state.local[j] == pytest.approx(made.of(j, bits), rel=1e-12)
        assert state.n_parents[j] == len(members_of(bits))
        for i in range(N):
            if i != j:
                expected = made.of(j, bits ^ 1 << i) - made.of(j, bits)
                assert state.delta[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-7)


def best_by_loops(state, N):
    """What the best legal move adds to the score, by trying all."""
    arcs = {tuple(arc) for arc in np.argwhere(state.arcs).tolist()}
    gains = [0.0]
    for i, j in itertools.permutations(range(N), 2):
        if (i, j) in arcs:
            gains.append(state.delta[i, j])
            if naive.is_acyclic(arcs - {(i, j)} | {(j, i)}):
                gains.append(state.delta[i, j] + state.delta[j, i])
        elif (j, i) not in arcs and naive.is_acyclic(arcs | {(i, j)}):
            gains.append(state.delta[i, j])
    return max(gains)


@pytest.mark.parametrize("seed", range(5))
def test_moves_keep_scores_and_differences_up_to_date(seed):
    N = 6
    made = Made(N, seed)
    state = State(made, make_constraints(list("abcdef"), [False] * N))
    for _ in range(12):
        state.refresh()
        expected = best_by_loops(state, N)
        assert_state_of_arcs(state, made)
        move = state.best_move()
        if move is None:
            assert expected <= state.tolerance
            break
        assert move.delta == pytest.approx(expected, rel=1e-9)
        made.asked.clear()
        state.apply(move)
        state.refresh()
        assert sorted(made.asked) == sorted([move.target] + [move.source] * (move.name == "reverse"))
    assert move is None or state.arcs.any()


@pytest.mark.parametrize("least", [0.0, -np.inf])
@pytest.mark.parametrize("seed", range(4))
def test_best_move_after_a_random_walk_is_that_of_a_new_state(seed, least):
    N, rng = 7, np.random.default_rng(seed)
    made = Made(N, seed)
    constraints = make_constraints(list("abcdefg"), [False] * N, max_parents=3)
    state, fresh = State(made, constraints), State(made, constraints)
    kinds = []
    for _ in range(60):
        fresh.jump(state.arcs)
        forbidden = state.code ^ state.codes.ravel()[rng.integers(N * N, size=9)]
        assert state.best_move(least, forbidden) == fresh.best_move(least, forbidden)
        if (state.n_parents < 3).all():
            expected = best_by_loops(state, N)
            move = state.best_move()
            assert (0.0 if move is None else move.delta) == pytest.approx(expected, abs=1e-7)
        moves = [(k, i, j) for k in (ADD, DELETE, REVERSE) for i in range(N) for j in range(N) if state.legal(k, i, j)]
        kind, i, j = moves[rng.integers(len(moves))] if rng.random() < 0.6 else moves[0]
        kinds.append(kind)
        state.apply(Move(kind, i, j, 0.0))
    assert {ADD, DELETE, REVERSE} == set(kinds)


def test_jumps_estimate_only_what_changed():
    made = Made(5, 1)
    state = State(made, make_constraints(list("abcde"), [False] * 5))
    state.refresh()
    made.asked.clear()
    arcs = np.zeros((5, 5), bool)
    arcs[0, 3] = arcs[1, 3] = True
    code = state.code
    state.jump(arcs)
    state.refresh()
    assert made.asked == [3]
    assert state.code != code
    assert_state_of_arcs(state, made)
    assert state.descendants(0).tolist() == [True, False, False, True, False]
    state.jump(np.zeros((5, 5), bool))
    assert state.code == code


def test_likely_toggles_are_what_the_best_moves_lead_to():
    """For each node whose differences are known: the arcs to toggle after its best legal move, the best first."""
    made = Made(5, 2)
    state = State(made, make_constraints(list("abcde"), [False] * 5))
    state.refresh()
    gains = {j: max((state.delta[i, j], i) for i in range(5) if i != j) for j in range(5)}
    worth = sorted((j for j in gains if gains[j][0] > state.tolerance), key=lambda j: -gains[j][0])
    found = state._likely_toggles()
    assert [request.node for request in found] == worth
    for node, parents, which in found:
        assert members_of(parents) == [gains[node][1]]
        assert which == [i for i in range(5) if i != node]


def test_impossible_nodes_rank_below_any_score():
    assert rank_of(np.array([-1.0, -2.0])) == (2, -3.0)
    assert rank_of(np.array([-np.inf, 5.0])) == (1, 5.0)
    assert rank_of(np.array([-1e9, -1e9])) > rank_of(np.array([-np.inf, 1e9]))
