"""Boxes around labels: wide enough for the text, and for the heads of the arcs that end there."""

import warnings
from collections.abc import Hashable
from typing import NamedTuple

import networkx as nx
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import BoxStyle
from matplotlib.path import Path

from bnjit.plots.tuning import CORNER, FONT_SIZE, LABEL_PADDING, MEASURING_DPI, MOST_PORTS, PORT_GAP


def box_sizes(dag: nx.DiGraph) -> dict[Hashable, tuple[float, float]]:
    """Width and height of the box of each node, in points at FONT_SIZE."""
    figure = Figure(dpi=MEASURING_DPI)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    text = figure.text(0.0, 0.0, "", fontsize=FONT_SIZE, parse_math=False)
    sizes = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the drawing warns as well; once is enough
        for node in dag:
            text.set_text(str(node))
            extent = text.get_window_extent(renderer)
            width, height = (
                float(pixels) * 72.0 / MEASURING_DPI + 2 * LABEL_PADDING * FONT_SIZE
                for pixels in (extent.width, extent.height)
            )
            ports = min(max(len(dag.pred[node]), len(dag.succ[node])), MOST_PORTS)
            sizes[node] = (max(width, (ports - 1) * PORT_GAP + 2 * CORNER), height)
    return sizes


class WideBox(NamedTuple):
    """Style of a box with a width in points at FONT_SIZE, whatever the width of its text; called by matplotlib."""

    width: float

    def __call__(self, x0: float, y0: float, text_width: float, height: float, font_size: float) -> Path:
        """Path of the box around a text, in pixels."""
        inner = max(text_width, (self.width / FONT_SIZE - 2 * LABEL_PADDING) * font_size)
        return BoxStyle.Round(pad=LABEL_PADDING)(x0 - (inner - text_width) / 2, y0, inner, height, font_size)
