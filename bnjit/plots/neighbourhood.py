"""The part of a graph around some of its nodes."""

from collections.abc import Hashable, Iterable
from difflib import get_close_matches
from typing import Any, NamedTuple

import networkx as nx

from bnjit.errors import ArgumentError, as_count


class Neighbourhood(NamedTuple):
    """A part of a graph, its centres, and a caption that says what it is."""

    graph: nx.DiGraph
    centres: list[Hashable]
    caption: str


def find_neighbourhood(dag: nx.DiGraph, around: Any, distance: int) -> Neighbourhood:
    """Nodes within so many arcs of a node, or of any of a list of nodes, with all arcs between them.

    Examples
    --------
    >>> chain = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    >>> find_neighbourhood(chain, "c", 1)[1:]
    (['c'], 'c and 2 nodes within 1 arc of it, of 5 nodes in all')
    """
    distance = as_count("distance", distance, least=0)
    centres = _centres(dag, around)
    met = set(centres)
    frontier = set(centres)
    for _ in range(distance):
        frontier = {n for node in frontier for n in (*dag.pred[node], *dag.succ[node])} - met
        if not frontier:
            break
        met |= frontier
    graph = nx.create_empty_copy(dag)  # keeps the order of the nodes
    graph.remove_nodes_from([node for node in dag if node not in met])
    graph.add_edges_from((a, b) for a, b in dag.edges if a in met and b in met)
    others = len(met) - len(centres)
    one = len(centres) == 1
    named = str(centres[0]) if one else f"{len(centres)} chosen nodes"
    arcs = f"{distance} arc{'s' * (distance != 1)} of {'it' if one else 'them'}"
    near = f" and {others:,} node{'s' * (others != 1)} within {arcs}" if distance else ""
    return Neighbourhood(graph, centres, f"{named}{near}, of {len(dag):,} nodes in all")


def _centres(dag: nx.DiGraph, around: Any) -> list[Hashable]:
    """Nodes that are asked for: a node, or a list of them."""
    several = isinstance(around, Iterable) and not isinstance(around, str) and around not in dag
    asked = list(around) if several else [around]
    if not asked:
        raise ArgumentError(f"around={around!r} names no node; give a node or a list of nodes")
    for node in asked:
        if node not in dag:
            close = get_close_matches(str(node), [str(name) for name in dag], n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {_some(dag)}"
            raise ArgumentError(f"around: the graph has no node {node!r}; {hint}")
    return list(dict.fromkeys(asked))


def _some(dag: nx.DiGraph) -> str:
    """The first names of a graph, as examples."""
    names = ", ".join(repr(node) for node, _ in zip(dag, range(3), strict=False))
    return f"{names} and others" if len(dag) > 3 else names or "no nodes at all"
