"""Where the nodes of a drawing stand: parents above children, few crossings, long arcs around the nodes.

After K. Sugiyama, S. Tagawa and M. Toda (1981): first the rows, then their order, then coordinates along them. One
unit is a point at tuning.FONT_SIZE.
"""

from collections.abc import Hashable
from typing import NamedTuple

import networkx as nx

from bnjit.plots.coordinates import place_vertices
from bnjit.plots.crossings import order_rows
from bnjit.plots.labels import box_sizes
from bnjit.plots.layers import make_layers
from bnjit.plots.tuning import (
    BEND_WIDTH,
    ISOLATED_GAP,
    LEAST_ISOLATED_WIDTH,
    LEAST_ROW_GAP,
    MOST_ROW_GAP,
    NODE_GAP,
    ROW_GAP_SLOPE,
)

Point = tuple[float, float]


class Placement(NamedTuple):
    """Where the nodes and the bends of arcs are."""

    positions: dict[Hashable, Point]  # centres of the nodes
    bends: dict[tuple[Hashable, Hashable, int], Point]  # where arcs pass rows: from, to, which row on the way
    sizes: dict[Hashable, Point]  # width and height of the boxes
    row_height: float


def place_graph(dag: nx.DiGraph) -> Placement:
    """Place a graph in rows, the first on top, ordered so that arcs are short and cross little.

    Nodes without arcs stand in rows of their own at the end.

    Examples
    --------
    >>> placement = place_graph(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet")]))
    >>> placement.positions["rain"][1] > placement.positions["wet"][1]
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
        y -= height + min(max(LEAST_ROW_GAP, ROW_GAP_SLOPE * far), MOST_ROW_GAP)
    positions = {node: (across[i], down[i]) for i, node in enumerate(nodes)}
    bends = {
        (nodes[a], nodes[b], i): (across[bend], down[bend])
        for (a, b), chain in layers.bends.items()
        for i, bend in enumerate(chain)
    }
    isolated = {node: sizes[node] for node in dag if dag.degree(node) == 0}
    positions.update(_isolated_rows(isolated, across, y, height))
    return Placement({node: positions[node] for node in dag}, bends, sizes, height)


def _isolated_rows(sizes: dict[Hashable, Point], across: list[float], y: float, height: float) -> dict[Hashable, Point]:
    """Nodes without arcs, in rows about as wide as the rest of the drawing."""
    left, right = min(across, default=0.0), max(across, default=0.0)
    most = max(right - left, LEAST_ISOLATED_WIDTH)
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
            positions[node] = (x + sizes[node][0] / 2, y - i * (height + ISOLATED_GAP))
            x += sizes[node][0] + NODE_GAP
    return positions
