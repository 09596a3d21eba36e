"""Rows of a layered drawing: which row a node stands in, and the bends of arcs that span several rows."""

from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import networkx as nx

from bnjit.plots.tuning import ROW_ROUNDS


class Layers(NamedTuple):
    """Vertices in rows, arcs only between neighbouring rows.

    Vertices are integers: first the nodes in the order of the graph, then the bends of long arcs.
    """

    rows: list[list[int]]
    up: list[list[int]]  # neighbours in the row above, for each vertex
    down: list[list[int]]
    n_nodes: int
    bends: dict[tuple[int, int], list[int]]  # of each arc between nodes, from its tail to its head

    def is_bend(self, vertex: int) -> bool:
        """Whether a vertex is a bend of an arc, not a node."""
        return vertex >= self.n_nodes


def row_numbers(dag: nx.DiGraph) -> dict[Hashable, int]:
    """Rows that keep arcs short: parents above children, each node pulled to where most of its arcs lead.

    Examples
    --------
    >>> row_numbers(nx.DiGraph([("a", "b"), ("b", "c"), ("root", "c")]))
    {'a': 0, 'b': 1, 'c': 2, 'root': 1}
    """
    order = list(nx.topological_sort(dag))
    row: dict[Hashable, int] = {}
    for node in order:
        row[node] = max((row[parent] + 1 for parent in dag.pred[node]), default=0)
    last = max(row.values(), default=0)
    for _ in range(ROW_ROUNDS):
        before = dict(row)
        for node in order[::-1]:
            highest = max((row[parent] + 1 for parent in dag.pred[node]), default=0)
            lowest = min((row[child] - 1 for child in dag.succ[node]), default=last)
            pull = len(dag.succ[node]) - len(dag.pred[node])
            row[node] = lowest if pull > 0 else highest if pull < 0 else min(max(row[node], highest), lowest)
        if row == before:
            break
    first = min(row.values(), default=0)
    return {node: row[node] - first for node in dag}


def make_layers(
    dag: nx.DiGraph, number: Mapping[Hashable, int] | None = None, styles: Mapping[Any, Any] | None = None
) -> Layers:
    """Put nodes in rows, with a bend wherever an arc passes a row.

    Parameters
    ----------
    dag : networkx.DiGraph
        What to lay out.
    number : mapping, optional
        Row of each node; by default those of `row_numbers`.
    styles : mapping, optional
        Style of each arc. If it is given, arcs that leave a node in the same style share their bends and run as one
        line for as long as they can.
    """
    number = row_numbers(dag) if number is None else number
    shared: dict[Any, int] = {}
    vertex = {node: i for i, node in enumerate(dag)}
    rows: list[list[int]] = [[] for _ in range(max(number.values(), default=-1) + 1)]
    for node, i in vertex.items():
        rows[number[node]].append(i)
    up: list[list[int]] = [[] for _ in dag]
    down: list[list[int]] = [[] for _ in dag]
    bends = {}
    for a, b in dag.edges:
        chain = [vertex[a]]
        for r in range(number[a] + 1, number[b]):
            bend = shared.setdefault((a, styles[a, b], r) if styles else (a, b, r), len(up))
            chain.append(bend)
            if bend == len(up):
                rows[r].append(bend)
                up.append([])
                down.append([])
        chain.append(vertex[b])
        for above, below in pairwise(chain):
            if below not in down[above]:
                down[above].append(below)
                up[below].append(above)
        bends[vertex[a], vertex[b]] = chain[1:-1]
    return Layers(rows, up, down, len(vertex), bends)
