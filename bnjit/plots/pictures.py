"""Layered pictures of graphs: boxes, arcs, a legend and a caption, on Axes or on a figure that fits a notebook."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import networkx as nx
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Patch

from bnjit.plots.labels import WideBox
from bnjit.plots.placement import Placement, place_graph
from bnjit.plots.routes import Connection, Route, route_arcs
from bnjit.plots.tuning import FONT_SIZE, LINE_HEIGHT, LINE_SPACING, PAGE_WIDTH, SMALLEST_FONT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"multinomial": "#F0E442", "Gaussian": "#7CC4EE", "conditional Gaussian": "#6CCB9F", "other": "#DDDDDD"}
BORDER, CENTRE_BORDER = "#444444", "#D55E00"

MakeFigure = Callable[..., Figure]


class ArcStyle(NamedTuple):
    """How an arc is drawn: its heads as matplotlib writes them, colour, line, and width in points."""

    heads: str = "-|>"
    colour: str = "#555555"
    line: Any = "-"
    width: float = 0.9


class Picture(NamedTuple):
    """What is drawn: the graph as given, as it is laid out (or a part of it), and the style of its arcs.

    arc_legend : handles that explain the arcs in the legend
    centres : nodes with a border that stands out
    caption : a line above the drawing
    """

    dag: nx.DiGraph
    graph: nx.DiGraph
    styles: Mapping[Any, ArcStyle]
    arc_legend: Sequence[Any] = ()
    centres: Collection[Hashable] = ()
    caption: str = ""


def node_class(dag: nx.DiGraph, node: Hashable) -> str:
    """What distribution a node has, by its kind and the kinds of its parents."""
    kind = dag.nodes[node].get("kind")
    if kind is None:
        return "other"
    if kind == "discrete":
        return "multinomial"
    mixed = any(dag.nodes[parent].get("kind") == "discrete" for parent in dag.pred[node])
    return "conditional Gaussian" if mixed else "Gaussian"


def class_legend(classes: Collection[str]) -> list[Patch]:
    """Handles that explain the colours of the classes that are there."""
    used = [name for name in COLOURS if name in classes and name != "other"]
    return [Patch(facecolor=COLOURS[name], edgecolor=BORDER, label=name) for name in used]


def new_figure() -> MakeFigure:
    """How to make figures that pyplot shows and manages."""
    import matplotlib.pyplot as plt

    return plt.figure


def room_of(ax: "Axes") -> tuple[float, float]:
    """Width and height of Axes in points."""
    width, height = ax.bbox.size
    points = 72.0 / ax.figure.dpi
    return width * points, height * points


def draw_picture(
    picture: Picture, ax: "Axes | None", make_figure: MakeFigure | None, *, legend: bool, font_size: float
) -> "Axes":
    """Draw on given Axes, or on a new figure of fitting size that is no wider than a notebook."""
    classes = {node: node_class(picture.dag, node) for node in picture.graph}
    handles = [*class_legend(set(classes.values())), *picture.arc_legend] if legend else []
    line = LINE_HEIGHT * font_size
    above = 1.3 * line if picture.caption else 0.0
    smallest = min(SMALLEST_FONT, font_size) / FONT_SIZE
    if ax is None:
        placement = place_graph(picture.graph, 72.0 * PAGE_WIDTH / smallest, picture.styles)
        left, right, bottom, top = placement.frame()
        scale = min(font_size / FONT_SIZE, 72.0 * PAGE_WIDTH / (right - left))
        width = min(max(288.0, scale * (right - left), 0.55 * font_size * len(picture.caption)), 72.0 * PAGE_WIDTH)
        below = line * legend_lines(handles, width / font_size)
        height = max(150.0, scale * (top - bottom) + above + below)
        figure = (make_figure or new_figure())(figsize=(width / 72.0, height / 72.0))
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    else:
        width, height = room_of(ax)
        below = line * legend_lines(handles, width / font_size)
        placement, scale = _fitted(picture, (width, height - above - below), font_size, smallest)
        left, right, bottom, top = placement.frame()
    unit = (top - bottom) / max(height - above - below, 1.0)  # of the drawing, in a point of the Axes
    ax.set_xlim(left, right)
    ax.set_ylim(bottom - below * unit, top + above * unit)
    ax.set_axis_off()
    _draw(picture, placement, classes, ax, scale)
    if picture.caption:
        ax.text(0.5, 1.0 - 0.5 * above / height, picture.caption, transform=ax.transAxes, ha="center", va="center",
                fontsize=font_size, parse_math=False, gid="caption")  # fmt: skip
    add_legend(ax, handles, width / font_size, font_size)
    return ax


def _fitted(picture: Picture, room: tuple[float, float], font_size: float, smallest: float) -> tuple[Placement, float]:
    """Placement for Axes with so many points of room, and its scale: folded where that has larger letters."""

    def scale(placement: Placement) -> float:
        left, right, bottom, top = placement.frame()
        return min(font_size / FONT_SIZE, room[0] / (right - left), max(room[1], 1.0) / (top - bottom))

    placement = place_graph(picture.graph, room[0] / smallest, picture.styles)
    if scale(placement) < smallest:
        placement = max(placement, place_graph(picture.graph), key=scale)
    return placement, scale(placement)


def _draw(picture: Picture, placement: Placement, classes: Mapping[Hashable, str], ax: "Axes", scale: float) -> None:
    """Draw boxes and arcs."""
    for node, (x, y) in placement.positions.items():
        centre = node in picture.centres
        box = {
            "boxstyle": WideBox(placement.sizes[node][0]),
            "facecolor": COLOURS[classes[node]],
            "edgecolor": CENTRE_BORDER if centre else BORDER,
            "linewidth": (2.4 if centre else 0.8) * scale,
        }
        ax.text(
            x, y, placement.labels[node], ha="center", va="center", fontsize=FONT_SIZE * scale,
            linespacing=LINE_SPACING, bbox=box, zorder=3, parse_math=False,
        )  # fmt: skip
    for arc, route in route_arcs(picture.graph, placement).items():
        _draw_arc(ax, route, scale, picture.styles[arc])


def _draw_arc(ax: "Axes", route: Route, scale: float, style: ArcStyle) -> None:
    """Draw an arc along its route."""
    arrow = FancyArrowPatch(
        route.places[0], route.places[-1], arrowstyle=style.heads, mutation_scale=11 * scale,
        linewidth=style.width * scale, linestyle=style.line, color=style.colour,
        connectionstyle=cast(Any, Connection(route, ax, scale)), zorder=2,
    )  # fmt: skip
    arrow.set_in_layout(False)  # matplotlib would spend most of its time on finding the extents of arrows
    ax.add_artist(arrow)  # unlike add_patch, does not compute the extents: the limits are set


def legend_lines(handles: Sequence[Any], room: float) -> int:
    """Lines of a legend that has room for so many letters."""
    length = sum(_handle_length(handles) + 2.0 + 0.5 * len(handle.get_label()) for handle in handles)
    return min(len(handles), 1) if room > length else len(handles)


def _handle_length(handles: Sequence[Any]) -> float:
    return 1.2 if all(isinstance(handle, Patch) for handle in handles) else 2.6


def add_legend(ax: "Axes", handles: Sequence[Any], room: float, font_size: float) -> None:
    """Explain at the bottom of the Axes, in one row if the letters have room."""
    if handles:
        ax.legend(
            handles=handles,
            loc="lower center",
            bbox_to_anchor=(0.0, 0.0, 1.0, 1.0),
            borderaxespad=0.0,
            ncols=len(handles) if legend_lines(handles, room) == 1 else 1,
            columnspacing=1.2,
            handlelength=_handle_length(handles),
            frameon=False,
            fontsize=font_size,
        )
