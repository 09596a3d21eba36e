"""Layered layout of a directed acyclic graph: parents above children, few crossings, long arcs around the nodes.

In the manner of K. Sugiyama, S. Tagawa and M. Toda (1981): rows, then their order, then places along them. One unit is
a point at labels.FONT_SIZE.
"""

from collections.abc import Hashable
from typing import NamedTuple

import networkx as nx

from bnjit.plots.coordinates import NODE_GAP, place_vertices
from bnjit.plots.crossings import order_rows
from bnjit.plots.labels import box_sizes
from bnjit.plots.layers import make_layers

Point = tuple[float, float]

BEND_WIDTH = 3.0
LEAST_GAP, MOST_GAP, SLOPE = 30.0, 100.0, 0.18  # between rows; more where arcs go far along them
LONELY_GAP = 14.0
LEAST_ROW = 360.0


class Layout(NamedTuple):
    """Where everything is."""

    positions: dict[Hashable, Point]  # centres of the nodes
    bends: dict[tuple[Hashable, Hashable, int], Point]  # where arcs pass rows: from, to, which row on the way
    sizes: dict[Hashable, Point]  # width and height of the boxes
    row_height: float


def layered_layout(dag: nx.DiGraph) -> Layout:
    """Lay out a graph: a row for each layer, the first on top, rows ordered to keep arcs short and uncrossed.

    Nodes without arcs stand in rows of their own at the end.

    Examples
    --------
    >>> layout = layered_layout(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet")]))
    >>> layout.positions["rain"][1] > layout.positions["wet"][1]
    True
    """
    sizes = box_sizes(dag)
    height = max((height for _, height in sizes.values()), default=0.0)
    linked = nx.DiGraph()
    linked.add_nodes_from(node for node in dag if dag.degree(node) > 0)
    linked.add_edges_from(dag.edges)
    nodes = list(linked)
    layers = make_layers(linked)
    layers = layers._replace(rows=order_rows(layers))
    widths = [sizes[node][0] for node in nodes] + [BEND_WIDTH] * (len(layers.up) - len(nodes))
    across = place_vertices(layers, widths)
    down = [0.0] * len(across)
    y = 0.0
    for row in layers.rows:
        for vertex in row:
            down[vertex] = y
        far = max((abs(across[v] - across[n]) for v in row for n in layers.down[v]), default=0.0)
        y -= height + min(max(LEAST_GAP, SLOPE * far), MOST_GAP)
    positions = {node: (across[i], down[i]) for i, node in enumerate(nodes)}
    bends = {
        (nodes[a], nodes[b], i): (across[bend], down[bend])
        for (a, b), chain in layers.bends.items()
        for i, bend in enumerate(chain)
    }
    lonely = {node: sizes[node] for node in dag if dag.degree(node) == 0}
    positions.update(_lonely_rows(lonely, across, y, height))
    return Layout({node: positions[node] for node in dag}, bends, sizes, height)


def _lonely_rows(sizes: dict[Hashable, Point], across: list[float], y: float, height: float) -> dict[Hashable, Point]:
    """Nodes without arcs, in rows about as wide as the rest of the drawing."""
    left, right = min(across, default=0.0), max(across, default=0.0)
    most = max(right - left, LEAST_ROW)
    rows: list[list[Hashable]] = []
    used = 0.0
    for node, (width, _) in sizes.items():
        if not rows or used + width > most:
            rows.append([])
            used = 0.0
        rows[-1].append(node)
        used += width + NODE_GAP
    positions = {}
    for i, row in enumerate(rows):
        x = (left + right - sum(sizes[node][0] + NODE_GAP for node in row) + NODE_GAP) / 2
        for node in row:
            positions[node] = (x + sizes[node][0] / 2, y - i * (height + LONELY_GAP))
            x += sizes[node][0] + NODE_GAP
    return positions
