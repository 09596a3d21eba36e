"""Draw a network like the paper's Figure 1: yellow multinomial, blue Gaussian, green conditional Gaussian nodes."""

import io
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, cast

import networkx as nx
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Patch

from bnjit.plots.labels import FONT_SIZE, WideBox, box_sizes
from bnjit.plots.layout import Layout, layered_layout
from bnjit.plots.routes import Connection, Route, route_arcs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"multinomial": "#F0E442", "Gaussian": "#7CC4EE", "conditional Gaussian": "#6CCB9F", "other": "#DDDDDD"}
MARGIN = 8.0  # around the drawing, in points
LEGEND_HEIGHT = 0.45  # inches


def node_class(dag: nx.DiGraph, node: Hashable) -> str:
    """What distribution a node has, by its kind and the kinds of its parents."""
    kind = dag.nodes[node].get("kind")
    if kind is None:
        return "other"
    if kind == "discrete":
        return "multinomial"
    mixed = any(dag.nodes[parent].get("kind") == "discrete" for parent in dag.pred[node])
    return "conditional Gaussian" if mixed else "Gaussian"


def figure_size(positions: Mapping[Any, tuple[float, float]], dag: nx.DiGraph) -> tuple[float, float]:
    """Inches in which labels have room; positions are those of the nodes and of the bends of arcs."""
    left, right, bottom, top = _frame(positions, box_sizes(dag))
    width, height = (right - left) / 72.0, (top - bottom) / 72.0 + LEGEND_HEIGHT
    return min(max(4.0, width), 40.0), min(max(2.5, height), 40.0)


def _frame(
    positions: Mapping[Any, tuple[float, float]], sizes: Mapping[Any, tuple[float, float]]
) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of all boxes and bends, with a margin."""
    boxes = [(x, y, *sizes.get(key, (0.0, 0.0))) for key, (x, y) in positions.items()] or [(0.0, 0.0, 0.0, 0.0)]
    return (
        min(x - width / 2 for x, _, width, _ in boxes) - MARGIN,
        max(x + width / 2 for x, _, width, _ in boxes) + MARGIN,
        min(y - height / 2 for _, y, _, height in boxes) - MARGIN,
        max(y + height / 2 for _, y, _, height in boxes) + MARGIN,
    )


def draw_dag(dag: nx.DiGraph, ax: "Axes | None" = None, *, legend: bool = True, font_size: float = 9.0) -> "Axes":
    """Draw a DAG in layers, parents above children.

    Parameters
    ----------
    dag : networkx.DiGraph
        Nodes with the attribute "kind" are coloured by their distribution; undirected edges (both directions present)
        are drawn without heads.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure of fitting size.
    legend : bool
        Whether to explain the colours.
    font_size : float
        Of the labels, in points; labels are smaller in Axes that have too little room.

    Returns
    -------
    matplotlib Axes
    """
    graph = _ordered(dag)
    layout = layered_layout(graph)
    if ax is None:
        import matplotlib.pyplot as plt

        return _own_axes(dag, graph, layout, plt.figure, legend=legend, font_size=font_size)
    return _draw(dag, graph, layout, ax, np.array(ax.bbox.size) / ax.figure.dpi, legend=legend, font_size=font_size)


def _own_axes(
    dag: nx.DiGraph,
    graph: nx.DiGraph,
    layout: Layout,
    make_figure: Callable[..., Figure],
    *,
    legend: bool,
    font_size: float,
) -> "Axes":
    """Draw on a new figure of fitting size."""
    width, height = (
        min(inches * font_size / FONT_SIZE, 40.0) for inches in figure_size({**layout.positions, **layout.bends}, dag)
    )
    figure = make_figure(figsize=(width, height), layout="constrained")
    room = np.array([width, height - LEGEND_HEIGHT])  # what the Axes will have, though they do not yet
    return _draw(dag, graph, layout, figure.add_subplot(), room, legend=legend, font_size=font_size)


def _draw(
    dag: nx.DiGraph, graph: nx.DiGraph, layout: Layout, ax: "Axes", room: np.ndarray, *, legend: bool, font_size: float
) -> "Axes":
    """Draw on Axes that have so many inches of room; where that is too little, everything gets smaller."""
    left, right, bottom, top = _frame({**layout.positions, **layout.bends}, layout.sizes)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_axis_off()
    scale = min(font_size / FONT_SIZE, *(72.0 * room / (right - left, top - bottom)))
    classes = {node: node_class(dag, node) for node in dag}
    for node, (x, y) in layout.positions.items():
        box = {
            "boxstyle": WideBox(layout.sizes[node][0]),
            "facecolor": COLOURS[classes[node]],
            "edgecolor": "#444444",
            "linewidth": 0.8 * scale,
        }
        ax.text(
            x, y, str(node), ha="center", va="center", fontsize=FONT_SIZE * scale, bbox=box, zorder=3, parse_math=False
        )
    for (a, b), route in route_arcs(graph, layout).items():
        _draw_arc(ax, route, scale, "-" if dag.has_edge(b, a) else "-|>")
    used = [name for name in COLOURS if name in classes.values() and name != "other"]
    if legend and used:
        patches = [Patch(facecolor=COLOURS[name], edgecolor="#444444", label=name) for name in used]
        ax.legend(
            handles=patches,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=len(used) if 72.0 * room[0] > 29.0 * font_size else 1,
            columnspacing=1.2,
            handlelength=1.2,
            frameon=False,
            fontsize=font_size,
        )
    return ax


def _ordered(dag: nx.DiGraph) -> nx.DiGraph:
    """Return a DAG to lay out: undirected edges go from the earlier node to the later, unless that makes a cycle."""
    graph = nx.create_empty_copy(dag, with_data=False)
    graph.add_edges_from((a, b) for a, b in dag.edges if not dag.has_edge(b, a))
    for a, b in dag.edges:
        if dag.has_edge(b, a) and not graph.has_edge(b, a):
            graph.add_edge(*((b, a) if nx.has_path(graph, b, a) else (a, b)))
    return graph


def _draw_arc(ax: "Axes", route: Route, scale: float, style: str) -> None:
    """Draw an arc along its route."""
    arrow = FancyArrowPatch(
        route.places[0], route.places[-1], arrowstyle=style, mutation_scale=11 * scale, linewidth=0.9 * scale,
        color="#555555", connectionstyle=cast(Any, Connection(route, ax, scale)), zorder=2,
    )  # fmt: skip
    arrow.set_in_layout(False)  # finding the extents of arrows again and again is most of the time of a layout
    ax.add_artist(arrow)  # unlike add_patch, does not look at the extents: the limits are set


def _figure(dag: nx.DiGraph) -> Figure:
    """A figure of its own, which no window manages."""
    graph = _ordered(dag)
    ax = _own_axes(dag, graph, layered_layout(graph), Figure, legend=True, font_size=FONT_SIZE)
    return cast(Figure, ax.figure)


def save_dag(dag: nx.DiGraph, path: Any, dpi: float = 150.0) -> None:
    """Draw a DAG to a .png, .svg or .pdf file."""
    _figure(dag).savefig(path, dpi=dpi)


def figure_as_svg(dag: nx.DiGraph) -> str:
    """Draw a DAG as an SVG element, for HTML pages and notebooks."""
    buffer = io.StringIO()
    _figure(dag).savefig(buffer, format="svg")
    text = buffer.getvalue()
    return text[text.index("<svg") :]
