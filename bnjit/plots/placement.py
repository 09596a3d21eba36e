"""Where the nodes of a drawing stand: parents above children, few crossings, long arcs around the nodes.

After K. Sugiyama, S. Tagawa and M. Toda (1981): first the rows, then their order, then coordinates along them. One
unit is a point at tuning.FONT_SIZE.
"""

import math
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import networkx as nx

from bnjit.plots.coordinates import place_vertices
from bnjit.plots.crossings import order_rows
from bnjit.plots.folding import fold_rows, place_within
from bnjit.plots.labels import box_sizes, width_for, wrap_label
from bnjit.plots.layers import Layers, make_layers
from bnjit.plots.tuning import (
    BEND_WIDTH,
    ISOLATED_GAP,
    LEAST_ISOLATED_WIDTH,
    LEAST_ROW_GAP,
    MARGIN,
    MOST_FOLDED_GAP,
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
    labels: dict[Hashable, str]

    def frame(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of all boxes and bends, with a margin."""
        boxes = [(x, y, *self.sizes[node]) for node, (x, y) in self.positions.items()]
        boxes += [(x, y, 0.0, 0.0) for x, y in self.bends.values()]
        boxes = boxes or [(0.0, 0.0, 0.0, 0.0)]
        return (
            min(x - width / 2 for x, _, width, _ in boxes) - MARGIN,
            max(x + width / 2 for x, _, width, _ in boxes) + MARGIN,
            min(y - height / 2 for _, y, _, height in boxes) - MARGIN,
            max(y + height / 2 for _, y, _, height in boxes) + MARGIN,
        )

    def width(self) -> float:
        """Width of the frame."""
        left, right, _, _ = self.frame()
        return right - left


def place_graph(dag: nx.DiGraph, width: float = math.inf, styles: Mapping[Any, Any] | None = None) -> Placement:
    """Place a graph in rows, the first on top, ordered so that arcs are short and cross little.

    Nodes without arcs stand in rows of their own at the end. Where that is wider than `width`, long names are broken
    into lines; where it still is, rows are folded, and arcs that leave a node in the same style run as one line.

    Examples
    --------
    >>> placement = place_graph(nx.DiGraph([("rain", "wet"), ("sprinkler", "wet")]))
    >>> placement.positions["rain"][1] > placement.positions["wet"][1]
    True
    >>> star = nx.DiGraph([("centre", f"leaf number {i}") for i in range(50)])
    >>> place_graph(star).width() > 2_000.0
    True
    >>> round(place_graph(star, 600.0).width()) <= 600
    True
    """
    linked = nx.DiGraph()
    linked.add_nodes_from(node for node in dag if dag.degree(node) > 0)
    linked.add_edges_from(dag.edges)
    layers = make_layers(linked)
    layers = layers._replace(rows=order_rows(layers))
    labels = {node: str(node) for node in dag}
    wrapped = {node: wrap_label(label) for node, label in labels.items()}
    for shown in [labels, wrapped] if wrapped != labels else [labels]:
        sizes = box_sizes(dag, shown)
        across = place_vertices(layers, _vertex_widths(layers, [sizes[node][0] for node in linked]))
        placement = _placement(dag, linked, layers, across, sizes, shown, width)
        if placement.width() <= width:
            return placement
    return _folded(dag, linked, wrapped, width, styles or dict.fromkeys(linked.edges))


def _folded(
    dag: nx.DiGraph, linked: nx.DiGraph, labels: dict[Hashable, str], width: float, styles: Mapping[Any, Any]
) -> Placement:
    """Placement with no row wider than the width, unless a single node with the arcs beside it is."""
    width -= 2 * MARGIN
    sizes = box_sizes(nx.create_empty_copy(dag), labels)
    sizes = {node: (max(wide, width_for(len(dag.pred[node]))), high) for node, (wide, high) in sizes.items()}
    number = fold_rows(linked, {node: sizes[node][0] for node in linked}, width)
    layers = make_layers(linked, number, styles)
    layers = layers._replace(rows=order_rows(layers))
    for i, node in enumerate(linked):
        sizes[node] = (max(sizes[node][0], width_for(len(layers.down[i]))), sizes[node][1])
    across = place_within(layers, _vertex_widths(layers, [sizes[node][0] for node in linked]), width)
    return _placement(dag, linked, layers, across, sizes, labels, width, MOST_FOLDED_GAP)


def _vertex_widths(layers: Layers, widths: list[float]) -> list[float]:
    """Widths of the nodes, and of the bends after them."""
    return widths + [BEND_WIDTH] * (len(layers.up) - len(widths))


def _placement(
    dag: nx.DiGraph, linked: nx.DiGraph, layers: Layers, across: list[float], sizes: dict[Hashable, Point],
    labels: dict[Hashable, str], width: float, most_gap: float = MOST_ROW_GAP,
) -> Placement:  # fmt: skip
    """Placement of nodes and bends that have their places along the rows, and of the nodes without arcs."""
    nodes = list(linked)
    height = max((height for _, height in sizes.values()), default=0.0)
    down = [0.0] * len(across)
    y = 0.0
    for row in layers.rows:
        for vertex in row:
            down[vertex] = y
        far = max((abs(across[v] - across[n]) for v in row for n in layers.down[v]), default=0.0)
        y -= height + min(max(LEAST_ROW_GAP, ROW_GAP_SLOPE * far), most_gap)
    positions = {node: (across[i], down[i]) for i, node in enumerate(nodes)}
    bends = {
        (nodes[a], nodes[b], i): (across[bend], down[bend])
        for (a, b), chain in layers.bends.items()
        for i, bend in enumerate(chain)
    }
    isolated = {node: sizes[node] for node in dag if dag.degree(node) == 0}
    positions.update(_isolated_rows(isolated, across, y, height, width))
    return Placement({node: positions[node] for node in dag}, bends, sizes, height, labels)


def _isolated_rows(
    sizes: dict[Hashable, Point], across: list[float], y: float, height: float, width: float
) -> dict[Hashable, Point]:
    """Nodes without arcs, in rows about as wide as the rest of the drawing."""
    left, right = min(across, default=0.0), max(across, default=0.0)
    most = min(max(right - left, LEAST_ISOLATED_WIDTH), width - 2 * MARGIN)
    rows: list[list[Hashable]] = []
    used = 0.0
    for node, (wide, _) in sizes.items():
        if not rows or used + wide > most:
            rows.append([])
            used = 0.0
        rows[-1].append(node)
        used += wide + NODE_GAP
    positions = {}
    for i, row in enumerate(rows):
        x = (left + right - sum(sizes[node][0] + NODE_GAP for node in row) + NODE_GAP) / 2
        for node in row:
            positions[node] = (x + sizes[node][0] / 2, y - i * (height + ISOLATED_GAP))
            x += sizes[node][0] + NODE_GAP
    return positions
