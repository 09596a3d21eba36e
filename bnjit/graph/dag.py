"""Directed acyclic graphs over the columns of a table, from whatever a user has."""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from graphlib import CycleError, TopologicalSorter
from typing import Any

import networkx as nx

from bnjit.errors import GraphError
from bnjit.graph.modelstring import parse_modelstring

Arc = tuple[Hashable, Hashable]


def read_arcs(graph: Any, what: str = "the graph") -> tuple[list[Hashable], list[Arc]]:
    """Nodes that a graph mentions and its arcs, from a DiGraph, a list of arcs or a model string.

    `what` names the graph in messages.
    """
    if isinstance(graph, str):
        nodes, arcs = parse_modelstring(graph)
        return list(nodes), list(arcs)
    if isinstance(graph, nx.Graph):
        if not graph.is_directed():
            raise GraphError(f"{what} is undirected; give a networkx.DiGraph")
        return list(graph.nodes), [(arc[0], arc[1]) for arc in graph.edges]
    if not isinstance(graph, Iterable):
        raise GraphError(
            f"{what} is a {type(graph).__name__}; give a networkx.DiGraph, a list of arcs (from, to), "
            "or a model string such as [A][B|A]"
        )
    pairs: list[Arc] = []
    for item in graph:
        if isinstance(item, str | Set) or not hasattr(item, "__len__") or len(item) != 2:
            raise GraphError(f"{what} has the entry {item!r}; every arc is a pair (from, to)")
        if not all(isinstance(end, Hashable) for end in item):
            raise GraphError(f"{what} has the entry {item!r}; the ends of an arc are names of columns")
        pairs.append((item[0], item[1]))
    return list(dict.fromkeys(node for arc in pairs for node in arc)), pairs


def make_dag(names: Sequence[Hashable], discrete: Sequence[bool], arcs: Iterable[Arc]) -> nx.DiGraph:
    """DiGraph over columns, in column order, with the kind of each as a node attribute.

    Examples
    --------
    >>> make_dag(["A", "X"], [True, False], [("A", "X")]).nodes(data="kind")
    NodeDataView({'A': 'discrete', 'X': 'continuous'}, data='kind')
    """
    dag = nx.DiGraph()
    for name, is_discrete in zip(names, discrete, strict=True):
        dag.add_node(name, kind="discrete" if is_discrete else "continuous")
    dag.add_edges_from(arcs)
    return dag


def parent_sets(graph: Any, names: Sequence[Hashable], discrete: Sequence[bool]) -> list[tuple[int, ...]]:
    """Parents of every column, as ascending integers.

    Columns that the graph does not mention have no parents. Unknown names, cycles, repeated arcs, continuous parents of
    discrete nodes, and nodes that are discrete in the graph and not in the data are errors.

    Examples
    --------
    >>> parent_sets([("A", "C"), ("B", "C")], ["A", "B", "C"], [True, True, False])
    [(), (), (0, 1)]
    """
    nodes, arcs = read_arcs(graph)
    position = {name: i for i, name in enumerate(names)}
    for node in nodes:
        if node not in position:
            arc = next((arc for arc in arcs if node in arc), None)
            where = f"the arc {_show(arc)}" if arc else "the graph"
            raise GraphError(f"{where} names {node!r}, which is no column of the data")
    _check_kinds(graph, position, discrete)
    parents: list[set[int]] = [set() for _ in names]
    for arc in arcs:
        source, target = position[arc[0]], position[arc[1]]
        if source == target:
            raise GraphError(f"the arc {_show(arc)} is a loop")
        if source in parents[target]:
            raise GraphError(f"the arc {_show(arc)} is there twice")
        if discrete[target] and not discrete[source]:
            raise GraphError(
                f"the arc {_show(arc)} makes a continuous column the parent of a discrete one, which conditional "
                "Gaussian networks do not have; reverse or drop it"
            )
        parents[target].add(source)
    reject_cycles(arcs)
    return [tuple(sorted(p)) for p in parents]


def _check_kinds(graph: Any, position: Mapping[Hashable, int], discrete: Sequence[bool]) -> None:
    """Raise for columns of numbers that were levels where the graph was learned."""
    kinds = graph.nodes(data="kind") if isinstance(graph, nx.Graph) else ()
    levels = [name for name, kind in kinds if kind == "discrete" and not discrete[position[name]]]
    if levels:
        are = "is" if len(levels) == 1 else "are"
        raise GraphError(
            f"{', '.join(map(repr, levels))} {are} discrete in the graph and continuous in the data; give "
            f"discrete={levels!r}"
        )


def reject_cycles(arcs: Iterable[Arc], what: str = "the graph") -> None:
    """Raise for a directed cycle, showing it."""
    arcs = list(arcs)
    sorter: TopologicalSorter[Hashable] = TopologicalSorter()
    for source, target in arcs:
        sorter.add(target, source)
    try:
        sorter.prepare()  # which takes a tenth of the time of find_cycle
        return
    except CycleError:
        cycle = nx.find_cycle(nx.DiGraph(arcs))
    path = " -> ".join(str(arc[0]) for arc in [*cycle, cycle[0]])
    hint = " (of a CPDAG take bnjit.consistent_extension)" if len(cycle) == 2 else ""
    raise GraphError(f"{what} has the cycle {path}; it must be acyclic{hint}")


def _show(arc: Arc) -> str:
    return f"{arc[0]} -> {arc[1]}"
