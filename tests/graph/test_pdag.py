"""Equivalence classes, against enumeration on all small graphs and against R's record."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.errors import GraphError
from bnjit.graph import make_dag, parse_modelstring
from tests.reference import naive

NODES = "ABCD"


def all_dags():
    """The 543 labelled DAGs with four nodes."""
    pairs = list(itertools.combinations(NODES, 2))
    for states in itertools.product(range(3), repeat=len(pairs)):
        arcs = {pair if state == 1 else pair[::-1] for pair, state in zip(pairs, states, strict=True) if state}
        if naive.is_acyclic(arcs):
            yield arcs


DAGS = list(all_dags())


def digraph(arcs, discrete=None):
    if discrete is None:
        graph = nx.DiGraph()
        graph.add_nodes_from(NODES)
        graph.add_edges_from(sorted(arcs))
        return graph
    return make_dag(NODES, [n in discrete for n in NODES], sorted(arcs))


def test_there_are_543():
    assert len(DAGS) == 543


@pytest.mark.parametrize("discrete", [None, "A", "AB", "ABC"])
def test_cpdag_of_every_small_dag(discrete):
    count = 0
    for arcs in DAGS:
        if discrete and any(b in discrete and a not in discrete for a, b in arcs):
            continue
        expected = naive.cpdag(arcs, discrete) if discrete else naive.cpdag(arcs, NODES)
        assert set(bnjit.cpdag(digraph(arcs, discrete)).edges) == expected
        count += 1
    assert count > 50


def test_distances_of_small_dags():
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, len(DAGS), (300, 2)):
        first, second = naive.cpdag(DAGS[i], NODES), naive.cpdag(DAGS[j], NODES)
        states = [{p: ((p in g), (p[::-1] in g)) for p in itertools.combinations(NODES, 2)} for g in (first, second)]
        assert bnjit.shd(digraph(DAGS[i]), digraph(DAGS[j])) == sum(states[0][p] != states[1][p] for p in states[0])
        assert bnjit.hamming(digraph(DAGS[i]), digraph(DAGS[j])) == sum(
            any(states[0][p]) != any(states[1][p]) for p in states[0]
        )
        # A CPDAG stands for itself.
        assert bnjit.shd(bnjit.cpdag(digraph(DAGS[i])), digraph(DAGS[i])) == 0


def test_v_structures():
    for arcs in DAGS[::7]:
        found = {(frozenset((a, b)), c) for a, c, b in bnjit.v_structures(digraph(arcs))}
        assert found == naive.colliders(arcs)


@pytest.mark.parametrize("discrete", [None, "AB"])
def test_extension_of_every_small_cpdag(discrete):
    for arcs in DAGS:
        if discrete and any(b in discrete and a not in discrete for a, b in arcs):
            continue
        graph = digraph(arcs, discrete)
        extended = bnjit.consistent_extension(bnjit.cpdag(graph))
        assert set(extended.edges) in naive.equivalence_class(arcs, discrete or NODES)
        assert list(extended) == list(graph)
        assert dict(extended.nodes(data=True)) == dict(graph.nodes(data=True))


def test_no_extension():
    square = nx.DiGraph([arc for a, b in ("AB", "BC", "CD", "DA") for arc in ((a, b), (b, a))])
    with pytest.raises(GraphError, match="no consistent extension"):
        bnjit.consistent_extension(square)


def test_kinds_of_one_graph_serve_both():
    mixed = make_dag("AX", [True, False], [("A", "X")])
    assert bnjit.shd(mixed, [("A", "X")]) == 0
    assert bnjit.shd([("A", "X")], mixed) == 0
    assert bnjit.shd(mixed, make_dag("AX", [True, False], [])) == 1


def test_different_nodes_are_refused():
    with pytest.raises(GraphError, match="true has the node 'Z'"):
        bnjit.shd(nx.DiGraph([("A", "B")]), nx.DiGraph([("A", "B"), ("B", "Z")]))
    with pytest.raises(GraphError, match="cycle A -> B -> C -> A"):
        bnjit.cpdag([("A", "B"), ("B", "C"), ("C", "A")])


@pytest.mark.parametrize(
    "name",
    [
        "gaussian.test",
        "learning.test",
        "clgaussian.test",
        "alarm",
        "asia",
        "insurance",
        "hailfinder",
        "marks",
        "coronary",
        "lizards",
    ],
)
def test_r_record(name, reference, reference_table):
    table = reference_table(name)
    check_record(reference[name]["graphs"], list(table), [not pd.api.types.is_float_dtype(t) for t in table.dtypes])


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_golden_record(kind, golden):
    from tests.golden.tables import TABLES

    check_record(golden[kind], list(TABLES[kind]()), None)


def check_record(graphs, names, discrete):
    """Compare with a record; without kinds of nodes (None), as bnlearn does for graphs that have seen no data."""
    dags = {}
    for name, record in graphs.items():
        dags[name] = make_dag(names, discrete or [True] * len(names), [tuple(arc) for arc in record["arcs"]])
    for name, record in graphs.items():
        essential = bnjit.cpdag(dags[name])
        undirected = {(a, b) for a, b in essential.edges if essential.has_edge(b, a)}
        assert undirected == {tuple(arc) for arc in record["cpdag"]["undirected"]}
        assert set(essential.edges) - undirected == {tuple(arc) for arc in record["cpdag"]["directed"]}
        for other in record["shd_to"]:
            assert bnjit.shd(dags[name], dags[other]) == record["shd_to"][other]
            assert bnjit.hamming(dags[name], dags[other]) == record["hamming_to"][other]


def test_model_strings_round_trip():
    for arcs in DAGS[::11]:
        nodes, found = parse_modelstring(bnjit.to_modelstring(digraph(arcs)))
        assert sorted(nodes) == list(NODES)
        assert set(found) == arcs
    with pytest.raises(GraphError, match=r"node 'a\|b' cannot be written"):
        bnjit.to_modelstring(nx.DiGraph([("a|b", "c")]))
    with pytest.raises(GraphError, match="node 3 cannot be written"):
        bnjit.to_modelstring(nx.DiGraph([(3, "c")]))


def test_graphs_that_cannot_be_compared():
    with pytest.raises(GraphError, match="learned has the node 'a'"):
        bnjit.shd("[a][b|a]", "[A][b|A]")
    with pytest.raises(GraphError, match="the loop a -> a"):
        bnjit.consistent_extension([("a", "a"), ("a", "b")])
    assert bnjit.hamming([("a", "b"), ("b", "a")], [("b", "a")]) == 0
    with pytest.raises(GraphError, match="without cycles"):
        bnjit.to_modelstring(nx.DiGraph([("a", "b"), ("b", "a")]))
