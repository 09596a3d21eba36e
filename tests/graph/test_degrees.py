"""In-degrees from whatever tells them."""

import networkx as nx
import numpy as np
import pytest

from bnjit import ArgumentError, GraphError
from bnjit.graph import make_dag
from bnjit.graph.degrees import Degree, read_degrees

MIXED = make_dag(["A", "B", "X", "Y"], [True, True, False, False], [("A", "B"), ("A", "X"), ("B", "Y"), ("X", "Y")])


def test_all_ways_to_give_a_network_agree():
    expected = [Degree(False, 0, 0), Degree(False, 0, 1), Degree(False, 0, 2)]
    arcs = [("a", "b"), ("a", "c"), ("b", "c")]
    for dag in (arcs, iter(arcs), nx.DiGraph(arcs), "[a][b|a][c|a:b]", [0, 1, 2], np.array([0, 1, 2]), range(3)):
        assert read_degrees(dag, "gaussian") == (expected, "gaussian")
    assert read_degrees([0, 1, 2]) == (expected, "")
    assert read_degrees(arcs) == (expected, "")
    assert read_degrees([1, 0], "discrete") == ([Degree(True, 1, 0), Degree(True, 0, 0)], "discrete")


def test_kinds_split_the_parents():
    expected = [Degree(True, 0, 0), Degree(True, 1, 0), Degree(False, 1, 0), Degree(False, 1, 1)]
    assert read_degrees(MIXED) == (expected, "cgaussian")
    assert read_degrees("[A][B|A][X|A][Y|B:X]", discrete=["A", "B"]) == (expected, "cgaussian")
    assert read_degrees(MIXED.subgraph("AB"))[1] == "discrete"
    assert read_degrees(MIXED.subgraph("XY"))[1] == "gaussian"
    assert read_degrees(MIXED.subgraph("XY"), "cgaussian")[1] == "cgaussian"


@pytest.mark.parametrize("degrees", [[1], [0, 2], [1, 1, 1], [0, 0, 3], [0, 1, 2, 3, 5]])
def test_in_degrees_of_no_dag(degrees):
    with pytest.raises(GraphError, match="in-degrees of no DAG"):
        read_degrees(degrees)


@pytest.mark.parametrize(
    ("dag", "arguments", "error", "message"),
    [
        (MIXED, {"kind": "mixed"}, ArgumentError, "the kinds are discrete, gaussian, cgaussian"),
        (MIXED, {"kind": "gaussian"}, ArgumentError, "node 'A' of dag is discrete"),
        (MIXED, {"kind": "discrete"}, ArgumentError, "node 'X' of dag is continuous"),
        (MIXED, {"discrete": ["Z"]}, ArgumentError, "'Z', which is no node"),
        ("[A][B|A]", {"kind": "cgaussian"}, ArgumentError, "name them in discrete"),
        ("[A][B|A]", {"discrete": ["B"]}, GraphError, "A -> B makes a continuous column the parent"),
        ([0, 1], {"kind": "cgaussian"}, ArgumentError, "give a graph whose nodes have a kind"),
        ([0, 1], {"discrete": [0]}, ArgumentError, "does not say which parents are discrete"),
        ([0, -1], {}, ArgumentError, "in-degree=-1"),
        ([0, 0.5], {}, ArgumentError, "in-degree=0.5"),
        ([0, None], {}, ArgumentError, "an in-degree is None"),
        ([0, True], {}, ArgumentError, "in-degree=True"),
        ([], {}, GraphError, "no nodes"),
        (7, {}, GraphError, "dag is a int"),
        ([("a", "b"), ("b", "a")], {}, GraphError, "cycle"),
        (nx.Graph([("a", "b")]), {}, GraphError, "undirected"),
    ],
)
def test_what_is_no_network(dag, arguments, error, message):
    with pytest.raises(error, match=message):
        read_degrees(dag, **arguments)


def test_kinds_must_be_known_and_complete():
    dag = nx.DiGraph([("a", "b")])
    dag.nodes["a"]["kind"] = "discrete"
    with pytest.raises(GraphError, match="'b' has no kind"):
        read_degrees(dag)
    assert read_degrees(dag, discrete=["a"])[0] == [Degree(True, 0, 0), Degree(False, 1, 0)]
    dag.nodes["b"]["kind"] = "ordinal"
    with pytest.raises(GraphError, match="'b' has the kind 'ordinal'"):
        read_degrees(dag)
