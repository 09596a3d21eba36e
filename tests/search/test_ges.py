"""Greedy equivalence search: its definition by brute force, the best of all classes, what it refuses."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.graph.bits import bits_of, members_of
from bnjit.scores import make_scorer
from bnjit.search.constraints import make_constraints
from bnjit.search.ges import ClassSearch, walk_of
from bnjit.search.score_memo import ScoreMemo
from tests.golden.tables import TABLES
from tests.reference import naive
from tests.search.by_loops import naive_scores, random_table
from tests.strategies import to_table


def parents_of(names, arcs):
    return [bits_of([names.index(a) for a, b in arcs if b == node]) for node in names]


def edges_of(names, pattern):
    """Arcs of a pattern; undirected edges both ways."""
    return {
        (names[u], names[v]) for v in range(len(names)) for u in members_of(pattern.parents[v] | pattern.neighbours[v])
    }


def valid_operators(table, arcs, phase, scores, limits):
    """Classes that the operators of a phase lead to from the class of a DAG, and what they add to the score."""
    names = list(table)
    matrix = np.zeros((len(names), len(names)), bool)
    for a, b in arcs:
        matrix[names.index(a), names.index(b)] = True
    state = SimpleNamespace(
        limits=limits, tolerance=-np.inf, scores=scores, apart=None, arcs=matrix,
        parents=lambda v: np.flatnonzero(matrix[:, v]).tolist(),
    )  # fmt: skip
    steps = []
    search = SimpleNamespace(best=matrix, state=state)
    search.visit = lambda move, arcs, rank, score, phase: steps.append((score, arcs))
    walk = walk_of(search)
    found = {}
    before = walk.graph
    walk._refresh(phase)
    for operator in [o for o in walk._ranking[phase].in_order(0.0) if walk._is_open(o)]:
        walk.graph = before
        walk.seen.clear()
        assert walk._apply(operator, phase)
        score, after = steps[-1]
        reached = {(names[i], names[j]) for i, j in np.argwhere(after)}
        found.setdefault(frozenset(edges_of(names, walk.graph)), []).append((operator.delta, score, reached))
    return found


def assert_operators_of_definition(table, arcs, scores, local, limits=None, obeys=naive.everything):
    def total(graph):
        return sum(local(node, frozenset(a for a, b in graph if b == node)) for node in table)

    def class_edges(graph):
        return frozenset(set().union(*(m for m in naive.equivalence_class(graph) if obeys(m))))

    made = to_table(table)
    limits = limits or make_constraints(made.names, made.discrete).limits
    for phase in ("forward", "backward", "turning"):
        found = valid_operators(table, arcs, phase, scores, limits)
        members = [member for member in naive.equivalence_class(arcs) if obeys(member)]
        around = naive.class_neighbours(list(table), members, phase, limits.most, obeys)
        expected = {class_edges(graph): total(graph) for graph in around}
        expected.pop(class_edges(arcs), None)  # turned within the class
        found.pop(class_edges(arcs), None)
        assert set(found) == set(expected)
        for edges, values in found.items():
            for delta, score, reached in values:
                assert obeys(reached)
                assert score + scores.shift == pytest.approx(expected[edges], rel=1e-9)
                assert delta == pytest.approx(expected[edges] - total(arcs), rel=1e-6, abs=1e-6)


def test_operators_lead_to_all_classes_around_and_no_others():
    table = random_table(np.random.default_rng(0), "gaussian", 60, 4)
    scores, local = ScoreMemo(make_scorer(to_table(table), "bic")), naive_scores(table)
    for arcs in naive.all_classes(list(table)):
        assert_operators_of_definition(table, arcs, scores, local)
        if all(sum(b == node for _, b in arcs) <= 2 for node in table):
            limits = make_constraints(list(table), [False] * 4, max_parents=2).limits
            assert_operators_of_definition(table, arcs, scores, local, limits)


@pytest.mark.parametrize("columns", [5, 6])
def test_operators_of_larger_classes(columns):
    rng = np.random.default_rng(columns)
    table = random_table(rng, "discrete", 60, columns)
    scores, local = ScoreMemo(make_scorer(to_table(table), "bde")), naive_scores(table, "bde")
    names = list(table)
    for _ in range(40 if columns == 5 else 12):
        share = rng.uniform(0.3, 0.8)
        order = rng.permutation(names).tolist()
        arcs = [(order[i], order[j]) for j in range(columns) for i in range(j) if rng.random() < share]
        # A graph without colliders, whose class is the richest, every other time.
        if rng.random() < 0.5:
            there = {frozenset(arc) for arc in arcs}
            arcs = [(a, b) for a, b in arcs if all(frozenset((a, c)) in there for c, d in arcs if d == b and c != a)]
        assert_operators_of_definition(table, frozenset(arcs), scores, local)


@pytest.mark.parametrize("kind", ["discrete", "gaussian"])
@given(
    seed=st.integers(0, 10**6), columns=st.sampled_from([3, 4, 4, 5]), most=st.sampled_from([1, 2, 9, 9]),
    started=st.booleans(),
)  # fmt: skip
@settings(max_examples=40)
def test_walks_the_path_of_the_definition(kind, seed, columns, most, started):
    rng = np.random.default_rng(seed)
    table = random_table(rng, kind, 60, columns)
    names, local = list(table), naive_scores(table)
    start = []
    if started:
        order = rng.permutation(names).tolist()
        start = [(order[i], order[j]) for j in range(columns) for i in range(j) if rng.random() < 0.5]
        start = [(a, b) for a, b in start if sum(t == b for _, t in start) <= most]
    path, best = naive.equivalence_search(names, local, start, most)
    result = bnjit.learn(to_table(table), algorithm="ges", max_parents=most, start=start or None)
    assert result.trace["phase"].tolist() == [phase for phase, _ in path]
    np.testing.assert_allclose(result.trace["score"].astype(float), [score for _, score in path], rtol=1e-9)
    assert set(result.cpdag.edges) == naive.cpdag(best)
    assert max(dict(result.dag.in_degree()).values()) <= most


def test_turns_are_met():
    """The comparison above covers the turning phase only if tables lead there."""
    turned = 0
    for seed in range(60):
        table = random_table(np.random.default_rng(seed), "gaussian", 60, 5)
        turned += "turning" in set(bnjit.learn(to_table(table), algorithm="ges").trace["phase"])
    assert turned >= 3


@pytest.mark.parametrize("kind", ["discrete", "gaussian"])
def test_large_samples_lead_to_the_best_of_all_classes(kind):
    classes = None
    for seed in range(8):
        network = bnjit.datasets.random_network(kind, 4, parents=1.5, rows=500, seed=seed)
        table = network.sample(20_000, seed=1)
        result = bnjit.learn(table, algorithm="ges")
        classes = classes or naive.all_classes(list(table))
        if list(table) != sorted({name for arcs in classes for arc in arcs for name in arc}):
            classes = naive.all_classes(list(table))
        known: dict = {}
        scores = []
        for arcs in classes:
            total = 0.0
            for node in table:
                parents = tuple(a for a in table if (a, node) in arcs)
                if (node, parents) not in known:
                    known[node, parents] = bnjit.score([(a, node) for a in parents], table, by_node=True)[node]
                total += known[node, parents]
            scores.append(total)
        best = classes[int(np.argmax(scores))]
        assert result.score == pytest.approx(max(scores), rel=1e-12)
        assert set(result.cpdag.edges) == naive.cpdag(best)


@pytest.mark.parametrize(
    ("kind", "score"), [("discrete", "bde"), ("discrete", "qnml"), ("gaussian", "bge"), ("gaussian", "pred")]
)
def test_other_scores(kind, score):
    table = TABLES[kind]()
    result = bnjit.learn(table, score, algorithm="ges")
    assert result.score == pytest.approx(bnjit.score(result.dag, table, score), rel=1e-12)
    assert result.score >= bnjit.learn(table, score).score - 1.0
    assert result.dag.number_of_edges() > 3


@pytest.mark.parametrize("kind", ["discrete", "gaussian"])
def test_threads(kind):
    table = TABLES[kind]()
    traces = [bnjit.learn(table, algorithm="ges", n_threads=n).trace.drop(columns="seconds") for n in (1, 2, 4)]
    pd.testing.assert_frame_equal(traces[0], traces[1], check_exact=True)
    pd.testing.assert_frame_equal(traces[0], traces[2], check_exact=True)
    assert set(traces[0]["move"]) >= {"add"}


def test_permuted_columns_permute_the_result():
    table = bnjit.datasets.random_network("gaussian", 10, parents=2.0, seed=2).sample(5000, seed=1)
    other = np.random.default_rng(5).permutation(list(table)).tolist()
    first, second = (bnjit.learn(table[columns], algorithm="ges") for columns in (list(table), other))
    assert bnjit.shd(first.dag, second.dag) == 0
    assert set(first.cpdag.edges) == set(second.cpdag.edges)


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("cgaussian", {"score": bnjit.BIC(sparse="pool")}, 'without sparse="pool"'),
        ("discrete", {"score": "fnml"}, "a score that equivalent graphs share"),
        ("discrete", {"score": "k2"}, "a score that equivalent graphs share"),
        ("discrete", {"score": "pred"}, "a score that equivalent graphs share"),
        ("gaussian", {"restarts": 3}, "restarts belongs to an algorithm: algorithm=bnjit.HillClimbing"),
    ],
)
def test_what_it_refuses(kind, arguments, message):
    with pytest.raises(bnjit.ArgumentError, match=message):
        bnjit.learn(TABLES[kind](), algorithm="ges", **arguments)


def test_max_iter_and_ctrl_c_keep_the_best(monkeypatch):
    table = TABLES["gaussian"]()
    whole = bnjit.learn(table, algorithm="ges")
    short = bnjit.learn(table, algorithm="ges", max_iter=2)
    assert short.interrupted
    assert short.score == whole.trace["score"][1]
    apply = ClassSearch._apply

    def interrupted(self, operator, phase):
        if len(self.search.steps) == 3:
            raise KeyboardInterrupt
        return apply(self, operator, phase)

    monkeypatch.setattr(ClassSearch, "_apply", interrupted)
    result = bnjit.learn(table, algorithm="ges")
    assert result.trace["move"].iloc[-1] == "stopped by Ctrl-C"
    assert result.score == whole.trace["score"][2]
    assert result.n_local_scores > 0


def test_one_column():
    assert bnjit.learn({"x": [1.0, 2.0, 4.0]}, algorithm="ges").dag.number_of_edges() == 0


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
@pytest.mark.parametrize("score", ["loglik", "aic", "bic"])
@pytest.mark.parametrize("noise", [0.0, 1e-7])
def test_columns_that_say_each_other_do_not_lead_in_circles(score, noise):
    """Rounding makes each of two classes look better than the other."""
    rng = np.random.default_rng(0)
    x, w, e = rng.normal(size=(3, 64))
    table = {"w": w, "x": x, "y": 1e-5 * (x + noise * e)}
    assert not bnjit.learn(table, score, "ges", max_iter=200).interrupted
