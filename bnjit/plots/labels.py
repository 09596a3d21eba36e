"""Boxes around labels: wide enough for the text, and for the heads of the arcs that end there."""

import warnings
from collections.abc import Hashable
from typing import NamedTuple

import networkx as nx
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import BoxStyle
from matplotlib.path import Path

FONT_SIZE = 9.0  # points; layouts are made for this size and scaled to others
PAD = 0.35  # between a label and its box, as a part of the font size
PORT_GAP = 7.0  # between the ends of arcs on a side of a box, in points
CORNER = 6.0  # of a box, free of arcs
MOST_PORTS = 30  # arcs for which a box grows; more of them stand closer
DPI = 288.0


def box_sizes(dag: nx.DiGraph) -> dict[Hashable, tuple[float, float]]:
    """Width and height of the box of each node, in points at FONT_SIZE."""
    figure = Figure(dpi=DPI)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    text = figure.text(0.0, 0.0, "", fontsize=FONT_SIZE, parse_math=False)
    sizes = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the drawing says so, once is enough
        for node in dag:
            text.set_text(str(node))
            extent = text.get_window_extent(renderer)
            width, height = (float(n) * 72.0 / DPI + 2 * PAD * FONT_SIZE for n in (extent.width, extent.height))
            ports = min(max(len(dag.pred[node]), len(dag.succ[node])), MOST_PORTS)
            sizes[node] = (max(width, (ports - 1) * PORT_GAP + 2 * CORNER), height)
    return sizes


class WideBox(NamedTuple):
    """Style of a box with a width in points at FONT_SIZE, whatever the width of its text; called by matplotlib."""

    width: float

    def __call__(self, x0: float, y0: float, text_width: float, height: float, font_size: float) -> Path:
        """Path of the box around a text, in pixels."""
        inner = max(text_width, (self.width / FONT_SIZE - 2 * PAD) * font_size)
        return BoxStyle.Round(pad=PAD)(x0 - (inner - text_width) / 2, y0, inner, height, font_size)
