"""Draw a network like the paper's Figure 1: yellow multinomial, blue Gaussian, green conditional Gaussian nodes."""

import io
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import networkx as nx
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Patch

from bnjit._files import write_whole
from bnjit.plots.labels import WideBox, box_sizes
from bnjit.plots.placement import Placement, place_graph
from bnjit.plots.routes import Connection, Route, route_arcs
from bnjit.plots.tuning import FONT_SIZE, LEGEND_HEIGHT, MARGIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"multinomial": "#F0E442", "Gaussian": "#7CC4EE", "conditional Gaussian": "#6CCB9F", "other": "#DDDDDD"}


class ArcStyle(NamedTuple):
    """How an arc is drawn: its heads as matplotlib writes them, colour, line, and width in points."""

    heads: str = "-|>"
    colour: str = "#555555"
    line: Any = "-"
    width: float = 0.9


class Picture(NamedTuple):
    """What is drawn: the graph as given, as it is laid out, and the style of its arcs.

    arc_legend : handles that explain the arcs in the legend
    """

    dag: nx.DiGraph
    graph: nx.DiGraph
    placement: Placement
    styles: Mapping[Any, ArcStyle]
    arc_legend: Sequence[Any] = ()


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
    return draw_picture(_picture(dag), ax, legend=legend, font_size=font_size)


def _picture(dag: nx.DiGraph) -> Picture:
    """Arcs with a head, undirected edges without."""
    graph = as_acyclic(dag)
    styles = {(a, b): ArcStyle("-" if dag.has_edge(b, a) else "-|>") for a, b in graph.edges}
    return Picture(dag, graph, place_graph(graph), styles)


def draw_picture(picture: Picture, ax: "Axes | None", *, legend: bool, font_size: float) -> "Axes":
    """Draw on given Axes, or on a new figure of fitting size."""
    if ax is None:
        import matplotlib.pyplot as plt

        return _own_axes(picture, plt.figure, legend=legend, font_size=font_size)
    return _draw(picture, ax, np.array(ax.bbox.size) / ax.figure.dpi, legend=legend, font_size=font_size)


def _own_axes(picture: Picture, make_figure: Callable[..., Figure], *, legend: bool, font_size: float) -> "Axes":
    """Draw on a new figure of fitting size."""
    places: dict[Any, tuple[float, float]] = {**picture.placement.positions, **picture.placement.bends}
    width, height = (min(inches * font_size / FONT_SIZE, 40.0) for inches in figure_size(places, picture.dag))
    figure = make_figure(figsize=(width, height), layout="constrained")
    room = np.array([width, height - LEGEND_HEIGHT])  # what the Axes will have, though they do not yet
    return _draw(picture, figure.add_subplot(), room, legend=legend, font_size=font_size)


def _draw(picture: Picture, ax: "Axes", room: np.ndarray, *, legend: bool, font_size: float) -> "Axes":
    """Draw on Axes that have so many inches of room; where that is too little, everything gets smaller."""
    dag, placement = picture.dag, picture.placement
    left, right, bottom, top = _frame({**placement.positions, **placement.bends}, placement.sizes)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_axis_off()
    scale = min(font_size / FONT_SIZE, *(72.0 * room / (right - left, top - bottom)))
    classes = {node: node_class(dag, node) for node in dag}
    for node, (x, y) in placement.positions.items():
        box = {
            "boxstyle": WideBox(placement.sizes[node][0]),
            "facecolor": COLOURS[classes[node]],
            "edgecolor": "#444444",
            "linewidth": 0.8 * scale,
        }
        ax.text(
            x, y, str(node), ha="center", va="center", fontsize=FONT_SIZE * scale, bbox=box, zorder=3, parse_math=False
        )
    for arc, route in route_arcs(picture.graph, placement).items():
        _draw_arc(ax, route, scale, picture.styles[arc])
    if legend:
        used = [name for name in COLOURS if name in classes.values() and name != "other"]
        patches = [Patch(facecolor=COLOURS[name], edgecolor="#444444", label=name) for name in used]
        _add_legend(ax, [*patches, *picture.arc_legend], 72.0 * room[0] / font_size, font_size)
    return ax


def _add_legend(ax: "Axes", handles: Sequence[Any], room: float, font_size: float) -> None:
    """Explain below the drawing, in one row if the letters have room."""
    handle_length = 1.2 if all(isinstance(handle, Patch) for handle in handles) else 2.6
    length = sum(handle_length + 2.0 + 0.5 * len(handle.get_label()) for handle in handles)
    if handles:
        ax.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=len(handles) if room > length else 1,
            columnspacing=1.2,
            handlelength=handle_length,
            frameon=False,
            fontsize=font_size,
        )


def as_acyclic(dag: nx.DiGraph) -> nx.DiGraph:
    """Return a DAG to lay out: undirected edges go from the earlier node to the later, unless that makes a cycle."""
    graph = nx.create_empty_copy(dag, with_data=False)
    graph.add_edges_from((a, b) for a, b in dag.edges if not dag.has_edge(b, a))
    for a, b in dag.edges:
        if dag.has_edge(b, a) and not graph.has_edge(b, a):
            graph.add_edge(*((b, a) if nx.has_path(graph, b, a) else (a, b)))
    return graph


def _draw_arc(ax: "Axes", route: Route, scale: float, style: ArcStyle) -> None:
    """Draw an arc along its route."""
    arrow = FancyArrowPatch(
        route.places[0], route.places[-1], arrowstyle=style.heads, mutation_scale=11 * scale,
        linewidth=style.width * scale, linestyle=style.line, color=style.colour,
        connectionstyle=cast(Any, Connection(route, ax, scale)), zorder=2,
    )  # fmt: skip
    arrow.set_in_layout(False)  # matplotlib would spend most of its time on finding the extents of arrows
    ax.add_artist(arrow)  # unlike add_patch, does not compute the extents: the limits are set


def _figure(dag: nx.DiGraph) -> Figure:
    """A figure of its own, which no window manages."""
    ax = _own_axes(_picture(dag), Figure, legend=True, font_size=FONT_SIZE)
    return cast(Figure, ax.figure)


def save_dag(dag: nx.DiGraph, path: Any, dpi: float = 150.0) -> None:
    """Draw a DAG to a .png, .svg or .pdf file."""
    with write_whole(path) as part:
        _figure(dag).savefig(part, dpi=dpi, format=Path(path).suffix[1:].lower() or "png")


def figure_as_svg(dag: nx.DiGraph) -> str:
    """Draw a DAG as an SVG element, for HTML pages and notebooks."""
    buffer = io.StringIO()
    _figure(dag).savefig(buffer, format="svg")
    text = buffer.getvalue()
    return text[text.index("<svg") :]
