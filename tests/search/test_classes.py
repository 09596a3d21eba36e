"""Equivalence classes as partially directed graphs, against all graphs."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.graph.bits import bits_of, members_of
from bnjit.search.classes import class_of, extension
from tests.reference import naive


def parents_of(names, arcs):
    return [bits_of([names.index(a) for a, b in arcs if b == node]) for node in names]


def edges_of(names, pattern):
    """Arcs of a pattern; undirected edges both ways."""
    return {
        (names[u], names[v]) for v in range(len(names)) for u in members_of(pattern.parents[v] | pattern.neighbours[v])
    }


def test_classes_of_all_graphs_with_four_nodes():
    names = list("abcd")
    classes = naive.all_classes(names)
    assert len(classes) == 185
    for arcs in classes:
        members = naive.equivalence_class(arcs)
        for member in members:
            pattern = class_of(parents_of(names, member))
            assert edges_of(names, pattern) == naive.cpdag(arcs)
        dag = {(names[u], names[v]) for v, bits in enumerate(extension(pattern)) for u in members_of(bits)}
        assert dag in members


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_classes_agree_with_those_of_graphs(seed):
    rng = np.random.default_rng(seed)
    names = list(range(9))
    arcs = [(int(a), int(b)) for a in names for b in names if a < b and rng.random() < 0.35]
    dag = nx.DiGraph()
    dag.add_nodes_from(names)
    dag.add_edges_from(arcs)
    pattern = class_of(parents_of(names, arcs))
    assert edges_of(names, pattern) == set(bnjit.cpdag(dag).edges)
    assert class_of(extension(pattern)) == pattern
