"""Two graphs in one drawing."""

import itertools

import matplotlib as mpl
import networkx as nx
import numpy as np

mpl.use("Agg")

from matplotlib.patches import FancyArrowPatch

import bnjit
from bnjit.plots import draw_comparison
from bnjit.plots.comparison import EDGE_STYLES

TRUE, LEARNED = "[a][b][c|a:b][d|c][e|d]", "[a][b][c|a:b][d][e|d:a]"


def arrows_by_colour(ax):
    found = dict.fromkeys(EDGE_STYLES, 0)
    for patch in ax.patches:
        if isinstance(patch, FancyArrowPatch):
            colour = mpl.colors.to_hex(patch.get_edgecolor()).upper()
            found[next(name for name, look in EDGE_STYLES.items() if look.colour == colour)] += 1
    return found


def test_every_edge_is_drawn_once_and_counted():
    for classes in (True, False):
        ax = draw_comparison(LEARNED, TRUE, classes=classes)
        found = bnjit.compare(LEARNED, TRUE, classes=classes)
        numbers = {name: len(getattr(found, name)) for name in EDGE_STYLES}
        assert arrows_by_colour(ax) == numbers
        assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"{n} ({k})" for n, k in numbers.items()]
        assert {text.get_text() for text in ax.texts} == set("abcde")
        mpl.pyplot.close(ax.figure)


def test_lines_differ_in_colour_and_in_style():
    for one, other in itertools.combinations(EDGE_STYLES.values(), 2):
        assert one.colour != other.colour
        assert one.line != other.line


def test_heads_point_where_arcs_do():
    # Each graph is acyclic, both together are not: one arc is laid out upwards.
    ax = draw_comparison([("c", "a")], [("a", "b"), ("b", "c")], classes=False)
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    heads = {mpl.colors.to_hex(p.get_edgecolor()).upper(): type(p.get_arrowstyle()).__name__ for p in arrows}
    assert heads[EDGE_STYLES["extra"].colour] == "CurveFilledA"
    assert heads[EDGE_STYLES["missing"].colour] == "CurveFilledB"
    mpl.pyplot.close(ax.figure)
    ax = draw_comparison("[a][b|a]", "[b][a|b]")
    (edge,) = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert type(edge.get_arrowstyle()).__name__ == "Curve"
    mpl.pyplot.close(ax.figure)


def test_random_graphs_and_given_axes():
    rng = np.random.default_rng(0)
    figure, ax = mpl.pyplot.subplots()
    for _ in range(10):
        graphs = []
        for _ in range(2):
            order = rng.permutation(8).tolist()
            graphs.append(nx.DiGraph())
            graphs[-1].add_nodes_from(range(8))
            graphs[-1].add_edges_from((order[i], order[j]) for j in range(8) for i in range(j) if rng.random() < 0.3)
        ax.clear()
        assert draw_comparison(*graphs, ax, legend=False) is ax
        assert sum(arrows_by_colour(ax).values()) == len({frozenset(arc) for graph in graphs for arc in graph.edges})
        assert ax.get_legend() is None
    mpl.pyplot.close(figure)
