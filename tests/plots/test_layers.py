"""Rows: parents above children, every arc between neighbouring rows."""

from itertools import pairwise

import networkx as nx
import pytest

from bnjit.plots.layers import make_layers, row_numbers
from tests.plots.graphs import GRAPHS


@pytest.mark.parametrize("name", GRAPHS)
def test_parents_stand_above_children(name):
    dag = GRAPHS[name]
    row = row_numbers(dag)
    assert set(row) == set(dag)
    assert all(row[a] < row[b] for a, b in dag.edges)
    assert not dag or min(row.values()) == 0


@pytest.mark.parametrize("name", GRAPHS)
def test_arcs_are_no_longer_than_below_the_lowest_parent(name):
    dag = GRAPHS[name]
    row = row_numbers(dag)
    plain = {node: i for i, layer in enumerate(nx.topological_generations(dag)) for node in layer}
    assert sum(row[b] - row[a] for a, b in dag.edges) <= sum(plain[b] - plain[a] for a, b in dag.edges)


def test_roots_stand_next_to_their_children():
    chain = nx.path_graph(6, create_using=nx.DiGraph)
    chain.add_edge("root", 5)
    assert row_numbers(chain)["root"] == 4


@pytest.mark.parametrize("name", GRAPHS)
def test_long_arcs_bend_in_each_row(name):
    dag = GRAPHS[name]
    layers = make_layers(dag)
    row = {vertex: r for r, vertices in enumerate(layers.rows) for vertex in vertices}
    assert sorted(row) == list(range(len(layers.up)))
    nodes = list(dag)
    assert {(nodes[a], nodes[b]) for a, b in layers.bends} == set(dag.edges)
    for (a, b), bends in layers.bends.items():
        chain = [a, *bends, b]
        assert [row[v] for v in chain] == list(range(row[a], row[b] + 1))
        assert all(v in layers.down[u] and u in layers.up[v] for u, v in pairwise(chain))
        assert all(layers.is_bend(v) for v in bends)
