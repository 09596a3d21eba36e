"""Parts of graphs around nodes."""

import networkx as nx
import pytest

from bnjit.errors import ArgumentError
from bnjit.plots.neighbourhood import find_neighbourhood
from tests.plots.graphs import GRAPHS


@pytest.mark.parametrize("distance", range(4))
@pytest.mark.parametrize("name", ["mehra", "sparse", "tree"])
def test_nodes_are_those_within_the_distance(name, distance):
    dag = GRAPHS[name]
    links = dag.to_undirected()
    for node in dag:
        part = find_neighbourhood(dag, node, distance)
        near = set(nx.single_source_shortest_path_length(links, node, cutoff=distance))
        assert list(part.graph) == [other for other in dag if other in near]
        assert set(part.graph.edges) == set(dag.subgraph(near).edges)
        assert part.graph.nodes[node] == dag.nodes[node]
        assert part.centres == [node]


def test_several_nodes():
    chain = nx.path_graph(9, create_using=nx.DiGraph)
    for around in ([1, 6], (6, 1), {1, 6}, nx.path_graph([1, 6]).nodes):
        part = find_neighbourhood(chain, around, 1)
        assert list(part.graph) == [0, 1, 2, 5, 6, 7]
        assert sorted(part.centres) == [1, 6]
    assert part.caption == "2 chosen nodes and 4 nodes within 1 arc of them, of 9 nodes in all"
    assert list(find_neighbourhood(chain, [3, 4, 3], 0).graph.edges) == [(3, 4)]
    assert find_neighbourhood(nx.DiGraph([((1, 2), (3, 4))]), (1, 2), 0).centres == [(1, 2)]


@pytest.mark.parametrize(("around", "distance", "message"), [
    ("prize", 1, "around: the graph has no node 'prize'; did you mean 'price'"),
    (["price", "?"], 1, "the graph has no node '?'; it has 'price', 'demand'$"),
    ([["price"]], 1, r"the graph has no node \['price'\]"),
    (7, 1, "the graph has no node 7"),
    ([], 1, r"around=\[\] names no node"),
    ("price", -1, "distance=-1 must be a whole number, 0 or more"),
    ("price", 1.5, "distance=1.5 must be a whole number"),
    ("price", True, "distance=True must be a whole number"),
    ("price", None, "distance=None must be a whole number"),
])  # fmt: skip
def test_errors(around, distance, message):
    with pytest.raises(ArgumentError, match=message.replace("?'", "[?]'")):
        find_neighbourhood(nx.DiGraph([("price", "demand")]), around, distance)
