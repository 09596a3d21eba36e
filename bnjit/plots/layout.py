"""Layered layout of a directed acyclic graph: parents above children, few crossings."""

from collections.abc import Hashable

import networkx as nx

SWEEPS = 12


def layered_layout(dag: nx.DiGraph) -> dict[Hashable, tuple[float, float]]:
    """Positions of the nodes: a row for each layer, the first on top, rows ordered to keep arcs short.

    A node stands one row below its lowest parent; nodes without arcs stand in rows of their own at the end.
    """
    lonely = [node for node in dag if dag.degree(node) == 0]
    linked = dag.subgraph([node for node in dag if dag.degree(node) > 0])
    position = {node: i for i, node in enumerate(dag)}
    layers = [sorted(layer, key=position.__getitem__) for layer in nx.topological_generations(linked)]
    place = {node: _across(layer, i) for layer in layers for i, node in enumerate(layer)}
    for sweep in range(SWEEPS):
        neighbours = linked.pred if sweep % 2 == 0 else linked.succ
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            centre = {
                node: sum(place[n] for n in neighbours[node]) / len(neighbours[node])
                if neighbours[node]
                else place[node]
                for node in layer
            }
            layer.sort(key=lambda node: (centre[node], position[node]))
            place.update({node: _across(layer, i) for i, node in enumerate(layer)})
    widest = max([len(layer) for layer in layers], default=8)
    layers += [lonely[i : i + widest] for i in range(0, len(lonely), widest)]
    # Neighbouring rows are shifted a little against each other, so that arcs over two rows pass between nodes.
    return {
        node: (_across(layer, i) * widest + 0.25 * (-1) ** row * (len(layers) > 2), float(-row))
        for row, layer in enumerate(layers)
        for i, node in enumerate(layer)
    }


def _across(layer: list[Hashable], i: int) -> float:
    """Place i of a row, between -1/2 and 1/2."""
    return (i + 0.5) / len(layer) - 0.5
