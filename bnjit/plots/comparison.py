"""Draw two graphs in one: edges that a learned graph has right, misses, adds or reverses."""

from typing import TYPE_CHECKING, Any

import networkx as nx
from matplotlib.lines import Line2D

from bnjit.graph.compare import edges_of_both
from bnjit.plots.dag import as_acyclic
from bnjit.plots.pictures import ArcStyle, Picture, draw_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours that colour-blind readers tell apart (Okabe and Ito), and lines that differ in print.
EDGE_STYLES = {
    "right": ArcStyle(colour="#222222", line="-", width=1.0),
    "missing": ArcStyle(colour="#0072B2", line=(0, (4.0, 2.0)), width=1.4),
    "extra": ArcStyle(colour="#D55E00", line=(0, (1.0, 1.4)), width=1.8),
    "reversed": ArcStyle(colour="#CC79A7", line=(0, (6.0, 1.5, 1.2, 1.5)), width=1.6),
}


def draw_comparison(
    learned: Any,
    true: Any,
    ax: "Axes | None" = None,
    *,
    classes: bool = True,
    legend: bool = True,
    font_size: float = 9.0,
) -> "Axes":
    """Draw a learned graph and the true one in one drawing.

    Parameters
    ----------
    learned, true : networkx.DiGraph, list of arcs, model string, Result or Network
        As in `bnjit.compare`.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure of fitting size.
    classes : bool
        Whether to compare equivalence classes, in which edges may have no direction, or the graphs as they are.
    legend : bool
        Whether to explain the lines, with their numbers. Missing and reversed edges are as in the true graph.
    font_size : float
        Of the labels, in points; labels are smaller in Axes that have too little room.

    Returns
    -------
    matplotlib Axes
    """
    first, second, found = edges_of_both(learned, true, classes)
    both = nx.DiGraph()
    both.add_nodes_from(second)
    state = {}
    for name, edges in found.items():
        source = first if name == "extra" else second
        for a, b in edges:
            both.add_edges_from([(a, b), (b, a)] if source.has_edge(b, a) else [(a, b)])
            state[a, b] = state[b, a] = name
    graph = _without_cycles(both)
    styles = {}
    for a, b in graph.edges:
        heads = "-" if both.has_edge(a, b) and both.has_edge(b, a) else "-|>" if both.has_edge(a, b) else "<|-"
        styles[a, b] = EDGE_STYLES[state[a, b]]._replace(heads=heads)
    arc_legend = [
        Line2D([], [], color=style.colour, linestyle=style.line, linewidth=style.width, label=f"{name} ({len(edges)})")
        for (name, style), edges in zip(EDGE_STYLES.items(), found.values(), strict=True)
    ]
    return draw_picture(Picture(both, graph, styles, arc_legend), ax, None, legend=legend, font_size=font_size)


def _without_cycles(both: nx.DiGraph) -> nx.DiGraph:
    """Return a DAG to lay out: of the two graphs' arcs, those that would close a cycle are reversed."""
    graph = nx.create_empty_copy(both)
    for a, b in both.edges:
        if not both.has_edge(b, a):
            graph.add_edge(*((b, a) if nx.has_path(graph, b, a) else (a, b)))
    graph.add_edges_from((a, b) for a, b in both.edges if both.has_edge(b, a))
    return as_acyclic(graph)
