"""Boxes around labels: wide enough for the text, and for the heads of the arcs that end there."""

import re
import warnings
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

import networkx as nx
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import BoxStyle
from matplotlib.path import Path

from bnjit.plots.tuning import (
    CORNER,
    FONT_SIZE,
    LABEL_LETTERS,
    LABEL_LINES,
    LABEL_PADDING,
    LINE_SPACING,
    MEASURING_DPI,
    MOST_PORTS,
    PORT_GAP,
)


def wrap_label(label: str, letters: int = LABEL_LETTERS, lines: int = LABEL_LINES) -> str:
    """Break a long label into lines, after a space or a mark between words where there is one; shorten what is left.

    Examples
    --------
    >>> print(wrap_label("average_temperature_of_last_quarter"))
    average_temperature_
    of_last_quarter
    """
    found = _lines(label, letters)
    kept = letters * lines
    while len(found) > lines:
        found = _lines(f"{label[: kept // 2]}…{label[-(kept // 2) :]}", letters)
        kept -= 2
    return "\n".join(found)


def _lines(label: str, letters: int) -> list[str]:
    """Lines of at most so many letters, broken between words where that is possible."""
    lines = [""]
    for word in re.findall(r"[^\s_./:-]*(?:[\s_./:-]|$)", label):
        pieces = [word[i : i + letters] for i in range(0, len(word.rstrip()), letters)] or [word]
        if lines[-1] and len(lines[-1]) + len(word.rstrip()) > letters:
            lines.append("")
        lines[-1] += pieces[0]
        lines += pieces[1:]
    return [line.strip() for line in lines if line.strip()] or [label]


def box_sizes(dag: nx.DiGraph, labels: Mapping[Hashable, str]) -> dict[Hashable, tuple[float, float]]:
    """Width and height of the box of each node, in points at FONT_SIZE."""
    figure = Figure(dpi=MEASURING_DPI)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    text = figure.text(0.0, 0.0, "", fontsize=FONT_SIZE, linespacing=LINE_SPACING, parse_math=False)
    sizes = {}
    with _without_missing_glyphs() if not all(map(str.isascii, labels.values())) else nullcontext():
        for node in dag:
            text.set_text(labels[node])
            extent = text.get_window_extent(renderer)
            width, height = (
                float(pixels) * 72.0 / MEASURING_DPI + 2 * LABEL_PADDING * FONT_SIZE
                for pixels in (extent.width, extent.height)
            )
            sizes[node] = (max(width, width_for(max(len(dag.pred[node]), len(dag.succ[node])))), height)
    return sizes


@contextmanager
def _without_missing_glyphs() -> Iterator[None]:
    """Without a word on letters that the font does not have: the drawing warns as well, and once is enough."""
    with warnings.catch_warnings():  # not for labels that need it not: it changes what other threads see
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def width_for(arcs: int) -> float:
    """Width of a box in which the ends of so many arcs have room."""
    return (min(arcs, MOST_PORTS) - 1) * PORT_GAP + 2 * CORNER


class WideBox(NamedTuple):
    """Style of a box with a width in points at FONT_SIZE, whatever the width of its text; called by matplotlib."""

    width: float

    def __call__(self, x0: float, y0: float, text_width: float, height: float, font_size: float) -> Path:
        """Path of the box around a text, in pixels."""
        inner = max(text_width, (self.width / FONT_SIZE - 2 * LABEL_PADDING) * font_size)
        return BoxStyle.Round(pad=LABEL_PADDING)(x0 - (inner - text_width) / 2, y0, inner, height, font_size)
