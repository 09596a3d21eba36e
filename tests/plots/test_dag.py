"""Drawings: what is in them, and where."""

import pickle

import matplotlib as mpl
import networkx as nx
import pytest

mpl.use("Agg")

from matplotlib.patches import FancyArrowPatch

from bnjit.errors import ArgumentError
from bnjit.graph import cpdag, make_dag
from bnjit.plots import draw_dag, figure_as_svg
from bnjit.plots.dag import COLOURS, _figure, node_class
from bnjit.plots.pictures import CENTRE_BORDER
from bnjit.plots.tuning import PAGE_WIDTH
from tests.plots.graphs import GRAPHS, WIDE

DAG = make_dag("ABXYZ", [True, True, False, False, False], [("A", "X"), ("X", "Y"), ("A", "Y"), ("Z", "Y")])


def test_classes():
    assert [node_class(DAG, node) for node in DAG] == [
        "multinomial", "multinomial", "conditional Gaussian", "conditional Gaussian", "Gaussian",
    ]  # fmt: skip
    assert node_class(nx.DiGraph([("a", "b")]), "a") == "other"


def test_drawing():
    ax = draw_dag(DAG)
    labels = {text.get_text(): text for text in ax.texts}
    assert set(labels) == set(DAG)
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == DAG.number_of_edges()
    face = labels["Z"].get_bbox_patch().get_facecolor()
    assert mpl.colors.to_hex(face).upper() == COLOURS["Gaussian"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "multinomial",
        "Gaussian",
        "conditional Gaussian",
    ]
    mpl.pyplot.close(ax.figure)


def test_undirected_edges_are_drawn_once():
    class_ = cpdag(nx.DiGraph([("a", "b"), ("b", "c")]))
    ax = draw_dag(class_)
    assert len([patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]) == 2
    assert ax.get_legend() is None
    mpl.pyplot.close(ax.figure)


def test_undirected_edges_do_not_close_cycles():
    ax = draw_dag(nx.DiGraph([("c", "b"), ("b", "a"), ("a", "c"), ("c", "a")]))  # c - a can only go from c to a
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == 3
    place = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert place["c"] > place["b"] > place["a"]
    mpl.pyplot.close(ax.figure)


def test_small_axes_have_small_labels():
    _, axes = mpl.pyplot.subplots(1, 2, figsize=(4, 3))
    draw_dag(DAG, axes[0], font_size=9.0)
    assert all(3.0 < text.get_fontsize() < 9.0 for text in axes[0].texts)
    assert draw_dag(DAG, font_size=12.0).texts[0].get_fontsize() == pytest.approx(12.0)
    mpl.pyplot.close("all")


def test_drawings_can_be_kept():
    ax = draw_dag(DAG)
    (again,) = pickle.loads(pickle.dumps(ax.figure)).axes
    assert len(again.patches) == DAG.number_of_edges()
    mpl.pyplot.close("all")


def test_an_empty_graph_is_drawn():
    assert figure_as_svg(nx.DiGraph()).startswith("<svg")


@pytest.mark.parametrize("n", [1, 40])
def test_sizes(n):
    ax = draw_dag(nx.gn_graph(n, seed=1) if n > 1 else make_dag(["a long name"], [True], []))
    width, height = ax.figure.get_size_inches()
    assert 3 < width <= 40
    assert 2 < height <= 40
    mpl.pyplot.close(ax.figure)


def test_names_are_not_mathematics():
    ax = draw_dag(nx.DiGraph([("cost $ in US$", r"$\\x$")]))
    ax.figure.canvas.draw()
    assert {text.get_text() for text in ax.texts} == {"cost $ in US$", r"$\\x$"}
    assert not any(text.get_parse_math() for text in ax.texts)
    mpl.pyplot.close(ax.figure)


def borders(ax):
    boxes = {text.get_text(): text.get_bbox_patch() for text in ax.texts if text.get_bbox_patch() is not None}
    return {name: mpl.colors.to_hex(box.get_edgecolor()).upper() for name, box in boxes.items()}


def test_a_part_is_drawn_with_its_centre_standing_out():
    ax = draw_dag(DAG, around="X")
    shown = borders(ax)
    assert set(shown) == {"A", "X", "Y"}
    assert [name for name, border in shown.items() if border == CENTRE_BORDER] == ["X"]
    assert len([patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]) == 3
    assert ax.texts[-1].get_text() == "X and 2 nodes within 1 arc of it, of 5 nodes in all"
    mpl.pyplot.close(ax.figure)
    ax = draw_dag(DAG, around=["Y", "B"], distance=0)
    assert set(borders(ax)) == {"Y", "B"}
    face = next(text for text in ax.texts if text.get_text() == "Y").get_bbox_patch().get_facecolor()
    assert mpl.colors.to_hex(face).upper() == COLOURS["conditional Gaussian"]  # by parents that are not drawn
    mpl.pyplot.close(ax.figure)


def test_a_distance_needs_a_node():
    with pytest.raises(ArgumentError, match="distance=2 is counted from the nodes of around="):
        draw_dag(DAG, distance=2)


@pytest.mark.parametrize("dag", [*GRAPHS.values(), *WIDE.values()], ids=[*GRAPHS, *WIDE])
def test_svg_is_no_wider_than_its_page(dag):
    head = figure_as_svg(dag).partition(">")[0]
    width = float(head.partition("max-width:")[2].partition("px")[0])
    assert 0 < width <= 96.0 * PAGE_WIDTH
    assert "width:100%" in head
    assert "viewBox=" in head
    assert " width=" not in head
    assert " height=" not in head


def test_a_layout_engine_does_not_squeeze_rows():
    figure = mpl.figure.Figure(figsize=(3, 4), layout="constrained")
    ax = draw_dag(GRAPHS["mehra"], figure.add_subplot())
    mpl.backends.backend_agg.FigureCanvasAgg(figure).draw()
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts]
    legend = ax.get_legend().get_window_extent()
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in [*boxes[:i], legend])
    page = _figure(DAG).get_size_inches()
    assert page[0] <= PAGE_WIDTH
