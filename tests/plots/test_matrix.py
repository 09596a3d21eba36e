"""The compact picture of large graphs."""

from itertools import pairwise

import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from bnjit.graph import cpdag, make_dag
from bnjit.plots import draw_dag, figure_as_svg
from bnjit.plots.dag import _figure
from bnjit.plots.matrix import group_nodes
from bnjit.plots.tuning import PAGE_WIDTH


def large_graph(groups=8, size=30, seed=0):
    """Groups of nodes with two arcs a node inside, and some arcs from group to group."""
    rng = np.random.default_rng(seed)
    names = [f"x{i}" for i in rng.permutation(groups * size)]
    arcs = {
        (g * size + int(i), g * size + j) for g in range(groups) for j in range(1, size) for i in rng.integers(0, j, 2)
    }
    arcs |= {(g * size + int(rng.integers(size)), (g + 1) * size + int(rng.integers(size))) for g in range(groups - 1)}
    return make_dag(names, rng.random(len(names)) < 0.3, [(names[i], names[j]) for i, j in sorted(arcs)])


LARGE = large_graph()


def points(ax):
    (dots,) = [c for c in ax.collections if hasattr(c, "get_offsets")]
    return np.asarray(dots.get_offsets())


def caption(ax):
    (text,) = [text for text in ax.texts if text.get_gid() == "caption"]
    return " ".join(text.get_text().split())


def test_groups_are_found_and_ordered():
    found = group_nodes(LARGE)
    assert sorted(found.order) == sorted(LARGE)
    assert sum(found.sizes) == len(LARGE)
    assert len(found.sizes) > 3
    place = {node: i for i, node in enumerate(found.order)}
    group = dict(zip(found.order, np.repeat(range(len(found.sizes)), found.sizes), strict=True))
    inside = [(a, b) for a, b in LARGE.edges if group[a] == group[b]]
    assert len(inside) > 0.8 * LARGE.number_of_edges()
    assert all(place[a] < place[b] for a, b in inside)
    assert group_nodes(LARGE) == found


def test_every_arc_is_a_dot_in_its_row_and_column():
    ax = draw_dag(LARGE)
    assert not [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    place = {node: i for i, node in enumerate(group_nodes(LARGE).order)}
    dots = points(ax)
    assert len(dots) == LARGE.number_of_edges()
    rows, columns = (np.array([place[arc[end]] for arc in LARGE.edges]) for end in (0, 1))
    assert np.corrcoef(columns, dots[:, 0])[0, 1] == pytest.approx(1.0)
    assert np.corrcoef(rows, dots[:, 1])[0, 1] == pytest.approx(-1.0)
    assert caption(ax).startswith(f"Compact picture of 240 nodes and {LARGE.number_of_edges()} arcs")
    assert "plot(around='x" in caption(ax)
    mpl.pyplot.close(ax.figure)


def test_the_most_linked_nodes_are_named_apart():
    figure = _figure(LARGE)
    figure.canvas.draw()
    (ax,) = figure.axes
    named = [text for text in ax.texts if text.get_gid() != "caption"]
    hub = max(LARGE, key=LARGE.degree)
    parents, children = LARGE.in_degree(hub), LARGE.out_degree(hub)
    assert any(text.get_text().startswith(f"{hub}: {parents} parent") for text in named)
    assert any(f"{children} child" in text.get_text() for text in named)
    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    assert all(a.y1 <= b.y0 + 1.0 for a, b in pairwise(boxes))
    assert all(box.x0 >= 0.0 and box.x1 <= figure.bbox.x1 for box in boxes)
    assert figure.get_figwidth() <= PAGE_WIDTH


def test_limits_and_choice():
    for dag, compact in (
        (nx.empty_graph(150, create_using=nx.DiGraph), False),
        (nx.empty_graph(151, create_using=nx.DiGraph), True),
        (nx.gn_graph(401, seed=1), True),
        (nx.DiGraph([(i, j) for j in range(29) for i in range(j)][:401]), True),
    ):
        ax = draw_dag(dag)
        assert any("Compact" in text.get_text() for text in ax.texts) == compact
        mpl.pyplot.close(ax.figure)
    ax = draw_dag(nx.DiGraph([("a", "b")]), compact=True)
    assert len(points(ax)) == 1
    mpl.pyplot.close(ax.figure)
    ax = draw_dag(nx.empty_graph(151, create_using=nx.DiGraph), compact=False)
    assert len(ax.texts) == 151
    mpl.pyplot.close(ax.figure)


def test_classes_and_small_axes_and_parts():
    assert figure_as_svg(cpdag(LARGE)).startswith("<svg")
    figure = Figure(figsize=(2, 2))
    ax = draw_dag(LARGE, figure.add_subplot())
    figure.canvas.draw()
    assert len(ax.texts) == 1
    ax = draw_dag(LARGE, around="x0", distance=99)
    assert caption(ax).startswith("x0 and 239 nodes within 99 arcs of it, of 240 nodes in all. Compact")
    mpl.pyplot.close(ax.figure)
