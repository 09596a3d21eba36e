"""Draw a network like the paper's Figure 1: yellow multinomial, blue Gaussian, green conditional Gaussian nodes."""

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import networkx as nx
from matplotlib.figure import Figure

from bnjit._files import write_whole
from bnjit.errors import ArgumentError
from bnjit.plots.matrix import draw_matrix
from bnjit.plots.neighbourhood import Neighbourhood, find_neighbourhood
from bnjit.plots.pictures import COLOURS, ArcStyle, MakeFigure, Picture, draw_picture, node_class
from bnjit.plots.tuning import FONT_SIZE, MOST_ARCS, MOST_NODES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "draw_dag", "figure_as_svg", "node_class", "save_dag"]


def draw_dag(
    dag: nx.DiGraph,
    ax: "Axes | None" = None,
    *,
    around: Any = None,
    distance: int = 1,
    compact: bool | None = None,
    legend: bool = True,
    font_size: float = FONT_SIZE,
) -> "Axes":
    """Draw a DAG in layers, parents above children, or a part of it.

    A drawing is no wider than a notebook. Where layers as they are would be too wide, long names are broken into
    lines, wide layers are folded onto several rows, and arcs from the same node run as one line where they can.

    Parameters
    ----------
    dag : networkx.DiGraph
        Nodes with the attribute "kind" are coloured by their distribution; undirected edges (both directions present)
        are drawn without heads.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure of fitting size.
    around : node or list of nodes, optional
        Draw only these nodes, which stand out, and those within `distance` arcs of them in either direction.
    distance : int
        Arcs to follow from the nodes of `around`; 0 for these nodes alone.
    compact : bool, optional
        Whether to draw the matrix of arcs, a dot for each, with the most linked nodes named, in place of boxes and
        arrows. By default this is done for more than 150 nodes or 400 arcs.
    legend : bool
        Whether to explain the colours.
    font_size : float
        Of the labels, in points; labels are smaller where there is too little room.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> chain = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d")])
    >>> ax = draw_dag(chain, around="b")
    >>> [text.get_text() for text in ax.texts]
    ['a', 'b', 'c', 'b and 2 nodes within 1 arc of it, of 4 nodes in all']
    >>> plt.close(ax.figure)
    """
    return _draw(dag, ax, None, around, distance, compact, legend=legend, font_size=font_size)


def _draw(
    dag: nx.DiGraph, ax: "Axes | None", make_figure: MakeFigure | None, around: Any = None, distance: int = 1,
    compact: bool | None = None, *, legend: bool = True, font_size: float = FONT_SIZE,
) -> "Axes":  # fmt: skip
    """Draw on given Axes or on a figure that is made; a compact picture of a large graph."""
    if around is not None:
        part = find_neighbourhood(dag, around, distance)
    elif distance != 1:
        raise ArgumentError(f"distance={distance!r} is counted from the nodes of around=, which is not given")
    else:
        part = Neighbourhood(dag, [], "")
    if compact is None:
        compact = len(part.graph) > MOST_NODES or part.graph.number_of_edges() > MOST_ARCS
    if compact:
        return draw_matrix(dag, part, ax, make_figure, legend=legend, font_size=font_size)
    return draw_picture(_picture(dag, part), ax, make_figure, legend=legend, font_size=font_size)


def _picture(dag: nx.DiGraph, part: Neighbourhood) -> Picture:
    """Arcs with a head, undirected edges without; those of the centres of a neighbourhood stand out."""
    graph = as_acyclic(part.graph)
    centres = set(part.centres)
    plain = ArcStyle(colour="#999999") if centres else ArcStyle()
    styles = {}
    for a, b in graph.edges:
        style = ArcStyle(colour="#222222", width=1.2) if a in centres or b in centres else plain
        styles[a, b] = style._replace(heads="-" if part.graph.has_edge(b, a) else "-|>")
    return Picture(dag, graph, styles, centres=centres, caption=part.caption)


def as_acyclic(dag: nx.DiGraph) -> nx.DiGraph:
    """Return a DAG to lay out: undirected edges go from the earlier node to the later, unless that makes a cycle."""
    graph = nx.create_empty_copy(dag, with_data=False)
    graph.add_edges_from((a, b) for a, b in dag.edges if not dag.has_edge(b, a))
    for a, b in dag.edges:
        if dag.has_edge(b, a) and not graph.has_edge(b, a):
            graph.add_edge(*((b, a) if nx.has_path(graph, b, a) else (a, b)))
    return graph


def _figure(dag: nx.DiGraph, **options: Any) -> Figure:
    """A figure of its own, which no window manages."""
    return cast(Figure, _draw(dag, None, Figure, **options).figure)


def save_dag(dag: nx.DiGraph, path: Any, dpi: float = 150.0, **options: Any) -> None:
    """Draw a DAG to a .png, .svg or .pdf file; options are those of `draw_dag`."""
    with write_whole(path) as part:
        _figure(dag, **options).savefig(part, dpi=dpi, format=Path(path).suffix[1:].lower() or "png")


def figure_as_svg(dag: nx.DiGraph, **options: Any) -> str:
    """Draw a DAG as an SVG element, for HTML pages and notebooks, that gets smaller with its page; see `draw_dag`.

    Examples
    --------
    >>> figure_as_svg(nx.DiGraph([("a", "b")]))[:72]
    '<svg style="width:100%;max-width:384px;height:auto" viewBox="0 0 288 150'
    """
    figure = _figure(dag, **options)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", dpi=200.0)  # of what is an image in it, as the dots of a large matrix are
    text = buffer.getvalue()
    style = f'style="width:100%;max-width:{96.0 * figure.get_figwidth():.0f}px;height:auto"'
    return re.sub(r'^<svg [^>]*?(viewBox="[^"]*")', rf"<svg {style} \1", text[text.index("<svg") :], count=1)
