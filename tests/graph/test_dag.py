"""Graphs in every form give the same parents."""

import networkx as nx
import pytest

from bnjit.errors import GraphError
from bnjit.graph import make_dag, parent_sets, parse_modelstring

NAMES = ["A", "B", "C", "D"]
ALL_DISCRETE = [True] * 4


def test_forms_agree():
    arcs = [("D", "A"), ("B", "A"), ("B", "C")]
    expected = [(1, 3), (), (1,), ()]
    assert parent_sets(arcs, NAMES, ALL_DISCRETE) == expected
    assert parent_sets([list(arc) for arc in arcs], NAMES, ALL_DISCRETE) == expected
    assert parent_sets(nx.DiGraph(arcs), NAMES, ALL_DISCRETE) == expected
    assert parent_sets("[B][D][A|D:B][C|B]", NAMES, ALL_DISCRETE) == expected
    assert parent_sets(iter(arcs), NAMES, ALL_DISCRETE) == expected
    assert parent_sets([], NAMES, ALL_DISCRETE) == [(), (), (), ()]


def test_kinds():
    kinds = [True, True, False, False]
    assert parent_sets([("A", "C"), ("C", "D"), ("A", "B")], NAMES, kinds) == [(), (0,), (0,), (2,)]
    with pytest.raises(GraphError, match="C -> A makes a continuous"):
        parent_sets([("C", "A")], NAMES, kinds)


def test_levels_that_the_data_have_as_numbers():
    graph = make_dag(NAMES, [True, True, True, False], [("A", "D")])
    assert parent_sets(graph, NAMES, ALL_DISCRETE) == [(), (), (), (0,)]  # a continuous node may become discrete
    with pytest.raises(GraphError, match=r"'C' is discrete in .* continuous in the data; give discrete=\['C'\]"):
        parent_sets(graph, NAMES, [True, True, False, False])
    with pytest.raises(GraphError, match=r"'B', 'C' are discrete in .* give discrete=\['B', 'C'\]"):
        parent_sets(graph, NAMES, [True, False, False, False])
    assert parent_sets(list(graph.edges), NAMES, [False] * 4) == [(), (), (), (0,)]  # arcs alone say nothing of kinds


def test_names_with_spaces_in_model_strings():
    assert parse_modelstring("[P. Work][M. Work|P. Work]")[1] == [("P. Work", "M. Work")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("[A", "position 0"),
        ("[A][B|]", "position 3"),
        ("[A][A]", "'A' is defined twice"),
        ("[A|Z]", "parent 'Z', which is not defined"),
    ],
)
def test_bad_model_strings(text, message):
    with pytest.raises(GraphError, match=message):
        parse_modelstring(text)


def test_other_graphs_are_refused():
    with pytest.raises(GraphError, match="undirected"):
        parent_sets(nx.Graph([("A", "B")]), NAMES, ALL_DISCRETE)
    with pytest.raises(GraphError, match="the graph is a int"):
        parent_sets(7, NAMES, ALL_DISCRETE)
    graph = nx.DiGraph()
    graph.add_node("Z")
    with pytest.raises(GraphError, match="the graph names 'Z'"):
        parent_sets(graph, NAMES, ALL_DISCRETE)
