"""Equivalence classes: CPDAGs, their distance, v-structures, and a DAG of the class of a CPDAG.

A CPDAG is a networkx.DiGraph in which an undirected edge is there in both directions. Where nodes have the attribute
"kind", arcs from discrete to continuous nodes can only go one way, and count as directed.
"""

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any

import networkx as nx

from bnjit.errors import GraphError
from bnjit.graph.dag import read_arcs, reject_cycles

Node = Hashable
Arc = tuple[Node, Node]


def as_digraph(graph: Any, what: str = "the graph") -> nx.DiGraph:
    """Return a DiGraph as it is, or make one of a list of arcs or a model string."""
    made = graph
    if not isinstance(graph, nx.DiGraph) or isinstance(graph, nx.MultiDiGraph):
        nodes, arcs = read_arcs(graph, what)
        made = nx.DiGraph()
        made.add_nodes_from(nodes)
        made.add_edges_from(arcs)
    loop = next(nx.selfloop_edges(made), None)
    if loop is not None:
        raise GraphError(f"{what} has the loop {loop[0]} -> {loop[0]}")
    return made


def v_structures(dag: Any) -> list[tuple[Node, Node, Node]]:
    """Unshielded colliders a -> c <- b, as triples (a, c, b), by order of nodes.

    Examples
    --------
    >>> v_structures("[A][B][C|A:B][D|C]")
    [('A', 'C', 'B')]
    """
    graph = as_digraph(dag)
    return [
        (a, c, b)
        for c in graph
        for a, b in combinations([n for n in graph if graph.has_edge(n, c)], 2)
        if not adjacent(graph, a, b)
    ]


def adjacent(graph: nx.DiGraph, a: Node, b: Node) -> bool:
    """Whether there is an arc or edge between two nodes."""
    return bool(graph.has_edge(a, b) or graph.has_edge(b, a))


def cpdag(dag: Any) -> nx.DiGraph:
    """Equivalence class of a DAG: the arcs that all its members share; other edges are there in both directions.

    Unshielded colliders and arcs from discrete to continuous nodes are directed; Meek's rules (1995) direct what
    follows from them.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, or model string

    Returns
    -------
    networkx.DiGraph
        With the nodes and their attributes; undirected edges are there in both directions.

    Examples
    --------
    >>> sorted(cpdag("[A][B|A][C|B]").edges)
    [('A', 'B'), ('B', 'A'), ('B', 'C'), ('C', 'B')]
    """
    graph = as_digraph(dag)
    reject_cycles(graph.edges)
    kind = graph.nodes(data="kind")
    directed: set[Arc] = {arc for a, c, b in v_structures(graph) for arc in ((a, c), (b, c))}
    directed |= {(a, b) for a, b in graph.edges if kind[a] == "discrete" and kind[b] == "continuous"}
    _apply_meek_rules(graph, directed)
    result = nx.DiGraph()
    result.add_nodes_from(graph.nodes(data=True))
    for a, b in graph.edges:
        result.add_edge(a, b)
        if (a, b) not in directed:
            result.add_edge(b, a)
    return result


def _apply_meek_rules(graph: nx.DiGraph, directed: set[Arc]) -> None:
    """Add to `directed` the arcs of a DAG that Meek's rules direct, until nothing changes."""
    waiting = set(graph.edges) - directed
    while waiting:
        found = {arc for arc in waiting if _is_compelled(graph, directed, *arc)}
        if not found:
            return
        directed |= found
        waiting -= found


def _is_compelled(graph: nx.DiGraph, directed: set[Arc], u: Node, v: Node) -> bool:
    """Whether the direction u -> v of an arc follows from the directed ones by one of Meek's four rules."""
    into_u = [w for w in graph.pred[u] if (w, u) in directed]
    if any(not adjacent(graph, w, v) for w in into_u):  # rule 1: w -> u, w and v apart
        return True
    into_v = [w for w in graph.pred[v] if (w, v) in directed]
    if any((u, w) in directed for w in into_v):  # rule 2: u -> w -> v
        return True

    def undirected(w: Node) -> bool:
        return adjacent(graph, u, w) and (u, w) not in directed and (w, u) not in directed

    sides = [w for w in into_v if undirected(w)]
    if any(not adjacent(graph, c, d) for c, d in combinations(sides, 2)):  # rule 3: c -> v <- d, u - c, u - d
        return True
    # rule 4: d -> c -> v, u - c, u - d, d and v apart
    return any((d, c) in directed and undirected(d) and not adjacent(graph, d, v) for c in sides for d in graph.pred[c])


def _pair(learned: Any, true: Any) -> tuple[nx.DiGraph, nx.DiGraph]:
    """Both graphs with the kinds of nodes that either knows."""
    return common_nodes(as_digraph(learned, "learned"), as_digraph(true, "true"), (learned, true))


def common_nodes(
    first: nx.DiGraph, second: nx.DiGraph, given: Sequence[Any] | None = None
) -> tuple[nx.DiGraph, nx.DiGraph]:
    """Copies of a learned and a true graph with the nodes of both, and the kinds that either knows.

    given : what the user gave for them. A list of arcs names only nodes with arcs, so that nodes may be missing there;
    graphs and model strings must have the same nodes.
    """
    if all(isinstance(graph, str | nx.DiGraph) for graph in given or (first, second)):
        for graph, other, what in ((first, second, "learned"), (second, first, "true")):
            unknown = [n for n in graph if n not in other]
            if unknown:
                raise GraphError(f"{what} has the node {unknown[0]!r}, which the other graph has not")
    kinds = {n: k for graph in (first, second) for n, k in graph.nodes(data="kind") if k is not None}
    typed = []
    for graph in (first, second):
        typed.append(nx.DiGraph())
        typed[-1].add_nodes_from(dict.fromkeys([*second, *first]))
        typed[-1].add_nodes_from(graph.nodes(data=True))
        typed[-1].add_edges_from(graph.edges)
        nx.set_node_attributes(typed[-1], kinds, "kind")
    return typed[0], typed[1]


def is_partly_directed(graph: nx.DiGraph) -> bool:
    """Whether a graph has undirected edges."""
    return any(graph.has_edge(b, a) for a, b in graph.edges)


def _edge_states(graph: nx.DiGraph) -> dict[frozenset[Node], Any]:
    """State of each adjacent pair in the CPDAG: the arc, or None for an undirected edge."""
    given = graph if is_partly_directed(graph) else cpdag(graph)
    return {frozenset((a, b)): None if given.has_edge(b, a) else (a, b) for a, b in given.edges}


def shd(learned: Any, true: Any) -> int:
    """Structural Hamming distance: pairs of nodes whose edge differs between the two equivalence classes.

    Both graphs are turned into CPDAGs first, unless they have undirected edges already.

    Examples
    --------
    >>> shd("[A][B|A][C|B]", "[C][B|C][A|B]")
    0
    >>> shd("[A][B|A][C|B]", "[A][C][B|A:C]")
    2
    """
    first, second = (_edge_states(graph) for graph in _pair(learned, true))
    missing = object()
    return sum(first.get(p, missing) != second.get(p, missing) for p in first.keys() | second.keys())


def hamming(learned: Any, true: Any) -> int:
    """Hamming distance of the skeletons: pairs of nodes with an edge in one graph and none in the other.

    Examples
    --------
    >>> hamming("[A][B|A][C|B]", "[A][C|A][B]")
    3
    """
    first, second = ({frozenset(arc) for arc in graph.edges} for graph in _pair(learned, true))
    return len(first ^ second)


def consistent_extension(graph: Any) -> nx.DiGraph:
    """Return a DAG of the equivalence class that a CPDAG stands for (Dor and Tarsi 1992).

    Raises GraphError if there is none.

    Examples
    --------
    >>> dag = consistent_extension(cpdag("[A][B|A][C|B]"))
    >>> shd(dag, "[A][B|A][C|B]")
    0
    """
    given = as_digraph(graph)
    result = nx.DiGraph()
    result.add_nodes_from(given.nodes(data=True))
    rest = nx.DiGraph(given.edges)
    rest.add_nodes_from(given)
    while rest:
        sink = next((n for n in list(rest)[::-1] if _can_be_sink(rest, n)), None)
        if sink is None:
            raise GraphError("the graph has no consistent extension: no DAG has its directed arcs and v-structures")
        result.add_edges_from((n, sink) for n in rest.pred[sink])
        rest.remove_node(sink)
    return result


def _can_be_sink(graph: nx.DiGraph, x: Node) -> bool:
    """Whether x has no arc out, and each of its undirected neighbours is adjacent to all its other neighbours."""
    undirected = [n for n in graph.succ[x] if graph.has_edge(n, x)]
    if len(undirected) < len(graph.succ[x]):
        return False
    around = set(graph.pred[x])
    return all(adjacent(graph, n, other) for n in undirected for other in around - {n})
