"""Draw two graphs in one: what a learned graph has right, what it lacks, and what it has too much or turned."""

from typing import TYPE_CHECKING, Any

import networkx as nx
from matplotlib.lines import Line2D

from bnjit.graph.compare import edges_of_both
from bnjit.plots.dag import Look, Picture, draw_picture, ordered
from bnjit.plots.layout import layered_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours that colour-blind readers tell apart (Okabe and Ito), and lines that differ in print.
STATES = {
    "right": Look(colour="#222222", line="-", width=1.0),
    "missing": Look(colour="#0072B2", line=(0, (4.0, 2.0)), width=1.4),
    "extra": Look(colour="#D55E00", line=(0, (1.0, 1.4)), width=1.8),
    "reversed": Look(colour="#CC79A7", line=(0, (6.0, 1.5, 1.2, 1.5)), width=1.6),
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
    graph = _acyclic(both)
    looks = {}
    for a, b in graph.edges:
        heads = "-" if both.has_edge(a, b) and both.has_edge(b, a) else "-|>" if both.has_edge(a, b) else "<|-"
        looks[a, b] = STATES[state[a, b]]._replace(heads=heads)
    key = [
        Line2D([], [], color=look.colour, linestyle=look.line, linewidth=look.width, label=f"{name} ({len(edges)})")
        for (name, look), edges in zip(STATES.items(), found.values(), strict=True)
    ]
    return draw_picture(Picture(both, graph, layered_layout(graph), looks, key), ax, legend=legend, font_size=font_size)


def _acyclic(both: nx.DiGraph) -> nx.DiGraph:
    """Return a DAG to lay out: of the two graphs' arcs, those that would close a cycle are turned."""
    graph = nx.create_empty_copy(both)
    for a, b in both.edges:
        if not both.has_edge(b, a):
            graph.add_edge(*((b, a) if nx.has_path(graph, b, a) else (a, b)))
    graph.add_edges_from((a, b) for a, b in both.edges if both.has_edge(b, a))
    return ordered(graph)
