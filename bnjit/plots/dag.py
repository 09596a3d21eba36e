"""Draw a network like the paper's Figure 1: yellow multinomial, blue Gaussian, green conditional Gaussian nodes."""

import io
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import networkx as nx
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Patch

from bnjit.plots.layout import layered_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"multinomial": "#F0E442", "Gaussian": "#7CC4EE", "conditional Gaussian": "#6CCB9F", "other": "#DDDDDD"}


def node_class(dag: nx.DiGraph, node: Hashable) -> str:
    """What distribution a node has, by its kind and the kinds of its parents."""
    kind = dag.nodes[node].get("kind")
    if kind is None:
        return "other"
    if kind == "discrete":
        return "multinomial"
    mixed = any(dag.nodes[parent].get("kind") == "discrete" for parent in dag.pred[node])
    return "conditional Gaussian" if mixed else "Gaussian"


def figure_size(positions: dict[Hashable, tuple[float, float]], dag: nx.DiGraph) -> tuple[float, float]:
    """Inches in which labels have room: by the widest row, the longest label and the number of rows."""
    across = [x for x, _ in positions.values()] or [0.0]
    rows = len({y for _, y in positions.values()}) or 1
    longest = max((len(str(node)) for node in dag), default=1)
    width = (max(across) - min(across) + 1.2) * (0.55 + 0.085 * longest)
    return min(max(4.0, width), 40.0), min(max(2.5, 0.95 * rows + 0.6), 40.0)


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
        Of the labels, in points.

    Returns
    -------
    matplotlib Axes
    """
    positions = layered_layout(_ordered(dag))
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=figure_size(positions, dag), layout="constrained")
    classes = {node: node_class(dag, node) for node in dag}
    labels = {}
    for node, (x, y) in positions.items():
        box = {
            "boxstyle": "round,pad=0.35",
            "facecolor": COLOURS[classes[node]],
            "edgecolor": "#444444",
            "linewidth": 0.8,
        }
        labels[node] = ax.text(
            x, y, str(node), ha="center", va="center", fontsize=font_size, bbox=box, zorder=3, parse_math=False
        )
    across = [x for x, _ in positions.values()] or [0.0]
    down = [y for _, y in positions.values()] or [0.0]
    ax.set_xlim(min(across) - 0.6, max(across) + 0.6)
    ax.set_ylim(min(down) - 0.5, max(down) + 0.5)
    ax.set_axis_off()
    for a, b in dag.edges:
        both = dag.has_edge(b, a)
        if not both or _before(dag, a, b):
            _draw_arc(ax, positions, labels, a, b, "-" if both else "-|>")
    used = [name for name in COLOURS if name in classes.values() and name != "other"]
    if legend and used:
        patches = [Patch(facecolor=COLOURS[name], edgecolor="#444444", label=name) for name in used]
        ax.legend(
            handles=patches,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=len(used) if ax.bbox.width > 4.2 * ax.figure.dpi else 1,
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
            graph.add_edge(a, b)
            if not nx.is_directed_acyclic_graph(graph):
                graph.remove_edge(a, b)
                graph.add_edge(b, a)
    return graph


def _before(dag: nx.DiGraph, a: Hashable, b: Hashable) -> bool:
    order = list(dag)
    return order.index(a) < order.index(b)


def _draw_arc(
    ax: "Axes", positions: dict[Hashable, Any], labels: dict[Hashable, Any], a: Hashable, b: Hashable, style: str
) -> None:
    """Draw an arc; one that spans several rows bends, so that it does not run through the nodes between."""
    rows = abs(positions[a][1] - positions[b][1])
    bend = 0.0 if rows == 1 else 0.12 if positions[a][0] <= positions[b][0] else -0.12
    arrow = FancyArrowPatch(
        positions[a], positions[b], arrowstyle=style, mutation_scale=11, linewidth=0.9, color="#555555",
        connectionstyle=f"arc3,rad={bend}", patchA=labels[a].get_bbox_patch(), patchB=labels[b].get_bbox_patch(),
        zorder=2,
    )  # fmt: skip
    arrow.set_in_layout(False)  # clipping arrows to their nodes again and again is most of the time of a layout
    ax.add_patch(arrow)


def _figure(dag: nx.DiGraph) -> Figure:
    """A figure of its own, which no window manages."""
    figure = Figure(figsize=figure_size(layered_layout(_ordered(dag)), dag), layout="constrained")
    draw_dag(dag, figure.add_subplot())
    return figure


def save_dag(dag: nx.DiGraph, path: Any, dpi: float = 150.0) -> None:
    """Draw a DAG to a .png, .svg or .pdf file."""
    _figure(dag).savefig(path, dpi=dpi)


def figure_as_svg(dag: nx.DiGraph) -> str:
    """Draw a DAG as an SVG element, for HTML pages and notebooks."""
    buffer = io.StringIO()
    _figure(dag).savefig(buffer, format="svg")
    text = buffer.getvalue()
    return text[text.index("<svg") :]
