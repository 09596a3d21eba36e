"""Draw tests of what a graph implies: p-values against uniform ones, and the graph with what contradicts it."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.lines import Line2D

from bnjit.plots.dag import as_acyclic
from bnjit.plots.pictures import ArcStyle, Picture, draw_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VIOLATION = "#D55E00"
WIDTHS = (1.2, 4.0)  # of lines, in points, by effect


def draw_p_values(p_values: Any, ax: "Axes | None" = None, significant: Any = None) -> "Axes":
    """Draw p-values in ascending order against what uniform ones would be: true statements follow the diagonal.

    Parameters
    ----------
    p_values : sequence of float
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    significant : sequence of bool, optional
        Which of them to mark.

    Returns
    -------
    matplotlib Axes
        The band holds 95 % of each ordered value, if tests were independent.
    """
    if ax is None:
        _, ax = plt.subplots(figsize=(4.2, 4.0), layout="constrained")
    p = np.asarray(p_values, float)
    marked = np.zeros(len(p), bool) if significant is None else np.asarray(significant, bool)
    order, n = np.argsort(p, kind="stable"), len(p)
    expected = (np.arange(n) + 0.5) / max(n, 1)
    grid = np.linspace(0.0, 1.0, 101)
    half = 1.96 * np.sqrt(grid * (1.0 - grid) / (n + 2.0))
    ax.fill_between(grid, np.clip(grid - half, 0, 1), np.clip(grid + half, 0, 1), color="#EEEEEE", label="95 % band")
    ax.plot([0, 1], [0, 1], color="#888888", linewidth=0.8)
    chosen = marked[order]
    for which, colour, label in ((~chosen, "#222222", "agree"), (chosen, VIOLATION, "contradicted")):
        if which.any():
            text = f"{label} ({int(which.sum())})"
            ax.plot(expected[which], p[order][which], ".", color=colour, markersize=5, label=text)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="uniform", ylabel="p-value", aspect="equal")
    ax.legend(loc="upper left", frameon=False)
    return ax


def draw_violations(
    dag: nx.DiGraph, violations: Sequence[tuple[Hashable, Hashable, float]], ax: "Axes | None" = None,
    font_size: float = 9.0,
) -> "Axes":  # fmt: skip
    """Draw a graph, and lines between nodes that it says are independent and data say are not.

    Parameters
    ----------
    dag : networkx.DiGraph
    violations : list of (node, node, effect)
        Effects from 0 to 1; larger ones are thicker lines.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure of fitting size.
    font_size : float
        Of the labels, in points.

    Returns
    -------
    matplotlib Axes
    """
    both = nx.DiGraph()
    both.add_nodes_from(dag.nodes(data=True))
    both.add_edges_from(dag.edges)
    for a, b, _ in violations:
        both.add_edges_from([(a, b), (b, a)])
    graph, effects = as_acyclic(both), {frozenset((a, b)): effect for a, b, effect in violations}
    styles = {}
    for a, b in graph.edges:
        effect = effects.get(frozenset((a, b)))
        styles[a, b] = ArcStyle(colour="#999999")
        if effect is not None:
            width = WIDTHS[0] + (WIDTHS[1] - WIDTHS[0]) * float(np.clip(effect, 0.0, 1.0))
            styles[a, b] = ArcStyle(heads="-", colour=VIOLATION, line=(0, (4.0, 2.0)), width=width)
    legend = [Line2D([], [], color="#999999", linewidth=0.9, label="arc")]
    if effects:
        label = f"contradicted independence ({len(effects)})"
        legend.append(Line2D([], [], color=VIOLATION, linestyle=(0, (4.0, 2.0)), linewidth=1.6, label=label))
    return draw_picture(Picture(dag, graph, styles, legend), ax, None, legend=True, font_size=font_size)
