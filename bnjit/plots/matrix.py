"""A compact picture of a large graph: the matrix of its arcs, in groups of nodes that are closely linked."""

from collections.abc import Hashable
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from bnjit.plots.neighbourhood import Neighbourhood
from bnjit.plots.pictures import (
    COLOURS,
    MakeFigure,
    add_legend,
    class_legend,
    legend_lines,
    new_figure,
    node_class,
    room_of,
)
from bnjit.plots.routes import spread
from bnjit.plots.tuning import (
    LINE_HEIGHT,
    MARGIN,
    MATRIX_NAME_LETTERS,
    MATRIX_NAMES_WIDTH,
    MATRIX_SIDE,
    MOST_NODES,
    PAGE_WIDTH,
    SMALLEST_FONT,
    STRIPE,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Groups(NamedTuple):
    """Nodes in the order of the matrix, and the sizes of the groups that they come in."""

    order: list[Hashable]
    sizes: list[int]


def group_nodes(dag: nx.DiGraph) -> Groups:
    """Groups of closely linked nodes, those with the earliest parents first; nodes without arcs come last.

    Examples
    --------
    >>> group_nodes(nx.DiGraph([("d", "e"), ("e", "f"), ("d", "f"), ("a", "b")]))
    Groups(order=['d', 'e', 'f', 'a', 'b'], sizes=[3, 2])
    """
    nodes = list(dag)
    index = {node: i for i, node in enumerate(nodes)}
    arcs = [(index[a], index[b]) for a, b in dag.edges]
    links = nx.Graph(arcs)  # of numbers, so that names, which hash differently each time, do not change the order
    found = nx.community.louvain_communities(links, seed=1) if arcs else []
    rank = _ranks(len(nodes), arcs)
    groups = sorted((sorted(group, key=rank.__getitem__) for group in found),
                    key=lambda group: sum(rank[i] for i in group) / len(group))  # fmt: skip
    alone = [i for i in range(len(nodes)) if i not in links]
    order = [i for group in [*groups, alone] for i in group]
    return Groups([nodes[i] for i in order], [len(group) for group in [*groups, alone] if group])


def _ranks(n: int, arcs: list[tuple[int, int]]) -> list[int]:
    """Place of each node in an order with parents before children, as far as arcs have a direction."""
    both = set(arcs)
    directed = nx.DiGraph()
    directed.add_nodes_from(range(n))
    directed.add_edges_from((a, b) for a, b in arcs if (b, a) not in both)
    rank = [0] * n
    for place, node in enumerate(nx.lexicographical_topological_sort(directed)):
        rank[node] = place
    return rank


def draw_matrix(
    dag: nx.DiGraph, part: Neighbourhood, ax: "Axes | None", make_figure: MakeFigure | None, *, legend: bool,
    font_size: float,
) -> "Axes":  # fmt: skip
    """Draw the matrix of a graph's arcs: parents are rows, children columns, in the same order."""
    graph, groups = part.graph, group_nodes(part.graph)
    classes = [node_class(dag, node) for node in groups.order]
    handles = class_legend(set(classes)) if legend else []
    line, caption = LINE_HEIGHT * font_size, _caption(graph, part)

    def measure(width: float) -> tuple[str, float, float]:
        """Text above a matrix, and the heights above and below."""
        lines = wrap(caption, max(int(width / (0.58 * font_size)), 20))
        return "\n".join(lines), line * (len(lines) + 0.5), line * legend_lines(handles, width / font_size)

    if ax is None:
        width = 72.0 * PAGE_WIDTH
        text, above, below = measure(width)
        height = MATRIX_SIDE + above + below
        ax = (make_figure or new_figure())(figsize=(width / 72.0, height / 72.0)).add_axes((0.0, 0.0, 1.0, 1.0))
    else:
        width, height = room_of(ax)
        text, above, below = measure(width)
    beside = MATRIX_NAMES_WIDTH * font_size if width > 2 * MATRIX_NAMES_WIDTH * font_size else 0.0
    side = max(min(height - above - below - MARGIN, width - beside - STRIPE - MARGIN), 1.0)
    left, top = (width - beside - side + STRIPE) / 2, height - above
    ax.set_xlim(0.0, width)
    ax.set_ylim(0.0, height)
    ax.set_axis_off()
    _draw_cells(ax, graph, groups, classes, (left, top), side)
    if beside:
        _draw_names(ax, graph, groups, (left + side, top), side, font_size)
    ax.text(0.5 * width, height - 0.25 * line, text, ha="center", va="top", fontsize=font_size, parse_math=False,
            gid="caption")  # fmt: skip
    add_legend(ax, handles, width / font_size, font_size)
    return ax


def _draw_cells(
    ax: "Axes", graph: nx.DiGraph, groups: Groups, classes: list[str], corner: tuple[float, float], side: float
) -> None:
    """Groups as shaded squares, arcs as dots, and the classes of the nodes as a stripe at the left."""
    (left, top), cell = corner, side / max(len(graph), 1)
    ax.add_patch(Rectangle((left, top - side), side, side, facecolor="white", edgecolor="#999999", linewidth=0.8))
    first = 0
    for size in groups.sizes:
        place = (left + first * cell, top - (first + size) * cell)
        ax.add_patch(
            Rectangle(place, size * cell, size * cell, facecolor="#E3EDF7", edgecolor="#A9BDD0", linewidth=0.5)
        )
        first += size
    group = np.repeat(np.arange(len(groups.sizes)), groups.sizes)
    index = {node: i for i, node in enumerate(groups.order)}
    arcs = np.array([(index[a], index[b]) for a, b in graph.edges], dtype=np.int64).reshape(-1, 2)
    colours = np.where(group[arcs[:, 0]] == group[arcs[:, 1]], "#1F4E79", "#D55E00")
    dot = min(max(0.8 * cell, 1.6), 9.0)
    ax.scatter(left + (arcs[:, 1] + 0.5) * cell, top - (arcs[:, 0] + 0.5) * cell, s=dot**2, c=colours, marker="s",
               linewidths=0.0, rasterized=True, zorder=3)  # fmt: skip
    if set(classes) - {"other"}:
        shades = np.array([to_rgb(COLOURS[name]) for name in classes])
        ax.imshow(shades[:, None], extent=(left - STRIPE, left - 1.5, top - side, top), aspect="auto",
                  interpolation="none")  # fmt: skip


def _draw_names(
    ax: "Axes", graph: nx.DiGraph, groups: Groups, corner: tuple[float, float], side: float, font_size: float
) -> None:
    """Names of the most linked nodes beside their rows, as many as have room."""
    size = min(font_size, SMALLEST_FONT + 0.5)
    gap = 1.35 * size
    named = set(sorted(graph, key=lambda node: -graph.degree(node))[: int(side / gap)])
    shown = [(i, node) for i, node in enumerate(groups.order) if node in named and graph.degree(node)]
    right, middle = corner[0], corner[1] - side / 2
    rows = [side * (0.5 - (i + 0.5) / len(graph)) for i, _ in shown]
    places = spread(rows[::-1], gap, (side - gap) / 2)[::-1]
    for (_, node), row, place in zip(shown, rows, places, strict=True):
        heights = [middle + row, middle + row, middle + place, middle + place]
        ax.plot(right + np.array([1.0, 4.0, 14.0, 17.0]), heights, color="#AAAAAA", linewidth=0.5)
        ax.text(right + 19.0, middle + place, _name(graph, node), ha="left", va="center_baseline", fontsize=size,
                parse_math=False)  # fmt: skip


def _name(graph: nx.DiGraph, node: Hashable) -> str:
    """A name on one line, shortened so that the numbers after it have room."""
    name, parents, children = " ".join(str(node).split()), len(graph.pred[node]), len(graph.succ[node])
    if len(name) > MATRIX_NAME_LETTERS:
        name = f"{name[: MATRIX_NAME_LETTERS - 6]}…{name[-5:]}"
    return f"{name}: {parents} parent{'s' * (parents != 1)}, {children} child{'ren' * (children != 1)}"


def _caption(graph: nx.DiGraph, part: Neighbourhood) -> str:
    """What the picture shows, and how to see a part of it."""
    what = f"{part.caption}. " if part.caption else ""
    hubs = [node for node in graph if node not in part.centres and 0 < graph.degree(node) < MOST_NODES]
    hint = ""
    if hubs:
        hub: Any = max(hubs, key=graph.degree)
        hint = f" Draw a part with plot(around={hub!r}, distance=1)."
    return (
        f"{what}Compact picture of {len(graph):,} nodes and {graph.number_of_edges():,} arcs: a dot in the row of a "
        "parent and the column of its child, blue within a group of closely linked nodes, orange between groups. The "
        f"most linked nodes are named.{hint}"
    )
