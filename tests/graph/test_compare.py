"""Comparing graphs: every count by hand or by definition, and the intervention distance in three ways."""

import itertools

import networkx as nx
import numpy as np
import pytest

import bnjit
from tests.reference import naive


def all_dags(names):
    pairs = list(itertools.combinations(names, 2))
    for choice in itertools.product(range(3), repeat=len(pairs)):
        arcs = frozenset(pair if c == 1 else pair[::-1] for pair, c in zip(pairs, choice, strict=True) if c)
        if naive.is_acyclic(arcs):
            yield arcs


def digraph(names, arcs):
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(arcs)
    return graph


def test_sid_of_all_pairs_of_graphs_with_three_nodes():
    graphs = list(all_dags("abc"))
    assert len(graphs) == 25
    for learned, true in itertools.product(graphs, repeat=2):
        assert bnjit.sid(digraph("abc", learned), digraph("abc", true)) == naive.sid("abc", learned, true)


def test_sid_of_graphs_with_four_and_five_nodes():
    rng = np.random.default_rng(0)
    graphs = list(all_dags("abcd"))
    assert len(graphs) == 543
    for true in graphs:
        for k in rng.integers(0, len(graphs), 3):
            assert bnjit.sid(digraph("abcd", graphs[k]), digraph("abcd", true)) == naive.sid("abcd", graphs[k], true)
    for _ in range(150):
        learned, true = (random_dag(rng, "abcde", rng.uniform(0.2, 0.9)) for _ in range(2))
        assert bnjit.sid(digraph("abcde", learned), digraph("abcde", true)) == naive.sid("abcde", learned, true)


def random_dag(rng, names, share):
    order = rng.permutation(list(names)).tolist()
    return frozenset((order[i], order[j]) for j in range(len(order)) for i in range(j) if rng.random() < share)


def effects(names, arcs, weights):
    """Total effects in a linear network, and the covariance of its nodes."""
    W = np.array([[weights[a, b] if (a, b) in arcs else 0.0 for b in names] for a in names])
    total = np.linalg.inv(np.eye(len(names)) - W)
    return total, total.T @ np.diag(1.0 + np.arange(len(names))) @ total


def test_sid_counts_wrong_effects_in_linear_networks():
    """With weights at random, adjusting is right where the regression coefficient is the total effect."""
    rng = np.random.default_rng(3)
    names = "abcde"
    weights = {arc: float(rng.uniform(0.5, 1.5) * rng.choice([-1, 1])) for arc in itertools.permutations(names, 2)}
    for _ in range(150):
        learned, true = (random_dag(rng, names, rng.uniform(0.2, 0.9)) for _ in range(2))
        total, covariance = effects(names, true, weights)
        wrong = 0
        for i, j in itertools.permutations(range(5), 2):
            given = [k for k in range(5) if (names[k], names[i]) in learned]
            guess = 0.0
            if j not in given:
                x = [i, *given]
                guess = np.linalg.solve(covariance[np.ix_(x, x)], covariance[x, j])[0]
            wrong += abs(guess - total[i, j]) > 1e-9
        assert bnjit.sid(digraph(names, learned), digraph(names, true)) == wrong


def test_edges_by_what_is_wrong_with_them():
    true, learned = "[a][b|a][c|b][d|c][e]", "[a][b|a][c][d|c:e][e]"
    plain = bnjit.compare(learned, true, classes=False)
    assert plain.right == (("a", "b"), ("c", "d"))
    assert plain.missing == (("b", "c"),)
    assert plain.extra == (("e", "d"),)
    assert plain.reversed == ()
    assert (plain.precision, plain.recall, plain.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    found = bnjit.compare(learned, true)
    assert found.right == (("a", "b"),)
    assert found.reversed == (("c", "d"),)  # an arc of a collider, where the true class has an edge without direction
    assert (found.shd, found.hamming) == (3, 2)
    assert found.sid == plain.sid == bnjit.sid(learned, true)


@pytest.mark.parametrize("classes", [True, False])
def test_counts_of_random_graphs(classes):
    rng = np.random.default_rng(1)
    for _ in range(60):
        learned, true = (random_dag(rng, "abcdef", 0.4) for _ in range(2))
        found = bnjit.compare(digraph("abcdef", learned), digraph("abcdef", true), classes=classes)
        ours, theirs = (naive.cpdag(arcs) if classes else set(arcs) for arcs in (learned, true))
        state = {
            frozenset(pair): tuple({arc for arc in edges if set(arc) == set(pair)} for edges in (ours, theirs))
            for pair in itertools.combinations("abcdef", 2)
        }
        assert len(found.right) == sum(a == b != set() for a, b in state.values())
        assert len(found.missing) == sum(not a and bool(b) for a, b in state.values())
        assert len(found.extra) == sum(bool(a) and not b for a, b in state.values())
        assert len(found.reversed) == sum(bool(a) and bool(b) and a != b for a, b in state.values())
        assert found.hamming == len(found.missing) + len(found.extra)
        assert found.shd == bnjit.shd(digraph("abcdef", learned), digraph("abcdef", true))
        if classes:
            assert found.shd == found.hamming + len(found.reversed)
        if found.right:
            assert found.f1 == pytest.approx(2 / (1 / found.precision + 1 / found.recall))


def test_classes_have_no_intervention_distance():
    dag = "[a][b|a][c|b]"
    found = bnjit.compare(bnjit.cpdag(dag), dag)
    assert found.shd == 0
    assert found.sid is None
    assert len(found.right) == 2
    assert "sid            -" in repr(found)
    assert bnjit.compare("[a][b|a]", "[b][a|b]").to_dict() == {
        "right": 1, "missing": 0, "extra": 0, "reversed": 0, "precision": 1.0, "recall": 1.0, "f1": 1.0, "shd": 0,
        "hamming": 0, "sid": 2,
    }  # fmt: skip
    assert bnjit.compare("[a][b]", "[a][b]").f1 == 1.0
    assert "<table>" in found._repr_html_()


def test_results_networks_and_lists():
    network = bnjit.datasets.small_gaussian()
    result = bnjit.learn(network.sample(5000, seed=1))
    assert bnjit.compare(result, network) == bnjit.compare(result.dag, network.dag)
    assert bnjit.compare([("a", "b")], [("b", "c")]).hamming == 2
    kinds = bnjit.compare(bnjit.datasets.small_mixed(), bnjit.datasets.small_mixed())
    assert kinds.precision == kinds.recall == 1.0


def test_bad_graphs():
    with pytest.raises(bnjit.GraphError, match="learned has the node 'c', which the other graph has not"):
        bnjit.compare("[a][b][c]", "[a][b]")
    with pytest.raises(bnjit.GraphError, match="true has the cycle"):
        bnjit.sid("[a][b]", nx.DiGraph([("a", "b"), ("b", "a")]))
    with pytest.raises(bnjit.GraphError, match="true is a int"):
        bnjit.compare("[a][b]", 5)
