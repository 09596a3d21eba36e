"""What a graph implies, against definitions: separation by paths, blankets and statements by separation."""

import itertools

import networkx as nx
import numpy as np
import pytest

import bnjit
from bnjit.datasets import small_mixed
from bnjit.errors import ArgumentError, GraphError
from bnjit.graph import Independence

CLASSIC = "[A][B][C|A:B][D|C][E|D:B]"


def random_dag(seed, nodes=7, share=0.35):
    rng = np.random.default_rng(seed)
    order = rng.permutation(nodes).tolist()
    dag = nx.DiGraph()
    dag.add_nodes_from(f"V{i}" for i in range(nodes))
    pairs = itertools.combinations(order, 2)
    dag.add_edges_from((f"V{a}", f"V{b}") for a, b in pairs if rng.random() < share)
    return dag


@pytest.mark.parametrize("seed", range(5))
def test_separated_means_no_open_path(seed):
    dag, rng = random_dag(seed), np.random.default_rng(seed)
    seen = set()
    for x, y in itertools.combinations(dag, 2):
        rest = [node for node in dag if node not in (x, y)]
        given = [node for node in rest if rng.random() < 0.4]
        opened = any(path.open for path in bnjit.paths(dag, x, y, given))
        assert bnjit.d_separated(dag, x, y, given) != opened
        seen.add(opened)
    assert seen == {True, False}


@pytest.mark.parametrize("seed", range(5))
def test_the_blanket_is_the_smallest_set_that_separates(seed):
    dag = random_dag(seed)
    for node in dag:
        blanket = bnjit.markov_blanket(dag, node)
        others = [other for other in dag if other != node and other not in blanket]
        assert not others or bnjit.d_separated(dag, node, others, blanket)
        for one in blanket:
            rest = [other for other in dag if other not in (node, one)]
            assert not bnjit.d_separated(dag, node, one, rest)


@pytest.mark.parametrize("seed", range(5))
def test_one_true_statement_for_each_missing_arc(seed):
    dag = random_dag(seed)
    found = bnjit.implied_independencies(dag)
    assert {frozenset(one[:2]) for one in found} == {
        frozenset(pair) for pair in itertools.combinations(dag, 2) if not nx.to_undirected(dag).has_edge(*pair)
    }
    assert len(found) == len({frozenset(one[:2]) for one in found})
    for x, y, given in found:
        assert bnjit.d_separated(dag, x, y, given)
        assert set(given) == set(dag.pred[x])


def test_discrete_nodes_come_first():
    dag = nx.DiGraph([("X", "Y"), ("A", "Y")])
    nx.set_node_attributes(dag, {"X": "continuous", "Y": "continuous", "A": "discrete"}, "kind")
    assert bnjit.implied_independencies(dag) == [Independence("X", "A", ())]


def test_ancestors_and_descendants():
    assert bnjit.ancestors(CLASSIC, "E") == ["A", "B", "C", "D"]
    assert bnjit.ancestors(CLASSIC, "A") == []
    assert bnjit.descendants(CLASSIC, "A") == ["C", "D", "E"]


def test_a_collider_opens_by_what_follows_from_it():
    assert bnjit.d_separated(CLASSIC, "A", "B")
    assert not bnjit.d_separated(CLASSIC, "A", "B", "D")
    assert bnjit.d_separated(CLASSIC, ["A"], {"D", "E"}, ["B", "C"])
    shown = bnjit.paths(CLASSIC, "A", "B", given=["D"])
    assert list(map(repr, shown)) == ["Path(A -> C <- B, open)", "Path(A -> C -> D -> E <- B, blocked)"]
    assert [path.directed for path in bnjit.paths(CLASSIC, "A", "D")] == [True, False]
    assert bnjit.paths(CLASSIC, "A", "B", longest=1) == []


def test_networks_and_results_are_graphs():
    network = small_mixed()
    expected = bnjit.markov_blanket(network.dag, "B")
    assert bnjit.markov_blanket(network, "B") == expected
    result = bnjit.learn(network.sample(300, seed=1))
    assert bnjit.markov_blanket(result, "B") == bnjit.markov_blanket(result.dag, "B")


def test_names_that_are_tuples():
    arcs = [(("a", 1), ("b", 1)), (("b", 1), ("c", 1))]
    assert bnjit.d_separated(arcs, ("a", 1), ("c", 1), ("b", 1))
    assert not bnjit.d_separated(arcs, ("a", 1), ("c", 1))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: bnjit.markov_blanket(CLASSIC, "Q"), GraphError, "node: the graph has no node 'Q'; its nodes are A, B"),
        (lambda: bnjit.d_separated(CLASSIC, "A", "A"), ArgumentError, "'A' is in both x and y"),
        (lambda: bnjit.d_separated(CLASSIC, "A", "B", ["C", "B"]), ArgumentError, "'B' is in both y and given"),
        (lambda: bnjit.d_separated(CLASSIC, [], "B"), ArgumentError, "x is empty"),
        (lambda: bnjit.paths(CLASSIC, "A", "B", longest=0), ArgumentError, "longest=0"),
        (lambda: bnjit.paths(CLASSIC, "A", ["B"]), GraphError, "y: the graph has no node"),
        (lambda: bnjit.ancestors([("A", "B"), ("B", "A")], "A"), GraphError, "cycle A -> B -> A"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)
