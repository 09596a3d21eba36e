"""Drawn arcs, measured in pixels: each touches the boxes of its two nodes and no other."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from bnjit.plots import draw_dag
from bnjit.plots.dag import _figure
from bnjit.plots.labels import wrap_label
from bnjit.plots.routes import spread
from bnjit.plots.tuning import PAGE_WIDTH, SMALLEST_FONT
from tests.plots.graphs import CLASSES, GRAPHS, WIDE


def curve_points(arrow):
    path = arrow.get_transform().transform_path(arrow.get_path())
    curves = [curve(np.linspace(0.0, 1.0, 100)) for curve, _ in path.iter_bezier()]
    return np.concatenate(curves)


def inside(points, box, margin):
    """Whether any of the points is in a box that is larger by a margin on each side."""
    within = (points > (box.x0 - margin, box.y0 - margin)) & (points < (box.x1 + margin, box.y1 + margin))
    return bool(within.all(axis=1).any())


def check_drawing(figure, dag):
    FigureCanvasAgg(figure).draw()
    (ax,) = figure.axes
    names = {label: str(node) for node in dag for label in (wrap_label(str(node)), str(node))}
    boxes = {names[text.get_text()]: text.get_bbox_patch().get_window_extent() for text in ax.texts}
    assert set(boxes) == {str(node) for node in dag}
    assert all(not a.padded(1.0).overlaps(b.padded(1.0)) for a, b in combinations(boxes.values(), 2))
    page = ax.figure.bbox
    assert all(page.contains(*box.min) and page.contains(*box.max) for box in boxes.values())
    touched = set()
    for arrow in (patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)):
        points = curve_points(arrow)
        assert page.contains(*points.min(axis=0))
        assert page.contains(*points.max(axis=0))
        assert not any(inside(points, box, -1.5) for box in boxes.values())
        touched.add(frozenset(name for name, box in boxes.items() if inside(points, box, 1.5)))
    assert touched == {frozenset(map(str, arc)) for arc in dag.edges}


@pytest.mark.parametrize("name", GRAPHS)
def test_no_arc_runs_through_a_box(name):
    check_drawing(_figure(GRAPHS[name]), GRAPHS[name])


@pytest.mark.parametrize("name", WIDE)
def test_no_arc_runs_through_a_box_of_folded_rows(name):
    figure = _figure(WIDE[name])
    check_drawing(figure, WIDE[name])
    assert figure.get_figwidth() <= PAGE_WIDTH
    assert min(text.get_fontsize() for text in figure.axes[0].texts) >= SMALLEST_FONT - 1e-9


@pytest.mark.parametrize("name", CLASSES)
def test_no_edge_of_a_class_runs_through_a_box(name):
    check_drawing(_figure(CLASSES[name]), CLASSES[name])


@pytest.mark.parametrize("size", [(24, 5), (7, 20), (30, 30), (6, 5)])
@pytest.mark.parametrize("name", ["mehra", "names"])
def test_no_arc_runs_through_a_box_of_given_axes(name, size):
    figure = Figure(figsize=size, dpi=100)
    draw_dag(GRAPHS[name], figure.add_subplot())
    check_drawing(figure, GRAPHS[name])


def test_ends_of_arcs_are_apart():
    rng = np.random.default_rng(1)
    for n in range(1, 9):
        wanted = sorted(rng.normal(scale=10.0, size=n))
        places = spread(wanted, 2.0, 9.0)
        assert np.all(np.diff(places) >= 2.0 - 1e-9)
        assert min(places) >= -9.0 - 1e-9
        assert max(places) <= 9.0 + 1e-9
    assert spread([-5.0, 3.0], 2.0, 9.0) == [-5.0, 3.0]
    assert spread([], 2.0, 9.0) == []
